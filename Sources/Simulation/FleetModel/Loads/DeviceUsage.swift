package import EventSimulation
package import RandomStreams

/// Times at which the devices of a group are used and by whom, besides what their workload says. The default adds
/// nothing.
package struct DeviceUsage: Sendable {
    /// Each device's filter starts at a time drawn evenly from this long after the start of the run; before, the device
    /// checks no URL and asks no server, then it starts cold. Zero: all are there from the start.
    package var rollOut = SimulatedDuration.zero
    /// How much later than its workload says a device does everything, seconds: one draw per device. `nil` for none.
    package var startSpread: Distribution?
    /// Share of page loads, of a trace's URLs and of background requests whose app lets the filter see them. The URLs
    /// of the others are allowed without a test. In `0...1`.
    package var coverage = 1.0
    /// Share of the loads in ``coverage`` whose app asks, is told `unknown`, and loads all the same. In `0...1`.
    package var unknownShare = 0.0
    /// Outside these hours of the day, by the clock of the run, no load is seen; `nil`: ``coverage`` says it all.
    package var coveredHours: Range<Double>?
    /// A device goes so often from one network to another, once in each period of equal length at a time drawn in it.
    package var handOversPerDay = 0.0
    /// Requests that apps make without a page load. For groups with a browsing profile only.
    package var background: BackgroundRequests?

    package init() {}

    /// No app goes its own way, whatever the hour.
    var allTakePart: Bool { coverage >= 1 && unknownShare == 0 }

    /// Time when a device's filter starts, nanoseconds.
    func activation(of device: Int, seed: UInt64, replication: UInt32) -> Int64 {
        guard rollOut > .zero else { return 0 }
        var stream = RandomStream(
            seed: seed, replication: replication, entity: UInt32(device), purpose: .rollOut)
        return (rollOut * stream.uniform()).nanoseconds
    }
}

/// How the app that loads something takes part in the filtering.
enum Participation: UInt8, BitwiseCopyable, Sendable {
    /// It asks, and does as it is told; so do WebKit and URLSession for it.
    case honours
    /// It asks and gets no verdict.
    case unknown
    case neverAsks
}

/// URLs that apps load without a page: a Poisson process per device, day and night.
///
/// Such a URL is that of an object drawn evenly from a page drawn as for a visit, or of a page that the list names.
package struct BackgroundRequests: Hashable, Sendable {
    /// Mean number of requests of one device in an hour. Above 0.
    package var perHour: Double
    /// Share of requests for a page that an entry of the list names. In `0...1`.
    package var listedShare: Double

    package init(perHour: Double, listedShare: Double) {
        precondition(perHour > 0, "requests come at a positive rate, got \(perHour)")
        self.perHour = perHour
        self.listedShare = listedShare
    }
}

/// Many devices open one URL, as after a push notification.
package struct Crowd: Sendable {
    package var begin: SimulatedDuration
    /// Probability that a device takes part, each by itself. In `0...1`.
    package var share: Double
    package var url: String
    /// Seconds from `begin` until a device opens the URL: one draw per device.
    package var delay: Distribution
    /// Name of the only group that takes part; `nil` for all.
    package var group: String?

    package init(
        begin: SimulatedDuration, share: Double, url: String, delay: Distribution, group: String? = nil
    ) {
        self.begin = begin
        self.share = share
        self.url = url
        self.delay = delay
        self.group = group
    }
}

extension LoadSettings {
    func activation(of device: Int, _ usage: DeviceUsage) -> Int64 {
        usage.activation(of: device, seed: seed, replication: replication)
    }

    /// How much later than its workload says a device does everything, nanoseconds.
    func lateness(of device: Int, _ usage: DeviceUsage) -> Int64 {
        guard let spread = usage.startSpread else { return 0 }
        var stream = stream(device, .startSpread)
        return SimulatedDuration.seconds(spread.sample(using: &stream)).nanoseconds
    }

    /// How the app of a load takes part.
    ///
    /// - Parameter load: A number that no other load of the device has.
    func participation(_ device: Int, load: Int64, _ usage: DeviceUsage) -> Participation {
        guard !usage.allTakePart else { return .honours }
        var stream = stream(device, .coverage, UInt64(bitPattern: load))
        let uniform = stream.uniform()
        guard uniform < usage.coverage else { return .neverAsks }
        return uniform < usage.coverage * (1 - usage.unknownShare) ? .honours : .unknown
    }

    /// Whether it is a time of day at which the filter sees loads at all.
    ///
    /// - Parameter time: Nanoseconds since the start of the run.
    func isCovered(at time: Int64, _ usage: DeviceUsage) -> Bool {
        guard let hours = usage.coveredHours else { return true }
        let hour = Double(time) / 3.6e12
        return hours.contains(hour - 24 * (hour / 24).rounded(.down))
    }

    /// - Parameter device: Number in the fleet.
    func stream(_ device: Int, _ purpose: StreamPurpose, _ position: UInt64 = 0) -> RandomStream {
        RandomStream(
            seed: seed, replication: replication, entity: UInt32(device), purpose: purpose, position: position
        )
    }
}

extension StreamPurpose {
    static let rollOut = StreamPurpose("roll-out")
    static let startSpread = StreamPurpose("start spread")
    static let coverage = StreamPurpose("coverage")
    static let crowd = StreamPurpose("crowd")
    static let background = StreamPurpose("background requests")
}
