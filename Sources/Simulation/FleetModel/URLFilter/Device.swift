import Decoding
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

    mutating func startDevices(in world: World, _ agenda: inout Future) throws {
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
        try startSteadily(steady, in: world, &agenda)
        timers.fetches.arm(.filter(.prefilterFetches), &agenda)
        timers.refetches.arm(.filter(.configurationRefetches), &agenda)
        timers.renewals.arm(.filter(.keyRenewals), &agenda)
    }

    /// Devices in the middle of their lives, each at a random point of each of its periods.
    private mutating func startSteadily(_ steady: [Int], in world: World, _ agenda: inout Future) throws {
        guard !steady.isEmpty else { return }
        var plan = SteadyStart(duration: world.configuration.duration)
        let started =
            instants != nil
            ? []
            : try startWithPast(in: world, &plan, &agenda)
                .union(startWithTraces(in: world, &plan, &agenda))
        for device in steady where !started.contains(world.group(of: device)) {
            if instants == nil,
                case .lookups(let traffic) = world.configuration.groups[world.group(of: device)].workload,
                world.configuration.history > .zero
            {
                start(device, asking: traffic, in: world, &plan, &agenda)
            } else {
                startWithoutPast(device, in: world, &plan, &agenda)
            }
        }
        for device in steady {
            try work.startSteadily(
                device: device, tokens: tokens.count(of: device), at: world.homeServer(of: device))
        }
        timers.fetches.fill(plan.fetches)
        timers.refetches.fill(plan.refetches)
        timers.renewals.fill(plan.renewals)
    }

    /// Starts a device of which nobody knows what it has looked up: it has a full stock, and has kept itself ready.
    private mutating func startWithoutPast(
        _ device: Int, in world: World, _ plan: inout SteadyStart, _ agenda: inout Future
    ) {
        let rules = exchangeRules[world.group(of: device)]
        stock(device, by: rules)
        let phases = drawPhases(device, in: world, &plan, &agenda)
        devices[device].exchanges = ExchangeMachine(activeWithKeyOf: phases.renewal - rules.keyPeriod)
        devices[device].exchanges.assume(dailyUse: rules.dailyUpkeep, at: 0, by: rules)
        keepUp(device, refetch: phases.refetch, renewal: phases.renewal, rules, &plan)
        plan.schedule(.backgroundRefill(device: UInt32(device)), at: phases.background, &agenda)
    }

    /// Draws when a steady device does for the first time what it repeats.
    mutating func drawPhases(
        _ device: Int, in world: World, _ plan: inout SteadyStart, _ agenda: inout Future
    ) -> SteadyPhases {
        let rules = exchangeRules[world.group(of: device)]
        let fetch = phase(device, SimulatedDuration(constants.prefilterFetchInterval)).nanoseconds
        plan.add(device, fetch: fetch)
        adoptEditions(device, nextFetch: fetch, plan, &agenda)
        return SteadyPhases(
            fetch: fetch,
            refetch: phase(device, SimulatedDuration(rules.configurationRefetch)).nanoseconds,
            renewal: phase(device, SimulatedDuration(rules.keyPeriod)).nanoseconds,
            background: rules.generation.tokens.background.map {
                phase(device, SimulatedDuration($0.interval)).nanoseconds
            } ?? .max)
    }

    /// Gives a device its tokens: those of one refill, or the last of so many background refills (assumption).
    private mutating func stock(_ device: Int, by rules: ExchangeRules) {
        let interval = rules.generation.tokens.background.map { SimulatedDuration($0.interval) }
        let age = phase(device, interval ?? SimulatedDuration(rules.generation.tokens.life))
        for number in 0..<rules.fullStock {
            let earlier = (interval ?? .zero) * Double(rules.fullStock - 1 - number)
            let time = SimulatedTime.start.advanced(by: .zero - age - earlier)
            tokens.add(1, to: device, at: time.wholeSeconds)
        }
    }

    /// Times when the prefilter arrived that a device has before the start, and emptied its caches; and when the
    /// next one did. `.min` and `.max` for a list that stays.
    ///
    /// - Parameter nextFetch: The first one after the start.
    func arrivals(around time: Int64, nextFetch: Int64) -> (last: Int64, next: Int64) {
        guard let interval = prefilter.republishInterval?.nanoseconds, interval > 0 else {
            return (.min, .max)
        }
        let pause = constants.prefilterFetchInterval
        let publications = prefilter.publications
        let fetches = PastFetches(next: nextFetch, interval: pause, publications: publications)
        let published = publications.time(of: publications.edition(at: fetches.last(upTo: time)))
        func fetched(_ published: Int64) -> Int64 { nextFetch - (nextFetch - published) / pause * pause }
        return (fetched(published), fetched(published + interval))
    }

    private mutating func phase(_ device: Int, _ period: SimulatedDuration) -> SimulatedDuration {
        SimulatedDuration(nanoseconds: Int64(drawTiming(device) * Double(period.nanoseconds)))
    }
}

