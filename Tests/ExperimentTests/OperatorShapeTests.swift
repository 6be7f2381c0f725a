import Experiment
import Foundation
import Questions
import Scenarios
import TestSupport
import Testing

/// Servers and money of hidden operators, against counting by hand.
struct OperatorShapeTests {
    private static func scenario() throws -> Scenario {
        let folder = try TemporaryFolder()
        defer { folder.remove() }
        return try ScenarioResolver.resolve(OperatorScenario.write(to: folder.path, devices: 60))
    }

    private static func traffic(busy: Double, bytes: Double = 0, downloads: Double = 0) -> OperatorTraffic {
        OperatorTraffic(
            busy: busy, egressBytesPerDay: bytes, ingressBytesPerDay: 0, downloadBytesPerDay: downloads)
    }

    /// Fleets of so many servers as the peak needs, half a server below the whole number.
    private static func needing(_ servers: [Int], _ bill: OperatorBill) -> [OperatorShape.Operator] {
        let each =
            Double(OperatorBill.coresPerServer) * bill.prices.targetUtilization
            / (Double(bill.cores) * bill.busiestHour * OperatorBill.devices)
        return servers.map {
            .init(
                traffic: traffic(busy: (Double($0 - bill.prices.spareInstances) - 0.5) * each), stray: 0,
                listed: 1)
        }
    }

    @Test func theBusiestHourIsThatOfAllGroups() throws {
        let hours = (0..<24).map { $0 == 20 ? "3" : "1" }.joined(separator: ", ")
        let small = try SmallScenario(
            """
            devices:
              - { name: shaped, count: 30, browsing: { lookups: { perDay: 10, hourWeights: [\(hours)] } } }
              - { name: flat, count: 10, browsing: { lookups: { perDay: 10 } } }
            """)
        defer { small.folder.remove() }
        let busiest = OperatorBill(try small.scenario()).busiestHour
        #expect(abs(busiest - (30 * 3.0 / 26 + 10.0 / 24) / (40.0 / 24)) < 1e-12)
    }

    @Test func aMonthIsServersAndBytesByTheirPrices() throws {
        let bill = OperatorBill(try Self.scenario())
        let rates = bill.prices.rates
        let fleet = OperatorBill.devices
        let operators = Self.needing([3, 8], bill)
        #expect(operators.map { bill.servers($0.traffic) } == [3, 8])
        let month = bill.month(Self.traffic(busy: 0, bytes: 2e6, downloads: 5e6), servers: 4)
        let servers = 4 * 2 * 720 * rates.coreHour
        let bytes = 30 * 1e-9 * fleet * (2e6 * rates.egressGigabyte + 5e6 * rates.downloadGigabyte)
        #expect(abs(month / (servers + bytes) - 1) < 1e-9)
    }

    /// Every number is tried, from one on.
    @Test(arguments: [0, 0.1, 0.25, 0.5])
    func theFewestServersOfARiskAreBought(_ risk: Double) throws {
        let scenario = try Self.scenario()
        let shape = try OperatorShape(scenario, entries: OperatorScenario.entries)
        let bill = OperatorBill(scenario)
        for needed in [[3], [3, 4], [2, 2, 9, 5], [8, 3, 4, 4, 5, 5, 6, 7, 12, 30], Array(2...41)] {
            let fewest = (1...100).first { bought in
                Double(needed.count { $0 > bought }) <= risk * Double(needed.count)
            }
            #expect(shape.servers(nil, Self.needing(needed, bill), risk: risk) == fewest)
        }
    }

    @Test func whatIsKnownIsBoughtExactly() throws {
        let scenario = try Self.scenario()
        let shape = try OperatorShape(scenario, entries: OperatorScenario.entries)
        let truth = Self.needing([5], OperatorBill(scenario))[0]
        let best = shape.cost(nil, truth)
        func judge(_ servers: Int) -> OperatorResult.Servers {
            shape.judge(servers, at: nil, truth, best: best)
        }
        let exact = judge(shape.servers(nil, [truth, truth]))
        #expect(exact.bought == 5 && exact.needed == 5 && exact.regret == 0 && exact.isGood)
        // Nothing but servers is paid for here.
        #expect(abs(exact.step - 0.2) < 1e-9 && exact.isCoarse)
        #expect(abs(judge(6).regret - 0.2) < 1e-9)
        #expect(judge(6).isEnough && judge(6).isWithinOne && !judge(6).isGood)
        #expect(!judge(7).isWithinOne)
        #expect(!judge(4).isEnough && !judge(4).isGood && !judge(4).isWithinOne)
    }

    /// Without stray lookups the smallest prefilter is best, and without a prefilter's bytes the strictest.
    @Test func theToleranceFollowsFromWhatIsPaidFor() throws {
        let shape = try OperatorShape(Self.scenario(), entries: OperatorScenario.entries)
        let bytes = OperatorShape.Operator(
            traffic: Self.traffic(busy: 0, downloads: 1e9), stray: 0, listed: 1)
        #expect(shape.tolerance([bytes]) == 0)
        let stray = OperatorShape.Operator(traffic: Self.traffic(busy: 0, bytes: 1e9), stray: 1, listed: 0)
        #expect(shape.tolerance([stray]) == OperatorShape.tolerances.count - 1)
        #expect(shape.least(stray) == shape.cost(OperatorShape.tolerances.count - 1, stray))
    }
}
