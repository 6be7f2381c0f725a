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
        var row = Row(
            metric: before.name, statistic: before.statistic, unit: before.unit, better: before.better,
            baseline: baseline, candidate: candidate, baselineCut: before.cut, candidateCut: after.cut,
            pairs: pairs == nil ? nil : left.count, hasSpread: false)
        // The side that was not reached may be any larger.
        let change = candidate - baseline
        guard before.cut == nil || after.cut == nil && change < 0, after.cut == nil || change > 0 else {
            return row
        }
        let known = Metric(before.name, before.statistic)
        let quantum = known?.quantum(at: max(baseline.magnitude, candidate.magnitude)) ?? 0
        let test = DifferenceTest(
            left, right, isPaired: pairs != nil, areCounts: known?.countsEvents ?? false, quantum: quantum,
            confidence: confidence)
        guard let test else { return nil }
        row.set(test, confidence: confidence)
        return row
    }
}

/// A test of whether two sides differ, paired or not.
private struct DifferenceTest {
    var change: Double
    var halfWidth: Double
    var pValue: Double
    var degreesOfFreedom: Double
    var hasSpread: Bool
    var correlation: Double?
    var method: String

    init?(
        _ left: [Double], _ right: [Double], isPaired: Bool, areCounts: Bool, quantum: Double,
        confidence: Double
    ) {
        if isPaired {
            let found = PairedDifference(
                baseline: left, candidate: right, areCounts: areCounts, quantum: quantum,
                confidence: confidence)
            guard let found else { return nil }
            (change, halfWidth) = (found.difference.mean, found.difference.halfWidth)
            (pValue, degreesOfFreedom) = (found.pValue, Double(left.count - 1))
            (hasSpread, correlation) = (found.hasSpread, found.correlation)
            let test = hasSpread ? "Student's t" : areCounts ? "Poisson test" : "sign test"
            method = "\(test) over \(left.count) pairs"
        } else {
            let found = WelchDifference(
                baseline: left, candidate: right, areCounts: areCounts, quantum: quantum,
                confidence: confidence)
            guard let found else { return nil }
            (change, halfWidth) = (found.difference, found.halfWidth)
            (pValue, degreesOfFreedom) = (found.pValue, found.degreesOfFreedom)
            (hasSpread, correlation) = (found.hasSpread, nil)
            let test = hasSpread ? "Welch's t" : areCounts ? "Poisson test" : "rank-sum test"
            method = "\(test) over \(left.count) and \(right.count) replications"
        }
    }
}

extension Comparison.Row {
    fileprivate mutating func set(_ test: DifferenceTest, confidence: Double) {
        change = test.change
        relativeChange = baseline == 0 ? nil : test.change / baseline.magnitude
        (pValue, degreesOfFreedom) = (test.pValue, test.degreesOfFreedom)
        (hasSpread, correlation) = (test.hasSpread, test.correlation)
        setIntervals(halfWidth: test.halfWidth, confidence: confidence, method: test.method)
    }

    /// Both intervals around the change, cut to what the candidate can be where the baseline is what it was.
    mutating func setIntervals(halfWidth: Double, confidence: Double, method: String) {
        guard let change else { return }
        self.halfWidth = halfWidth
        var bounds = (change - halfWidth)...(change + halfWidth)
        if let support = Metric(metric, statistic)?.support {
            let possible = support.clip(-.infinity ... .infinity)
            bounds = bounds.clamped(to: (possible.lowerBound - baseline)...(possible.upperBound - baseline))
        }
        func interval(_ scale: Double) -> Interval {
            Interval(
                low: bounds.lowerBound / scale, high: bounds.upperBound / scale, confidence: confidence,
                method: method)
        }
        difference = interval(1)
        relative = baseline == 0 ? nil : interval(baseline.magnitude)
    }
}