/// Time when a steady device does for the first time what it repeats, nanoseconds from the start of the run.
struct SteadyPhases {
    /// First fetch of the prefilter.
    var fetch: Int64
    var refetch: Int64
    var renewal: Int64
    /// Begin of the time in which the device's tokens are followed; `.max` for never.
    var background: Int64
}

/// Plan of what steady devices will do, until it stands in the lines of its kinds.
struct SteadyStart {
    /// Length of the run: what is due later never happens.
    let duration: SimulatedDuration
    private(set) var fetches: [(time: Int64, device: UInt32)] = []
    private(set) var refetches: [(time: Int64, device: UInt32)] = []
    private(set) var renewals: [(time: Int64, device: UInt32)] = []

    init(duration: SimulatedDuration) { self.duration = duration }

    mutating func add(_ device: Int, fetch: Int64) {
        if fetch < duration.nanoseconds { fetches.append((fetch, UInt32(device))) }
    }

    mutating func add(_ device: Int, refetch: Int64, renewal: Int64) {
        if refetch < duration.nanoseconds { refetches.append((refetch, UInt32(device))) }
        if renewal < duration.nanoseconds { renewals.append((renewal, UInt32(device))) }
    }

    func schedule(
        _ event: URLFilterEvent, at time: Int64, _ agenda: inout URLFilterModel.Future
    ) {
        guard time < duration.nanoseconds else { return }
        agenda.schedule(.filter(event), after: SimulatedDuration(nanoseconds: time))
    }
}

extension World {
    /// Server at which a device that has been running for long has its evaluation key.
    fileprivate func homeServer(of device: Int) -> ServerPlace {
        let region = home(of: device)
        let station = stations[region * URLFilterModel.stations.count + 2]
        return ServerPlace(region: region, instance: station.homeInstance(for: device))
    }
}

extension ExchangeRules {
    /// Tokens that a device uses in a day without any lookup.
    var dailyUpkeep: Double {
        let day = Double(Nanoseconds.days(1))
        let configurations = needsToken(.config) ? day / Double(max(configurationRefetch, 1)) : 0
        return configurations + day / Double(max(keyPeriod, 1))
    }
}

extension StreamPurpose {
    static let browsing = StreamPurpose("browsing")
    static let pastBrowsing = StreamPurpose("browsing before the start")
    static let pastFreshHits = StreamPurpose("fresh query hits before the start")
    static let pastTokens = StreamPurpose("token use before the start")
    static let pastTiming = StreamPurpose("token timing before the start")
    static let network = StreamPurpose("network delay")
    static let timing = StreamPurpose("device timing")
    static let freshHits = StreamPurpose("fresh query hits")
    static let appRestarts = StreamPurpose("app restarts")
    static let traceSpread = StreamPurpose("trace spread")
    static let backend = StreamPurpose("backend delay")
    static let balancing = StreamPurpose("balancing")
    /// Speed of the machines.
    static let speed = StreamPurpose("speed")
    static let pauses = StreamPurpose("pauses of servers")
    static let spot = StreamPurpose("spot interruptions")
}

extension SimulatedDuration {
    /// A device constant, which `URLFilter` gives in nanoseconds.
    init(_ constant: Nanoseconds) { self.init(nanoseconds: constant) }
}
