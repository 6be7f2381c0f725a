package import Experiment
import RunMetrics
import Scenarios
import Statistics

extension Comparison {
    /// - Parameters:
    ///   - names: What to call the two sides, for example their paths.
    ///   - noiseBand: Relative changes that do not matter, for example 0.01.
    ///   - evenIfDifferent: Compare results of different workloads too, by Welch's test.
    ///   - includesNeutral: Also the metrics that are neither good nor bad and not primary.
    package init(
        _ baseline: RunResult, _ candidate: RunResult, names: (String, String), confidence: Double = 0.95,
        noiseBand: Double, evenIfDifferent: Bool = false, includesNeutral: Bool = false
    ) throws(ComparisonError) {
        let sides = [(baseline, names.0), (candidate, names.1)]
        for (result, name) in sides {
            guard result.points.count <= 1 else { throw .severalPoints(name, result.points.count) }
        }
        guard let before = baseline.points.first else { throw .noReplication(names.0) }
        guard let after = candidate.points.first else { throw .noReplication(names.1) }
        let differences = Self.workloadDifferences(baseline, candidate)
        guard differences.isEmpty || evenIfDifferent else { throw .workloadDiffers(differences) }
        let isPaired = differences.isEmpty && baseline.scenario.seed == candidate.scenario.seed
        let pairs = min(before.replications, after.replications)
        guard pairs >= 2 else { throw .tooFewReplications(pairs) }
        let rows = before.metrics.compactMap { metric in
            after.metrics.first { $0.name == metric.name && $0.statistic == metric.statistic }.flatMap {
                Self.row(metric, $0, pairs: isPaired ? pairs : nil, confidence: confidence)
            }
        }
        let primary = Self.primaryMetrics(of: [before, after])
        let decided = primary.compactMap { metric in rows.first { $0.isOf(metric) } }
        let others = rows.filter { row in
            (includesNeutral || row.better != .neither) && !primary.contains { row.isOf($0) }
        }
        let shifts = HarmShift.all(from: before, to: after)
        self.init(
            baseline: Side(
                name: names.0, replications: before.replications, finished: baseline.finished,
                blocklist: baseline.blocklist),
            candidate: Side(
                name: names.1, replications: after.replications, finished: candidate.finished,
                blocklist: candidate.blocklist),
            pairs: isPaired ? pairs : nil, confidence: confidence, noiseBand: noiseBand,
            workloadDiffers: differences,
            rows: Self.judged(decided, confidence: confidence, noiseBand: noiseBand) + others,
            settings: Self.settingChanges(baseline.scenario.settings, candidate.scenario.settings),
            shifts: shifts.isEmpty ? nil : shifts)
    }

    /// Lists the reasons why two runs face different traffic; empty when they face the same.
    private static func workloadDifferences(_ left: RunResult, _ right: RunResult) -> [String] {
        var reasons: [String] = []
        func compare(_ what: String, _ values: (String, String)) {
            if values.0 != values.1 { reasons.append("\(what): \(values.0) and \(values.1)") }
        }
        compare("devices", ("\(left.scenario.devices)", "\(right.scenario.devices)"))
        compare("duration in seconds", ("\(left.scenario.duration)", "\(right.scenario.duration)"))
        compare("warm-up in seconds", ("\(left.scenario.warmUp)", "\(right.scenario.warmUp)"))
        compare("trace records", ("\(left.traces.map(\.records))", "\(right.traces.map(\.records))"))
        let isWorkload: (String) -> Bool = { path in
            ["web.", "replicate"].contains(where: path.hasPrefix) || path.contains(".browsing.")
                || path.hasSuffix("].count")
        }
        let changes = settingChanges(left.scenario.settings, right.scenario.settings)
        for change in changes where isWorkload(change.path) {
            compare(change.path, (change.baseline ?? "not set", change.candidate ?? "not set"))
        }
        return reasons
    }

