import Decoding
import DeviceFleet
import FleetModel
import Timing
import URLFilter
import Workload

/// Facts about the processes for the model: what they take for a request while all is well, and how long a killed PIR
/// server needs until it serves again.
package struct WholeWayCalibration: Codable, Hashable, Sendable {
    package var stack: StackCalibration
    /// Seconds of issuer and PIR server for a request that comes alone, by endpoint.
    package var answers: [String: [Double]]
    /// Seconds that an exchange other than a lookup takes besides, on average: relay, gateway, HTTP.
    package var way: Double
    /// Seconds from the start of a process until it serves: of one, and of both at once.
    package var startsAlone: [Double]
    package var startsTogether: [[Double]]

    package init(
        stack: StackCalibration, answers: [String: [Double]], way: Double, startsAlone: [Double],
        startsTogether: [[Double]]
    ) {
        self.stack = stack
        self.answers = answers
        self.way = way
        self.startsAlone = startsAlone
        self.startsTogether = startsTogether
    }

    /// - Parameters:
    ///   - logs: Of issuer and PIR servers, each in the order of time, from their start on.
    ///   - origin: Offset 0 of the lookups, nanoseconds since 1970.
    ///   - seconds: Length of the calibration.
    ///   - cpu: Seconds of devices, relay, gateway and issuer meanwhile.
    init(
        _ lookups: ReplayLookups, logs: [[ServerLogRecord]], origin: Int64, seconds: Double, cpu: Double,
        _ plan: WholeWayPlan, cores: Int, startsAlone: [Double], startsTogether: [[Double]]
    ) throws(LiveValidationError) {
        var observation = LiveObservation(
            window: 0...seconds,
            lookups: lookups.all.map { .init(offset: $0.offset, latency: $0.latency, lateness: $0.lateness) },
            groups: logs.flatMap { Self.groups($0, origin: origin) }.sorted { $0.ended < $1.ended })
        // What a PIR server's process does besides, HTTP, stays in the ways.
        let front = cpu / Double(max(1, lookups.all.count))
        observation.cpuPerLookup = front + observation.pirCPUPerLookup
        stack = try StackCalibration(observation, frontCores: cores)
        stack.followerShare = plan.followerShare
        var answers: [String: [Double]] = [:]
        for log in logs {
            for record in Self.clusters(log).filter({ $0.count == 1 }).map({ $0[0] }) {
                guard record.status == 200, let endpoint = record.endpoint.ofDevice else { continue }
                answers[endpoint.rawValue, default: []].append(Double(nanoseconds: record.duration ?? 0))
            }
        }
        self.answers = answers
        let others = lookups.exchanges.filter { $0.endpoint != .queries && $0.failure == nil }
        let inside = others.compactMap { answers[$0.endpoint.rawValue].map(Self.mean) }.reduce(0, +)
        let outside = others.reduce(0) { $0 + $1.seconds } - inside
        way = others.isEmpty ? stack.meanWay : max(0, outside / Double(others.count))
        self.startsAlone = startsAlone
        self.startsTogether = startsTogether
    }

    private static func mean(_ values: [Double]) -> Double {
        values.reduce(0, +) / Double(max(1, values.count))
    }

    /// Requests of one server that overlap in time, directly or by others.
    private static func clusters(_ log: [ServerLogRecord]) -> [[ServerLogRecord]] {
        var clusters: [[ServerLogRecord]] = []
        var end = Int64.min
        for record in log {
            if record.start < end {
                clusters[clusters.count - 1].append(record)
            } else {
                clusters.append([record])
            }
            end = max(end, record.end)
        }
        return clusters
    }

    /// Groups of lookups at a PIR server. What does not come alone stands together with what it overlaps, and no
    /// service time is taken from it.
    private static func groups(
        _ log: [ServerLogRecord], origin: Int64
    ) -> [LiveObservation.Group] {
        clusters(log).compactMap { cluster in
            guard cluster.contains(where: { $0.endpoint == .queries }) else { return nil }
            func seconds(_ time: Int64) -> Double { Double(nanoseconds: time - origin) }
            let start = seconds(cluster[0].start)
            let end = cluster.map { seconds($0.end) }.max() ?? start
            return LiveObservation.Group(
                arrived: cluster.map { seconds($0.start) }, started: start, ended: end, cpu: end - start)
        }
    }
}

extension LoggedEndpoint {
    fileprivate var ofDevice: Endpoint? {
        switch self {
        case .queries: .queries
        case .key: .key
        case .config: .config
        case .issue: .issue
        case .directory: .directory
        case .tokenKey: .tokenKey
        case .gateway, .relay: nil
        }
    }
}

extension CostProfile {
    /// Costs of every request that devices make in the run.
    init(_ calibration: WholeWayCalibration) {
        let none = StageCost(samples: [0])
        let half = StageCost(seconds: [calibration.way / 2])
        var endpoints: [String: EndpointCost] = [:]
        for endpoint in Endpoint.allCases {
            // The CPU time of other exchanges is in that of the lookups already.
            endpoints[endpoint.rawValue] = EndpointCost(
                deviceBegins: half, gatewayOpens: none,
                serviceAnswers: StageCost(seconds: calibration.answers[endpoint.rawValue] ?? [0]),
                gatewaySeals: none, deviceEnds: half, requestBytes: 0, responseBytes: 0)
        }
        endpoints[Endpoint.queries.rawValue] = EndpointCost(lookup: calibration.stack)
        self.init(calibrated: endpoints)
    }
}
