import EventSimulation
import RandomStreams
import URLFilter

/// The state of one device, 32 bytes. Its browsing is in a ``BrowsingUnit``, its tokens in ``TokenStocks``, its verdict
/// machine exists from the first hit on.
struct Device: BitwiseCopyable {
    var exchanges = ExchangeMachine()
    /// Edition of the prefilter in use; 0 before the first download.
    var edition: UInt32 = 0
    /// Numbers drawn so far for the device's pauses and phases.
    fileprivate var timingPosition: UInt32 = 0
    /// Number of the device's verdict machine; 0 before its first hit.
    var machine: UInt32 = 0
}

extension URLFilterModel {
    /// A uniform number from the stream of the device's pauses and phases.
    mutating func drawTiming(_ device: Int) -> Double {
        var stream = RandomStream(
            seed: seed, replication: replication, entity: UInt32(device), purpose: .timing,
            position: UInt64(devices[device].timingPosition))
        devices[device].timingPosition &+= 1
        return stream.uniform()
    }

    mutating func startDevices(in world: World, _ agenda: inout Future) {
        let configuration = world.configuration
        devices = Array(repeating: Device(), count: configuration.deviceCount)
        var settled: [Int] = []
        for device in devices.indices {
            let group = configuration.groups[world.group(of: device)]
            let begin = SimulatedTime(
                nanoseconds: group.usage.activation(of: device, seed: seed, replication: replication))
            if !configuration.startsCold(group) {
                settled.append(device)
            } else if group.usage.rollOut == .zero {
                timers.fetches.append(UInt32(device), at: .start)
                agenda.schedule(.filter(.setUp(device: UInt32(device))), at: .start)
            } else if world.isOpen(begin) {
                agenda.schedule(.filter(.prefilterFetch(device: UInt32(device))), at: begin)
                agenda.schedule(.filter(.setUp(device: UInt32(device))), at: begin)
            }
        }
        let cached = settle(settled, for: configuration.duration)
        fillCaches(since: cached, in: world)
        timers.fetches.arm(.filter(.prefilterFetches), &agenda)
        timers.refetches.arm(.filter(.configurationRefetches), &agenda)
        timers.renewals.arm(.filter(.keyRenewals), &agenda)
    }

    /// Devices in the middle of their lives, each at a random point of each of its periods.
    ///
    /// - Returns: By device, when its prefilter in use arrived, nanoseconds before the start; empty for a list that
    ///   stays.
    private mutating func settle(_ settled: [Int], for duration: SimulatedDuration) -> [Int64] {
        let constants = rules.constants
        var nextFetches: [(time: Int64, device: UInt32)] = []
        var nextRefetches = nextFetches
        var nextKeys = nextFetches
        var arrivals =
            prefilter.republishInterval == nil ? [] : Array(repeating: Int64.min, count: devices.count)
        func add(_ device: Int, _ pause: SimulatedDuration, to list: inout [(time: Int64, device: UInt32)]) {
            // What is due after the end never happens.
            if pause < duration { list.append((pause.nanoseconds, UInt32(device))) }
        }
        for device in settled {
            devices[device].edition = 1
            let tokenAge = phase(device, SimulatedDuration(constants.tokenLife))
            let tokenTime = SimulatedTime.start.advanced(by: .zero - tokenAge)
            for _ in 0..<rules.fullStock { tokens.add(to: device, at: tokenTime.wholeSeconds) }
            let nextFetch = phase(device, SimulatedDuration(constants.prefilterFetchInterval))
            add(device, nextFetch, to: &nextFetches)
            if let interval = prefilter.republishInterval {
                arrivals[device] = arrival(nextFetch: nextFetch.nanoseconds, published: -interval.nanoseconds)
            }
            add(device, phase(device, SimulatedDuration(rules.configurationRefetch)), to: &nextRefetches)
            let nextKey = phase(device, SimulatedDuration(rules.keyPeriod))
            devices[device].exchanges = ExchangeMachine(
                activeWithKeyOf: nextKey.nanoseconds - rules.keyPeriod)
            add(device, nextKey, to: &nextKeys)
        }
        guard !settled.isEmpty else { return arrivals }
        timers.fetches.fill(nextFetches)
        timers.refetches.fill(nextRefetches)
        timers.renewals.fill(nextKeys)
        return arrivals
    }

    /// The first fetch after the publication of the edition that is there at the start; the last one before the start
    /// if there was none.
    private func arrival(nextFetch: Int64, published: Int64) -> Int64 {
        let interval = rules.constants.prefilterFetchInterval
        return nextFetch - max(1, (nextFetch - published) / interval) * interval
    }

    private mutating func phase(_ device: Int, _ period: SimulatedDuration) -> SimulatedDuration {
        SimulatedDuration(nanoseconds: Int64(drawTiming(device) * Double(period.nanoseconds)))
    }
}

extension StreamPurpose {
    static let browsing = StreamPurpose("browsing")
    static let pastBrowsing = StreamPurpose("browsing before the start")
    static let pastFreshHits = StreamPurpose("fresh query hits before the start")
    static let network = StreamPurpose("network delay")
    static let timing = StreamPurpose("device timing")
    static let freshHits = StreamPurpose("fresh query hits")
    static let appRestarts = StreamPurpose("app restarts")
    static let traceSpread = StreamPurpose("trace spread")
    static let backend = StreamPurpose("backend delay")
    static let balancing = StreamPurpose("balancing")
}

extension SimulatedDuration {
    /// A device constant, which `URLFilter` gives in nanoseconds.
    init(_ constant: Nanoseconds) { self.init(nanoseconds: constant) }
}
