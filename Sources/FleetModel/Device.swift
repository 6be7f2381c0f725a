import EventSimulation
import RandomStreams
import URLFilter
import Workload

/// One device, except for its verdict machine and its browsing.
struct Device {
    enum SetUp: UInt8 {
        case idle, waitsForToken
        /// A `/config` or `/key` exchange is under way.
        case asks
    }

    var group: Int
    /// Edition of the prefilter in use; 0 before the first download.
    var edition: UInt32 = 0
    /// Configuration fetched and evaluation key uploaded: lookups are possible.
    var isActive = false
    var setUp = SetUp.idle
    var needsKeyUpload = false
    var knowsTokenKey = false
    /// A directory or token-key exchange is under way.
    var fetchesTokenKey = false
    var setUpIsArmed = false
    var refetchIsArmed = false
    var refillIsArmed = false
    /// Issue exchanges under way.
    var tokensUnderWay: UInt8 = 0
    /// Tokens to ask for once the token key is known.
    var tokensWanted: UInt8 = 0
    /// Number of the token key in use, so that a late refusal of an older one is told apart.
    var tokenKeyNumber: UInt8 = 0
    /// When the evaluation key in use was made.
    var keyTime = SimulatedTime.start
    /// Failed set-up steps in a row.
    var failures: UInt8 = 0
    /// Strings with a fresh token that will miss before the next one hits.
    var freshMisses = 0
    /// Delays of this device's messages.
    var network: RandomStream
    /// Pauses and phases of this device.
    var timing: RandomStream
    /// Where the hits among strings with a fresh token fall, and the tokens themselves.
    var freshness: RandomStream
}

/// What a browsing device will do next.
struct BrowsingState {
    var browser: Browser
    var stream: RandomStream
    var next: Visit?
}

extension Fleet {
    mutating func startDevices(_ agenda: inout Agenda<FleetEvent>) {
        let seed = configuration.seed
        for (group, settings) in configuration.groups.enumerated() {
            for _ in 0..<settings.count {
                let entity = UInt32(devices.count)
                var device = Device(
                    group: group,
                    network: RandomStream(
                        seed: seed, replication: replication, entity: entity, purpose: .network),
                    timing: RandomStream(
                        seed: seed, replication: replication, entity: entity, purpose: .timing),
                    freshness: RandomStream(
                        seed: seed, replication: replication, entity: entity, purpose: .freshHits))
                device.freshMisses = catalogs[group].strayHits.sample(using: &device.freshness)
                devices.append(device)
                machines.append(
                    VerdictMachine(constants: configuration.device, policy: configuration.policy))
                startBrowsing(Int(entity), settings.workload, &agenda)
                switch configuration.start {
                case .cold:
                    agenda.schedule(.prefilterFetch(device: entity), at: .start)
                    agenda.schedule(.setUp(device: entity), at: .start)
                case .steady: settle(Int(entity), &agenda)
                }
            }
        }
    }

    /// A device in the middle of its life, at a random point of each of its periods.
    private mutating func settle(_ device: Int, _ agenda: inout Agenda<FleetEvent>) {
        let constants = configuration.device
        func phase(_ period: SimulatedDuration) -> SimulatedDuration {
            SimulatedDuration(
                nanoseconds: Int64(devices[device].timing.uniform() * Double(period.nanoseconds)))
        }
        devices[device].edition = 1
        devices[device].isActive = true
        devices[device].knowsTokenKey = true
        let tokenTime = SimulatedTime.start.advanced(
            by: .zero - phase(SimulatedDuration(constants.tokenLife)))
        for _ in 0..<fullStock { tokens.add(to: device, at: tokenTime.wholeSeconds) }
        let entity = UInt32(device)
        agenda.schedule(
            .prefilterFetch(device: entity), after: phase(SimulatedDuration(constants.prefilterFetchInterval))
        )
        devices[device].refetchIsArmed = true
        agenda.schedule(
            .refetchConfiguration(device: entity), after: phase(configuration.behaviour.configurationRefetch))
        let nextKey = phase(keyPeriod)
        devices[device].keyTime = SimulatedTime.start.advanced(by: nextKey - keyPeriod)
        agenda.schedule(.rotateKey(device: entity), after: nextKey)
    }

    /// Tokens of a device that has enough.
    var fullStock: Int { min(configuration.device.tokenStock, tokens.capacity) }

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
    static let traceSpread = StreamPurpose("trace spread")
    static let backend = StreamPurpose("backend delay")
}

extension SimulatedDuration {
    /// A device constant, which `URLFilter` gives in nanoseconds.
    init(_ constant: Nanoseconds) { self.init(nanoseconds: constant) }
}
