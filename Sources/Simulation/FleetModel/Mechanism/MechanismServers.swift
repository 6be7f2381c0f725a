import Decoding
package import EventSimulation

/// The operator's servers of a mechanism: all alike, behind one queue for the cores of all of them.
package struct MechanismServers: Hashable, Sendable {
    /// `nil`: as many as ``instances(for:cores:target:spare:)`` says of the busiest interval.
    package var instances: Int?
    /// Cores of each server.
    package var cores: Int
    /// How busy the cores may be in the busiest interval, and instances beyond those that this takes, where
    /// ``instances`` is `nil`: what is bought is what takes part.
    package var targetUtilization = 0.6
    package var spareInstances = 1
    /// Variance of the CPU time of a visit over its squared mean: 0 constant, 1 exponential.
    package var serviceVariability = 1.0
    /// How long anybody waits for a server at most: who would have to wait longer is not served.
    package var patience = SimulatedDuration.seconds(60)

    package init(instances: Int? = nil, cores: Int) {
        self.instances = instances
        self.cores = cores
    }

    /// Whole servers that the busiest interval keeps as busy as the target at most, and the spare ones.
    package static func instances(for busyCores: Double, cores: Int, target: Double, spare: Int) -> Int {
        // What rounding adds to a whole number buys no server.
        let needed = (busyCores / target / Double(cores) * (1 - 1e-12)).rounded(.up)
        return max(1, Int(saturating: min(needed, 1e9))) + spare
    }

    func instances(for busyCores: Double) -> Int {
        instances
            ?? Self.instances(
                for: busyCores, cores: cores, target: targetUtilization, spare: spareInstances)
    }
}

/// The queue of a mechanism's servers over the observed period.
package struct ServersRecord: Codable, Sendable {
    package var instances: Int
    package var coresPerInstance: Int
    /// Work that arrived, as a share of what all cores can do: over the whole period, and in the busiest interval of
    /// the series. Above 1 it is more than they can do.
    package var load: Double
    package var peakLoad: Double
    /// Drawn visits to the servers, what those that waited waited, and of all the mean in seconds.
    package var visits = 0
    package var waits = LatencyHistogram()
    /// Pages that were drawn, and those of them that were not served.
    package var pages = 0
    package var unserved = 0

    package var cores: Int { instances * coresPerInstance }

    /// Mean time of a visit in the queue, seconds; `nil` where nobody came.
    package var meanWait: Double? {
        visits > 0 ? (waits.mean?.seconds ?? 0) * Double(waits.count) / Double(visits) : nil
    }
}
