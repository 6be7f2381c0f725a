/// Servers that all jobs share evenly: threads on a few cores, or flows on a line.
///
/// With `n` jobs on `c` servers each job gets `min(1, c / n)` of a server
/// (egalitarian processor sharing). Nobody waits; a job may be refused when too
/// many are present. The station has no clock: the model keeps one timer for
/// ``nextCompletion`` and sets it again after every change.
///
///     if station.arrive(job, work: .milliseconds(3), at: now) == .starts { rearm() }
///     // and when the timer fires
///     while let done = station.finish(at: now) { leave(done) }
///     rearm()
///
/// Work is kept in units of 2⁻²⁰ ns; a job never ends before it got all of its
/// work, and less than 1 ns after.
package struct SharedStation<Job: Sendable>: Sendable {
    private struct Share: Sendable {
        let job: Job
        /// The job is done when every job present from the start would have got this much.
        let target: Int128
        let order: UInt64
        let since: SimulatedTime
        let work: Int128

        static func < (left: Share, right: Share) -> Bool {
            (left.target, left.order) < (right.target, right.order)
        }
    }

    /// Jobs beyond which an arrival is refused; `nil` for no limit.
    package let jobLimit: Int?

    /// Servers in operation.
    package private(set) var servers: Int
    package private(set) var totals = StationCounts()

    /// A binary heap, the next to be done first.
    private var shares: [Share] = []
    private var nextOrder: UInt64 = 0
    /// What a job present since the start would have got so far.
    private var received: Int128 = 0
    private var lastChange = SimulatedTime.start
    private var changes: Int128 = 0
    private var mostPresent = 0

    private var present = LevelIntegral()
    private var busy = LevelIntegral()
    private var available: LevelIntegral
    private var spent: Int128 = 0
    private var served: Int128 = 0

    private static var unitsPerNanosecond: Int128 { 1 << 20 }

    /// - Parameters:
    ///   - servers: 0 is a station that is down; its jobs stand still.
    ///   - jobLimit: Most jobs at the same time.
    package init(servers: Int, jobLimit: Int? = nil) {
        precondition(servers >= 0, "a station cannot have \(servers) servers")
        precondition((jobLimit ?? 1) >= 1, "a station must have room for a job")
        self.servers = servers
        self.jobLimit = jobLimit
        available = LevelIntegral(level: servers)
    }

    /// Jobs in service.
    package var jobCount: Int { shares.count }

    /// When the next job is done if nothing changes before; `nil` if none is served.
    package var nextCompletion: SimulatedTime? {
        guard let first = shares.first, servers > 0 else { return nil }
        let rest = max(0, first.target - received) * Int128(shares.count)
        let speed = Int128(min(servers, shares.count)) * Self.unitsPerNanosecond
        return lastChange.advanced(
            by: .nanoseconds(Int64(clamping: (rest + speed - 1) / speed)))
    }

    /// - Parameter work: How long the job would take alone. Positive or 0.
    /// - Returns: Never ``Admission/waits``.
    package mutating func arrive(_ job: Job, work: SimulatedDuration, at now: SimulatedTime) -> Admission {
        precondition(work >= .zero, "a job cannot have negative work")
        totals.arrivals += 1
        if let jobLimit, shares.count >= jobLimit {
            totals.rejections += 1
            return .rejected
        }
        advance(to: now)
        let units = Int128(work.nanoseconds) * Self.unitsPerNanosecond
        let share = Share(
            job: job, target: received + units, order: nextOrder, since: now, work: units)
        nextOrder += 1
        shares.append(share)
        raise(shares.count - 1)
        present.add(1, at: now)
        mostPresent = max(mostPresent, shares.count)
        updateBusy(at: now)
        return .starts
    }

    /// Ends the service of one job that has got all of its work by now.
    ///
    /// - Returns: `nil` when there is none (left).
    package mutating func finish(at now: SimulatedTime) -> Job? {
        advance(to: now)
        guard let first = shares.first, first.target <= received else { return nil }
        removeFirst()
        totals.completions += 1
        spent += Int128((now - first.since).nanoseconds)
        served += first.work
        present.add(-1, at: now)
        updateBusy(at: now)
        return first.job
    }

    /// Changes how many servers are in operation; 0 stops every job where it is.
    package mutating func setServers(_ number: Int, at now: SimulatedTime) {
        precondition(number >= 0, "a station cannot have \(number) servers")
        advance(to: now)
        servers = number
        available.set(number, at: now)
        updateBusy(at: now)
    }

    /// Forgets all jobs, as a crash does.
    ///
    /// - Returns: The jobs, in the order in which they arrived; counted as abandoned.
    package mutating func abandon(at now: SimulatedTime) -> [Job] {
        advance(to: now)
        for share in shares {
            spent += Int128((now - share.since).nanoseconds)
            served += share.work - max(0, share.target - received)
        }
        let jobs = shares.sorted { $0.order < $1.order }.map(\.job)
        shares = []
        totals.abandoned += jobs.count
        present.set(0, at: now)
        updateBusy(at: now)
        return jobs
    }

    /// The integrals up to `time`; nobody waits here.
    package func areas(until time: SimulatedTime) -> StationAreas {
        StationAreas(
            time: time, busy: busy.area(until: time), waiting: 0, available: available.area(until: time))
    }

    /// Mean number of jobs present from the start to `time`; `nil` if no time passed.
    package func meanPresent(until time: SimulatedTime) -> Double? {
        time > .start ? Double(present.area(until: time)) / Double(time.nanoseconds) : nil
    }

    private mutating func advance(to now: SimulatedTime) {
        precondition(now >= lastChange, "a station cannot go back in time")
        changes += 1
        if !shares.isEmpty {
            let elapsed = Int128((now - lastChange).nanoseconds) * Self.unitsPerNanosecond
            received += elapsed * Int128(min(servers, shares.count)) / Int128(shares.count)
        }
        lastChange = now
    }

    private mutating func updateBusy(at now: SimulatedTime) {
        busy.set(min(servers, shares.count), at: now)
    }

    private mutating func raise(_ start: Int) {
        var place = start
        while place > 0, shares[place] < shares[(place - 1) / 2] {
            shares.swapAt(place, (place - 1) / 2)
            place = (place - 1) / 2
        }
    }

    private mutating func removeFirst() {
        shares.swapAt(0, shares.count - 1)
        shares.removeLast()
        var place = 0
        while true {
            var child = 2 * place + 1
            guard child < shares.count else { return }
            if child + 1 < shares.count, shares[child + 1] < shares[child] { child += 1 }
            guard shares[child] < shares[place] else { return }
            shares.swapAt(place, child)
            place = child
        }
    }
}

extension SharedStation: CheckedResource {
    package func identityChecks(at now: SimulatedTime) -> [IdentityCheck] {
        var later = self
        later.advance(to: now)
        let gone = totals.completions + totals.rejections + totals.abandoned
        var (time, work) = (spent, served)
        for share in shares {
            time += Int128((now - share.since).nanoseconds)
            work += share.work - max(0, share.target - later.received)
        }
        // A job keeps its share until the nanosecond in which it is done, and every change rounds shares down.
        let rounding =
            Int128(totals.completions + shares.count) + later.changes * Int128(mostPresent) >> 20 + 1
        return [
            IdentityCheck(
                .conservation, expected: Int128(totals.arrivals), observed: Int128(gone + shares.count)),
            IdentityCheck(.littlesLaw, expected: time, observed: present.area(until: now)),
            IdentityCheck(
                .utilization, expected: work / Self.unitsPerNanosecond, observed: busy.area(until: now),
                tolerance: -1...rounding),
        ]
    }
}
