import EventSimulation
import FleetModel
import Statistics

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
            let estimate = MeanEstimate(replicationMeans: samples, confidence: confidence)
            return RecoveryResult(
                fault: "\(fault)", begin: fault.begin.seconds, end: fault.end.seconds,
                failureShare: configuration.health.failureShare,
                windowSeconds: configuration.health.window.seconds,
                value: samples.reduce(0, +) / Double(max(samples.count, 1)),
                interval: estimate.map {
                    Interval(
                        low: $0.bounds.lowerBound, high: $0.bounds.upperBound, confidence: confidence,
                        method: "Student's t over \(samples.count) replications")
                },
                perReplication: samples, censored: found.count(where: \.isCensored))
        }
    }
}
