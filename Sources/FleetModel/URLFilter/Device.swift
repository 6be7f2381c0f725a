import EventSimulation
import RandomStreams
import URLFilter

/// The state of one device, 40 bytes. Its browsing is in a ``BrowsingUnit``, its tokens in ``TokenStocks``, its verdict
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
        var steady: [Int] = []
        for device in devices.indices {
            let group = configuration.groups[world.group(of: device)]
            let begin = SimulatedTime(
                nanoseconds: group.usage.activation(of: device, seed: seed, replication: replication))
            if !configuration.startsCold(group) {
                steady.append(device)
            } else if group.usage.rollOut == .zero {
                timers.fetches.append(UInt32(device), at: .start)
                agenda.schedule(.filter(.setUp(device: UInt32(device))), at: .start)
            } else if world.isOpen(begin) {
                agenda.schedule(.filter(.prefilterFetch(device: UInt32(device))), at: begin)
                agenda.schedule(.filter(.setUp(device: UInt32(device))), at: begin)
            }
        }
        let cached = startSteadily(steady, in: world, &agenda)
        fillCaches(since: cached, in: world)
        timers.fetches.arm(.filter(.prefilterFetches), &agenda)
        timers.refetches.arm(.filter(.configurationRefetches), &agenda)
        timers.renewals.arm(.filter(.keyRenewals), &agenda)
    }

    /// Devices in the middle of their lives, each at a random point of each of its periods.
    ///
    /// - Returns: By device, when its prefilter in use arrived, nanoseconds before the start; empty for a list that
    ///   stays.
    private mutating func startSteadily(
        _ steady: [Int], in world: World, _ agenda: inout Future
    ) -> [Int64] {
        let duration = world.configuration.duration
        var nextFetches: [(time: Int64, device: UInt32)] = []
        var nextRefetches = nextFetches
        var nextKeys = nextFetches
        var arrivals =
            prefilter.republishInterval == nil ? [] : Array(repeating: Int64.min, count: devices.count)
        func add(_ device: Int, _ pause: SimulatedDuration, to list: inout [(time: Int64, device: UInt32)]) {
            // What is due after the end never happens.
            if pause < duration { list.append((pause.nanoseconds, UInt32(device))) }
        }
        for device in steady {
            let rules = exchangeRules[world.group(of: device)]
            devices[device].edition = 1
            stock(device, by: rules)
            let nextFetch = phase(device, SimulatedDuration(constants.prefilterFetchInterval))
            add(device, nextFetch, to: &nextFetches)
            if let interval = prefilter.republishInterval {
                arrivals[device] = arrival(nextFetch: nextFetch.nanoseconds, published: -interval.nanoseconds)
            }
            add(device, phase(device, SimulatedDuration(rules.configurationRefetch)), to: &nextRefetches)
            let nextKey = phase(device, SimulatedDuration(rules.keyPeriod))
            devices[device].exchanges = ExchangeMachine(
                activeWithKeyOf: nextKey.nanoseconds - rules.keyPeriod)
            devices[device].exchanges.assume(dailyUse: rules.dailyUpkeep, at: 0, by: rules)
            add(device, nextKey, to: &nextKeys)
            if let background = rules.generation.tokens.background {
                let next = phase(device, SimulatedDuration(background.interval))
                if next < duration {
                    agenda.schedule(.filter(.backgroundRefill(device: UInt32(device))), after: next)
                }
            }
        }
        guard !steady.isEmpty else { return arrivals }
        timers.fetches.fill(nextFetches)
        timers.refetches.fill(nextRefetches)
        timers.renewals.fill(nextKeys)
        return arrivals
    }

    /// Gives a device its tokens: those of one refill, or the last of so many background refills (assumption).
    private mutating func stock(_ device: Int, by rules: ExchangeRules) {
        let interval = rules.generation.tokens.background.map { SimulatedDuration($0.interval) }
        let age = phase(device, interval ?? SimulatedDuration(rules.generation.tokens.life))
        for number in 0..<rules.fullStock {
            let earlier = (interval ?? .zero) * Double(rules.fullStock - 1 - number)
            let time = SimulatedTime.start.advanced(by: .zero - age - earlier)
            tokens.add(to: device, at: time.wholeSeconds)
        }
    }

    /// The first fetch after the publication of the edition that is there at the start; the last one before the start
    /// if there was none.
    private func arrival(nextFetch: Int64, published: Int64) -> Int64 {
        let interval = constants.prefilterFetchInterval
        return nextFetch - max(1, (nextFetch - published) / interval) * interval
    }

    private mutating func phase(_ device: Int, _ period: SimulatedDuration) -> SimulatedDuration {
        SimulatedDuration(nanoseconds: Int64(drawTiming(device) * Double(period.nanoseconds)))
    }
}

extension ExchangeRules {
    /// Tokens that a device uses in a day without any lookup.
    var dailyUpkeep: Double {
        let day = 86_400e9
        let configurations = needsToken(.config) ? day / Double(max(configurationRefetch, 1)) : 0
        return configurations + day / Double(max(keyPeriod, 1))
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
    /// Of the machines.
    static let speed = StreamPurpose("speed")
}

extension SimulatedDuration {
    /// A device constant, which `URLFilter` gives in nanoseconds.
    init(_ constant: Nanoseconds) { self.init(nanoseconds: constant) }
}
