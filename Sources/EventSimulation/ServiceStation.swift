/// What a station does with an arriving job.
@usableFromInline
package enum Admission: Hashable, Sendable {
    /// A server is free. The model schedules the end of service.
    case starts
    /// All servers are busy; ``ServiceStation/finish(at:)`` returns the job when its turn comes.
    case waits
    /// The queue is full. The job is counted and forgotten.
    case rejected
}

/// Servers with one queue, first come first served: cores behind an accept queue.
///
/// The station is bookkeeping without a clock: how long a service takes, at
/// what speed, and what becomes of jobs on a server that fails, is the model's
/// decision. Instants must not run backwards.
///
///     switch station.arrive(job, at: now) {
///     case .starts: agenda.schedule(.done(job), after: serviceTime(job))
///     case .waits, .rejected: break
///     }
///     // and when `.done` happens
///     if let next = station.finish(at: now) { agenda.schedule(.done(next), after: serviceTime(next)) }
@usableFromInline
package struct ServiceStation<Job: Sendable>: Sendable {
    /// Waiting jobs beyond which an arrival is rejected; `nil` for no limit.
    @usableFromInline
    package let queueCapacity: Int?

    @usableFromInline var available: LevelIntegral
    @usableFromInline var busy = LevelIntegral()
    @usableFromInline var waiting = LevelIntegral()
    @usableFromInline var line = RingQueue<Job>()
    @usableFromInline var counts = StationCounts()

    /// - Parameters:
    ///   - servers: Jobs served at the same time. 0 is a station that is down.
    ///   - queueCapacity: Places to wait, not counting the servers.
    @inlinable
    package init(servers: Int, queueCapacity: Int? = nil) {
        precondition(servers >= 0, "a station cannot have \(servers) servers")
        precondition((queueCapacity ?? 0) >= 0, "a queue cannot have negative capacity")
        self.queueCapacity = queueCapacity
        available = LevelIntegral(level: servers)
    }

    /// Servers in operation.
    @inlinable
    package var servers: Int { available.level }
    /// Jobs in service. More than ``servers`` while jobs finish on servers that were taken away.
    @inlinable
    package var busyServers: Int { busy.level }
    /// Jobs that wait.
    @inlinable
    package var queueLength: Int { waiting.level }
    /// What came, went and was lost since the start of the run.
    @inlinable
    package var totals: StationCounts { counts }

    @inlinable
    package mutating func arrive(_ job: Job, at now: SimulatedTime) -> Admission {
        counts.arrivals &+= 1
        if busy.level < available.level {
            busy.add(1, at: now)
            return .starts
        }
        if let queueCapacity, waiting.level >= queueCapacity {
            counts.rejections &+= 1
            return .rejected
        }
        line.append(job)
        waiting.add(1, at: now)
        counts.maximumQueueLength = max(counts.maximumQueueLength, waiting.level)
        return .waits
    }

    /// Notes that a service ended.
    ///
    /// - Returns: The waiting job that starts now, if any.
    @inlinable
    package mutating func finish(at now: SimulatedTime) -> Job? {
        precondition(busy.level > 0, "a service ended at a station where none was under way")
        counts.completions &+= 1
        guard busy.level <= available.level, let next = line.popFirst() else {
            busy.add(-1, at: now)
            return nil
        }
        waiting.add(-1, at: now)
        return next
    }

    /// Changes how many servers are in operation: an outage, a recovery, scaling.
    ///
    /// Taking servers away interrupts nobody: the jobs on them finish, and
    /// until then more servers are busy than there are. For a crash use
    /// ``abandonServices(at:)`` too.
    ///
    /// - Returns: The waiting jobs that start now.
    @inlinable
    package mutating func setServers(_ number: Int, at now: SimulatedTime) -> [Job] {
        precondition(number >= 0, "a station cannot have \(number) servers")
        available.set(number, at: now)
        var started: [Job] = []
        while busy.level < number, let next = line.popFirst() {
            waiting.add(-1, at: now)
            busy.add(1, at: now)
            started.append(next)
        }
        return started
    }

    /// Empties the queue, as a restart does.
    ///
    /// - Returns: The jobs that waited, first come first; counted as dropped.
    @inlinable
    package mutating func drain(at now: SimulatedTime) -> [Job] {
        let dropped = line.removeAll()
        waiting.set(0, at: now)
        counts.dropped &+= dropped.count
        return dropped
    }

    /// Forgets the jobs in service, as a crash does. Their end must not be reported any more.
    ///
    /// The station does not know which jobs these are; the model that scheduled
    /// them does. Waiting jobs stay and start with the next ``setServers(_:at:)``.
    ///
    /// - Returns: How many were in service; counted as abandoned.
    @inlinable
    package mutating func abandonServices(at now: SimulatedTime) -> Int {
        let abandoned = busy.level
        busy.set(0, at: now)
        counts.abandoned &+= abandoned
        return abandoned
    }
}

/// What came to a station, went and was lost.
///
/// `arrivals` always equals the sum of completions, rejections, dropped and
/// abandoned jobs and of those that still wait or are in service.
@usableFromInline
package struct StationCounts: Hashable, Sendable {
    @usableFromInline
    package var arrivals = 0
    @usableFromInline
    package var completions = 0
    @usableFromInline
    package var rejections = 0
    /// Waiting jobs lost to ``ServiceStation/drain(at:)``.
    @usableFromInline
    package var dropped = 0
    /// Jobs in service lost to ``ServiceStation/abandonServices(at:)``.
    @usableFromInline
    package var abandoned = 0
    @usableFromInline
    package var maximumQueueLength = 0

    @inlinable
    package init() {}
}
