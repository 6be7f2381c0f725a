package import EventSimulation
package import Statistics

/// A queueing system with known answers, simulated and compared with them.
package struct Validation: Sendable {
    /// One answer: what theory says, and what independent replications say.
    package struct Row: Sendable {
        package let quantity: String
        package let theory: Double
        package let estimate: MeanEstimate

        /// Whether the interval of the simulation contains the theory.
        package var agrees: Bool { estimate.bounds.contains(theory) }
    }

    /// Measurements of one replication, one number per quantity, and the laws it violated.
    struct Observation: Sendable {
        var values: [Double]
        var violations: [IdentityCheck]
    }

    package let name: String
    /// Arrivals per second of all classes.
    let arrivalRate: Double
    let quantities: [(name: String, theory: Double)]
    let observe:
        @Sendable (_ replication: UInt32, _ warmUp: SimulatedTime, _ end: SimulatedTime) -> Observation

    /// Simulates about as many customers as given, in independent replications.
    ///
    /// The first tenth of each replication is warm-up and not counted.
    ///
    /// - Returns: `nil` for fewer than two replications, or so few customers that nothing can be estimated.
    package func rows(
        customers: Int, replications: Int = 20, confidence: Double = 0.999
    ) throws(BrokenIdentity) -> [Row]? {
        let length = Double(customers) / Double(max(1, replications)) / arrivalRate
        let warmUp = SimulatedTime.start.advanced(by: .seconds(length / 9))
        let end = warmUp.advanced(by: .seconds(length))
        var samples = quantities.map { _ in [Double]() }
        for replication in 0..<UInt32(max(0, replications)) {
            let observation = observe(replication, warmUp, end)
            if let violation = observation.violations.first {
                throw BrokenIdentity(system: name, violation: violation)
            }
            for index in samples.indices { samples[index].append(observation.values[index]) }
        }
        var rows: [Row] = []
        for (quantity, values) in zip(quantities, samples) {
            guard let estimate = MeanEstimate(replicationMeans: values, confidence: confidence) else {
                return nil
            }
            rows.append(Row(quantity: quantity.name, theory: quantity.theory, estimate: estimate))
        }
        return rows
    }
}

/// A run violated a law that every run obeys.
package struct BrokenIdentity: Error, CustomStringConvertible {
    package let system: String
    package let violation: IdentityCheck

    package var description: String { "\(system): \(violation)" }
}
