/// Decision of a station on an arriving job.
@usableFromInline
package enum Admission<Job: Sendable>: Sendable {
    /// A server is free. The model schedules the end of service.
    case starts
    /// All servers are busy; ``ServiceStation/finish(at:)`` returns the job when its turn comes.
    case waits
    /// The queue is full, or the job would wait too long. It is counted and forgotten.
    case rejected
    /// The job waits, and others have to go for it, the one that was due last first. They are counted and forgotten.
    case displaces([Job])
}

extension Admission: Equatable where Job: Equatable {
    /// Written out, as the compiler's own would not be inlined in other modules.
    @inlinable
    package static func == (left: Admission, right: Admission) -> Bool {
        switch (left, right) {
        case (.starts, .starts), (.waits, .waits), (.rejected, .rejected): true
        case (.displaces(let left), .displaces(let right)): left == right
        default: false
        }
    }
}

/// Servers behind one queue: cores behind an accept queue. ``WaitingLine`` says who is next; a job in service is never
/// interrupted.
///
/// The station is bookkeeping without a clock: how long a service takes, at
/// what speed, and what becomes of jobs on a server that fails, is the model's
/// decision. Instants must not run backwards.
///
///     switch station.arrive(job, at: now) {
///     case .starts: agenda.schedule(.done(job), after: serviceTime(job))
///     case .waits, .rejected: break
///     case .displaces(let jobs): for job in jobs { refuse(job) }
///     }
///     // and when `.done` happens
///     if let next = station.finish(at: now) { agenda.schedule(.done(next), after: serviceTime(next)) }
@usableFromInline
package struct ServiceStation<Job: Sendable>: Sendable {
    @usableFromInline var available: LevelIntegral
    @usableFromInline var busy = LevelIntegral()
    @usableFromInline var waiting = LevelIntegral()
    /// Jobs that are served along with another one; see ``startFollowers(of:within:at:)``.
    @usableFromInline var following = LevelIntegral()
    /// Owners are numbers, of users for example.
    @usableFromInline var line: WaitingLine<UInt32, Job>
    @usableFromInline var counts = StationCounts()
    @usableFromInline var account = ServiceAccount()

    /// - Parameters:
    ///   - servers: Jobs served at the same time. 0 is a station that is down.
    ///   - discipline: Who is next, and who is refused.
    ///   - queueCapacity: Places to wait, not counting the servers; `nil` for no limit.
    ///   - waitLimit: Nobody who has waited longer is served; needs ``dropLate(at:)``. A job that would probably wait
    ///     longer until it was served is refused, unless it would wait alone.
    ///   - priorities: Classes of jobs, for first come, first served; class 0 is the most urgent.
    @inlinable
    package init(
        servers: Int, discipline: QueueDiscipline = .firstCome, queueCapacity: Int? = nil,
        waitLimit: SimulatedDuration? = nil, priorities: Int = 1
    ) {
        precondition(servers >= 0, "a station cannot have \(servers) servers")
        line = WaitingLine(
            discipline, servers: servers, countLimit: queueCapacity, waitLimit: waitLimit,
            priorities: priorities)
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
    ///   - owner: Whose job it is, for the fair discipline.
    ///   - priority: Class of the job, 0 for the most urgent.
    ///   - work: How long it will probably be served, for the limit of the wait and the fair discipline.
    ///   - units: Those in it, for ``startFollowers(of:within:at:)``; 0 for what is served by itself.
    @inlinable
    package mutating func arrive(
        _ job: Job, owner: UInt32 = 0, priority: Int = 0, work: SimulatedDuration = .zero, units: Int = 0,
        at now: SimulatedTime
    ) -> Admission<Job> {
        counts.arrivals &+= 1
        if busy.level < available.level {
            busy.add(1, at: now)
            return .starts
        }
        let entry = WaitingLine<UInt32, Job>.Entry(
            element: job, since: now, work: work.nanoseconds, units: units)
        if line.isFair { return wait(entry, owner, at: now) }
        guard line.addInOrder(entry, priority) else {
            counts.rejections &+= 1
            return .rejected
        }
        noteWait(at: now)
        return .waits
    }

    @inlinable
    @inline(never)
    mutating func wait(
        _ entry: WaitingLine<UInt32, Job>.Entry, _ owner: UInt32, at now: SimulatedTime
    ) -> Admission<Job> {
        switch line.addFairly(entry, owner) {
        case .free:
            noteWait(at: now)
            return .waits
        case .none:
            counts.rejections &+= 1
            return .rejected
        case .insteadOf(let goers):
            waiting.add(1, at: now)
            counts.rejections &+= goers.count
            // Those who go make the line no longer than it was.
            return .displaces(goers.map { leave($0, at: now) })
        }
    }

    @inlinable
    mutating func noteWait(at now: SimulatedTime) {
        waiting.add(1, at: now)
        counts.maximumQueueLength = max(counts.maximumQueueLength, waiting.level)
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

    /// Takes jobs out of the line to be served along with one that has just started: a server that answers several
    /// requests in one go; see ``WaitingLine/takeFollowers(of:within:)``. They occupy no server;
    /// ``finishFollower(at:)`` notes the end of each.
    ///
    /// - Parameter units: Those of the one that has started.
    @inlinable
    package mutating func startFollowers(
        of units: Int, within bounds: GroupBounds, at now: SimulatedTime
    ) -> [Job] {
        let followers = line.takeFollowers(of: units, within: bounds)
        following.add(followers.count, at: now)
        return followers.map { leave($0, at: now) }
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

    /// Notes that a job in service will take so much longer than noted.
    package mutating func extendService(by duration: SimulatedDuration) {
        account.promised &+= Int128(duration.nanoseconds)
        account.longest = max(account.longest, duration.nanoseconds)
    }

    /// Takes the next job out of the line.
    @inlinable
    mutating func nextWaiting(at now: SimulatedTime) -> Job? {
        guard let next = line.next() else { return nil }
        return leave(next, at: now)
    }

    /// Notes that a job waits no longer.
    @inlinable
    mutating func leave(_ entry: WaitingLine<UInt32, Job>.Entry, at now: SimulatedTime) -> Job {
        waiting.add(-1, at: now)
        account.waited &+= Int128(now.nanoseconds &- entry.since.nanoseconds)
        return entry.element
    }

    /// Changes how many servers are in operation: an outage, a recovery, scaling.
    ///
    /// Taking servers away interrupts nobody: the jobs on them finish, and
    /// until then more servers are busy than there are.
    ///
    /// - Returns: The waiting jobs that start now.
    @inlinable
    package mutating func setServers(_ number: Int, at now: SimulatedTime) -> [Job] {
        precondition(number >= 0, "a station cannot have \(number) servers")
        available.set(number, at: now)
        line.servers = number
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
        let dropped = line.removeLate(at: now)
        counts.dropped &+= dropped.count
        return dropped.map { leave($0, at: now) }
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
}
