import EventSimulation

/// Instances whose CPU time is limited below that of their threads.
extension Station {
    /// One limit for each line; none where instances have a core for each thread.
    static func quotas(_ settings: StationConfiguration) -> [CPUQuota] {
        guard settings.threadsPerInstance > settings.cores else { return [] }
        return Array(repeating: CPUQuota(cores: settings.cores), count: settings.lineCount)
    }

    /// Notes that a server begins to work on a message.
    ///
    /// - Parameter isFollower: Another one is worked on, and this one is answered along with it.
    mutating func begin(
        _ slot: Int, work: SimulatedDuration, isFollower: Bool, line: Int, at now: SimulatedTime
    ) {
        guard !quotas.isEmpty else { return }
        quotas[line].begin(slot, work: work, computes: !isFollower, at: now)
    }

    /// Notes that a server has done its work on a message, unless a limit of CPU time stopped it meanwhile.
    ///
    /// - Returns: How much later it may be done at the earliest; `nil`: it is.
    mutating func end(_ slot: Int, isFollower: Bool, line: Int, at now: SimulatedTime) -> SimulatedDuration? {
        guard !quotas.isEmpty, let later = quotas[line].end(slot, at: now) else { return nil }
        if !isFollower { lines[line].extendService(by: later - now) }
        return later - now
    }

    /// Areas of a line. Where CPU time is limited, what is busy is CPU time and what is available is the limit; jobs
    /// that the limit has stopped count with those that are served along with others.
    func areas(of line: Int, until now: SimulatedTime) -> StationAreas {
        let areas = lines[line].areas(until: now)
        guard !quotas.isEmpty else { return areas }
        let cpu = quotas[line].cpu(until: now)
        return StationAreas(
            time: areas.time, busy: cpu, waiting: areas.waiting,
            followers: areas.followers + areas.busy - cpu,
            available: areas.available * Int128(settings.cores) / Int128(settings.threadsPerInstance))
    }
}
