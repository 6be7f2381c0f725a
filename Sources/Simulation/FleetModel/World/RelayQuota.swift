import EventSimulation

/// Limit up to which the relay forwards requests from one continent, or from everywhere: what the operator declared.
///
/// Apple asks for the expected load and does not publish what happens above it (article "Device", section "Onboarding
/// and relay"). Assumption: the relay answers 503 to what is too much, at once.
package struct RelayQuota: Hashable, Sendable {
    /// `nil`: all continents together, and devices of which nobody said where they are.
    package var continent: Continent?
    /// Requests in one second, and on one day, of the simulated clock; `nil` for no limit.
    package var perSecond: Int?
    package var perDay: Int?

    package init(continent: Continent? = nil, perSecond: Int? = nil, perDay: Int? = nil) {
        self.continent = continent
        self.perSecond = perSecond
        self.perDay = perDay
    }
}

/// How much of a quota is used.
struct QuotaMeter {
    private let quota: RelayQuota
    private var second = Window(seconds: 1)
    private var day = Window(seconds: 86_400)

    private struct Window {
        let seconds: Int64
        var number: Int64 = -1
        var used = 0

        mutating func used(at time: Int64) -> Int {
            let now = time / seconds
            if now != number { (number, used) = (now, 0) }
            return used
        }
    }

    init(_ quota: RelayQuota) { self.quota = quota }

    func concerns(_ continent: Continent?) -> Bool { quota.continent == nil || quota.continent == continent }

    mutating func hasRoom(at now: SimulatedTime) -> Bool {
        second.used(at: now.wholeSeconds) < quota.perSecond ?? .max
            && day.used(at: now.wholeSeconds) < quota.perDay ?? .max
    }

    /// Counts a request that the relay forwards.
    mutating func take() {
        second.used += 1
        day.used += 1
    }
}

extension World {
    /// Whether the relay forwards one more request of a device now. One that it refuses uses up nothing.
    mutating func passesQuotas(_ slot: Int, at now: SimulatedTime) -> Bool {
        guard !quotas.isEmpty else { return true }
        let continent = configuration.groups[group(of: post.messages[slot].device)].continent
        let concerned = quotas.indices.filter { quotas[$0].concerns(continent) }
        // Each is asked, so that each is at the present second before it counts.
        let rooms = concerned.map { quotas[$0].hasRoom(at: now) }
        let passes = rooms.allSatisfy { $0 }
        if passes { for index in concerned { quotas[index].take() } }
        if counts(post.messages[slot].started) {
            record.relay.countQuota(refused: !passes)
            if let continent { record.continents[continent]?.countQuota(refused: !passes) }
        }
        return passes
    }
}
