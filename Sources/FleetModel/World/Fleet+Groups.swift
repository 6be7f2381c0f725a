import EventSimulation

/// Lookups that a PIR server answers together; see ``LookupGrouping``.
extension Fleet {
    /// Lets waiting lookups be answered along with one that starts now.
    ///
    /// - Parameters:
    ///   - alone: What the lookup that starts takes by itself.
    ///   - factor: Time on this station per CPU time of the profile.
    /// - Returns: What the others add to it.
    mutating func takeAlong(
        from station: StationName, afterWorking alone: SimulatedDuration, factor: Double,
        at now: SimulatedTime, _ agenda: inout Agenda<FleetEvent>
    ) throws -> SimulatedDuration {
        guard let grouping = services.settings(of: station).grouping else { return .zero }
        let cores = max(1, services[station].servers)
        let share = (services[station].queueLength + cores) / cores
        var others: [Int] = []
        var added = SimulatedDuration.zero
        while others.count + 1 < min(share, grouping.limit), let next = services[station].nextInLine,
            exchanges[next].endpoint == .queries, services[station].takeAlong(at: now) != nil
        {
            others.append(next)
            added += scaled(try work.serviceAnswers(next).cpu, by: factor * grouping.followerShare)
        }
        for slot in others {
            services[station].noteService(.zero)
            exchanges[slot].isCompanion = true
            exchanges[slot].serviceWaiting += now - exchanges[slot].queued
            exchanges[slot].serviceWorking += alone + added
            schedule(slot, .isAnswered, after: alone + added, &agenda)
        }
        return added
    }
}
