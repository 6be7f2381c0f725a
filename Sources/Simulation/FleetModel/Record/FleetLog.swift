package import EventSimulation
package import URLFilter

/// Is told what happens in one replication while it runs. The replication does not depend on it.
package protocol FleetLog: AnyObject {
    /// A URL with a hit has its verdict, or has none when the drain ends. Only those of the observed period.
    func add(_ url: LoggedURL)
    /// A lookup is over, or the drain. Warm-up included.
    func add(_ lookup: LoggedLookup)
    /// A station at the end of each interval of the series, and when its instances have changed.
    func add(_ station: LoggedStation)
}

package struct LoggedURL: Sendable {
    package var device: Int
    /// The lookup that it waited for, by its number at the device; `nil` if it waited for none.
    package var lookup: UInt32?
    package var started: SimulatedTime
    /// Until the verdict; `nil` for a URL that waited for no lookup, or still does.
    package var wait: SimulatedDuration?
    /// `nil`: it had none when the drain ended.
    package var verdict: Verdict?
    /// Why the policy decided, if it did.
    package var cause: FailureCause?
    /// The owner of the list wants it blocked.
    package var isListed: Bool
}

/// A private lookup, from the moment the device wanted it.
package struct LoggedLookup: Sendable {
    package enum Outcome: Equatable, Sendable {
        case answered(isListed: Bool)
        case failed(FailureCause)
        case unfinished
    }

    package var device: Int
    /// Counted by each device for itself.
    package var number: UInt32
    package var keywords: Int
    /// It belongs to the observed period.
    package var isCounted: Bool
    package var started: SimulatedTime
    package var ended: SimulatedTime
    package var outcome = Outcome.unfinished
    /// Stages in which the time of an answered lookup went.
    package var stages: [Stage: SimulatedDuration] = [:]
    /// Tries in the order in which they ended; none for a lookup that got no token.
    package var requests: [LoggedRequest] = []

    package var duration: SimulatedDuration { ended - started }
}

/// One try of a lookup.
package struct LoggedRequest: Sendable {
    package var started: SimulatedTime
    package var ended: SimulatedTime
    /// Name of the region; `nil` where there is one without a name.
    package var region: String?
    package var requestBytes = 0
    package var responseBytes = 0
    /// HTTP status with which it failed, 0 for one without any; `nil` for one that ended well.
    package var failure: Int?
    package var services: [LoggedService] = []
}

/// Work of a server for a request.
package struct LoggedService: Sendable {
    package var part: Part
    /// Counted from 0; 0 for instances that share one queue.
    package var instance: Int
    package var queued: SimulatedTime
    package var began: SimulatedTime
    package var ended: SimulatedTime
}

package struct LoggedStation: Sendable {
    package var part: Part
    package var time: SimulatedTime
    package var instances: Int
    package var busy: Int
    package var queue: Int
    /// Change in words; `nil` at the end of an interval.
    package var change: String?
}

/// Lookups under way with what became of their requests so far, as far as somebody wants to know.
struct LookupTrails {
    private struct Name: Hashable {
        var device: Int
        var number: UInt32
    }

    private var lookups: [Name: LoggedLookup] = [:]
    /// One for each message, by its slot.
    private var requests: [Int: LoggedRequest] = [:]

    mutating func begin(_ lookup: LoggedLookup) {
        lookups[Name(device: lookup.device, number: lookup.number)] = lookup
    }

    mutating func send(_ slot: Int, _ request: LoggedRequest) { requests[slot] = request }

    mutating func serve(_ slot: Int, _ service: LoggedService) { requests[slot]?.services.append(service) }

    /// The server that works on a request takes longer.
    mutating func extend(_ slot: Int, until end: SimulatedTime) {
        guard let last = requests[slot]?.services.indices.last else { return }
        requests[slot]?.services[last].ended = end
    }

    /// - Parameter number: Of its lookup; `nil` when another request has answered that.
    mutating func end(_ slot: Int, _ message: Message, of number: UInt32?, at now: SimulatedTime) {
        guard var request = requests.removeValue(forKey: slot), let number else { return }
        request.ended = now
        request.requestBytes = message.requestBytes
        request.responseBytes = message.responseBytes
        request.failure = message.succeeded ? nil : message.failure
        lookups[Name(device: message.device, number: number)]?.requests.append(request)
    }

    mutating func end(
        device: Int, number: UInt32, _ outcome: LoggedLookup.Outcome,
        _ stages: [Stage: SimulatedDuration] = [:], at now: SimulatedTime
    ) -> LoggedLookup? {
        var lookup = lookups.removeValue(forKey: Name(device: device, number: number))
        lookup?.ended = now
        lookup?.outcome = outcome
        lookup?.stages = stages
        return lookup
    }

    /// Those that are under way when the drain ends, in the order of their beginning.
    func unfinished(at end: SimulatedTime) -> [LoggedLookup] {
        lookups.values.sorted { ($0.started, $0.device, $0.number) < ($1.started, $1.device, $1.number) }.map
        {
            var lookup = $0
            lookup.ended = end
            return lookup
        }
    }
}

extension World {
    /// Tells the log how a station is.
    func note(_ station: Int, change: String? = nil, at now: SimulatedTime) {
        guard let log else { return }
        let station = stations[station]
        log.add(
            LoggedStation(
                part: station.part, time: now, instances: station.active,
                busy: station.lines.reduce(0) { $0 + $1.busyServers }, queue: station.queueLength,
                change: change))
    }
}

extension LoggedURL {
    init(_ waiter: Waiter, wait: SimulatedDuration? = nil, verdict: Verdict?, cause: FailureCause?) {
        self.init(
            device: waiter.device, lookup: waiter.batch == .none ? nil : waiter.batch.rawValue,
            started: waiter.started, wait: wait, verdict: verdict, cause: cause, isListed: waiter.listed)
    }
}
