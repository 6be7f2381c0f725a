import Experiment
import Questions
import Wording

/// Doubts about what a plan assumes: growth, wrong assumptions, and longer waits than the closed form's.
extension ServerPlanAnswer {
    var growth: Table? {
        guard let growth = result.growth, !growth.purchases.isEmpty else { return nil }
        return Table(
            title: "When the next servers are due.",
            caption:
                "month: half of what may come is later; from and to: 95 % of it, and how likely within so many months:"
                + " by the interval of the demand"
                + (growth.range == nil ? ", for this one growth" : " and the chances of the growth")
                + "; memory is known exactly",
            captionLevel: .details,
            columns: (["GROWTH of \(Self.growth(growth)) a month: next purchase", "month", "from", "to"]
                + PlanGrowth.horizon.map { "within \($0)" }).map { Table.Column($0) },
            rows: growth.purchases.map { purchase in
                let cause = purchase.cause.rawValue
                return [
                    .words("\(Self.place(purchase.region, purchase.service)), \(cause)"),
                    .number(purchase.months), .number(purchase.earliest), .number(purchase.latest),
                ]
                    + PlanGrowth.horizon.indices.map { index in
                        let chances = purchase.chances
                        return chances.indices.contains(index) ? .quantity(chances[index], .percent) : .none
                    }
            }, indent: 2, drawings: [growthChart(growth).drawing], isOpen: true)
    }

    /// The plans of later months.
    var later: Table? {
        guard let growth = result.growth else { return nil }
        return Table(
            title: "The cheapest plans later.",
            columns: ["LATER, in months", "devices", "cores", "\(currency) a month"]
                .map { Table.Column($0) },
            rows: growth.later.map { later in
                [
                    .count(later.months), .number(later.devices), .count(later.cores), .number(later.total),
                ]
            }, indent: 2)
    }

    /// `5.00 %`, or `3.00 % to 8.00 %, all as likely,`.
    private static func growth(_ growth: PlanGrowth) -> String {
        guard let range = growth.range, range.count == 2 else { return Format.share(growth.perMonth) }
        return "\(Format.range(range[0], range[1], Format.share)), "
            + (growth.likeliest.map { "likeliest \(Format.share($0))," } ?? "all as likely,")
    }

    /// Intervals of fetches, of which the scenario's is marked.
    var fetches: Table? {
        guard let fetches = result.fetches else { return nil }
        let hasDifferences = fetches.contains { $0.differenceTotal != nil }
        return Table(
            title: "Downloads against freshness.",
            caption:
                "filter.prefilterFetchInterval: no device gets more than one prefilter of an edition; a new entry"
                + " blocks after its publication, a fetch, a start of the app and a configuration, by closed form;"
                + " →: the scenario's"
                + (hasDifferences
                    ? "; as differences: with filter.delivery, the bits that differ from the device's edition"
                    : ""),
            captionLevel: .details,
            columns: (["FETCHES every", "downloads a day", "\(currency) a month"]
                + (hasDifferences ? ["as differences"] : []) + ["new entries block after", "99 %"])
                .map { Table.Column($0) },
            rows: fetches.map { row -> [Table.Cell] in
                var cells: [Table.Cell] = [
                    .words((row.isChosen ? "→ " : "  ") + Format.duration(row.interval)),
                    .number(row.downloadsPerDay), .number(row.total),
                ]
                if hasDifferences {
                    cells.append(row.differenceTotal.map { Table.Cell.number($0) } ?? Table.Cell.none)
                }
                return cells + [
                    .quantity(row.meanDelay, .duration), .quantity(row.longDelay, .duration),
                ]
            }, indent: 2)
    }

