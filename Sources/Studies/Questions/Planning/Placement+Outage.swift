import FleetModel

/// Leaks while servers are lost.
extension Placement {
    /// Adds to a situation what is let through in it, and how long it lasts: an ordinary day has what the sample had,
    /// and a loss what ``OutageLaw`` says beside that. Days that were simulated have their own.
    func addingLeaks(
        to state: ServerPlan.State, _ regions: [ServerPlan.Region]
    ) -> ServerPlan.State {
        var state = state
        let ordinary = planner.demand.leakedShare
        switch state.situation {
        case .healthy: state.leakedShare = ordinary
        case .instanceLost, .regionLost:
            guard let outage = planner.outage, let worst = worstOutcome(state.situation, outage, regions)
            else { break }
            (state.failedShare, state.recovery) = (lookups(failing: worst.failedShare), worst.recovery)
            state.leakedShare = ordinary.map {
                outage.failsOpen ? $0 + (1 - $0) * worst.failedShare : $0
            }
        case .restart, .launch: break
        }
        return state
    }

    /// Share of the lookups that fail where a share of the visits does: each of these asks, since what failed is in no
    /// cache, and of the others those that no cache answers.
    private func lookups(failing visits: Double) -> Double {
        let others = (planner.demand.askedShare ?? 1) * (1 - visits)
        return visits > 0 ? visits / (others + visits) : 0
    }

    /// The outcome in which most visits get no verdict, of the losses that the situation can be.
    private func worstOutcome(
        _ situation: ServerPlan.State.Situation, _ outage: OutageLaw, _ regions: [ServerPlan.Region]
    ) -> OutageLaw.Outcome? {
        if situation == .instanceLost, planner.keys != .memoryOfOwnUsers {
            return OutageLaw.Outcome(failedShare: 0, recovery: 0)
        }
        let loads = there.map { load($0, .pir).series }
        let count = loads.map(\.count).max() ?? 0
        func padded(_ series: [Double]) -> [Double] {
            series + Array(repeating: 0, count: count - series.count)
        }
        let all = loads.map(padded).reduce(Array(repeating: 0.0, count: count)) { zip($0, $1).map(+) }
        return zip(there, zip(loads, regions)).compactMap { place, found in
            let isRegion = situation == .regionLost
            return outage.outcome(
                of: isRegion ? .region : .instance(of: found.1[.pir]?.instances ?? 1),
                lost: padded(found.0), all: all, width: planner.demand.interval,
                stranded: isRegion ? planner.geography.strandedShare(without: place, among: there) : 0)
        }.max { $0.failedShare < $1.failedShare }
    }
}
