import Experiment
import FleetModel
import Questions
import Scenarios
import Wording

/// Money of a plan: by part and region, month by month, and beside a cheap and a safe plan.
extension ServerPlanAnswer {
    /// `0.0158 a device`, of the first month.
    var deviceMoney: String? {
        result.budget?.months.first.map { "\(Format.number($0.perDeviceMonth)) a device" }
    }

    static func ends(_ period: PlanBudget.Period) -> String {
        guard let low = period.low, let high = period.high, low < high else { return "" }
        return " (\(Format.number(low)) to \(Format.number(high)))"
    }

    /// Parts of the bill as columns of regions.
    var parts: Table? {
        guard let plan, !plan.cost.rows.isEmpty else { return nil }
        let names = plan.cost.rows.map(\.part).uniqued()
        let regions = plan.regions.map(\.name)
        let devices = Double(max(1, result.devices))
        func cells(_ name: String, _ isPart: (MonthlyCost.Row) -> Bool) -> [Table.Cell] {
            let rows = plan.cost.rows.filter(isPart)
            let total = rows.reduce(0) { $0 + $1.money }
            let own =
                regions.count > 1
                ? regions.map { region in
                    Table.Cell.number(rows.reduce(0) { $0 + ($1.region == region ? $1.money : 0) })
                } : []
            return [.words(name)] + own + [
                .number(total), .quantity(plan.total > 0 ? total / plan.total : nil, .share),
                .number(total / devices * 1_000),
            ]
        }
        return Table(
            title: "What a month costs, by part and region.",
            caption: "The bill of a month with today's fleet; what stands there is charged, busy or not.",
            columns: (["MONEY, \(currency) a month"] + (regions.count > 1 ? regions.map { $0 ?? "all" } : [])
                + ["all", "share", "per 1000 devices"]).map { Table.Column($0) },
            rows: names.map { name in cells(name) { $0.part == name } } + [cells("all") { _ in true }],
            indent: 2, isOpen: true)
    }

    private static let budgetCaption =
        "servers as they are due at the month's end, in the regions of the plan, bytes of its middle; from and to:"
        + " demand and growth at the same ends of their intervals of 95 %; prices, and what nobody knows, stay"

    /// A row for each month, and the two years; of a fleet that stays only these.
    var months: Table? {
        guard let budget = result.budget, !budget.months.isEmpty else { return nil }
        let months = budget.growth > 0 ? budget.months : []
        func cells(_ name: String, _ period: PlanBudget.Period) -> [Table.Cell] {
            [
                .words(name), .number(period.devices),
                period.servers.map { .count($0.flatMap(\.machines).reduce(0) { $0 + $1.cores }) } ?? .none,
                .number(period.total), .number(period.low), .number(period.high),
                .number(period.perDeviceMonth), .number(period.perThousandLookups),
            ]
        }
        return Table(
            title: "Month by month.", caption: Self.budgetCaption + fanCaption, captionLevel: .details,
            columns: [
                "MONTHS", "devices", "cores", "money, \(currency)", "from", "to", "a device and month",
                "1000 lookups",
            ].map { Table.Column($0) },
            rows: months.map { cells("\($0.first)", $0) }
                + budget.years.map { cells("\($0.first) to \($0.last)", $0) }, indent: 2,
            drawings: months.isEmpty ? [] : [budgetChart(budget).drawing])
    }

    /// The outer band of ``budgetChart(_:)``.
    private var fanCaption: String {
        guard plausibleBill != nil else { return "" }
        return "; outer band of the chart: what nobody knows of today's money, which moves each month alike"
    }

    func budgetChart(_ budget: PlanBudget) -> LineChart {
        LineChart(
            series: [
                LineChart.Series(
                    name: "money",
                    points: budget.months.map {
                        LineChart.Point(
                            x: Double($0.first), y: $0.total, low: $0.low, high: $0.high,
                            plausible: plausibleBill?.bounds($0.total, low: $0.low, high: $0.high))
                    })
            ], across: .linear, acrossTitle: "month, from now", upTitle: "\(currency) a month",
            format: Format.plain)
    }

    /// The cheap, the chosen and the safe plan as columns.
    var choices: Table? {
        guard let choices = result.choices else { return nil }
        func row(_ name: String, _ cell: (PlanChoice) -> Table.Cell) -> [Table.Cell] {
            [.words(name)] + choices.map(cell)
        }
        func of(_ name: String, _ cell: (PlanChoice, ServerPlan) -> Table.Cell) -> [Table.Cell] {
            row(name) { choice in choice.plan.map { cell(choice, $0) } ?? .none }
        }
        func state(_ name: String, _ situation: ServerPlan.State.Situation) -> [Table.Cell] {
            of(name) { _, plan in .words(Self.outcome(plan, situation)) }
        }
        let regions = choices.compactMap(\.plan).flatMap(\.regions).map(\.name).uniqued()
        let years = (choices.map(\.years.count).max() ?? 0)
        return Table(
            title: "Three plans side by side.",
            caption:
                "cheap: no spare instance, and no region may be lost; safe: one spare instance more, loads at the"
                + " upper ends of their intervals on the busiest day of a year"
                + " (\(Format.number(PlanChoice.busiestDay)) times the peak, assumption); objectives hold in all"
                + " three while all is well",
            captionLevel: .details,
            columns: [Table.Column("PLANS")] + choices.map { Table.Column($0.care.rawValue) },
            rows: [
                row("spare instances") { .count($0.spareInstances) },
                row("a region may be lost") { .words($0.survivesRegion ? "yes" : "no") },
            ]
                + regions.map { region in
                    of(region ?? "servers") { _, plan in
                        .words(Self.machines(plan.regions.first { $0.name == region }))
                    }
                } + [
                    of("cores") { _, plan in .count(plan.cores) },
                    of("\(currency) a month") { _, plan in .number(plan.total) },
                    of("a device and month") { _, plan in
                        .number(plan.total / Double(max(1, result.devices)))
                    },
                ]
                + (0..<years).map { year in
                    row("\(currency) in months \(12 * year + 1) to \(12 * year + 12)") {
                        $0.years.indices.contains(year) ? .number($0.years[year].total) : .none
                    }
                } + [
                    row("bears today's load times") { .quantity($0.plan == nil ? nil : $0.bears, .factor) },
                    state("\(latencyName), all is well", .healthy), state("one of each gone", .instanceLost),
                ] + (result.rule.survivesRegion ? [state("one region gone", .regionLost)] : []),
            indent: 2, isOpen: true)
    }

    /// `3 gateway × 2, 2 issuer × 2, 5 pir × 4`.
    private static func machines(_ region: ServerPlan.Region?) -> String {
        region.map { region in
            region.machines.map { "\($0.instances) × \($0.coresPerInstance) \($0.service.name)" }
                .joined(separator: ", ")
        } ?? "none"
    }

    /// The latency in a situation, or what is missing for it.
    private static func outcome(_ plan: ServerPlan, _ situation: ServerPlan.State.Situation) -> String {
        guard let state = plan[situation] else { return "no servers" }
        guard state.utilization != nil else { return "no \(state.service.name) left" }
        return state.latency.map { Format.wait($0) } ?? "too few servers"
    }
}

extension MonthlyCost.Row {
    /// Part of a bill: the servers of a service, or what else is paid for.
    var part: String { service.map { "\($0.name) servers" } ?? item.name }
}
