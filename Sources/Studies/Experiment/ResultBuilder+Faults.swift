import EventSimulation
import FleetModel
import RunMetrics
import Scenarios

/// How long the faults of the scenario were felt.
extension ResultBuilder {
    func recoveries() -> [RecoveryResult] {
        let configuration = preparation.configuration
        let confidence = preparation.scenario.replications.confidence
        return configuration.faults.enumerated().map { index, fault in
            let found = records.compactMap {
                $0.recoveries.indices.contains(index) ? $0.recoveries[index] : nil
            }
            let samples = found.map(\.seconds)
            return RecoveryResult(
                fault: "\(fault)", begin: fault.begin.seconds, end: fault.end.seconds,
                failureShare: configuration.health.failureShare,
                windowSeconds: configuration.health.window.seconds,
                value: samples.mean ?? 0,
                interval: Interval(samples, in: .amount, confidence: confidence),
                perReplication: samples, censored: found.count(where: \.isCensored))
        }
    }
}
