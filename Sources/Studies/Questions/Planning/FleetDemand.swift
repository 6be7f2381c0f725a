import Decoding
package import Experiment
package import FleetModel
import Foundation
import RunMetrics
package import Scenarios
import URLFilter

/// Demand of a fleet on its servers: mean rates, multiplied, and the peaks that a fleet of that size has about them.
/// The rates were seen in a simulation of a sample of it with so many cores that nobody waits.
package struct FleetDemand: Codable, Equatable, Sendable {
    /// Load of one service in one region.
    package struct Load: Codable, Equatable, Sendable {
        package var service: Part
        /// Busy cores: on average, and in the busiest interval of a day (``PeakLaw/mean``).
        package var meanCores: Double
        package var peakCores: Double
        /// Interval of the peak: what the sample's units of devices leave open of the rate at that time.
        package var peakLow: Double
        package var peakHigh: Double
        /// Mean busy cores in each interval of the day: peaks of different regions come at different hours.
        package var series: [Double]
        /// Mean CPU seconds of a request.
        package var serviceSeconds: Double
        /// The minutes around the busiest one: what comes at once builds a queue that an interval hides. Absent in
        /// documents of earlier versions.
        package var minutes: Minutes?
        /// Squared variability of its service times, where the requests of several tenants differ; absent for one
        /// tenant's (``StationForm/variability``), and in documents of earlier versions.
        package var variability: Double?

        /// Mean busy cores in successive minutes, the first of them so many after the beginning of ``series``.
        package struct Minutes: Codable, Equatable, Sendable {
            package var first: Int
            package var cores: [Double]

            package init(first: Int, cores: [Double]) {
                self.first = first
                self.cores = cores
            }
        }

        package init(
            service: Part, meanCores: Double, peakCores: Double, peakLow: Double, peakHigh: Double,
            series: [Double], serviceSeconds: Double, minutes: Minutes? = nil
        ) {
            self.service = service
            self.meanCores = meanCores
            self.peakCores = peakCores
            self.peakLow = peakLow
            self.peakHigh = peakHigh
            self.series = series
            self.serviceSeconds = serviceSeconds
            self.minutes = minutes
        }
    }

    /// A day of another kind.
    package struct Day: Codable, Equatable, Sendable {
        package var kind: DayKind
        package var regions: [Region]
        package var percentiles: [Latency]
        /// Share of the lookups that get no verdict from a server, without waits; absent in documents of earlier
        /// versions.
        package var failedShare: Double?
        /// Share of the listed URLs that are let through, without waits, and seconds until the fleet is healthy again;
        /// absent in documents of earlier versions.
        package var leakedShare: Double?
        package var recovery: Double?

        package init(
            kind: DayKind, regions: [Region], percentiles: [Latency], failedShare: Double? = nil,
            leakedShare: Double? = nil, recovery: Double? = nil
        ) {
            self.leakedShare = leakedShare
            self.recovery = recovery
            self.kind = kind
            self.regions = regions
            self.percentiles = percentiles
            self.failedShare = failedShare
        }
    }

    package struct Region: Codable, Equatable, Sendable {
        /// `nil` in a world without regions.
        package var name: String?
        package var loads: [Load]
        /// Share of all requests.
        package var share: Double

        package init(name: String?, loads: [Load], share: Double) {
            self.name = name
            self.loads = loads
            self.share = share
        }

        package subscript(service: Part) -> Load? { loads.first { $0.service == service } }
    }

    package var devices: Int
    /// Devices that were simulated, and replications of them.
    package var sample: Int
    package var replications: Int
    /// Width of the intervals of which the busiest counts, seconds.
    package var interval: Double
    /// Begin of the first of them on the simulated clock, seconds.
    package var seriesStart: Double
    package var regions: [Region]
    /// Seconds of a lookup without any wait at a server, by percentile: 0.99 and so on.
    package var percentiles: [Latency]
    package var lookupsPerDeviceDay: Double
    /// Interval of ``lookupsPerDeviceDay``, and lookups of a device on the mean day of a year. Absent where nobody
    /// knows.
    package var lookupsInterval: Interval?
    package var lookupsPerMeanDay: Double?
    /// Bytes of all devices and regions.
    package var egressBytesPerDay: Double
    package var ingressBytesPerDay: Double
    package var downloadBytesPerDay: Double
    package var shards: Int
    /// Bytes of a whole database in memory, and of one evaluation key there.
    package var databaseBytes: Double
    package var evaluationKeyBytes: Double
    /// Whose server and issuer the cores are of; absent in documents of earlier versions.
    package var server: ServerIdentity?
    /// How their speed wanders in simulations; absent in documents of earlier versions, and where the scenario says it.
    package var speed: SpeedSummary?
    /// How the days that were simulated stand in the week: ``egressBytesPerDay`` and ``ingressBytesPerDay`` are those
    /// of the mean day, loads those of the busiest weekday. Absent where nothing is known of other days.
    package var week: WeekTraffic?
    /// Share of the sample's listed URLs that are let through on an ordinary day, and of the URLs that hit its
    /// prefilters that a server is asked about, since no cache knows them. Absent in documents of earlier versions.
    package var leakedShare: Double?
    package var askedShare: Double?
    /// Share of the answered lookups that found an entry; absent in documents of earlier versions.
    package var listedShare: Double?
    /// Days of other kinds that were simulated, too.
    package var days: [Day] = []

    /// Cores of each service in the sample's simulation: so many that none waits. The load of a sample is far below.
    package static let ampleCores = 1_024

    /// Settings that make a scenario a sample for this: one instance that does not scale, and keys where they are kept
    /// with several of them.
    package static func assignments(for scenario: Scenario) -> [String] {
        let keyStore = scenario.services.byRegion(.pir).first?.keyStore ?? .memory
        // What regions have in common first.
        let regions = [nil] + scenario.services.regions.map(\.name)
        return regions.flatMap { region in
            URLFilterModel.stations.flatMap { part in
                Schema.station(part, region: region, instances: 1, cores: ampleCores)
                    // Waits for the end of a pause are added by the closed form.
                    + (scenario.services.byRegion(part).contains { $0.pauses != nil }
                        ? [Schema.withoutPauses(SettingPlace.service(part, region: region))] : [])
            }
        } + [
            Schema.grouping.set(\.limit, 1), Schema.pirStation.set(\.queueTime, "none"),
            Schema.pirStation.set(\.keyStore, keyStore.rawValue),
        ]
    }

    /// Settings of a kind of day.
    ///
    /// - Parameters:
    ///   - peak: When servers restart, seconds of the simulated clock.
    ///   - rollOut: How long a launch takes where the scenario does not say, as `--set` has it.
    package static func assignments(
        for kind: DayKind, of scenario: Scenario, peak: Double, rollOut: String
    ) -> [String] {
        let regions = scenario.services.regions.compactMap(\.name).map { $0 + "." }
        let restarts = (regions.isEmpty ? [""] : regions).flatMap { region in
            ["pir", "issuer"].map {
                "{kind: restart, service: \(region)\($0), at: \(Int(saturating: peak))s}"
            }
        }
        let launch =
            [
                Schema.run.set(\.start, FleetStart.cold.rawValue), Schema.run.set(\.history, "null"),
                Schema.run.set(\.warmUp, "0s"),
            ]
            + (scenario.devices.contains {
                scenario.sets(Schema.devices.path(\.rollOut, in: Schema.devices.place(of: $0.name)))
            } ? [] : [Schema.devices.set(\.rollOut, rollOut, in: SettingPlace.everyDevice)])
        return switch kind {
        case .ordinary: ["faults=[]"]
        case .restart: ["faults=[\(restarts.joined(separator: ", "))]"]
        case .launch: ["faults=[]"] + launch
        case .launchAndRestart: ["faults=[\(restarts.joined(separator: ", "))]"] + launch
        }
    }

    /// A load that is asked for: of one service in one place.
    struct LoadQuestion {
        var service: Part
        /// Among the regions of the result; 0 in a world without regions.
        var place: Int
        /// `nil` in a world without regions.
        var region: String?
        /// Devices of the fleet for each one of the sample, on the busiest weekday.
        var times: Double
        /// Requests of the sample in a replication.
        var requests: Double
    }

    /// - Parameters:
    ///   - result: Of a run with ``assignments(for:)``.
    ///   - devices: Of the whole fleet.
    /// - Returns: `nil` without a lookup, or without a time series.
    package init?(_ result: RunResult, devices: Int) {
        guard let point = result.points.first, let arrivals = point.arrivals, point.latencyCurve != nil,
            point[.lookupsPerDeviceDay] != nil
        else { return nil }
        let start = arrivals.period.lowerBound / Load.width * Load.width
        self.init(result, devices: devices, seriesStart: Double(start)) { question in
            Load(
                question.service, arrivals.work(question.service, region: question.place),
                times: question.times, requests: question.requests, arrivals.period)
        }
    }

    /// - Returns: `nil` without a cost profile.
    init?(_ result: RunResult, devices: Int, seriesStart: Double, load: (LoadQuestion) -> Load) {
        guard let point = result.points.first, let profile = result.profile else { return nil }
        let scale = Double(devices) / Double(result.scenario.devices)
        let seconds = result.scenario.duration - result.scenario.warmUp
        let perDay = 86_400 / seconds
        self.devices = devices
        sample = result.scenario.devices
        replications = point.replications
        interval = Double(Load.width)
        self.seriesStart = seriesStart
        lookupsPerDeviceDay = point[.lookupsPerDeviceDay]?.value ?? 0
        lookupsInterval = point[.lookupsPerDeviceDay]?.interval
        lookupsPerMeanDay = lookupsPerDeviceDay * (result.meanDay?.lookups ?? 1)
        shards = profile.shards
        databaseBytes = Double(profile.databaseBytes)
        evaluationKeyBytes = Double(profile.evaluationKeyBytes)
        percentiles = Self.percentiles(of: point)
        downloadBytesPerDay = (point[.prefilterTraffic]?.value ?? 0) * scale * perDay
        var (egress, ingress) = (0.0, 0.0)
        for endpoint in Metric.endpoints {
            let requests = point[endpoint.requests]?.value ?? 0
            let meanDay = result.meanDay?.factor(of: endpoint.endpoint) ?? 1
            egress += requests * meanDay * (point[endpoint.response.mean]?.value ?? 0)
            ingress += requests * meanDay * (point[endpoint.request.mean]?.value ?? 0)
        }
        server = profile.server
        speed = profile.speed
        week = result.scenario.week
        leakedShare = point[.leakedShare]?.value
        let (listed, stray) = (point[.answeredListed]?.value ?? 0, point[.answeredFalseHit]?.value ?? 0)
        listedShare = listed + stray > 0 ? listed / (listed + stray) : nil
        if let hits = point[.hits]?.value, hits > 0 {
            askedShare = min(1, (point[.lookupsPer1000URLs]?.value ?? 0) / 1_000 / hits)
        }
        egressBytesPerDay = egress * scale * perDay
        ingressBytesPerDay = ingress * scale * perDay
        let times = scale * (week?.busiestDay ?? 1)
        func requests(_ part: Part) -> Double {
            let all = Metric.endpoints.reduce(0) { $0 + (point[$1.requests]?.value ?? 0) }
            let issued = point[EndpointMetrics(.issue).requests]?.value ?? 0
            return part == .issuer ? issued : part == .gateway ? all : all - issued
        }
        regions = Self.places(of: point).map { place in
            let loads = URLFilterModel.stations.map { part in
                load(
                    LoadQuestion(
                        service: part, place: place.index, region: place.name, times: times,
                        requests: requests(part) * place.share))
            }
            return Region(name: place.name, loads: loads, share: place.share)
        }
    }

    /// Place, name, and share of the requests.
    private static func places(of point: PointResult) -> [(index: Int, name: String?, share: Double)] {
        let results = point.regions ?? []
        guard !results.isEmpty else { return [(0, nil, 1)] }
        func perDay(_ region: RegionResult) -> Double {
            region[RegionMetrics(region.name).perDay]?.value ?? 0
        }
        let total = results.reduce(0) { $0 + perDay($1) }
        return results.enumerated().map { index, region in
            (index, region.name, total > 0 ? perDay(region) / total : 0)
        }
    }
}
