import EventSimulation
import URLFilter

/// The tokens of devices that replay a trace.
extension URLFilterModel {
    /// Starts the steady devices of these groups. Each day before the start was for them as the first 24 h of the
    /// trace, which they begin with empty caches every time, as they begin the run (assumption).
    ///
    /// - Returns: Numbers of these groups.
    mutating func startWithTraces(
        in world: World, _ plan: inout SteadyStart, _ agenda: inout Future
    ) throws -> Set<Int> {
        var groups: Set<Int> = []
        for past in world.loads.producer.pastTraces {
            let asked = try lookups(of: past)
            var next = 0
            for device in past.devices {
                let group = world.group(of: device)
                groups.insert(group)
                let first = next
                while next < asked.count, Int(asked[next].device) == device { next += 1 }
                start(
                    device, daily: asked[first..<next].map(\.time), by: exchangeRules[group], in: world,
                    &plan,
                    &agenda)
            }
        }
        return groups
    }

    /// - Parameter daily: When the device looks something up, nanoseconds of the day.
    private mutating func start(
        _ device: Int, daily: [Int64], by rules: ExchangeRules, in world: World, _ plan: inout SteadyStart,
        _ agenda: inout Future
    ) {
        let begin = PastTokens.begin(PastTokens.length, rules)
        let days = (-begin + PastTrace.day - 1) / PastTrace.day
        var times: [Int64] = []
        for day in stride(from: days, through: 1, by: -1) {
            for time in daily where time - day * PastTrace.day >= begin {
                times.append(time - day * PastTrace.day)
            }
        }
        let lookups = PastLookups(begin: begin, times: times, perDay: Double(daily.count))
        settle(device, drawPhases(device, in: world, &plan, &agenda), lookups, rules, &plan, &agenda)
    }

    /// - Returns: Each lookup that the day makes, by device and time of the day.
    private mutating func lookups(of past: PastTrace) throws -> [(device: UInt32, time: Int64)] {
        var asked: [(device: UInt32, time: Int64)] = []
        try past.take { loads in
            for load in loads.loads where load.participation == .honours {
                for hit in Int(load.firstHit)..<Int(load.firstHit + load.hitCount) {
                    // Nothing that a cache holds gets too old within a day.
                    guard looksUp(loads.keys(ofHit: hit), device: Int(load.device), at: .start) else {
                        continue
                    }
                    asked.append((load.device, (load.time + loads.hits[hit].offset) % PastTrace.day))
                }
            }
        }
        for device in past.devices where devices[device].machine > 0 {
            machines[machine(of: device)] = VerdictMachine(constants: constants, policy: policy)
        }
        return asked.sorted { ($0.device, $0.time) < ($1.device, $1.time) }
    }
}
