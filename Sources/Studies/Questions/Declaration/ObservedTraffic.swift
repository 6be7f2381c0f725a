import Decoding
package import Experiment
import FleetModel
import RunMetrics
import Statistics
import URLFilter

/// Traffic between devices and relay, wherever it was seen: in a simulation, or in a replay against servers.
///
/// The input of a ``DeclarationSheet``.
package struct ObservedTraffic: Codable, Equatable, Sendable {
    /// The source of the numbers, in words.
    package var source: String
    package var devices: Int
    /// Length of the observation, seconds.
    package var observedSeconds: Double
    /// Continents that were told apart, then all together.
    package var regions: [Region]
    package var endpoints: [Endpoint]
    /// Shards of the database; absent when nobody knows.
    package var shards: Int?
    /// One evaluation key as the server stores it, bytes.
    package var evaluationKeyBytes: Int?
    /// Whether Apple's test entry is on the list.
    package var hasTestEntry: Bool?
    /// Entries that cannot match; absent when nobody knows the list.
    package var unmatchable: [UnmatchableSummary]?
    /// The busiest second, and what was in it; absent when nobody knows.
    package var busiestSecond: BusiestSecond?
    /// Full sentences on what the numbers leave out.
    package var remarks: [String]

    package init(
        source: String, devices: Int, observedSeconds: Double, regions: [Region], endpoints: [Endpoint],
        shards: Int?, evaluationKeyBytes: Int?, hasTestEntry: Bool?,
        unmatchable: [UnmatchableSummary]? = nil, remarks: [String] = []
    ) {
        self.source = source
        self.devices = devices
        self.observedSeconds = observedSeconds
        self.regions = regions
        self.endpoints = endpoints
        self.shards = shards
        self.evaluationKeyBytes = evaluationKeyBytes
        self.hasTestEntry = hasTestEntry
        self.unmatchable = unmatchable
        self.remarks = remarks
    }

    /// Requests through the relay from one part of the world.
    package struct Region: Codable, Equatable, Sendable {
        /// `EU` or another code of a continent; `all` for everything.
        package var name: String
        package var perDay: Rate
        /// Requests in the busiest second, and in the busiest minute.
        package var peakSecond: Rate
        package var peakMinute: Rate

        package init(name: String, perDay: Rate, peakSecond: Rate, peakMinute: Rate) {
            self.name = name
            self.perDay = perDay
            self.peakSecond = peakSecond
            self.peakMinute = peakMinute
        }
    }

    /// A number that differs from one observation to the next.
    package struct Rate: Codable, Equatable, Sendable {
        /// Mean over the observations.
        package var value: Double
        package var interval: Interval?
        /// Largest of all observations.
        package var largest: Double
        package var observations: Int
        /// Each of them, for what another one is like; empty where that is calculated.
        package var samples: [Double]
        /// Absent for what was observed.
        package var calculated: CalculatedPeak?

        package init(value: Double, interval: Interval?, samples: [Double]) {
            self.value = value
            self.interval = interval
            self.samples = samples
            largest = samples.max() ?? value
            observations = samples.count
        }

        /// ``largest`` is what 19 of 20 days stay below.
        init(calculated: CalculatedPeak, interval: Interval) {
            value = calculated.mean
            self.interval = interval
            largest = calculated.quantile(0.95)
            observations = calculated.days
            samples = []
            self.calculated = calculated
        }
    }

    package struct Endpoint: Codable, Equatable, Sendable {
        package var name: String
        package var requestsPerDay: Double
        package var request: Sizes
        /// Absent when nothing was answered.
        package var response: Sizes?

        package init(name: String, requestsPerDay: Double, request: Sizes, response: Sizes?) {
            self.name = name
            self.requestsPerDay = requestsPerDay
            self.request = request
            self.response = response
        }
    }

    /// Sizes of encapsulated messages, bytes; percentiles by nearest rank.
    package struct Sizes: Codable, Equatable, Sendable {
        package var mean: Double
        package var p50: Double
        package var p99: Double
        package var max: Double

        package init(mean: Double, p50: Double, p99: Double, max: Double) {
            self.mean = mean
            self.p50 = p50
            self.p99 = p99
            self.max = max
        }
    }
}

extension ObservedTraffic {
    /// The traffic of a point of a simulation.
    package init(_ result: RunResult, _ point: PointResult) throws(SheetError) {
        let scenario = result.scenario
        let seconds = scenario.duration - scenario.warmUp
        func rate(_ metric: Metric) -> Rate? {
            point[metric].map {
                Rate(
                    value: $0.value, interval: $0.interval, samples: $0.perReplication.compactMap(\.self))
            }
        }
        func sizes(_ metrics: EndpointMetrics.Sizes) -> Sizes? {
            guard let mean = point[metrics.mean], let middle = point[metrics.p50],
                let high = point[metrics.p99], let largest = rate(metrics.max)
            else { return nil }
            return Sizes(mean: mean.value, p50: middle.value, p99: high.value, max: largest.largest)
        }
        func region(_ metrics: RelayMetrics) -> Region? {
            guard let perDay = rate(metrics.perDay), let second = rate(metrics.peakSecond),
                let minute = rate(metrics.peakMinute)
            else { return nil }
            return Region(name: metrics.region, perDay: perDay, peakSecond: second, peakMinute: minute)
        }
        guard let all = region(RelayMetrics(nil)) else { throw .noTraffic }
        let continents = Continent.allCases.compactMap { region(RelayMetrics($0)) }
        let endpoints = Metric.endpoints.compactMap { metrics -> Endpoint? in
            guard let request = sizes(metrics.request), let count = point[metrics.requests] else {
                return nil
            }
            return Endpoint(
                name: metrics.endpoint.rawValue,
                requestsPerDay: seconds > 0 ? count.value / seconds * 86_400 : 0,
                request: request, response: sizes(metrics.response))
        }
        let settings = point.settings.sorted { $0.key < $1.key }.map { "\($0.key) = \($0.value)" }
        self.init(
            source: (["simulation of '\(scenario.name)'"] + settings).joined(separator: ", ")
                + ", \(point.replications) replications, seed \(scenario.seed)",
            devices: scenario.devices, observedSeconds: seconds, regions: continents + [all],
            endpoints: endpoints, shards: result.profile?.shards,
            evaluationKeyBytes: result.profile?.evaluationKeyBytes,
            hasTestEntry: result.blocklist.hasTestEntry, unmatchable: result.blocklist.unmatchable,
            remarks: [result.weekRemark, Self.lost(endpoints, of: all.perDay.value)].compactMap(\.self))
        busiestSecond = point.busiestSecond
    }
}

extension ObservedTraffic {
    /// A sentence about requests of devices that never come to the relay.
    private static func lost(_ endpoints: [Endpoint], of total: Double) -> String? {
        let sent = endpoints.reduce(0) { $0 + $1.requestsPerDay }
        guard sent > total * (1 + 1e-9) else { return nil }
        return
            "The endpoints' rows count what devices send: \(Int(saturating: (sent - total).rounded())) a day of it"
            + " never come to the relay, behind a captive portal or before the relay works for the device."
    }
}

package enum SheetError: InputFault, Equatable, CustomStringConvertible {
    case noTraffic
    case notEncapsulated

    package var description: String {
        switch self {
        case .noTraffic:
            "the result holds no counts of requests through the relay: it is empty; run again"
        case .notEncapsulated:
            "the replay went to the service directly, so nothing says how long encapsulated messages are; replay"
                + " with --through relay or --through gateway"
        }
    }
}
