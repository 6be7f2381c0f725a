import CoreMetrics
import Decoding
import ObliviousHTTP
import Parties
import PrivateInformationRetrieval
import Timing

/// Counts and levels of the parties of one process.
package final class StackMetrics: Sendable {
    /// Levels that are read when someone asks.
    struct Gauges: Sendable {
        var queueLength: @Sendable () -> Int = { 0 }
        var queuedSeconds: @Sendable () -> Double = { 0 }
        var evaluationKeys: @Sendable () -> (count: Int?, byteCount: Int) = { (0, 0) }
        var spentTokens: @Sendable () -> Int = { 0 }
        var dataRead: @Sendable () -> Double? = { nil }
    }

    private enum Name {
        static let requests = "urlfilter_requests_total"
        static let duration = "urlfilter_request_duration_seconds"
        static let inFlight = "urlfilter_requests_in_flight"
        static let partyCPU = "urlfilter_party_cpu_seconds_total"
        static let processCPU = "process_cpu_seconds_total"
        static let processStart = "process_start_time_seconds"
        static let limitHits = "urlfilter_limit_hits_total"
        static let queuedWork = "urlfilter_queued_work_seconds"
        static let queue = "urlfilter_queue_length"
        static let keys = "urlfilter_evaluation_keys"
        static let keyBytes = "urlfilter_evaluation_key_bytes"
        static let spent = "urlfilter_spent_tokens"
        static let dataRead = "urlfilter_data_read_time_seconds"
    }

    private let registry = PrometheusRegistry()
    private let meter: CPUMeter
    private let parties: [Party]
    private let gauges: Gauges
    private let hits: LimitHits
    private let inFlight: Meter
    private let started: Double
    private let log: AccessLog?

    /// - Parameters:
    ///   - started: Unix seconds now.
    ///   - log: Gets a line for every request that a party answers.
    init(
        parties: [Party], meter: CPUMeter, gauges: Gauges, hits: LimitHits, started: Double,
        log: AccessLog? = nil
    ) {
        self.hits = hits
        self.log = log
        self.started = started
        self.meter = meter
        self.parties = parties
        self.gauges = gauges
        inFlight = Meter(label: Name.inFlight, factory: registry)
        registry.describe(Name.requests, "Requests by party, endpoint and status.")
        registry.describe(Name.duration, "Time from the whole request to the whole response, seconds.")
        registry.describe(Name.inFlight, "Requests being received or answered.")
        registry.describe(Name.partyCPU, "CPU time of a party's own work, without HTTP and TLS, seconds.")
        registry.describe(Name.processCPU, "CPU time of the process, seconds.")
        registry.describe(Name.processStart, "When the process began to count, Unix seconds.")
        registry.describe(Name.queue, "Requests that wait for a computing thread.")
        registry.describe(Name.queuedWork, "Work that waits for one, by its estimates, seconds.")
        registry.describe(Name.limitHits, "How often each limit was met; see 'urlfilter serve --help'.")
        registry.describe(Name.keys, "Evaluation keys stored.")
        registry.describe(Name.keyBytes, "Memory of evaluation keys, bytes.")
        registry.describe(Name.spent, "Spent tokens noted.")
        registry.describe(Name.dataRead, "When the served data was last read, Unix seconds.")
    }

    func began() { inFlight.increment(by: 1) }

    func ended() { inFlight.decrement(by: 1) }

    func count(party: String, endpoint: String, status: Int) {
        let dimensions = [("party", party), ("endpoint", endpoint), ("status", "\(status)")]
        Counter(label: Name.requests, dimensions: dimensions, factory: registry).increment()
    }

    /// - Parameter user: What the device calls itself, if the party can read it.
    func record(
        party: Party, endpoint: String, duration: Duration, response: BinaryHTTPResponse, user: String?
    ) {
        count(party: party.rawValue, endpoint: endpoint, status: response.status)
        log?.note(
            party: party, endpoint: endpoint, status: response.status, bytes: response.content.count,
            duration: duration, user: user)
        let dimensions = [("party", party.rawValue), ("endpoint", endpoint)]
        let timer = Timer(label: Name.duration, dimensions: dimensions, factory: registry)
        timer.recordNanoseconds(Int64(duration.milliseconds * 1e6))
    }

    /// The page for Prometheus.
    func page() -> BinaryHTTPResponse {
        func set(_ name: String, _ value: Double) {
            Meter(label: name, factory: registry).set(value)
        }
        func raise(_ name: String, _ dimensions: [(String, String)], to value: Double) {
            let counter = registry.makeFloatingPointCounter(label: name, dimensions: dimensions)
            guard let series = counter as? CounterSeries else { return }
            series.increment(by: max(0, value - series.value))
        }
        for party in parties { raise(Name.partyCPU, [("party", party.rawValue)], to: meter[party]) }
        for limit in StackLimit.allCases {
            raise(Name.limitHits, [("limit", limit.rawValue)], to: Double(hits[limit]))
        }
        raise(Name.processCPU, [], to: Double(nanoseconds: CPUClock.processNanoseconds()))
        set(Name.processStart, started)
        set(Name.queue, Double(gauges.queueLength()))
        set(Name.queuedWork, gauges.queuedSeconds())
        let keys = gauges.evaluationKeys()
        // What cannot be read is not 0.
        set(Name.keys, keys.count.map(Double.init) ?? .nan)
        set(Name.keyBytes, Double(keys.byteCount))
        set(Name.spent, Double(gauges.spentTokens()))
        if let second = gauges.dataRead() { set(Name.dataRead, second) }
        return BinaryHTTPResponse(
            status: 200, fields: [BinaryHTTPField("content-type", "text/plain; version=0.0.4")],
            content: Array(registry.page.utf8))
    }
}

/// A party whose requests are counted, wherever they come from.
struct MeasuredHost: PartyHost {
    let host: any PartyHost
    let metrics: StackMetrics

    var party: Party { host.party }
    var endpoints: [PartyEndpoint] { host.endpoints }

    func respond(to request: BinaryHTTPRequest, at endpoint: PartyEndpoint) async -> BinaryHTTPResponse {
        let started = ContinuousClock.now
        let response = await host.respond(to: request, at: endpoint)
        metrics.record(
            party: party, endpoint: endpoint.name, duration: ContinuousClock.now - started,
            response: response,
            user: request.fields.first { $0.name.lowercased() == ServiceNames.userIdentifierField }?.text)
        return response
    }
}
