import Decoding
import Experiment
import FleetModel
import Foundation
import RunMetrics
import Scenarios
import URLFilter

/// Figures and settings of a result that a plan is made of.
struct LoadTestSource {
    let seconds: Double
    let lookupShare: Double
    let keysPerSecond: Double
    /// Share of the PIR servers that one lookup per second keeps busy, seconds; and the most that it does in one more
    /// run.
    let workPerLookup: Double
    let mostWorkPerLookup: Double?
    /// Lookups per second.
    let rate: Double
    let highestPercentile: Double
    /// The part of a mean latency that passes neither in servers nor in their queues.
    let shareOnTheWay: Double
    private let devices: Int
    private let settings: [ResolvedSetting]
    /// The only region; `nil` in a world without.
    private let region: String?
    private let keyBytes: Int?

    init(_ result: RunResult, _ point: PointResult) throws(LoadTestError) {
        func count(_ endpoint: Endpoint) -> Double { point[EndpointMetrics(endpoint).requests]?.value ?? 0 }
        let regions = (point.regions ?? []).map(\.name)
        guard regions.count < 2 else { throw .severalRegions(regions) }
        region = regions.first
        seconds = result.scenario.duration - result.scenario.warmUp
        let all = Endpoint.allCases.reduce(0) { $0 + count($1) }
        guard seconds > 0, count(.queries) > 0, all > 0 else { throw .noLookups }
        lookupShare = count(.queries) / all
        keysPerSecond = count(.key) / seconds
        rate = count(.queries) / seconds
        let busy = point[StationMetrics(.pir).utilization]
        workPerLookup = (busy?.value ?? 0) / rate
        mostWorkPerLookup = Self.most(
            zip(busy?.perReplication ?? [], point[EndpointMetrics(.queries).requests]?.perReplication ?? []),
            seconds: seconds)
        let percentiles = point.objectives.filter { $0.metric == "lookup.latency" }.compactMap {
            Double($0.statistic.dropFirst())
        }
        highestPercentile = percentiles.filter(LoadTestPlan.percentiles.contains).max() ?? 99
        shareOnTheWay = Self.shareOnTheWay(point)
        devices = result.scenario.devices
        settings = result.scenario.settings
        keyBytes = result.profile?.evaluationKeyBytes
    }

    private static func most(
        _ runs: Zip2Sequence<[Double?], [Double?]>, seconds: Double
    ) -> Double? {
        let samples = runs.compactMap { busy, lookups in
            busy.flatMap { busy in lookups.flatMap { $0 > 0 ? busy / ($0 / seconds) : nil } }
        }
        return Interval(nextOf: samples, in: .amount, confidence: 0.95)?.high
    }

    /// Waiting for a token is waiting for servers, too.
    private static func shareOnTheWay(_ point: PointResult) -> Double {
        let servers: Set<Stage> = [.token, .gatewayWaiting, .gatewayWorking, .pirWaiting, .pirWorking]
        func sum(_ stages: [Stage]) -> Double {
            stages.reduce(0) { $0 + (point[.stage($1)]?.value ?? 0) }
        }
        let all = sum(Stage.allCases)
        return all > 0 ? sum(Stage.allCases.filter { !servers.contains($0) }) / all : 0
    }

    private func value(_ path: String) -> String? { settings.first { $0.path == path }?.value }

    private func count(_ path: String) -> Int? { value(path).flatMap { try? Quantity.count($0) } }

    /// The service whose busy share a metric is, here or everywhere.
    func station(of metric: Metric) -> Part? {
        Metric.stations.first { [$0.utilization, $0.busiest].contains(metric) }?.part
            ?? region.flatMap { region in
                RegionMetrics(region).stations.first { [$0.utilization, $0.busiest].contains(metric) }?.part
            }
    }

    /// - Returns: `nil` where the document does not have its settings.
    func service(_ part: Part) -> (name: String, cores: Int)? {
        machines(part).map { (part.name, $0.instances * $0.cores) }
    }

    private func machines(_ part: Part) -> (instances: Int, cores: Int)? {
        let place = SettingPlace.service(part, region: region)
        guard let instances = count(Schema.station.path(\.instances, in: place)),
            let cores = count(Schema.station.path(\.cores, in: place))
        else { return nil }
        return (instances, cores)
    }

    /// Seconds that a percentile of the waits at the PIR servers is longer at a rate of lookups than at that of the
    /// runs, by the closed form; 0 where that has no answer, and where servers pause: a plan is then as strict as its
    /// runs.
    func moreWait(_ percentile: Double, at rate: Double) -> Double {
        let pauses = Schema.station.path(\.pauses, in: SettingPlace.service(.pir, region: region))
        guard let pir = machines(.pir),
            !settings.contains(where: { $0.path.hasPrefix(pauses) && $0.value != "none" })
        else { return 0 }
        let threads = count(Schema.station.path(\.threads, in: SettingPlace.service(.pir, region: region)))
        func wait(_ rate: Double) -> Double? {
            let seconds = workPerLookup * Double(pir.instances * pir.cores)
            return StationForm(load: rate * seconds, serviceSeconds: seconds)
                .wait(percentile / 100, instances: pir.instances, cores: pir.cores, threads: threads)
        }
        guard let tested = wait(rate), let usual = wait(self.rate) else { return 0 }
        return max(0, tested - usual)
    }

    /// A quarter more users than evaluation keys fit in the memory, so that keys have to be read again; an assumption.
    private static let beyondMemory = 1.25
    /// Users where no memory limits the keys; an assumption.
    private static let usualUsers = 1_000

    func users(growth: Double) -> (count: Int, sentence: String) {
        let fleet = max(1, Int(saturating: (Double(devices) * growth).rounded(.up)))
        let station = SettingPlace.service(.pir, region: region)
        let memory = value(Schema.pirStation.path(\.memory, in: station)).flatMap { try? Quantity.bytes($0) }
        guard let memory, let keyBytes, keyBytes > 0, let instances = machines(.pir)?.instances else {
            let count = min(fleet, Self.usualUsers)
            return (count, "users: \(count), as no memory limits the keys (services.pir.memory)")
        }
        let fit = memory / keyBytes * instances
        let beyond = Int(saturating: (Double(fit) * Self.beyondMemory).rounded(.up)) + 1
        return (
            min(fleet, beyond),
            beyond <= fleet
                ? "users: \(beyond), a quarter more than the \(fit) whose keys fit in the memory"
                : "users: the whole fleet, \(fleet); the keys of \(fit) fit in the memory"
        )
    }
}
