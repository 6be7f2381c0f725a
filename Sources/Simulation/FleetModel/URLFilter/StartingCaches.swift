import Decoding
import EventSimulation
import Foundation
import RandomStreams
import URLFilter
import Workload

/// Memory of devices that have browsed before the start: verdicts and tokens.
extension URLFilterModel {
    /// Starts the steady devices of the groups whose days before the start are known.
    ///
    /// - Returns: Numbers of these groups.
    mutating func startWithPast(in world: World, _ plan: inout SteadyStart, _ agenda: inout Future) -> Set<
        Int
    > {
        let history = world.configuration.history.nanoseconds
        var laws: [Int: LookupLaw] = [:]
        world.loads.producer.takePast { part in
            guard let first = part.devices.first else { return }
            let group = world.group(of: first)
            let rules = exchangeRules[group]
            var law = laws[group] ?? LookupLaw()
            law.add(loads: part.pageLoads, withHits: part.loads.loads.count)
            var phases: [SteadyPhases] = []
            var lookups: [(times: [Int64], loads: [LookupLaw.Load])] = []
            var start = 0
            for device in part.devices {
                phases.append(drawPhases(device, in: world, &plan, &agenda))
                var end = start
                while end < part.loads.loads.count, Int(part.loads.loads[end].device) == device { end += 1 }
                lookups.append(
                    fillCaches(
                        of: device, part, start..<end, history: history,
                        nextFetch: phases[phases.count - 1].fetch))
                law.add(lookups[lookups.count - 1].loads)
                start = end
            }
            for (place, device) in part.devices.enumerated() {
                let begin = PastTokens.begin(PastTokens.length, rules)
                var past = pastLookups(
                    of: device, part.group, law, times: law.factor(lookups[place].loads), rules,
                    (begin, end: -history))
                past.times += lookups[place].times.drop { $0 < begin }
                settle(device, phases[place], past, rules, &plan, &agenda)
            }
            laws[group] = law
        }
        return Set(laws.keys)
    }

    /// Starts a device of which is known at which rate it asks.
    mutating func start(
        _ device: Int, asking traffic: LookupTraffic, in world: World, _ plan: inout SteadyStart,
        _ agenda: inout Future
    ) {
        let group = world.configuration.groups[world.group(of: device)]
        let rules = exchangeRules[world.group(of: device)]
        let begin = PastTokens.begin(PastTokens.evenLength, rules)
        let past = traffic.past(of: device, group.usage, from: begin, seed: seed, replication: replication)
        settle(device, drawPhases(device, in: world, &plan, &agenda), past, rules, &plan, &agenda)
    }

    /// Lets the tokens of a device run up to the start.
    mutating func settle(
        _ device: Int, _ phases: SteadyPhases, _ lookups: PastLookups, _ rules: ExchangeRules,
        _ plan: inout SteadyStart, _ agenda: inout Future
    ) {
        var past = PastTokens(
            device: device, from: lookups.begin, refetch: phases.refetch, renewal: phases.renewal,
            background: phases.background, dailyUse: rules.dailyUpkeep + lookups.perDay, rules,
            stream: RandomStream(
                seed: seed, replication: replication, entity: UInt32(device), purpose: .pastTiming))
        past.run(from: lookups.begin, lookups: lookups.times, &tokens)
        devices[device].exchanges = past.machine
        keepUp(device, refetch: past.refetch, renewal: past.renewal, rules, &plan)
        plan.schedule(.backgroundRefill(device: UInt32(device)), at: past.background, &agenda)
        plan.schedule(.refillTokens(device: UInt32(device)), at: past.refill, &agenda)
    }

