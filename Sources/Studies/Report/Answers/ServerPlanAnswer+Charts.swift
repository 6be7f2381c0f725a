import Experiment
import Questions
import RunMetrics
import Wording

/// Drawings of a plan of servers, each beside the table of its values.
extension ServerPlanAnswer {
    var tiles: [Tile] {
        guard let plan else { return [Tile(value: "none", words: "no plan meets the rule", style: "fail")] }
        let judgement: Document.Judgement =
            switch result.confirmation {
            case .holds: .pass
            case .misses: .fail
            case .cannotTell, nil: .open
            }
        var tiles = [
            Tile(
                value: "\(currency) \(Format.number(plan.total))", words: "a month",
                style: judgement.rawValue),
            Tile(
                value: Format.count(plan.cores),
                words: "cores in \(Format.count(plan.regions.count, "region"))"),
        ]
        if let latency = plan[.instanceLost]?.latency {
            tiles.append(
                Tile(
                    value: Format.duration(latency),
                    words: "\(latencyName) of a lookup, one instance of each gone"))
        }
        if let purchase = result.growth?.purchases.first {
            tiles.append(
                Tile(
                    value: Self.month(purchase.months),
                    words: "next purchase: \(Self.place(purchase.region, purchase.service))"))
        }
        return tiles
    }

    func fillChart(_ plan: ServerPlan) -> DotChart {
        DotChart(
            seriesNames: [],
            rows: plan.fill.map { fill in
                let scale = fill.peakCores > 0 ? fill.share / fill.peakCores : 0
                return DotChart.Row(
                    label: Self.place(fill.region, fill.service),
                    dots: [
                        DotChart.Dot(
                            value: fill.share, low: fill.peakLow * scale, high: fill.peakHigh * scale,
                            label: Self.fullness(fill))
                    ])
            }, range: 0...1, title: "of what the rule allows, %", format: Format.tick(.share))
    }

    func moneyChart(_ plan: ServerPlan) -> DotChart {
        moneyChart(
            MonthlyCost.Item.allCases.map { ($0.rawValue, plan.cost.total($0)) }.filter { $0.1 > 0 })
    }

    func pointChart(_ order: [Int], _ names: DesignNames) -> DotChart {
        moneyChart(
            order.compactMap { place in
                let point = result.points[place]
                return point.plan.map {
                    (names.label(point) + (point.isUndominated ? " ✓" : ""), $0.total)
                }
            })
    }

    private func moneyChart(_ sums: [(label: String, money: Double)]) -> DotChart {
        DotChart(
            seriesNames: [],
            rows: sums.map { label, money in
                DotChart.Row(
                    label: label, dots: [DotChart.Dot(value: money, label: Format.number(money))])
            }, isLogarithmic: true, title: "\(currency) a month (logarithmic)", format: Format.number)
    }

    var utilization: Table {
        states.drawn(
            "How busy the busiest servers are.",
            "In the busiest interval \(peakDay), and at a launch or a restart in the busiest minute where that is"
                + " busier; in the region and the service that have it worst.",
            stateChart(.share, \.utilization))
    }

    var latency: Table {
        let limit = result.rule.shownLimit.map { " Limit: \(Format.estimate($0, nil, .seconds))." }
        return states.drawn(
            "\(latencyName) of a lookup.",
            "By the closed form, in the region that has the longest; longer ways to another region are in it."
                + (limit ?? ""), stateChart(.seconds, \.latency))
    }

    private func stateChart(
        _ unit: Metric.Unit, _ value: KeyPath<ServerPlan.State, Double?>
    ) -> (Double) -> Drawing {
        let rows = (plan?.states ?? []).compactMap { state in
            state[keyPath: value].map { value in
                DotChart.Row(
                    label: state.situation.words,
                    dots: [DotChart.Dot(value: value, label: Format.estimate(value, nil, unit))])
            }
        }
        return DotChart(
            seriesNames: [], rows: rows, title: Format.unitName(unit), format: Format.tick(unit)
        ).drawing
    }

    var checkChart: DotChart {
        DotChart(
            seriesNames: ["closed form", "simulated"],
            rows: result.checks.map { check in
                DotChart.Row(
                    label: check.region ?? "all",
                    dots: [
                        DotChart.Dot(
                            value: check.expected, label: Format.milliseconds(check.expected) + " ms"),
                        DotChart.Dot(
                            value: check.simulated, low: check.interval?.low, high: check.interval?.high,
                            label: Self.simulated(check)),
                    ])
            }, title: "wait at \(latencyName), ms", format: Format.tick(.seconds))
    }

    func growthChart(_ growth: PlanGrowth) -> DotChart {
        DotChart(
            seriesNames: [],
            rows: growth.purchases.map { purchase in
                DotChart.Row(
                    label: Self.place(purchase.region, purchase.service)
                        + (purchase.service == nil ? " latency" : ""),
                    dots: [
                        DotChart.Dot(
                            value: purchase.months, low: purchase.earliest,
                            high: purchase.latest.isFinite ? purchase.latest : nil,
                            label: "month \(Format.number(purchase.months))")
                    ])
            }, title: "months from now", format: Format.number)
    }

    /// The table of all assumptions, beside the money and beside the latency that hang on each.
    var tornados: [Table?] {
        guard var table = sensitivity, let plan else { return [] }
        table.captionLevel = .page
        let latency = plan[.instanceLost]?.latency.map { now in
            table.drawn(
                "What the latency hangs on.",
                "The same for \(latencyName) with these machines, one instance of each gone; ▸: a line only grows.",
                tornado("\(latencyName), ms", now: now, Format.tick(.seconds), \.latency))
        }
        var money = table.drawn(
            "What the money hangs on.",
            "Each assumption alone over its range, the line is now: money of the cheapest plan then.",
            tornado("\(currency) a month", now: plan.total, Format.number, \.money))
        money.isOpen = true
        return [money, latency]
    }

    private func tornado(
        _ title: String, now: Double, _ format: @escaping (Double) -> String,
        _ value: KeyPath<PlanSensitivity.End, Double?>
    ) -> (Double) -> Drawing {
        let rows = result.sensitivity?.rows ?? []
        let bars = rows.filter { $0.low[keyPath: value] != $0.high[keyPath: value] }.map { row in
            let ends = Self.ends(row, areApart: true)
            return TornadoChart.Bar(
                label: Self.words(row.assumption), low: row.low[keyPath: value],
                high: row.high[keyPath: value], lowLabel: ends[0], highLabel: ends[1])
        }
        return TornadoChart(bars: bars, now: now, title: title, format: format).drawing
    }
}
