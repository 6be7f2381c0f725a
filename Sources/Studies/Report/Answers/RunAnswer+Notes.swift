import Experiment
import Wording

/// Notes on what to distrust, what was modelled, and what the intervals are about.
extension RunAnswer {
    var notes: [Document.Block] {
        let verdict = Format.failure(of: point.objectives, "objectives").map { failure in
            [Document.Block.sentences([failure], at: .full)]
        }
        return [
            .warnings(point.warnings.map(\.message), at: .full), .sentences(accounts + methods, at: .full),
        ] + (verdict ?? [])
    }

    /// Account of what was modelled, and with which costs.
    private var accounts: [String] {
        var notes: [String] = []
        if let profile = result.profile {
            notes.append(
                "cost profile: \(profile.rlweParameters), \(Format.count(profile.shards, "shard")) of about"
                    + " \(Format.count(profile.entriesPerShard, "entry")), one response"
                    + " \(Format.duration(profile.responseSeconds)) of CPU on \(profile.machine)")
        }
        if let server = result.profile?.server { notes.append("server: " + Format.server(server)) }
        if let speed = result.profile?.speed { notes.append("speed: " + Format.drift(speed)) }
        if let week = result.scenario.week, !week.isFlat {
            notes.append(
                "these days in their week: the mean day \(week.termDay == nil ? "" : "of a year with its holidays ")has"
                    + " \(Format.number(week.meanDay)) times their visits"
                    + (result.meanDay.map { " and \(Self.lookups($0)) times their lookups" } ?? "")
                    + ", the busiest"
                    + " weekday \(Format.number(week.busiestDay)) times the visits; a month is not 30 times a day"
            )
        }
        return notes + result.modelled.map { "modelled: " + $0 }
    }

    /// Caches make lookups grow less than visits.
    private static func lookups(_ day: MeanDay) -> String {
        Format.range(min(day.visits, day.cached), max(day.visits, day.cached), Format.number)
    }

    /// How the intervals came about, and what made them narrower.
    private var methods: [String] {
        var notes: [String] = []
        let methods: [MetricResult.Method] = [.student, .batchMeans, .controlVariates]
        let metrics = point.metrics
        let plain = methods.compactMap { method in metrics.first { $0.method == method }?.interval }.first
        if let plain {
            notes.append(
                "± and (from … to): a \(Format.share(plain.confidence)) interval of the mean, \(plain.method);"
                    + " of counts and shares never narrower than chance alone makes it; percentiles by nearest rank,"
                    + " up to 0.1 % high")
        }
        notes += Format.conditions(result.scenario)
        if point.metrics.contains(where: { $0.method == .noSpread }) {
            notes.append(
                "a figure without an interval was the same in all replications, which does not say what the next would"
                    + " bring")
        }
        let controlled = point.metrics.filter { $0.method == .controlVariates }
        if !controlled.isEmpty, let control = point.controls?.first {
            let saved = controlled.compactMap { metric in
                metric.varianceReduction.map {
                    "\(metric.words) \(Format.number($0 * 100)) %"
                }
            }
            notes.append(
                "variance saved by \(control.name), whose mean is known: " + saved.joined(separator: ", "))
        }
        if !point.identities.isEmpty {
            let identities = point.identities
            let checks = identities.reduce(0) { $0 + $1.checks }
            let violations = identities.reduce(0) { $0 + $1.violations }
            notes.append(
                violations == 0
                    ? "identities: \(Format.count(checks)) checks of \(identities.count) hold in every replication"
                    : "identities: \(Format.count(violations)) of \(Format.count(checks)) checks VIOLATED, see above:"
                        + " a bug of the simulator, do not use these numbers")
        }
        return notes
    }
}
