import EventSimulation
import RandomStreams
import URLFilter

/// Editions that devices in the middle of their lives have at the start.
extension URLFilterModel {
    /// Gives a steady device the prefilter of its last fetch, and its app the one that it began with.
    ///
    /// - Parameter nextFetch: The first one after the start, nanoseconds.
    mutating func adoptEditions(
        _ device: Int, nextFetch: Int64, _ plan: SteadyStart, _ agenda: inout Future
    ) {
        let fetches = PastFetches(
            next: nextFetch, interval: constants.prefilterFetchInterval, publications: prefilter.publications)
        devices[device].edition = fetches.edition(at: 0)
        guard let restart = prefilter.appRestart else { return }
        let app = fetches.app(restart, using: &editions.appTiming)
        editions.ofApps[device] = app.edition
        if let time = app.restart { plan.schedule(.appRestarts(device: UInt32(device)), at: time, &agenda) }
    }

    /// Plans what a steady device keeps up, and gives it the configuration of its last refetch.
    mutating func keepUp(
        _ device: Int, refetch: Int64, renewal: Int64, _ rules: ExchangeRules, _ plan: inout SteadyStart
    ) {
        plan.add(
            device, refetch: instants.map { $0.first(.refetch, of: device) ?? .max } ?? refetch,
            renewal: renewal)
        let last = SimulatedTime(nanoseconds: refetch - rules.configurationRefetch)
        noteConfiguration(of: device, edition: loadedEdition(at: last))
    }
}

/// Fetches of a device before the start, at equal distances.
struct PastFetches {
    /// The first one after the start, nanoseconds.
    let next: Int64
    let interval: Int64
    let publications: Publications

    /// Mean waits for the start of an app after which all but one of 3 000 have started.
    static let meanWaits = 8.0

    /// The last fetch up to a time.
    func last(upTo time: Int64) -> Int64 { next + (time - next).floorDivided(by: interval) * interval }

    /// Edition of the last fetch before the start, up to a time.
    func edition(at time: Int64) -> UInt32 {
        publications.edition(at: min(next - interval, last(upTo: time)))
    }

    /// The edition that an app has which takes what is there when it starts, and when it starts next; it waits only
    /// while there is something new.
    func app(
        _ restart: Distribution, using stream: inout RandomStream
    ) -> (edition: UInt32, restart: Int64?) {
        if case .exponential(let mean) = restart {
            // Starts without memory: the last one and the next one are equally far.
            let ago = min(Distribution.exponential(mean: mean).sample(using: &stream), Self.farthest)
            let used = edition(at: -SimulatedDuration.seconds(ago).nanoseconds)
            guard used < edition(at: 0) else { return (used, nil) }
            return (used, SimulatedDuration.seconds(restart.sample(using: &stream)).nanoseconds)
        }
        let reach = SimulatedDuration.seconds(min(Self.meanWaits * restart.mean, Self.farthest)).nanoseconds
        let count = min(max(reach / interval, 1), Self.longest) + 1
        let first = edition(at: next - count * interval)
        var (used, fetched) = (first, first)
        var start: Int64?
        for number in stride(from: count - 1, through: 1, by: -1) {
            let time = next - number * interval
            if let due = start, due <= time { (used, start) = (fetched, nil) }
            let newest = publications.edition(at: time)
            guard newest > fetched else { continue }
            let waits = used < fetched
            fetched = newest
            guard !waits else { continue }
            start = time + SimulatedDuration.seconds(max(0, restart.sample(using: &stream))).nanoseconds
        }
        if let due = start, due <= 0 { (used, start) = (fetched, nil) }
        return (used, start)
    }

    /// Fetches, and seconds, that are looked back at, at most.
    private static let longest: Int64 = 1_000
    private static let farthest = 1e9
}
