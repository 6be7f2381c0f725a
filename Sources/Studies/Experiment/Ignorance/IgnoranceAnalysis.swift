import FleetModel
import RunMetrics
import Scenarios
import Statistics

/// Findings of a design's points about a run.
struct IgnoranceAnalysis {
    let scenario: Scenario
    /// The run's point.
    let run: PointResult
    /// Devices of the run, and of each point of the design.
    let runDevices: Int
    let devices: Int
    /// The scenario as it is.
    let centre: PointResult
    let points: [PointResult]
    let model: IgnoranceModel

    /// Events below which chance would pass for ignorance.
    private static let fewestEvents = 10.0
    /// Utilization up to which waiting is a small part of a lookup's time.
    private static let idle = 0.5
    /// Share of the variance from which an input decides.
    private static let decisive = 0.4

    private var isWholeFleet: Bool { devices >= runDevices }

    func result(places: [[Double]]) -> IgnoranceResult {
        var findings: [IgnoranceModel.Finding] = []
        var refused: [IgnoranceResult.Refusal] = []
        let metrics = (scenario.objectives.map(\.metric) + Metric.plausible).uniqued()
        for metric in metrics {
            guard let found = run[metric], found.method != .impossible else { continue }
            if let reason = refusal(of: metric, found) {
                refused.append(.init(name: metric.name, statistic: metric.statistic, reason: reason))
            } else if let finding = model.finding(observation(metric, found)) {
                findings.append(finding)
            }
        }
        findings += forms()
        let curves = curves()
        return IgnoranceResult(
            plannedPoints: points.count, finishedPoints: points.count, devices: devices,
            confidence: model.confidence, draws: IgnoranceModel.draws, inputs: model.inputs, places: places,
            metrics: findings.map(\.result), refused: refused,
            objectives: scenario.objectives.map { judge($0, findings, refused) },
            curves: curves.isEmpty ? nil : curves)
    }

    private func observation(_ metric: Metric, _ found: MetricResult) -> IgnoranceModel.Observation {
        let factor = metric.isOfAllDevices ? Double(runDevices) / Double(devices) : 1
        let drawsWebs = scenario.replicated.contains(.web) && scenario.followsTheDay
        return IgnoranceModel.Observation(
            metric: metric, estimate: found.value, interval: found.interval,
            perReplication: drawsWebs ? found.perReplication.compactMap(\.self) : [],
            centre: (centre[metric]?.value ?? 0) * factor,
            points: points.compactMap { $0[metric]?.value }.map { $0 * factor })
    }

    /// Why a metric has no interval of ignorance; `nil` if it has one.
    private func refusal(of metric: Metric, _ found: MetricResult) -> String? {
        let values = points.map { $0[metric]?.value }
        let missing = ([centre[metric]?.value] + values).count { $0 == nil }
        if missing > 0 {
            return "\(missing) of \(values.count + 1) points have no value, or too few lookups for it"
        }
        let known = values.compactMap(\.self)
        if found.cut != nil || ([centre] + points).contains(where: { $0[metric]?.cut != nil }) {
            return "runs ended before the value was reached"
        }
        if Set(known + [centre[metric]?.value ?? 0]).count == 1 { return "the same at every point" }
        if metric.isOfAllDevices, (known.max() ?? 0) < Self.fewestEvents {
            return
                "fewer than \(Int(Self.fewestEvents)) at every point, so that chance would pass for ignorance"
        }
        guard !isWholeFleet else { return nil }
        if metric == .recovery {
            return "the last of \(devices) devices is well before the last of \(runDevices);"
                + " \(Self.wholeFleet(points.count))"
        }
        if metric.isOfThePeak {
            return "\(devices) of \(runDevices) devices have other peaks; \(Self.wholeFleet(points.count))"
        }
        return metric.hasWaiting ? waitsDiffer : nil
    }

    /// Why times at the points do not show those of the run; `nil` where hardly anybody waits, or the whole fleet is
    /// there.
    var waitsDiffer: String? {
        guard !isWholeFleet, let busiest = busiest, busiest.share > Self.idle else { return nil }
        return "\(busiest.station) may be \(Int(min(busiest.share, 100) * 100)) % busy, and \(devices) of"
            + " \(runDevices) devices do not show how long lookups then wait; \(Self.wholeFleet(points.count))"
    }

    private static func wholeFleet(_ points: Int) -> String {
        "from \((points + 2) / 2) replications on the points have the whole fleet"
    }

    /// The most that a server's busiest interval may be in what is plausible.
    private var busiest: (station: String, share: Double)? {
        let loads = Metric.stations.compactMap { station -> (station: String, share: Double)? in
            guard let usual = centre[station.utilization]?.value, usual > 0,
                let peak = (run[station.busiest] ?? run[station.utilization])?.value
            else { return nil }
            let factor = points.compactMap { $0[station.utilization]?.value }.reduce(usual, max) / usual
            return (station.part.name, peak * factor)
        }
        return loads.max { $0.share < $1.share }
    }

    private func judge(
        _ objective: Objective, _ findings: [IgnoranceModel.Finding], _ refused: [IgnoranceResult.Refusal]
    ) -> IgnoranceObjective {
        guard let finding = findings.first(where: { $0.result.isOf(objective.metric) }) else {
            let reason = refused.first {
                $0.name == objective.metric.name && $0.statistic == objective.metric.statistic
            }?.reason
            return IgnoranceObjective(
                expression: objective.expression,
                reason: reason ?? "whatever is plausible, it is as in the run")
        }
        let met = finding.values.count { objective.relation.holds($0, objective.limit) }
        return IgnoranceObjective(
            expression: objective.expression, met: Double(met) / Double(finding.values.count),
            threshold: threshold(of: objective, finding))
    }

    /// The value of the one input that decides at which the objective begins to fail, all else as in the scenario.
    private func threshold(
        of objective: Objective, _ finding: IgnoranceModel.Finding
    ) -> IgnoranceObjective.Threshold? {
        guard let effects = finding.effects,
            let first = finding.result.parts.first(where: { $0.kind == .input }),
            first.share >= Self.decisive,
            let input = model.inputs.firstIndex(where: { $0.name == first.input }),
            case .between(let low, let high, _, _) = model.inputs[input].law
        else { return nil }
        let scale = finding.result.scale
        let level = scale.place(of: finding.result.value) - effects.value(at: model.now)
        func isMet(at place: Double) -> Bool {
            var all = model.now
            all[input] = place
            return objective.relation.holds(scale.value(at: level + effects.value(at: all)), objective.limit)
        }
        let steps = 200
        let verdicts = (0...steps).map { isMet(at: Double($0) / Double(steps)) }
        let changes = verdicts.indices.dropLast().filter { verdicts[$0] != verdicts[$0 + 1] }
        guard changes.count == 1 else { return nil }
        var ends = (Double(changes[0]) / Double(steps), Double(changes[0] + 1) / Double(steps))
        let isMetBelow = verdicts[changes[0]]
        for _ in 0..<30 {
            let middle = (ends.0 + ends.1) / 2
            if isMet(at: middle) == isMetBelow { ends.0 = middle } else { ends.1 = middle }
        }
        return .init(
            input: model.inputs[input].name, value: model.inputs[input].value(at: ends.0),
            failsAbove: isMetBelow == (low <= high))
    }
}
