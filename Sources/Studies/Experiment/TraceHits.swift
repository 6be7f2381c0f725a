import FleetModel
import Scenarios
import Statistics
import URLFilter
import Workload

/// Hits of a trace in the prefilter with other hash seeds than the scenario's.
struct TraceHits {
    /// Requests of all devices.
    let requests: Double
    let shares: StrayShare

    /// Longer traces are left out: each is kept in memory once.
    private static let mostRecords = 2_000_000

    /// - Parameter chance: That a string outside the list hits.
    /// - Returns: `nil` where not all devices replay a trace as it is, and where that takes too long.
    init?(_ scenario: Scenario, index: BlockListIndex, chance: Double, summaries: [RunResult.TraceSummary])
        throws
    {
        guard scenario.mechanism == nil, summaries.reduce(0, { $0 + $1.records }) <= Self.mostRecords
        else { return nil }
        var weights: [Double] = []
        var strings: [[UInt32]] = []
        var isListed: [Bool] = []
        var first: UInt32 = 0
        for group in scenario.devices {
            guard case .trace(let settings) = group.browsing, let rules = group.parts.first?.system.matching,
                group.parts.count == 1
            else { return nil }
            let traffic = try TuningTraffic(
                TraceFiles.open(settings, isStrict: false), list: index, rules: rules)
            // Devices replay the clients in turn.
            let copies = (0..<traffic.clientCount).map { client in
                Double((group.count - client + traffic.clientCount - 1) / traffic.clientCount)
            }
            var own = Array(repeating: 0.0, count: traffic.urlCount)
            for request in traffic.requests {
                own[Int(request.url)] += max(0, copies[Int(request.client)])
            }
            weights += own
            for url in 0..<UInt32(traffic.urlCount) {
                let all = traffic.strings(of: url)
                isListed.append(all.contains { traffic.isListed[Int($0)] })
                strings.append(all.map { $0 + first })
            }
            first += UInt32(traffic.stringCount)
        }
        requests = weights.reduce(0, +)
        guard
            let shares = StrayShare(
                weights: weights, strings: strings, isListed: isListed, chance: chance,
                confidence: scenario.replications.confidence)
        else { return nil }
        self.shares = shares
    }
}
