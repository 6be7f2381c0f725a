import Experiment
import FleetModel
package import Questions
import RunMetrics
import Scenarios
import Wording

/// A plan of servers as one HTML file: what to buy, what fails when, when more is due, and what the answer hangs on.
package struct ServerPlanPage {
    private let result: ServerPlanResult
    private var text: ServerPlanText { ServerPlanText(result: result) }

    /// - Parameter arguments: Of the command, to do it again.
    /// - Returns: HTML that is well-formed XML, too, and refers to nothing outside itself.
    package static func render(_ result: ServerPlanResult, arguments: [String]) -> String {
        let page = ServerPlanPage(result: result)
        let facts = [Format.count(result.devices, "device"), page.text.rule]
        return PageFrame(title: "\(result.scenario): which servers?", facts: facts).page { body in
            Tile.write(page.tiles, to: &body)
            let sections: [(String, [Figure?])] = [
                ("What to buy", [page.machines, page.money, page.points]),
                ("When something fails", [page.utilization, page.latency, page.checks]),
                ("Growth", [page.growth]), ("If an assumption is wrong", page.tornados),
            ].map { ($0.0, $0.1.compactMap(\.self)) }.filter { !$0.1.isEmpty }
            PageFrame.writeContents(["Answer"] + sections.map(\.0) + ["Method"], to: &body)
            PageFrame.writeSection("Answer", to: &body) { section in
                PageFrame.writeList(page.text.purchases + page.text.closing, style: "answers", to: &section)
            }
            for (title, figures) in sections {
                PageFrame.writeSection(title, to: &body) { section in
                    for figure in figures.compactMap(\.self) { figure.write(to: &section) }
                }
            }
            PageFrame.writeSection("Method", to: &body) { section in
                PageFrame.writeList(page.text.notes, to: &section)
                MethodSection.write(command: arguments, to: &section)
            }
        }
    }

    private var plan: ServerPlan? { result.bestPoint?.plan }
    private var currency: String { result.prices.currency }

    private var tiles: [Tile] {
        guard let plan else { return [Tile(value: "none", words: "no plan meets the rule", style: "fail")] }
        let style =
            switch result.confirmation {
            case .holds: "pass"
            case .misses: "fail"
            case .cannotTell, nil: "open"
            }
        var tiles = [
            Tile(value: "\(currency) \(Format.number(plan.total))", words: "a month", style: style),
            Tile(
                value: Format.count(plan.cores),
                words: "cores in \(Format.count(plan.regions.count, "region"))"),
        ]
        if let latency = plan[.instanceLost]?.latency {
            tiles.append(
                Tile(
                    value: Format.duration(latency),
                    words: "\(text.latencyName) of a lookup, one instance of each gone"))
        }
        if let purchase = result.growth?.purchases.first {
            tiles.append(
                Tile(
                    value: ServerPlanText.month(purchase.months),
                    words: "next purchase: \(ServerPlanText.place(purchase.region, purchase.service))"))
        }
        return tiles
    }

    private var machines: Figure? {
        guard let plan, !plan.fill.isEmpty else { return nil }
        let chart = DotChart(
            seriesNames: [],
            rows: plan.fill.map { fill in
                let scale = fill.peakCores > 0 ? fill.share / fill.peakCores : 0
                return DotChart.Row(
                    label: ServerPlanText.place(fill.region, fill.service),
                    dots: [
                        DotChart.Dot(
                            value: fill.share, low: fill.peakLow * scale, high: fill.peakHigh * scale,
                            label: ServerPlanText.fullness(fill))
                    ])
            }, range: 0...1, title: "of what the rule allows, %", format: Format.tick(.share))
        return Figure(
            title: "Servers, and how full they are.",
            caption:
                "Peak load over what the rule allows with the spare instances or a region gone; what is left of 100 % is"
                + " head-room. Bars: interval of the demand.",
            table: DataTable(
                header: [
                    "servers", "instances", "cores each", "memory each", "busy at the peak",
                    "fullest, %", "allowed, %",
                ],
                rows: plan.regions.flatMap { region in
                    region.machines.map { machines in
                        let fill = plan.fill.first {
                            $0.region == region.name && $0.service == machines.service
                        }
                        return [
                            .text(ServerPlanText.place(region.name, machines.service)),
                            .number(Double(machines.instances), Format.count(machines.instances)),
                            .number(
                                Double(machines.coresPerInstance), Format.count(machines.coresPerInstance)),
                            machines.memoryPerInstance > 0
                                ? .number(
                                    machines.memoryPerInstance, Format.bytes(machines.memoryPerInstance))
                                : .none,
                            fill.map { .number($0.peakCores, Format.number($0.peakCores)) } ?? .none,
                            fill.map { .number($0.utilization, Format.bare($0.utilization, .share)) }
                                ?? .none,
                            fill.map { .number($0.limit, Format.bare($0.limit, .share)) } ?? .none,
                        ]
                    }
                }), drawings: [chart.drawing], isOpen: true)
    }

    private var money: Figure? {
        guard let plan, !plan.cost.rows.isEmpty else { return nil }
        let items = MonthlyCost.Item.allCases.filter { plan.cost.total($0) > 0 }
        let chart = DotChart(
            seriesNames: [],
            rows: items.map { item in
                let money = plan.cost.total(item)
                return DotChart.Row(
                    label: item.rawValue, dots: [DotChart.Dot(value: money, label: Format.number(money))])
            }, isLogarithmic: true, title: "\(currency) a month (logarithmic)", format: Format.number)
        return Figure(
            title: "Where the money goes.",
            caption: "What stands there is charged, busy or not; prices of the scenario.",
            table: DataTable(
                header: ["item", "region", "service", "amount", "price", "\(currency) a month"],
                rows: plan.cost.rows.map { row in
                    [
                        .text(row.item.rawValue), row.region.map { .text($0) } ?? .none,
                        row.service.map { .text($0.name) } ?? .none,
                        .number(row.amount, Format.number(row.amount)),
                        .number(row.price, Format.number(row.price)),
                        .number(row.money, Format.number(row.money)),
                    ]
                }), drawings: [chart.drawing])
    }

    /// Money of each combination of settings, the cheapest first, and its latency.
    private var points: Figure? {
        let found = result.points.compactMap { point in
            point.plan.flatMap { plan in point.latency.map { (point, plan, $0) } }
        }.sorted { $0.1.total < $1.1.total }
        guard found.count > 1 else { return nil }
        let names = DesignNames(result)
        let chart = DotChart(
            seriesNames: ["\(currency) a month"],
            rows: found.map { point, plan, _ in
                DotChart.Row(
                    label: names.label(point) + (point.isUndominated ? " ✓" : ""),
                    dots: [DotChart.Dot(value: plan.total, label: Format.number(plan.total))])
            }, isLogarithmic: true, title: "\(currency) a month (logarithmic)", format: Format.number)
        return Figure(
            title: "Money, latency and privacy of each combination.",
            caption:
                "\(names.legend). ✓: unbeaten, where differences of 2 % are none. \(text.search).",
            table: DataTable(
                header: names.columns + ["\(currency) a month", "\(text.latencyName), ms"]
                    + (names.hasShards ? [] : ["shards"]) + ["by", ""],
                rows: found.map { point, plan, latency in
                    names.values(point).map { .text($0) } + [
                        .number(plan.total, Format.number(plan.total)),
                        .number(latency, Format.milliseconds(latency)),
                    ] + (names.hasShards ? [] : [.number(Double(plan.shards), Format.count(plan.shards))]) + [
                        .text(point.isForecast == true ? "formula" : "simulation"),
                        .text(point.isUndominated ? "unbeaten" : "beaten"),
                    ]
                }), drawings: [chart.drawing], isOpen: true)
    }

    private func states(
        _ title: String, _ caption: String, _ unit: Metric.Unit, limit: Double?,
        _ value: (ServerPlan.State) -> Double?
    ) -> Figure? {
        guard let plan else { return nil }
        let chart = DotChart(
            seriesNames: [],
            rows: plan.states.compactMap { state in
                value(state).map { value in
                    DotChart.Row(
                        label: ServerPlanText.words(state.situation),
                        dots: [
                            DotChart.Dot(
                                value: value,
                                label: Format.bare(value, unit) + Format.suffix(unit))
                        ])
                }
            }, title: Format.unitName(unit), format: Format.tick(unit))
        return Figure(
            title: title,
            caption: caption
                + (limit.map { " Limit: \(Format.bare($0, unit))\(Format.suffix(unit))." } ?? ""),
            table: DataTable(
                header: ["at the peak", "worst in", "busiest", "value, \(Format.unitName(unit))"],
                rows: plan.states.map { state in
                    [
                        .text(ServerPlanText.words(state.situation)), .text(state.region ?? "all"),
                        .text(state.service.name),
                        value(state).map { .number($0, Format.bare($0, unit)) } ?? .none,
                    ]
                }), drawings: [chart.drawing])
    }

    private var utilization: Figure? {
        states(
            "How busy the busiest servers are.",
            "In the busiest interval \(text.peakDay), and at a launch or a restart in the busiest minute where that is"
                + " busier; in the region and the service that have it worst.",
            .share,
            limit: nil
        ) { $0.utilization }
    }

    private var latency: Figure? {
        states(
            "\(text.latencyName) of a lookup.",
            "By the closed form, in the region that has the longest; longer ways to another region are in it.",
            .seconds, limit: result.rule.shownLimit
        ) { $0.latency }
    }

    private var checks: Figure? {
        guard !result.checks.isEmpty else { return nil }
        let chart = DotChart(
            seriesNames: ["closed form", "simulated"],
            rows: result.checks.map { check in
                DotChart.Row(
                    label: check.region ?? "all",
                    dots: [
                        DotChart.Dot(
                            value: check.expected, label: Format.milliseconds(check.expected) + " ms"),
                        DotChart.Dot(
                            value: check.simulated, low: check.interval?.low, high: check.interval?.high,
                            label: ServerPlanText.simulated(check)),
                    ])
            }, title: "wait at \(text.latencyName), ms", format: Format.tick(.seconds))
        return Figure(
            title: "Waits of the plan, by the closed form and simulated.",
            caption:
                "Some cores of a PIR instance of each region, with their share of the devices around the peak while the"
                + " spare instances are gone, less the same devices where nobody waits. Bars: interval of the mean over"
                + " replications. The plan was made with waits as long as these.",
            table: DataTable(
                header: [
                    "region", "devices", "cores", "busy, %", "closed form, ms", "simulated, ms", "factor",
                ],
                rows: result.checks.map { check in
                    [
                        .text(check.region ?? "all"),
                        .number(Double(check.devices), Format.count(check.devices)),
                        .number(Double(check.cores), Format.count(check.cores)),
                        .number(check.utilization, Format.bare(check.utilization, .share)),
                        .number(check.expected, Format.milliseconds(check.expected)),
                        .number(check.simulated, Format.milliseconds(check.simulated)),
                        .number(check.factor, Format.number(check.factor)),
                    ]
                }), drawings: [chart.drawing])
    }

    private var growth: Figure? {
        guard let growth = result.growth, !growth.purchases.isEmpty else { return nil }
        let chart = DotChart(
            seriesNames: [],
            rows: growth.purchases.map { purchase in
                DotChart.Row(
                    label: ServerPlanText.place(purchase.region, purchase.service)
                        + (purchase.service == nil ? " latency" : ""),
                    dots: [
                        DotChart.Dot(
                            value: purchase.months, low: purchase.earliest,
                            high: purchase.latest.isFinite ? purchase.latest : nil,
                            label: "month \(Format.number(purchase.months))")
                    ])
            }, title: "months from now", format: Format.number)
        return Figure(
            title: "When the next servers are due.",
            caption:
                "With \(ServerPlanText.growth(growth)) more a month: when the rule is not met any more. Bars: 95 % of"
                + " what may come, by the interval of the demand\(growth.range == nil ? "" : " and the chances of the growth").",
            table: DataTable(
                header: ["in months", "devices", "cores", "\(currency) a month"],
                rows: growth.later.map { later in
                    [
                        .number(Double(later.months), Format.count(later.months)),
                        .number(later.devices, Format.number(later.devices)),
                        .number(Double(later.cores), Format.count(later.cores)),
                        .number(later.total, Format.number(later.total)),
                    ]
                }), drawings: [chart.drawing])
    }

    private var tornados: [Figure?] {
        guard let rows = result.sensitivity?.rows, let plan, !rows.isEmpty else { return [] }
        func chart(
            _ title: String, now: Double, _ format: @escaping (Double) -> String,
            _ value: (PlanSensitivity.End) -> Double?
        ) -> TornadoChart {
            let bars = rows.filter { value($0.low) != value($0.high) }.map { row in
                let ends = ServerPlanText.range(row).split(separator: " to ", maxSplits: 1).map(String.init)
                return TornadoChart.Bar(
                    label: ServerPlanText.words(row.assumption), low: value(row.low), high: value(row.high),
                    lowLabel: ends.first ?? "", highLabel: ends.last ?? "")
            }
            return TornadoChart(bars: bars, now: now, title: title, format: format)
        }
        let money = chart("\(currency) a month", now: plan.total, Format.number) { $0.money }
        let now = plan[.instanceLost]?.latency
        let latency = now.map {
            chart("\(text.latencyName), ms", now: $0, Format.tick(.seconds)) { $0.latency }
        }
        let table = DataTable(
            header: [
                "assumption", "range", "\(currency) a month, from", "to",
                "\(text.latencyName) of this plan, ms, from",
                "to", "this plan holds up to", "where the range comes from",
            ],
            rows: rows.map { row in
                let ends = [row.low, row.high]
                let money = ends.map { end -> DataTable.Cell in
                    end.money.map { .number($0, Format.number($0)) } ?? .text("no plan")
                }
                let latency = ends.map { end -> DataTable.Cell in
                    end.latency.map { .number($0, Format.milliseconds($0)) } ?? .text("no limit")
                }
                return [
                    .text(ServerPlanText.words(row.assumption)), .text(ServerPlanText.range(row)),
                ] + money + latency + [
                    row.breaksAt.map { .number($0, "× \(Format.number($0))") } ?? .none, .text(row.source),
                ]
            })
        return [
            Figure(
                title: "What the money hangs on.",
                caption:
                    "Each assumption alone over its range, the line is now: money of the cheapest plan then.",
                table: table, drawings: [money.drawing], isOpen: true),
            latency.map {
                Figure(
                    title: "What the latency hangs on.",
                    caption:
                        "The same for \(text.latencyName) with these machines, one instance of each gone; ▸: a line only grows.",
                    table: table, drawings: [$0.drawing])
            },
        ]
    }
}
