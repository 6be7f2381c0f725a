import Experiment
package import Questions
import Scenarios
import Wording

/// Two pages about the money of a plan, for those who pay: they print on A4 as they are on the screen.
package struct BudgetPage {
    private let result: ServerPlanResult
    private let plan: ServerPlan
    private let budget: PlanBudget

    /// Longest bars of the tornado: more do not fit on the page, and the others move less.
    private static let mostAssumptions = 8

    /// - Returns: HTML that is well-formed XML, too; `nil` for an answer without a plan.
    package static func render(_ result: ServerPlanResult) -> String? {
        guard let plan = result.bestPoint?.plan, let budget = result.budget else { return nil }
        return BudgetPage(result: result, plan: plan, budget: budget).page
    }

    private var answer: ServerPlanAnswer { ServerPlanAnswer(result: result) }
    private var currency: String { result.prices.currency }

    private var page: String {
        let growth = budget.growth > 0 ? "growth of \(Format.share(budget.growth)) a month" : "no growth"
        let frame = PageFrame(
            title: "\(result.scenario): what it costs",
            facts: [Format.count(result.devices, "device"), growth, "\(currency), months of 30 days"],
            style: PageStyle.sheets)
        return frame.page { body in
            body.element("section", ["class": "sheet"]) { sheet in
                Tile.write(tiles, to: &sheet)
                Document.write(blocks([answer.parts]), to: &sheet)
                Document.write(blocks([course]), to: &sheet)
                PageFrame.writeList(reading, style: "notes", to: &sheet)
            }
            body.element("section", ["class": "sheet"]) { sheet in
                Document.write(blocks([answer.choices]), to: &sheet)
                Document.write(blocks([hangsOn]), to: &sheet)
                PageFrame.writeList(doubts, style: "notes", to: &sheet)
            }
        }
    }

    private func blocks(_ tables: [Table?]) -> [Document.Block] {
        tables.compactMap(\.self).map { .table($0) }
    }

    private var tiles: [Tile] {
        func tile(_ value: Double?, _ words: String) -> Tile? {
            value.map { Tile(value: "\(currency) \(Format.number($0))", words: words) }
        }
        let month = budget.months.first
        return [
            tile(plan.total, "a month, with today's fleet"),
            tile(plan.total / Double(max(1, result.devices)), "a device and month"),
            tile(month?.perThousandLookups, "for 1000 lookups"),
        ].compactMap(\.self)
            + budget.years.enumerated().map { index, year in
                Tile(
                    value: "\(currency) \(Format.number(year.total))",
                    words: (index == 0 ? "this year" : "next year") + ", months \(year.first) to \(year.last)"
                        + ServerPlanAnswer.ends(year))
            }
    }

    /// The months as a drawing, and the years as its table.
    private var course: Table? {
        guard var table = answer.months else { return nil }
        let years = table.rows.suffix(budget.years.count)
        table.rows = Array(years)
        table.title = "This year and next."
        table.isOpen = true
        table.drawings =
            budget.growth > 0
            ? [
                { width in
                    var chart = answer.budgetChart(budget)
                    chart.height = 150
                    return chart.drawing(width: width)
                }
            ] : []
        return table
    }

    private var reading: [String] {
        answer.purchases + answer.sureness + [nextPurchase, answer.confirmation].compactMap(\.self)
    }

    private var nextPurchase: String? {
        result.growth?.purchases.first.map { purchase in
            "next purchase: \(ServerPlanAnswer.place(purchase.region, purchase.service))"
                + " \(ServerPlanAnswer.month(purchase.months)) (95 %: month \(Format.number(purchase.earliest)) to"
                + " \(Format.number(purchase.latest)))"
        }
    }

    /// The assumptions that move most money.
    private var hangsOn: Table? {
        guard let sensitivity = result.sensitivity else { return nil }
        let rows = sensitivity.rows.filter { $0.swing > 0 }.prefix(Self.mostAssumptions)
        guard !rows.isEmpty else { return nil }
        let bars = rows.map { row in
            let ends = ServerPlanAnswer.ends(row, areApart: true)
            return TornadoChart.Bar(
                label: ServerPlanAnswer.words(row.assumption), low: row.low.money, high: row.high.money,
                lowLabel: ends[0], highLabel: ends[1])
        }
        return Table(
            title: "What would change it.",
            caption:
                "Each assumption alone over its range, the line is now: money of the cheapest plan then.",
            columns: ["assumption", "range", "from", "to", "where the range comes from"].map {
                Table.Column($0)
            },
            rows: rows.map { row in
                [
                    .words(ServerPlanAnswer.words(row.assumption)),
                    .words(ServerPlanAnswer.ends(row).joined(separator: " to ")),
                    .words(ServerPlanAnswer.money(row.low)), .words(ServerPlanAnswer.money(row.high)),
                    .words(row.source),
                ]
            },
            drawings: [
                TornadoChart(
                    bars: Array(bars), now: plan.total, title: "\(currency) a month", format: Format.plain
                ).drawing
            ])
    }

    private var doubts: [String] {
        let assumed = result.prices.assumed
        let prices =
            assumed.isEmpty
            ? "prices are given or public"
            : "assumptions among the prices: \(assumed.joined(separator: ", "))"
        return [prices]
            + [
                "intervals are about chance: which devices were simulated, and how the fleet grows; what nobody knows"
                    + " is in the bars above",
                "the spreadsheet beside this page has the same money as formulas: change prices and growth there",
            ]
    }
}
