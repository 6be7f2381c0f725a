package import EventSimulation
package import RandomStreams

/// Costs of connections between devices and the relay beyond the bytes and the way of a message.
///
/// A device has one connection, for all its messages. The relay keeps its connection to the gateway open, with a
/// window that has long grown: that one costs nothing. A prefilter comes from elsewhere, over a new connection.
package struct ConnectionRules: Hashable, Sendable {
    package enum Transport: String, CaseIterable, Sendable {
        /// QUIC carries the handshake of TLS in its own: one round trip (RFC 9001, section 4.1).
        case http3
        /// One round trip of TCP, and one of TLS 1.3 (RFC 9293, section 3.5; RFC 8446, section 2).
        case http2

        /// Before the first request.
        var handshakeRoundTrips: Int { self == .http3 ? 1 : 2 }
    }

    package var transport: Transport
    /// A connection that was not used for so long is closed.
    package var idleTimeout: SimulatedDuration
    /// Share of new connections for which the name of the relay is in no cache: one round trip more. In `0...1`.
    package var uncachedNameShare: Double
    /// Share of new connections that are resumed and carry the first request as early data: one round trip less
    /// (RFC 8446, section 2.3). Resumption without early data saves none. In `0...1`.
    package var earlyDataShare: Double
    /// Bytes that may be under way before the first acknowledgement.
    package var initialWindow: Int
    /// After so long without a message the windows of both directions are the initial one again.
    package var windowIdle: SimulatedDuration

    package init(
        transport: Transport, idleTimeout: SimulatedDuration, uncachedNameShare: Double,
        earlyDataShare: Double, initialWindow: Int, windowIdle: SimulatedDuration
    ) {
        precondition(initialWindow >= 1, "a window has at least one byte, got \(initialWindow)")
        self.transport = transport
        self.idleTimeout = idleTimeout
        self.uncachedNameShare = uncachedNameShare
        self.earlyDataShare = earlyDataShare
        self.initialWindow = initialWindow
        self.windowIdle = windowIdle
    }
}

/// A cellular radio that goes to sleep.
///
/// Only messages of the filter keep it awake, so it wakes up more often here than on a device that loads pages
/// meanwhile: an upper bound.
package struct RadioSleep: Hashable, Sendable {
    /// Time until the network lets a sleeping device send, seconds.
    package var wakeUp: Distribution
    /// Without messages for so long it sleeps.
    package var idle: SimulatedDuration

    package init(wakeUp: Distribution, idle: SimulatedDuration) {
        self.wakeUp = wakeUp
        self.idle = idle
    }
}

/// The direction of a message over a device's access network.
enum Way: Int {
    case up, down
}

/// Knowledge of the fleet about its connections: 10 bytes per device, none when nobody asks.
struct Connections {
    let rules: ConnectionRules?
    let hasRadio: Bool
    /// Nanoseconds; in the future while a set-up is under way.
    private var lastUses: [Int64]
    /// How often the window of a direction has doubled, by device.
    private var doublings: [[UInt8]]

    private static let never = Int64.min / 2
    /// Larger than any message.
    private static let mostDoublings: UInt8 = 30

    init(_ configuration: FleetConfiguration) {
        rules = configuration.connections
        hasRadio = configuration.groups.contains { $0.access.radio != nil }
        lastUses = Array(
            repeating: Self.never, count: rules != nil || hasRadio ? configuration.deviceCount : 0)
        let none = [UInt8](repeating: 0, count: rules == nil ? 0 : configuration.deviceCount)
        doublings = [none, none]
    }

    var areKept: Bool { !lastUses.isEmpty }

    /// How long nothing was sent or received until `time`; negative while a set-up is under way.
    func idleTime(of device: Int, at time: SimulatedTime) -> SimulatedDuration {
        SimulatedDuration(nanoseconds: time.nanoseconds - lastUses[device])
    }

    mutating func noteUse(of device: Int, at time: SimulatedTime) {
        if areKept { lastUses[device] = max(lastUses[device], time.nanoseconds) }
    }

    mutating func closeWindow(of device: Int, _ way: Way) { doublings[way.rawValue][device] = 0 }

    func window(of device: Int, _ way: Way) -> Int {
        rules.map { $0.initialWindow << doublings[way.rawValue][device] } ?? .max
    }

    mutating func openWindow(of device: Int, _ way: Way, by rounds: Int) {
        let doubled = Int(doublings[way.rawValue][device]) + rounds
        doublings[way.rawValue][device] = min(UInt8(clamping: doubled), Self.mostDoublings)
    }
}

