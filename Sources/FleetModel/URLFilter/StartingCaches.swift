import EventSimulation
import Foundation
import RandomStreams
import URLFilter
import Workload

/// What devices that have browsed before the start remember of it: verdicts and tokens.
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
            var lookups: [(times: [Int64], sizes: [Int])] = []
            var start = 0
            for device in part.devices {
                phases.append(drawPhases(device, in: world, &plan))
                var end = start
                while end < part.loads.loads.count, Int(part.loads.loads[end].device) == device { end += 1 }
                lookups.append(
                    fillCaches(
                        of: device, part.loads, start..<end, since: phases[phases.count - 1].knownSince))
                for count in lookups[lookups.count - 1].sizes { law.add(lookups: count) }
                start = end
            }
            for (place, device) in part.devices.enumerated() {
                let begin = PastTokens.begin(PastTokens.length, rules)
                let past = pastLookups(
                    of: device, part.group, law, times: law.factor(lookups[place].sizes), rules, from: begin,
                    until: max(-history, phases[place].knownSince))
                let times = past.times + lookups[place].times.drop { $0 < begin }
                settle(
                    device, phases[place], lookups: times, perDay: past.perDay, from: begin, rules, &plan,
                    &agenda)
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
        settle(
            device, drawPhases(device, in: world, &plan), lookups: past.times, perDay: past.perDay,
            from: begin,
            rules, &plan, &agenda)
    }

    /// Lets the tokens of a device run up to the start.
    private mutating func settle(
        _ device: Int, _ phases: SteadyPhases, lookups: [Int64], perDay: Double, from begin: Int64,
        _ rules: ExchangeRules, _ plan: inout SteadyStart, _ agenda: inout Future
    ) {
        var past = PastTokens(
            device: device, from: begin, refetch: phases.refetch, renewal: phases.renewal,
            background: phases.background, dailyUse: rules.dailyUpkeep + perDay, rules,
            stream: RandomStream(
                seed: seed, replication: replication, entity: UInt32(device), purpose: .pastTiming))
        past.run(from: begin, lookups: lookups, &tokens)
        devices[device].exchanges = past.machine
        plan.add(device, refetch: past.refetch, renewal: past.renewal)
        plan.schedule(.backgroundRefill(device: UInt32(device)), at: past.background, &agenda)
        plan.schedule(.refillTokens(device: UInt32(device)), at: past.refill, &agenda)
    }

    /// The lookups of the days before those whose pages were made, and the mean number a day before `begin`.
    private func pastLookups(
        of device: Int, _ group: BrowsingGroup, _ law: LookupLaw, times factor: Double,
        _ rules: ExchangeRules, from begin: Int64, until end: Int64
    ) -> (times: [Int64], perDay: Double) {
        var person = group.stream(device, .browsing, 0)
        let browser = Browser(using: &person)
        var stream = group.stream(device, .pastTokens, 0)
        let day: Int64 = 86_400_000_000_000
        let last = group.local(group.past + end, device)
        let days = Int((end - begin + day - 1) / day) + 1
        let visits = group.habits.visits(
            onDays: PastTokens.meanDays + days, upTo: last, of: browser, using: &stream)
        let halfLife = rules.generation.tokens.background?.halfLife ?? 7 * day
        var (sum, weights) = (0.0, 0.0)
        for (age, count) in visits.prefix(PastTokens.meanDays).reversed().enumerated() {
            let weight = exp2(-Double(age) * Double(day) / Double(max(halfLife, 1)))
            sum += weight * Double(count)
            weights += weight
        }
        var times: [Int64] = []
        var outline = DayOutline()
        for (place, count) in visits.dropFirst(PastTokens.meanDays).enumerated() {
            group.habits.outline(
                visits: count, onDayOf: last - Int64(days - 1 - place) * day, to: &outline, using: &stream)
            for session in outline.sessions {
                let start = group.universal(session.start, device)
                guard start < .max else { continue }
                law.draw(
                    visits: session.visits, times: factor, from: start - group.past, length: session.length,
                    to: &times, using: &stream)
            }
        }
        times.removeAll { $0 < begin || $0 >= end }
        return (times, law.perVisit * factor * sum / max(weights, 1e-9))
    }

    /// Fills the verdict caches with the answers to what a device looked up before the start. Every lookup was answered
    /// at once.
    ///
    /// - Returns: When it did, and how many lookups each load with a hit made.
    private mutating func fillCaches(
        of device: Int, _ loads: WindowLoads, _ range: Range<Int>, since: Int64
    ) -> (times: [Int64], sizes: [Int]) {
        var checks: [(time: Int64, hit: Int, load: Int)] = []
        var lookups: [Int] = []
        for load in loads.loads[range] where load.participation == .honours {
            if load.time >= since { lookups.append(0) }
            for hit in Int(load.firstHit)..<Int(load.firstHit + load.hitCount) {
                let time = load.time + loads.hits[hit].offset
                if time >= since, time < 0 { checks.append((time, hit, lookups.count - 1)) }
            }
        }
        guard !checks.isEmpty else { return ([], lookups) }
        checks.sort { ($0.time, $0.hit) < ($1.time, $1.hit) }
        let machine = machine(of: device)
        var times: [Int64] = []
        for check in checks {
            let hit = loads.hits[check.hit]
            let first = Int(hit.firstKey)
            // The edition that is there at the start. What lives shortly was hardly ever in one.
            let time = SimulatedTime(nanoseconds: check.time)
            let keys = loads.keys[first..<(first + Int(hit.keyCount))].filter {
                guard $0.isListed else { return true }
                let met = editions.lives.met($0, by: device, at: time)
                return !met.isShortLived && met.life.includes(1)
            }
            let outcome = machines[machine].check(keys, request: 0, at: check.time, filterIsReady: true)
            guard case .lookUp(let number, let asked, _) = outcome else { continue }
            times.append(check.time)
            if check.load >= 0 { lookups[check.load] += 1 }
            _ = machines[machine].answer(number, present: asked.map(\.isListed), at: check.time)
        }
        return (times, lookups)
    }
}
