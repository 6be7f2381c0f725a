import Experiment
import Questions
import Wording

/// Doubts about what a plan assumes: growth, wrong assumptions, and longer waits than the closed form's.
extension ServerPlanText {
    var growth: [String] {
        guard let growth = result.growth else { return [] }
        var rows = [
            ["GROWTH of \(Self.growth(growth)) a month: next purchase", "month", "from", "to"]
                + PlanGrowth.horizon.map { "within \($0)" }
        ]
        for purchase in growth.purchases {
            let cause = purchase.cause?.rawValue ?? (purchase.service == nil ? "latency" : "cores")
            rows.append(
                [
                    "  \(Self.place(purchase.region, purchase.service)), \(cause)",
                    Format.number(purchase.months), Format.number(purchase.earliest),
                    Format.number(purchase.latest),
                ] + (purchase.chances ?? []).map(Format.percent))
        }
        let later = growth.later.map {
            "in \($0.months) months \(Format.number($0.total)) for \(Format.count($0.cores, "core"))"
        }
        return Format.table(rows)
            + Format.wrapped(
                "month: half of what may come is later; from and to: 95 % of it, and how likely within so many months:"
                    + " by the interval of the demand"
                    + (growth.range == nil ? ", for this one growth" : " and the chances of the growth")
                    + "; memory is known exactly; " + later.joined(separator: ", "))
    }

    /// `5.00 %`, or `3.00 % to 8.00 %, all as likely,`.
    static func growth(_ growth: PlanGrowth) -> String {
        guard let range = growth.range, range.count == 2 else { return Format.share(growth.perMonth) }
        return "\(Format.share(range[0])) to \(Format.share(range[1])), "
            + (growth.likeliest.map { "likeliest \(Format.share($0))," } ?? "all as likely,")
    }

    var sensitivity: [String] {
        guard let sensitivity = result.sensitivity, let plan else { return [] }
        var rows = [["IF WRONG", "range", "\(currency) a month", "\(latencyName), this plan", "holds up to"]]
        for row in sensitivity.rows {
            rows.append([
                "  " + Self.words(row.assumption), Self.range(row),
                "\(Self.money(row.low)) to \(Self.money(row.high))",
                "\(Self.latency(row.low)) to \(Self.latency(row.high))",
                row.breaksAt.map { "× \(Format.number($0))" } ?? "–",
            ])
        }
        let sources = Dictionary(grouping: sensitivity.rows, by: \.source).sorted { $0.key < $1.key }
            .map { "\($0.value.map { Self.words($0.assumption) }.joined(separator: ", ")): \($0.key)" }
        return Format.table(rows)
            + Format.wrapped(
                "each alone; money of the cheapest plan then, \(Format.number(plan.total)) now; latency with one instance"
                    + " gone; ranges: " + sources.joined(separator: "; "), indent: "  ")
    }

    static func range(_ row: PlanSensitivity.Row) -> String {
        switch row.assumption {
        case .targetUtilization: "\(Format.share(row.low.value)) to \(Format.share(row.high.value))"
        case .spareInstances: "\(Int(row.low.value)) to \(Int(row.high.value))"
        case .lostRegion: "no to yes"
        default: "× \(Format.number(row.low.value)) to \(Format.number(row.high.value))"
        }
    }

    static func money(_ end: PlanSensitivity.End) -> String { end.money.map(Format.number) ?? "no plan" }
    static func latency(_ end: PlanSensitivity.End) -> String {
        end.latency.map(Format.wait) ?? "no limit"
    }

    var checks: [String] {
        guard !result.checks.isEmpty else { return [] }
        var rows = [
            ["WAITS at \(latencyName)", "devices", "cores", "busy", "closed form", "simulated", "factor"]
        ]
        for check in result.checks {
            rows.append([
                "  " + (check.region ?? "all"), Format.count(check.devices), "\(check.cores)",
                Format.share(check.utilization), Format.milliseconds(check.expected) + " ms",
                Self.simulated(check), Format.number(check.factor),
            ])
        }
        return Format.table(rows)
            + Format.wrapped(
                "some cores of a PIR instance, with their share of the devices around the peak while the spare ones"
                    + " are gone, less the same devices where nobody waits; intervals of the mean over replications",
                indent: "  ")
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