/// Sending through a window that doubles with each round trip (RFC 5681, section 3.1; RFC 9002, section 7.3.1).
package enum SlowStart {
    /// Returns the time that the rounds add to the bytes over the rate, and the number of rounds.
    ///
    /// Windows `w, 2w, 4w ...` are sent one per round, as long as more is left than fits: each takes
    /// `max(roundTrip, window / rate)`, and the last, with the rest, `rest / rate`. All together that is
    /// `bytes / rate` and, for every full round, `roundTrip - window / rate` where that is positive.
    package static func cost(
        bytes: Int, window: Int, rate: Double, roundTrip: SimulatedDuration
    ) -> (pauses: SimulatedDuration, rounds: Int) {
        var (rest, window) = (bytes, window)
        var (pauses, rounds) = (SimulatedDuration.zero, 0)
        while rest > window {
            pauses += max(.zero, roundTrip - .seconds(Double(window) / rate))
            rest -= window
            window *= 2
            rounds += 1
        }
        return (pauses, rounds)
    }
}

extension World {
    /// Makes the device's connection ready for a message that it has made.
    ///
    /// A radio that sleeps wakes up, then a connection that is closed is set up: the name, then the handshake, each of
    /// their round trips drawn from the access network. Messages that come meanwhile wait for the same set-up.
    ///
    /// - Parameter start: When the message is made.
    /// - Returns: Time from `start` until it can be sent.
    mutating func connect(_ slot: Int, at start: SimulatedTime, now: SimulatedTime) -> SimulatedDuration {
        guard connections.areKept else { return .zero }
        let device = post.messages[slot].device
        let idle = connections.idleTime(of: device, at: start)
        guard idle >= .zero else {
            post.messages[slot].connection = .zero - idle
            return .zero - idle
        }
        var ready = SimulatedDuration.zero
        if let radio = access(of: device).radio, idle >= radio.idle {
            ready = .seconds(drawDelay(device, radio.wakeUp))
            post.messages[slot].radio = ready
        }
        if let rules = connections.rules {
            if idle >= rules.idleTimeout {
                let setUp = setUpTime(device, rules, path: Double(post.messages[slot].path))
                post.messages[slot].connection = setUp
                ready += setUp
            }
            if idle >= min(rules.windowIdle, rules.idleTimeout) {
                connections.closeWindow(of: device, .up)
                connections.closeWindow(of: device, .down)
            }
        }
        // A message that is made sooner than this one need not wait for it.
        connections.noteUse(of: device, at: ready > .zero ? start.advanced(by: ready) : now)
        return ready
    }

    /// Waking up the radio, setting up a connection to the origin, and what its windows add to the bytes over the
    /// rate.
    mutating func setUpForDownload(
        _ device: Int, bytes: Int, rate: Double, path: Double, at now: SimulatedTime
    ) -> SimulatedDuration {
        var ready = SimulatedDuration.zero
        if let radio = access(of: device).radio, connections.idleTime(of: device, at: now) >= radio.idle {
            ready = .seconds(drawDelay(device, radio.wakeUp))
        }
        guard let rules = connections.rules else { return ready }
        ready += setUpTime(device, rules, path: path)
        guard bytes > rules.initialWindow else { return ready }
        return ready
            + SlowStart.cost(
                bytes: bytes, window: rules.initialWindow, rate: rate,
                roundTrip: accessRoundTrip(device, path: path)
            ).pauses
    }

    private mutating func setUpTime(
        _ device: Int, _ rules: ConnectionRules, path: Double
    ) -> SimulatedDuration {
        let trips =
            rules.transport.handshakeRoundTrips + (happens(device, rules.uncachedNameShare) ? 1 : 0)
            - (happens(device, rules.earlyDataShare) ? 1 : 0)
        return (0..<trips).reduce(.zero) { time, _ in time + accessRoundTrip(device, path: path) }
    }

    private mutating func happens(_ device: Int, _ share: Double) -> Bool {
        guard share > 0, share < 1 else { return share >= 1 }
        return drawDelay(device, .uniform(lower: 0, upper: 1)) < share
    }

    mutating func accessRoundTrip(_ device: Int, path: Double) -> SimulatedDuration {
        accessDelay(device, path: path) + accessDelay(device, path: path)
    }

    /// Returns the time that slow start adds to sending a message one way, with one round trip drawn for all its
    /// rounds.
    ///
    /// Messages that are under way at once have a window each.
    ///
    /// - Parameter start: When its first byte is sent.
    mutating func slowStart(
        _ slot: Int, _ way: Way, rate: Double, at start: SimulatedTime
    ) -> SimulatedDuration {
        guard let rules = connections.rules else { return .zero }
        let device = post.messages[slot].device
        // A server that works for long lets its window lapse, too.
        if connections.idleTime(of: device, at: start) >= rules.windowIdle {
            connections.closeWindow(of: device, way)
        }
        let bytes = post.messages[slot].bytes(way)
        let window = connections.window(of: device, way)
        guard bytes > window else { return .zero }
        let cost = SlowStart.cost(
            bytes: bytes, window: window, rate: rate,
            roundTrip: accessRoundTrip(device, path: Double(post.messages[slot].path)))
        connections.openWindow(of: device, way, by: cost.rounds)
        post.messages[slot].slowStart += cost.pauses
        return cost.pauses
    }
}
