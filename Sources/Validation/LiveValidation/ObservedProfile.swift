import Decoding
package import DeviceFleet
package import FleetModel
package import Statistics
import URLFilter

/// A cost profile whose PIR server and issuer were measured from outside, while they ran.
package struct ObservedProfile: Sendable {
    /// Measurements of an endpoint.
    package struct Row: Sendable {
        package var name: String
        /// Seconds per request of the servers' CPU; if that cannot be seen, of the response above the network's.
        package var samples: [Double]
        /// Interval of the mean, 95 %, by the t distribution over batches or requests.
        package var interval: MeanEstimate?
        /// Median seconds from sending to the last byte.
        package var response: Double
    }

    package var profile: CostProfile
    package var rows: [Row]
    /// The times are no CPU times but more than that.
    package var isUpperBound: Bool
    /// Median seconds of the smallest exchange.
    package var network: Double
    package var idle: Double?

    /// - Parameters:
    ///   - base: Of this machine, for the same database: what devices and gateway cost, and all sizes.
    ///   - name: What the server is called in results.
    package init(
        _ probe: DeploymentProbe.Result, base: CostProfile, name: String, version: String
    ) throws(ObservationError) {
        let network = Self.median(probe.network)
        let isUpperBound = probe.readings.values.contains { $0.cpu.isEmpty }
        self.network = network
        self.isUpperBound = isUpperBound
        idle = probe.idle
        func samples(_ subject: DeploymentProbe.Subject) throws(ObservationError) -> [Double] {
            guard let reading = probe.readings[subject], !reading.response.isEmpty else {
                throw .notMeasured(subject.name)
            }
            return isUpperBound ? reading.response.map { max(0, $0 - network) } : reading.cpu
        }
        var profile = base
        var rows: [Row] = []
        for subject in Endpoint.ofLookups.map(DeploymentProbe.Subject.endpoint) + [.pair] {
            let seconds = try samples(subject)
            rows.append(
                Row(
                    name: subject.name, samples: seconds,
                    interval: MeanEstimate(replicationMeans: seconds),
                    response: Self.median(probe.readings[subject]?.response ?? [])))
            guard case .endpoint(let endpoint) = subject else { continue }
            profile.endpoints[endpoint.rawValue]?.serviceAnswers = StageCost(
                samples: seconds.map { .seconds(rounding: $0) })
            profile.endpoints[endpoint.rawValue]?.servicePort = nil
        }
        let pair = try Self.median(samples(.pair)) - Self.median(samples(.endpoint(.queries)))
        profile.extraKeyword.serviceAnswers = max(0, .seconds(rounding: pair))
        profile.keysAsBytes = nil
        // One request at a time shows nothing of groups: nothing is saved.
        profile.followerShare = 1
        profile.server = ServerIdentity(
            name: name, version: version,
            obtained: isUpperBound
                ? "response time above the network's, one request at a time: an upper bound of CPU time"
                : "CPU time of the running servers per request, HTTP and TLS included, one request at a time")
        self.profile = profile
        self.rows = rows
    }

    private static func median(_ values: [Double]) -> Double {
        Percentile.nearestRank(0.5, sorted: values.sorted()) ?? 0
    }
}

/// Why there is no profile of running servers.
package enum ObservationError: Error, Equatable, CustomStringConvertible {
    case notMeasured(String)

    package var description: String {
        switch self {
        case .notMeasured(let name): "'\(name)' was not measured; this is a bug"
        }
    }
}