    private static func settingChanges(
        _ left: [ResolvedSetting], _ right: [ResolvedSetting]
    ) -> [SettingChange] {
        let before = Dictionary(left.map { ($0.path, $0.value) }, uniquingKeysWith: { first, _ in first })
        let after = Dictionary(right.map { ($0.path, $0.value) }, uniquingKeysWith: { first, _ in first })
        let paths = left.map(\.path) + right.map(\.path).filter { before[$0] == nil }
        return paths.filter { $0 != "name" && before[$0] != after[$0] }
            .map { SettingChange(path: $0, baseline: before[$0], candidate: after[$0]) }
    }

    private static func row(
        _ before: MetricResult, _ after: MetricResult, pairs: Int?, confidence: Double
    ) -> Row? {
        let (left, right): ([Double], [Double])
        if let pairs {
            // A replication without a value, such as a latency without a lookup, leaves the pair out.
            let both = zip(before.perReplication.prefix(pairs), after.perReplication.prefix(pairs))
                .compactMap { pair in pair.0.flatMap { first in pair.1.map { (first, $0) } } }
            (left, right) = (both.map(\.0), both.map(\.1))
        } else {
            (left, right) = (
                before.perReplication.compactMap(\.self), after.perReplication.compactMap(\.self)
            )
        }
        guard let baseline = left.mean, let candidate = right.mean else { return nil }
        let means = (baseline, candidate)
        let known = Metric(before.name, before.statistic)
        let areCounts = known?.countsEvents ?? false
        let quantum = known?.quantum(at: max(means.0.magnitude, means.1.magnitude)) ?? 0
        let change, halfWidth, pValue, degrees: Double
        let hasSpread: Bool
        var correlation: Double?
        var method: String
        if pairs != nil {
            let paired = PairedDifference(
                baseline: left, candidate: right, areCounts: areCounts, quantum: quantum,
                confidence: confidence)
            guard let paired else { return nil }
            (change, halfWidth, pValue) = (
                paired.difference.mean, paired.difference.halfWidth, paired.pValue
            )
            degrees = Double(left.count - 1)
            correlation = paired.correlation
            hasSpread = paired.hasSpread
            method = "Student's t over \(left.count) pairs"
            if !hasSpread { method = "\(areCounts ? "Poisson" : "sign") test over \(left.count) pairs" }
        } else {
            let welch = WelchDifference(
                baseline: left, candidate: right, areCounts: areCounts, quantum: quantum,
                confidence: confidence)
            guard let welch else { return nil }
            (change, halfWidth, pValue) = (welch.difference, welch.halfWidth, welch.pValue)
            degrees = welch.degreesOfFreedom
            hasSpread = welch.hasSpread
            let test = hasSpread ? "Welch's t" : areCounts ? "Poisson test" : "rank-sum test"
            method = "\(test) over \(left.count) and \(right.count) replications"
        }
        let scale = means.0.magnitude
        var row = Row(
            metric: before.name, statistic: before.statistic, unit: before.unit, better: before.better,
            baseline: means.0, candidate: means.1,
            difference: Interval(low: change, high: change, confidence: confidence, method: method),
            change: change, relativeChange: scale > 0 ? change / scale : nil, relative: nil, halfWidth: nil,
            pValue: pValue, adjustedPValue: nil, degreesOfFreedom: degrees,
            pairs: pairs == nil ? nil : left.count, hasSpread: hasSpread, correlation: correlation,
            verdict: nil, moreReplications: nil)
        row.setIntervals(halfWidth: halfWidth, confidence: confidence)
        return row
    }
}

extension Comparison.Row {
    /// Both intervals around the change, cut to what the candidate can be where the baseline is what it was.
    mutating func setIntervals(halfWidth: Double, confidence: Double) {
        self.halfWidth = halfWidth
        var bounds = (change - halfWidth)...(change + halfWidth)
        if let support = Metric(metric, statistic)?.support {
            let possible = support.clip(-.infinity ... .infinity)
            bounds = bounds.clamped(to: (possible.lowerBound - baseline)...(possible.upperBound - baseline))
        }
        func interval(_ scale: Double) -> Interval {
            Interval(
                low: bounds.lowerBound / scale, high: bounds.upperBound / scale, confidence: confidence,
                method: difference.method)
        }
        difference = interval(1)
        relative = baseline == 0 ? nil : interval(baseline.magnitude)
    }
}
