package import EventSimulation
package import URLFilter

/// Figures that a URL filter adds to the record of a replication.
package struct URLFilterRecord: Codable, Sendable {
    package var lookups = LookupCounts()
    /// Stages in which the time of answered lookups went.
    package var stages = Dictionary(uniqueKeysWithValues: Stage.allCases.map { ($0, LatencyHistogram()) })
    /// Times of answered lookups: waiting and work at the PIR server, and at gateway and PIR server together.
    package var pirTime = LatencyHistogram()
    package var serverTime = LatencyHistogram()
    /// Without reports where no device sends any.
    package var endpoints = Dictionary(
        uniqueKeysWithValues: Endpoint.ofLookups.map { ($0, EndpointTraffic()) })
    package var prefilter = PrefilterTraffic()
    /// Who could read what.
    package var readings = PartyReadings()
    /// How devices followed one update of the list; `nil` when none was published in the observed period.
    package var freshness: FreshnessSeries?
    /// Memory of the PIR servers; `nil` when nobody asked for it.
    package var memory: ServerMemory?

    package init() {}
}

/// Private lookups: one per batch that no cache could answer.
///
/// `sent` equals `answered`, `failed` and `unfinished` together.
package struct LookupCounts: Codable, Hashable, Sendable {
    /// Those that got no token, and so never left the device, are included.
    package var sent = 0
    package var keywords = 0
    /// Checks that joined an identical batch already in flight.
    package var coalesced = 0
    package var answered = 0
    /// Answered lookups with at least one keyword on the list.
    package var answeredListed = 0
    /// Answered after the verdict timeout.
    package var late = 0
    package var failed: [FailureCause: Int] = [:]
    /// Further tries after a failure, and second requests beside one without an answer. Not in `sent`.
    /// `nil` for devices that never do so.
    package var retried: Int?
    package var hedged: Int?
    /// Neither answered nor failed when the drain ended.
    package var unfinished = 0
    /// Keywords whose answer was computed by the real code and compared with the list.
    package var checkedAgainstList = 0
    package var disagreements = 0
    /// Lookups for which the server had to read the evaluation key from its store.
    package var keyReads = 0
}

/// The parts of an answered lookup.
package enum Stage: String, CaseIterable, Codable, CodingKeyRepresentable, Sendable {
    /// Waiting for a token, before the exchange.
    case token
    /// Making the query and reading the answer.
    case device
    /// Bytes over the bandwidth of the access network, both ways.
    case transmission
    /// Waking up a cellular radio; setting up the connection to the relay; waiting for acknowledgements while its
    /// window grows; waiting for access lines that others use. Each only where the fleet has it.
    case radio, connection, slowStart, lineWaiting
    /// All propagation: access network, relay, and behind the gateway.
    case propagation
    case gatewayWaiting, gatewayWorking, pirWaiting, pirWorking

    /// Place in arrays with one element for each stage, in the order of `allCases`.
    var place: Int {
        switch self {
        case .token: 0
        case .device: 1
        case .transmission: 2
        case .radio: 3
        case .connection: 4
        case .slowStart: 5
        case .lineWaiting: 6
        case .propagation: 7
        case .gatewayWaiting: 8
        case .gatewayWorking: 9
        case .pirWaiting: 10
        case .pirWorking: 11
        }
    }
}

package struct PrefilterTraffic: Codable, Hashable, Sendable {
    package var downloads = 0
    package var unchanged = 0
    package var failures = 0
    package var bytes = 0
}

/// Memory that database and evaluation keys take at PIR servers.
package struct ServerMemory: Codable, Hashable, Sendable {
    /// Most bytes at one instance at any time of the run.
    package var peakBytes: Int
    /// Evaluation keys that made room for others, over the whole run.
    package var evictions: Int
}
