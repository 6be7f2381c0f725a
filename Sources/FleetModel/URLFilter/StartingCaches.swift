import EventSimulation
import URLFilter

/// What devices remember of the days before the start.
extension URLFilterModel {
    /// A daily rate is not taken from less than 6 h.
    private static let shortestPast: Int64 = 6 * 3_600_000_000_000

    /// Fills the verdict caches with the answers to what devices looked up before the start, and tells devices how many
    /// tokens a day that took. Every lookup was answered at once.
    ///
    /// - Parameter arrivals: By device, since when its caches were not emptied; empty for never.
    mutating func fillCaches(since arrivals: [Int64], in world: World) {
        let history = world.configuration.history.nanoseconds
        world.loads.producer.takePast { loads in
            var start = 0
            while start < loads.loads.count {
                let device = loads.loads[start].device
                var end = start
                while end < loads.loads.count, loads.loads[end].device == device { end += 1 }
                let since = arrivals.isEmpty ? .min : arrivals[Int(device)]
                let rules = exchangeRules[world.group(of: Int(device))]
                let lookups = fillCaches(of: Int(device), loads, start..<end, since: since)
                let days = Double(max(-max(since, -history), Self.shortestPast)) / 86_400e9
                devices[Int(device)].exchanges.assume(
                    dailyUse: rules.dailyUpkeep + Double(lookups) / days, at: 0, by: rules)
                start = end
            }
        }
    }

    /// - Returns: Lookups.
    private mutating func fillCaches(
        of device: Int, _ loads: WindowLoads, _ range: Range<Int>, since: Int64
    ) -> Int {
        var checks: [(time: Int64, hit: Int)] = []
        for load in loads.loads[range] where load.participation == .honours {
            for hit in Int(load.firstHit)..<Int(load.firstHit + load.hitCount) {
                let time = load.time + loads.hits[hit].offset
                if time >= since, time < 0 { checks.append((time, hit)) }
            }
        }
        guard !checks.isEmpty else { return 0 }
        checks.sort { ($0.time, $0.hit) < ($1.time, $1.hit) }
        let machine = machine(of: device)
        var lookups = 0
        for check in checks {
            let hit = loads.hits[check.hit]
            let first = Int(hit.firstKey)
            // The edition that is there at the start.
            let keys = loads.keys[first..<(first + Int(hit.keyCount))].filter {
                !$0.isListed || editions.lives.isListed($0, in: 1)
            }
            let outcome = machines[machine].check(keys, request: 0, at: check.time, filterIsReady: true)
            guard case .lookUp(let number, let asked, _) = outcome else { continue }
            lookups += 1
            _ = machines[machine].answer(number, present: asked.map(\.isListed), at: check.time)
        }
        return lookups
    }
}