    /// Each assumption over its range: text has both ends in a cell.
    var sensitivity: Table? {
        guard let sensitivity = result.sensitivity, let plan else { return nil }
        let sources = Dictionary(grouping: sensitivity.rows, by: \.source).sorted { $0.key < $1.key }
            .map { "\($0.value.map { Self.words($0.assumption) }.joined(separator: ", ")): \($0.key)" }
        return Table(
            caption:
                "each alone; money of the cheapest plan then, \(Format.number(plan.total)) now; latency with one"
                + " instance gone; ranges: " + sources.joined(separator: "; "),
            captionLevel: .full,
            columns: [
                Table.Column("IF WRONG"), Table.Column("range"),
                Table.Column("\(currency) a month", at: .full),
                Table.Column("\(latencyName), this plan", at: .full),
                Table.Column("\(currency) a month, from", at: .page), Table.Column("to", at: .page),
                Table.Column("\(latencyName) of this plan, from", at: .page), Table.Column("to", at: .page),
                Table.Column("holds up to"),
                Table.Column("where the range comes from", at: .page),
            ],
            rows: sensitivity.rows.map { row in
                let ends = [row.low, row.high]
                let money = ends.map { end -> Table.Cell in
                    end.money.map { .number($0) } ?? .words("no plan")
                }
                let latency = ends.map { end -> Table.Cell in
                    end.latency.map { .quantity($0, .wait) } ?? .words("no limit")
                }
                return [
                    .words(Self.words(row.assumption)),
                    .words(Self.ends(row).joined(separator: " to ")),
                    .words(money.map(\.text).joined(separator: " to ")),
                    .words(latency.map(\.text).joined(separator: " to ")),
                ] + money + latency + [.quantity(row.breaksAt, .factor), .words(row.source)]
            }, indent: 2)
    }

    /// Both ends of the range of an assumption.
    ///
    /// - Parameter areApart: Each stands alone, so that the second is told to be a factor, too.
    static func ends(_ row: PlanSensitivity.Row, areApart: Bool = false) -> [String] {
        switch row.assumption {
        case .targetUtilization: [Format.share(row.low.value), Format.share(row.high.value)]
        case .spareInstances: ["\(Int(row.low.value))", "\(Int(row.high.value))"]
        case .lostRegion: ["no", "yes"]
        case .keyPlace: ["a store", "servers' memory"]
        default:
            ["× \(Format.number(row.low.value))", (areApart ? "× " : "") + Format.number(row.high.value)]
        }
    }

    static func money(_ end: PlanSensitivity.End) -> String { end.money.map(Format.number) ?? "no plan" }

    var checks: Table? {
        guard !result.checks.isEmpty else { return nil }
        return Table(
            title: "Waits of the plan, by the closed form and simulated.",
            caption:
                "some cores of a PIR instance, with their share of the devices around the peak while the spare ones"
                + " are gone, less the same devices where nobody waits; intervals of the mean over replications",
            captionLevel: .details,
            columns: [
                "WAITS at \(latencyName)", "devices", "cores", "busy", "closed form", "simulated", "factor",
            ].map { Table.Column($0) },
            rows: result.checks.map { check in
                [
                    .words(check.region ?? "all"), .count(check.devices), .count(check.cores),
                    .quantity(check.utilization, .share), .quantity(check.expected, .milliseconds),
                    .value(
                        Quantity(
                            check.simulated, .milliseconds, check.interval, words: Self.simulated(check))),
                    .number(check.factor),
                ]
            }, indent: 2, drawings: [checkChart.drawing])
    }

    static func simulated(_ check: PlanCheck) -> String {
        let interval = check.interval.map {
            " (\(Format.milliseconds($0.low)) to \(Format.milliseconds($0.high)))"
        }
        return Format.milliseconds(check.simulated) + (interval ?? "") + " ms"
    }

    /// Verdict of simulations on the plan; `nil` without any.
    var confirmation: String? {
        guard let confirmation = result.confirmation,
            let worst = result.checks.max(by: { $0.factor < $1.factor })
        else { return nil }
        let words =
            switch confirmation {
            case .holds where worst.factor == 1: "simulated waits are not longer than the closed form's"
            case .holds: "simulated waits keep the rule"
            case .cannotTell:
                "CANNOT TELL whether simulated waits keep the rule; more replications or --sample"
            case .misses: "simulated waits MISS the rule"
            }
        guard worst.factor > 1 else { return words }
        return "\(words): up to \(Format.number(worst.factor)) times the closed form's"
            + (worst.region.map { " (\($0))" } ?? "")
    }
}
