/// Decision of a station on an arriving job.
@usableFromInline
package enum Admission: Hashable, Sendable {
    /// A server is free. The model schedules the end of service.
    case starts
    /// All servers are busy; ``ServiceStation/finish(at:)`` returns the job when its turn comes.
    case waits
    /// The queue is full, or the job would wait too long. It is counted and forgotten.
    case rejected
}

/// Servers behind one queue, first come first served: cores behind an accept queue.
///
/// With priorities, a waiting job of a more urgent class starts first; a job
/// in service is never interrupted.
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
    /// How long a job may wait, in nanoseconds; `nil` for no limit. One that would probably wait longer until it was
    /// served is rejected, unless it would wait alone; one that does is taken out by ``dropLate(at:)``.
    @usableFromInline let waitLimit: Int64?
    /// Time that the jobs in line will probably take, in nanoseconds.
    @usableFromInline var expectedWork: Int64 = 0

    @usableFromInline var available: LevelIntegral
    @usableFromInline var busy = LevelIntegral()
    @usableFromInline var waiting = LevelIntegral()
    /// Jobs that are served along with another one; see ``startFollower(at:)``.
    @usableFromInline var following = LevelIntegral()
    /// The most urgent class.
    @usableFromInline var line = RingQueue<Waiting>()
    /// The other classes, in order of urgency.
    @usableFromInline var lowerLines: [RingQueue<Waiting>]
    @usableFromInline var counts = StationCounts()
    @usableFromInline var account = ServiceAccount()

    @usableFromInline
    struct Waiting: Sendable {
        @usableFromInline let job: Job
        @usableFromInline let since: SimulatedTime
        /// Time that the job will probably take, in nanoseconds.
        @usableFromInline let work: Int64

        @inlinable
        init(job: Job, since: SimulatedTime, work: Int64) {
            self.job = job
            self.since = since
            self.work = work
        }
    }

    /// - Parameters:
    ///   - servers: Jobs served at the same time. 0 is a station that is down.
    ///   - queueCapacity: Places to wait, not counting the servers.
    ///   - waitLimit: Nobody who has waited longer is served; needs ``dropLate(at:)``.
    ///   - priorities: Classes of jobs; class 0 is the most urgent.
    @inlinable
    package init(
        servers: Int, queueCapacity: Int? = nil, waitLimit: SimulatedDuration? = nil, priorities: Int = 1
    ) {
        precondition(servers >= 0, "a station cannot have \(servers) servers")
        precondition((queueCapacity ?? 0) >= 0, "a queue cannot have negative capacity")
        precondition(priorities >= 1, "a station needs a class of jobs")
        self.queueCapacity = queueCapacity
        self.waitLimit = waitLimit?.nanoseconds
        lowerLines = Array(repeating: RingQueue(), count: priorities - 1)
        available = LevelIntegral(level: servers)
    }

    /// Servers in operation.
    @inlinable
    package var servers: Int { available.level }
    /// Jobs in service. More than ``servers`` while jobs finish on servers that were taken away.
    @inlinable
    package var busyServers: Int { busy.level }
    /// Jobs that are served along with another one and occupy no server of their own.
    @inlinable
    package var followers: Int { following.level }
    /// Jobs that wait.
    @inlinable
    package var queueLength: Int { waiting.level }
    /// Counts of the jobs that came, went and were lost since the start of the run.
    @inlinable
    package var totals: StationCounts { counts }

    /// - Parameters:
    ///   - priority: Class of the job, 0 for the most urgent.
    ///   - work: How long it will probably be served, for the limit of the wait.
    @inlinable
    package mutating func arrive(
        _ job: Job, priority: Int = 0, work: SimulatedDuration = .zero, at now: SimulatedTime
    ) -> Admission {
        counts.arrivals &+= 1
        if busy.level < available.level {
            busy.add(1, at: now)
            return .starts
        }
        if let queueCapacity, waiting.level >= queueCapacity {
            counts.rejections &+= 1
            return .rejected
        }
        if let waitLimit, waiting.level > 0,
            Double(expectedWork + work.nanoseconds) > Double(waitLimit) * Double(available.level)
        {
            counts.rejections &+= 1
            return .rejected
        }
        let entry = Waiting(job: job, since: now, work: work.nanoseconds)
        expectedWork &+= entry.work
        if priority == 0 {
            line.append(entry)
        } else {
            lowerLines[priority - 1].append(entry)
        }
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
        guard busy.level <= available.level, let next = nextWaiting(at: now) else {
            busy.add(-1, at: now)
            return nil
        }
        return next
    }

    /// The job that starts next; `nil` when none waits.
    @inlinable
    package var nextInLine: Job? {
        if let job = line.first?.job { return job }
        for lower in lowerLines {
            if let job = lower.first?.job { return job }
        }
        return nil
    }

    /// Takes the next job out of the line to be served along with one that has just started: a server that answers
    /// several requests in one go. It occupies no server; ``finishFollower(at:)`` notes its end.
    @inlinable
    package mutating func startFollower(at now: SimulatedTime) -> Job? {
        guard let next = nextWaiting(at: now) else { return nil }
        following.add(1, at: now)
        return next
    }

    /// Notes that a job that was taken along has been served.
    @inlinable
    package mutating func finishFollower(at now: SimulatedTime) {
        precondition(following.level > 0, "a job ended that was not taken along")
        counts.completions &+= 1
        following.add(-1, at: now)
    }

    /// Notes how long a job that just started will be served, for the check of the utilization law.
    ///
    /// Either for every job that starts or for none; for one that is taken along, zero.
    @inlinable
    package mutating func noteService(_ duration: SimulatedDuration) {
        account.noted &+= 1
        account.promised &+= Int128(duration.nanoseconds)
        account.longest = max(account.longest, duration.nanoseconds)
    }

    /// Takes the next job out of the line.
    @inlinable
    mutating func nextWaiting(at now: SimulatedTime) -> Job? {
        guard let next = line.popFirst() ?? nextLessUrgent() else { return nil }
        waiting.add(-1, at: now)
        expectedWork &-= next.work
        account.waited &+= Int128(now.nanoseconds &- next.since.nanoseconds)
        return next.job
    }

    @inlinable
    mutating func nextLessUrgent() -> Waiting? {
        for index in lowerLines.indices {
            if let next = lowerLines[index].popFirst() { return next }
        }
        return nil
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
        while busy.level < number, let next = nextWaiting(at: now) {
            busy.add(1, at: now)
            started.append(next)
        }
        return started
    }

    /// Takes out the jobs that have waited too long. To be called before one is taken, or comes.
    ///
    /// - Returns: Those, counted as dropped.
    @inlinable
    package mutating func dropLate(at now: SimulatedTime) -> [Job] {
        guard let waitLimit else { return [] }
        precondition(lowerLines.isEmpty, "a limit of the wait goes with one class of jobs")
        var dropped: [Job] = []
        while let first = line.first, now.nanoseconds &- first.since.nanoseconds > waitLimit,
            let next = nextWaiting(at: now)
        {
            dropped.append(next)
        }
        counts.dropped &+= dropped.count
        return dropped
    }

    /// Empties the queue, as a restart does.
    ///
    /// - Returns: The jobs that waited, in the order in which they would have started; counted as dropped.
    @inlinable
    package mutating func drain(at now: SimulatedTime) -> [Job] {
        var dropped: [Job] = []
        while let next = nextWaiting(at: now) { dropped.append(next) }
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
        let abandoned = busy.level + following.level
        busy.set(0, at: now)
        following.set(0, at: now)
        counts.abandoned &+= abandoned
        return abandoned
    }
}
