import EventSimulation
import RandomStreams
import URLFilter

/// The set-up state of one device, 32 bytes. Its browsing is in a ``BrowsingUnit``, its tokens in ``TokenStocks``,
/// its verdict machine exists from the first hit on.
struct Device: BitwiseCopyable {
    enum SetUp: UInt8 {
        case idle, waitsForToken
        /// A `/config` or `/key` exchange is under way.
        case asks
    }

    private struct Flags: OptionSet, BitwiseCopyable {
        let rawValue: UInt8
        static let isActive = Flags(rawValue: 1)
        static let needsKeyUpload = Flags(rawValue: 2)
        static let knowsTokenKey = Flags(rawValue: 4)
        static let fetchesTokenKey = Flags(rawValue: 8)
        static let setUpIsArmed = Flags(rawValue: 16)
        static let refetchIsArmed = Flags(rawValue: 32)
        static let refillIsArmed = Flags(rawValue: 64)
    }

    /// Nanoseconds since the start at which the evaluation key in use was made.
    private var keyNanoseconds: Int64 = 0
    /// Edition of the prefilter in use; 0 before the first download.
    var edition: UInt32 = 0
    /// Numbers drawn so far for the device's pauses and phases.
    fileprivate var timingPosition: UInt32 = 0
    /// Number of the device's verdict machine; 0 before its first hit.
    var machine: UInt32 = 0
    private var flags: Flags = []
    var setUp = SetUp.idle
    /// Issue exchanges under way.
    var tokensUnderWay: UInt8 = 0
    /// Tokens to ask for once the token key is known.
    var tokensWanted: UInt8 = 0
    /// Number of the token key in use, so that a late refusal of an older one is told apart.
    var tokenKeyNumber: UInt8 = 0
    /// Failed set-up steps in a row.
    var failures: UInt8 = 0

    var keyTime: SimulatedTime {
        get { SimulatedTime(nanoseconds: keyNanoseconds) }
        set { keyNanoseconds = newValue.nanoseconds }
    }

    /// Configuration fetched and evaluation key uploaded: lookups are possible.
    var isActive: Bool {
        get { flags.contains(.isActive) }
        set { set(.isActive, newValue) }
    }
    var needsKeyUpload: Bool {
        get { flags.contains(.needsKeyUpload) }
        set { set(.needsKeyUpload, newValue) }
    }
    var knowsTokenKey: Bool {
        get { flags.contains(.knowsTokenKey) }
        set { set(.knowsTokenKey, newValue) }
    }
    /// A directory or token-key exchange is under way.
    var fetchesTokenKey: Bool {
        get { flags.contains(.fetchesTokenKey) }
        set { set(.fetchesTokenKey, newValue) }
    }
    var setUpIsArmed: Bool {
        get { flags.contains(.setUpIsArmed) }
        set { set(.setUpIsArmed, newValue) }
    }
    var refetchIsArmed: Bool {
        get { flags.contains(.refetchIsArmed) }
        set { set(.refetchIsArmed, newValue) }
    }
    var refillIsArmed: Bool {
        get { flags.contains(.refillIsArmed) }
        set { set(.refillIsArmed, newValue) }
    }

    private mutating func set(_ flag: Flags, _ value: Bool) {
        if value { flags.insert(flag) } else { flags.remove(flag) }
    }
}

extension URLFilterModel {
    /// A uniform number from the stream of the device's pauses and phases.
    mutating func drawTiming(_ device: Int) -> Double {
        var stream = RandomStream(
            seed: configuration.seed, replication: replication, entity: UInt32(device), purpose: .timing,
            position: UInt64(devices[device].timingPosition))
        devices[device].timingPosition &+= 1
        return stream.uniform()
    }

    mutating func startDevices(_ agenda: inout Future) {
        devices = Array(repeating: Device(), count: configuration.deviceCount)
        switch configuration.start {
        case .cold:
            for device in devices.indices {
                timers.fetches.append(UInt32(device), at: .start)
                agenda.schedule(.filter(.setUp(device: UInt32(device))), at: .start)
            }
        case .steady: settleDevices()
        }
        timers.fetches.arm(.filter(.prefilterFetches), &agenda)
        timers.refetches.arm(.filter(.configurationRefetches), &agenda)
        timers.rotations.arm(.filter(.keyRotations), &agenda)
    }

    /// Devices in the middle of their lives, each at a random point of each of its periods.
    private mutating func settleDevices() {
        let constants = configuration.device
        var nextFetches: [(time: Int64, device: UInt32)] = []
        var nextRefetches = nextFetches
        var nextKeys = nextFetches
        func add(_ device: Int, _ pause: SimulatedDuration, to list: inout [(time: Int64, device: UInt32)]) {
            // What is due after the end never happens.
            if pause < configuration.duration { list.append((pause.nanoseconds, UInt32(device))) }
        }
        for device in devices.indices {
            devices[device].edition = 1
            devices[device].isActive = true
            devices[device].knowsTokenKey = true
            let tokenAge = phase(device, SimulatedDuration(constants.tokenLife))
            let tokenTime = SimulatedTime.start.advanced(by: .zero - tokenAge)
            for _ in 0..<fullStock { tokens.add(to: device, at: tokenTime.wholeSeconds) }
            add(device, phase(device, SimulatedDuration(constants.prefilterFetchInterval)), to: &nextFetches)
            devices[device].refetchIsArmed = true
            add(device, phase(device, configuration.behaviour.configurationRefetch), to: &nextRefetches)
            let nextKey = phase(device, keyPeriod)
            devices[device].keyTime = SimulatedTime.start.advanced(by: nextKey - keyPeriod)
            add(device, nextKey, to: &nextKeys)
        }
        timers.fetches.fill(nextFetches)
        timers.refetches.fill(nextRefetches)
        timers.rotations.fill(nextKeys)
    }

    private mutating func phase(_ device: Int, _ period: SimulatedDuration) -> SimulatedDuration {
        SimulatedDuration(nanoseconds: Int64(drawTiming(device) * Double(period.nanoseconds)))
    }

    /// From one evaluation key to the next.
    var keyPeriod: SimulatedDuration {
        SimulatedDuration(configuration.device.evaluationKeyLife)
            - SimulatedDuration(configuration.device.evaluationKeyRenewBefore)
    }
}

extension StreamPurpose {
    static let browsing = StreamPurpose("browsing")
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
