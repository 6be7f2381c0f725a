import FleetModel
import Foundation
import Questions
import Report
import Scenarios
import Testing

/// The spreadsheet of a plan calculates what the plan says, and its page is one.
struct BudgetTests {
    private static func load(_ service: Part, _ cores: Double) -> FleetDemand.Load {
        FleetDemand.Load(
            service: service, meanCores: cores / 2, peakCores: cores, peakLow: cores * 0.9,
            peakHigh: cores * 1.1, series: [cores / 2, cores], serviceSeconds: 0.01)
    }

    /// Two regions, of which the second has a price of its own and the first a name that a spreadsheet would calculate.
    static func result() throws -> ServerPlanResult {
        let json = """
            {"devices": 1000000, "sample": 1000, "replications": 2, "interval": 600, "seriesStart": 0,
             "regions": [], "days": [], "percentiles": [{"percentile": 0.99, "seconds": 0.3}],
             "lookupsPerDeviceDay": 50, "lookupsPerMeanDay": 40, "egressBytesPerDay": 2e12,
             "ingressBytesPerDay": 1e12, "downloadBytesPerDay": 4e12, "shards": 4, "databaseBytes": 1e9,
             "evaluationKeyBytes": 1e5}
            """
        var demand = try JSONDecoder().decode(FleetDemand.self, from: Data(json.utf8))
        demand.regions = [("=1+1", 5.2, 0.6), ("west, far", 3.1, 0.4)].map { name, cores, share in
            FleetDemand.Region(
                name: name, loads: [load(.gateway, 1.3), load(.issuer, 0.4), load(.pir, cores)],
                share: share)
        }
        var prices = try Prices.named("large-cloud")
        prices.regions["west, far"] = ["egressGigabyte": 0.2, "coreHour": 0.05]
        let rule = PlanRule(latencies: [], targetUtilization: 0.6, spareInstances: 1, survivesRegion: true)
        let planner = ServerPlanner(
            demand, rule: rule, prices: prices,
            geography: Geography(delays: [[0.01, 0.05], [0.05, 0.01]], devices: [600, 400]), keys: .stored)
        var result = ServerPlanResult(
            scenario: "two regions", devices: 1_000_000, rule: rule, prices: prices,
            points: [.init(settings: [:], demand: demand, plan: planner.plan())], unplanned: [])
        result.addOutlook(planner, growth: GrowthLaw(least: 0.02, most: 0.04))
        return result
    }

    @Test func theSheetCalculatesWhatThePlanSays() throws {
        let result = try Self.result()
        let plan = try #require(result.bestPoint?.plan)
        let budget = try #require(result.budget)
        let sheet = SheetCalculator(try #require(BudgetSheet.render(result)))
        let month = try #require(sheet.line("A MONTH WITH TODAY'S FLEET"))
        let total = month + plan.cost.rows.count + 1
        #expect(abs((sheet.value("F\(total)") ?? 0) / plan.total - 1) < 1e-12)
        for (index, row) in plan.cost.rows.enumerated() {
            #expect(abs((sheet.value("F\(month + 1 + index)") ?? 0) - row.money) <= 1e-9 * row.money)
        }
        #expect(abs((sheet.value("F\(total + 1)") ?? 0) / (plan.total / 1e6) - 1) < 1e-12)
        let first = try #require(sheet.line("MONTH")) + 1
        for (index, period) in budget.months.enumerated() {
            let line = first + index
            #expect(abs((sheet.value("H\(line)") ?? 0) / period.total - 1) < 1e-6, "month \(period.first)")
            #expect(abs((sheet.value("I\(line)") ?? 0) / period.perDeviceMonth - 1) < 1e-6)
            #expect(sheet.value("K\(line)") == period.low && sheet.value("L\(line)") == period.high)
        }
        let year = try #require(sheet.line("YEAR")) + 1
        for (index, period) in budget.years.enumerated() {
            #expect(abs((sheet.value("H\(year + index)") ?? 0) / period.total - 1) < 1e-6)
        }
    }

    /// A name of a region is never a formula.
    @Test func namesAreNoFormulas() throws {
        let sheet = SheetCalculator(try #require(BudgetSheet.render(try Self.result())))
        #expect(sheet.line("'=1+1") != nil && sheet.line("west, far") != nil)
        #expect(!sheet.cells.flatMap(\.self).contains("=1+1"))
    }

    @Test func thePageHasTwoSheetsAndThreePlans() throws {
        let page = try #require(BudgetPage.render(try Self.result()))
        #expect(page.components(separatedBy: "<section class=\"sheet\">").count == 3)
        for words in ["for 1000 lookups", "this year, months 1 to 12", "Three plans side by side.", "safe"] {
            #expect(page.contains(words), "\(words)")
        }
        #expect(page.contains("break-before: page"))
        PageCheck.check(ParsedPage(page), "budget")
    }

    @Test func anAnswerWithoutAPlanHasNoMoney() throws {
        var result = try Self.result()
        result.best = nil
        #expect(BudgetSheet.render(result) == nil && BudgetPage.render(result) == nil)
    }
}