    /// The lookups of the days before those whose pages were made: none where pages were made for longer than
    /// tokens last, so that the period ends before it begins.
    private func pastLookups(
        of device: Int, _ group: BrowsingGroup, _ law: LookupLaw, times factor: Double,
        _ rules: ExchangeRules, _ period: (begin: Int64, end: Int64)
    ) -> PastLookups {
        let (begin, end) = period
        var person = group.stream(device, .browsing, 0)
        let browser = Browser(using: &person)
        var stream = group.stream(device, .pastTokens, 0)
        let day = Int64.days(1)
        let last = group.local(group.past + end, device)
        let days = Int((end - begin + day - 1) / day) + 1
        let visits = group.habits.visits(
            onDays: PastTokens.meanDays + days, upTo: last, of: browser, using: &stream)
        let halfLife = rules.generation.tokens.background?.halfLife ?? 7 * day
        var (sum, weights) = (0.0, 0.0)
        for (age, count) in visits.prefix(PastTokens.meanDays).reversed().enumerated() {
            let weight = exp2(-Double(age) * Double(day) / Double(max(halfLife, 1)))
            sum += weight * Double(count) * law.perVisit(ofDay: count)
            weights += weight
        }
        var times: [Int64] = []
        var outline = DayOutline()
        for (place, count) in visits.dropFirst(PastTokens.meanDays).enumerated() {
            let rate = law.perVisit(ofDay: count) * factor
            group.habits.outline(
                visits: count, onDayOf: last - Int64(days - 1 - place) * day, to: &outline, using: &stream)
            for session in outline.sessions {
                let start = group.universal(session.start, device)
                guard start < .max else { continue }
                law.draw(
                    visits: session.visits, rate: rate, from: start - group.past, length: session.length,
                    to: &times, using: &stream)
            }
        }
        times.removeAll { $0 < begin || $0 >= end }
        return PastLookups(begin: begin, times: times, perDay: factor * sum / max(weights, 1e-9))
    }

    /// Fills the verdict caches with the answers to what a device looked up before the start. Every lookup was answered
    /// at once, and every edition emptied them.
    ///
    /// - Returns: When it did, and what the loads asked whose caches were as they are in the run: those in whole lives
    ///   of an edition on the device, if the days before the start have some.
    private mutating func fillCaches(
        of device: Int, _ part: PastLoads.Part, _ range: Range<Int>, history: Int64, nextFetch: Int64
    ) -> (times: [Int64], loads: [LookupLaw.Load]) {
        let first = arrivals(around: -history, nextFetch: nextFetch).next
        let last = arrivals(around: -1, nextFetch: nextFetch).last
        let alike = first < last ? first..<last : .min..<0
        var checks: [PastCheck] = []
        var loads: [LookupLaw.Load] = []
        for load in part.loads.loads[range] where load.participation == .honours {
            let isAlike = alike.contains(load.time)
            if isAlike {
                let local = part.group.local(part.group.past + load.time, device)
                loads.append(LookupLaw.Load(day: BrowsingHabits.day(of: local)))
            }
            for hit in Int(load.firstHit)..<Int(load.firstHit + load.hitCount) {
                let time = load.time + part.loads.hits[hit].offset
                if time < 0 {
                    checks.append(PastCheck(time: time, hit: hit, load: isAlike ? loads.count - 1 : nil))
                }
            }
        }
        guard !checks.isEmpty else { return ([], loads) }
        checks.sort { ($0.time, $0.hit) < ($1.time, $1.hit) }
        let machine = machine(of: device)
        var times: [Int64] = []
        var edition = Int64.min
        for check in checks {
            let arrival = arrivals(around: check.time, nextFetch: nextFetch).last
            if arrival > edition { machines[machine].clearCaches() }
            edition = arrival
            let keys = part.loads.keys(ofHit: check.hit)
            guard looksUp(keys, device: device, at: SimulatedTime(nanoseconds: check.time)) else { continue }
            times.append(check.time)
            if let load = check.load { loads[load].lookups += 1 }
        }
        if last > edition { machines[machine].clearCaches() }
        return (times, loads)
    }

    /// Whether a device asks about hits before the start, which is answered at once by the edition that is there at the
    /// start. What lives shortly was hardly ever in one.
    mutating func looksUp(_ hits: ArraySlice<HitKey>, device: Int, at time: SimulatedTime) -> Bool {
        let keys = hits.filter {
            guard $0.isListed else { return true }
            let met = editions.lives.met($0, by: device, at: time)
            return !met.isShortLived && met.life.includes(PrefilterConfiguration.startingEdition)
        }
        let machine = machine(of: device)
        let now = time.nanoseconds
        guard
            case .lookUp(let number, let asked, _) = machines[machine].check(
                keys, request: 0, at: now, filterIsReady: true)
        else { return false }
        _ = machines[machine].answer(number, present: asked.map(\.isListed), at: now)
        return true
    }
}

/// Lookups of a device before the start.
struct PastLookups {
    /// Time from which on they are known, nanoseconds from the start.
    let begin: Int64
    /// Sorted.
    var times: [Int64]
    /// Mean number before that.
    let perDay: Double
}

/// A hit before the start.
private struct PastCheck {
    let time: Int64
    let hit: Int
    /// Place among the loads that the law is made of.
    let load: Int?
}
