package import EventSimulation
import RandomStreams
import URLFilter

/// Way from a URL with hits to its verdict.
extension URLFilterModel {
    package mutating func takeMisses(
        _ misses: PendingMisses, in world: inout World, at now: SimulatedTime
    ) -> Bool {
        world.countMisses(misses.count, of: misses.device, obstacle(misses.device), began: now, at: now)
    }

    /// A device without a prefilter has nothing to test URLs with.
    private func obstacle(_ device: Int) -> Obstacle? {
        devices[device].edition > 0 ? nil : Obstacle(policy: policy, cause: .notReady)
    }

    package mutating func check(
        _ hits: [HitKey], isMeant: Bool, load: Int, holds: Bool, in world: inout World,
        _ agenda: inout Future
    ) throws -> Bool {
        let now = agenda.now
        let (device, began) = (world.loads.open[load].device, world.loads.open[load].start)
        guard world.loads.open[load].participation == .honours else {
            let lives = editions.lives
            let isListed =
                isMeant || hits.contains { $0.isListed && lives.met($0, by: device, at: now).isKnown }
            world.passUnasked(load: load, isListed: isListed, at: now)
            return false
        }
        var keys = hits
        let matches = see(&keys, device: device, at: now)
        guard !keys.isEmpty else {
            miss(isMeant: isMeant, isListed: matches, load: load, in: &world, at: now)
            return false
        }
        let listed = matches || isMeant
        let counted = world.counts(began)
        if counted {
            world.record.urls.hit += 1
            if listed { world.countListed(of: device) }
        }
        var waiter = Waiter(
            device: device, batch: .none, started: now, listed: listed, isMeant: isMeant, counted: counted,
            load: load, holds: holds)
        guard devices[device].edition > 0, devices[device].exchanges.isActive else {
            count(Decision(Verdict(noAnswerUnder: policy)), of: waiter, in: &world, at: now)
            return false
        }
        let slot = waiting.urls.insert(waiter)
        let outcome = machines[machine(of: device)].check(
            keys, request: RequestNumber(slot), at: now.nanoseconds, filterIsReady: true)
        switch outcome {
        case .decided(let verdict, let source):
            waiter = waiting.urls.remove(slot)
            if verdict == .blockedByServer { noteBlocked(keys, by: device, in: &world, &agenda) }
            count(Decision(verdict, fromCache: source.isCache), of: waiter, in: &world, at: now)
            return false
        case .lookUp(let number, asked: let asked, deadline: let deadline):
            wait(slot, for: number, until: deadline, in: &world, &agenda)
            let batch = PendingBatch(
                number: number, keys: asked, wanted: now, deadline: SimulatedTime(nanoseconds: deadline),
                counted: counted)
            try lookUp(batch, device: device, in: &world, &agenda)
        case .joined(let number, deadline: let deadline):
            if counted { world.record.urlFilter.lookups.coalesced += 1 }
            wait(slot, for: number, until: deadline, in: &world, &agenda)
        }
        return true
    }

    /// Counts a URL none of whose strings is in the device's prefilter.
    private func miss(isMeant: Bool, isListed: Bool, load: Int, in world: inout World, at now: SimulatedTime)
    {
        let (device, began) = (world.loads.open[load].device, world.loads.open[load].start)
        let isBlocked = world.countMisses(
            1, areMeant: isMeant, of: device, obstacle(device), began: began, at: now)
        if isMeant {
            world.countMeant(isBlocked: isBlocked, of: device, began: began, at: now)
        } else if isBlocked {
            world.breakPage(load, by: .policy, at: now)
        }
        if isListed { world.countLeak(.stale, of: device, began: began, at: now) }
    }

    /// Place of the device's verdict machine, which is made when it is needed first.
    mutating func machine(of device: Int) -> Int {
        if devices[device].machine == 0 {
            machines.append(VerdictMachine(constants: constants, policy: policy))
            devices[device].machine = UInt32(machines.count)
        }
        return Int(devices[device].machine) - 1
    }

    private mutating func wait(
        _ waiter: Int, for batch: BatchNumber, until deadline: Nanoseconds, in world: inout World,
        _ agenda: inout Future
    ) {
        waiting.ledger.enter(at: agenda.now)
        world.hold(load: waiting.urls[waiter].load)
        waiting.urls[waiter].batch = batch
        waiting.deadlines.append(waiting.urls.name(of: waiter), at: SimulatedTime(nanoseconds: deadline))
        waiting.deadlines.arm(.filter(.verdictTimeouts), &agenda)
    }

    /// Asks the PIR server, as soon as the device has a token.
    private mutating func lookUp(
        _ batch: PendingBatch, device: Int, in world: inout World, _ agenda: inout Future
    ) throws {
        if batch.counted {
            world.record.urlFilter.lookups.sent += 1
            world.countInGroup(of: device) { $0.lookupsSent += 1 }
            world.record.urlFilter.lookups.keywords += batch.keys.count
        }
        world.record.series.update(at: agenda.now) { $0.lookups += 1 }
        if world.log != nil {
            world.trails.begin(
                LoggedLookup(
                    device: device, number: batch.number.rawValue, keywords: batch.keys.count,
                    isCounted: batch.counted, started: batch.wanted, ended: batch.wanted))
        }
        try tell(device, .lookUpNeeded, lookUp: batch, in: &world, &agenda)
    }

    mutating func endLookup(
        _ exchange: Exchange, _ message: Message, _ outcome: ExchangeOutcome, in world: inout World,
        _ agenda: inout Future
    ) throws {
        // The other of two requests was first.
        guard let batch = exchange.batch else { return }
        guard case .success(let present, _) = outcome, present.count == batch.keys.count else {
            if try goesOn(exchange, batch, device: message.device, in: &world, &agenda) { return }
            var cause = FailureCause.network
            if case .failure(let status) = outcome { cause = FailureCause(status: status) }
            fail(batch, device: message.device, cause: cause, in: &world, &agenda)
            return
        }
        leaveTwin(of: exchange, in: &world)
        let now = agenda.now
        let blocked = zip(batch.keys, present).filter(\.1).map(\.0)
        if !blocked.isEmpty { noteBlocked(blocked, by: message.device, in: &world, &agenda) }
        if batch.counted {
            world.record.urlFilter.lookups.answered += 1
            world.countInGroup(of: message.device) { $0.lookupsAnswered += 1 }
            if present.contains(true) { world.record.urlFilter.lookups.answeredListed += 1 }
            if now > batch.deadline { world.record.urlFilter.lookups.late += 1 }
            world.record.urlFilter.lookups.checkedAgainstList += present.count
            let lives = editions.lives
            world.record.urlFilter.lookups.disagreements += zip(present, batch.keys).count {
                $0 != lives.isListed($1, in: exchange.databaseEdition)
            }
            stages.record(message, waited: message.started - batch.wanted, in: &world, at: now)
        }
        if let log = world.log {
            var times: [Stage: SimulatedDuration] = [:]
            message.visitStages(waited: message.started - batch.wanted, in: &world, at: now) {
                times[$0] = $1
            }
            let ended = world.trails.end(
                device: message.device, number: batch.number.rawValue,
                .answered(isListed: present.contains(true)), times, at: now)
            if let ended { log.add(ended) }
        }
        let decided = machines[machine(of: message.device)].answer(
            batch.number, present: present, at: now.nanoseconds)
        for (request, verdict) in decided {
            decide(Int(request), verdict, cause: .timeout, in: &world, &agenda)
        }
    }

    /// The lookup ended without an answer: the policy decides for everything that waits for it.
    mutating func fail(
        _ batch: PendingBatch, device: Int, cause: FailureCause, in world: inout World,
        _ agenda: inout Future
    ) {
        if batch.counted {
            world.record.urlFilter.lookups.failed[cause, default: 0] += 1
            world.countInGroup(of: device) { $0.lookupsFailed += 1 }
        }
        world.record.series.update(at: agenda.now) { $0.failures += 1 }
        if let log = world.log,
            let ended = world.trails.end(
                device: device, number: batch.number.rawValue, .failed(cause), at: agenda.now)
        {
            log.add(ended)
        }
        let decided = machines[machine(of: device)].fail(batch.number, at: agenda.now.nanoseconds)
        for (request, verdict) in decided { decide(Int(request), verdict, cause: cause, in: &world, &agenda) }
    }

    /// Every URL whose patience is over gets the policy's verdict.
    mutating func timeOutOverdue(in world: inout World, _ agenda: inout Future) {
        waiting.deadlines.disarm()
        while let waiter = waiting.deadlines.popDue(agenda.now) {
            if waiting.urls.contains(waiter) { timeOut(waiter: Int(waiter.slot), in: &world, &agenda) }
        }
        while let front = waiting.deadlines.front, !waiting.urls.contains(front) {
            waiting.deadlines.dropFront()
        }
        waiting.deadlines.arm(.filter(.verdictTimeouts), &agenda)
    }

    private mutating func timeOut(waiter: Int, in world: inout World, _ agenda: inout Future) {
        let url = waiting.urls[waiter]
        guard
            let verdict = machines[machine(of: url.device)].timeOut(
                RequestNumber(waiter), batch: url.batch, at: agenda.now.nanoseconds)
        else { return }
        decide(waiter, verdict, cause: .timeout, in: &world, &agenda)
    }

    private mutating func decide(
        _ slot: Int, _ verdict: Verdict, cause: FailureCause, in world: inout World, _ agenda: inout Future
    ) {
        let now = agenda.now
        let waiter = waiting.urls.remove(slot)
        waiting.ledger.leave(.decided, enteredAt: waiter.started, at: now)
        let latency = now - waiter.started
        if waiter.counted { world.countWait(latency, of: waiter.device) }
        world.record.series.update(at: now) {
            $0.decided += 1
            $0.latencySum += latency.seconds
        }
        count(Decision(verdict, wait: latency, cause: cause), of: waiter, in: &world, at: now)
        world.release(load: waiter.load, after: latency, holds: waiter.holds, &agenda)
    }

    private mutating func count(
        _ decision: Decision, of waiter: Waiter, in world: inout World, at now: SimulatedTime
    ) {
        let (verdict, fromCache, cause) = (decision.verdict, decision.fromCache, decision.cause)
        let leaked = waiter.listed && !verdict.blocks
        let falselyBlocked = !waiter.listed && verdict.blocks
        // What a cache knows says nothing about the servers.
        if !fromCache { world.record.health.count(failed: verdict.isByPolicy, at: now) }
        if verdict.isByPolicy && cause == .timeout {
            world.breakPage(waiter.load, by: .late, at: now)
        } else if falselyBlocked {
            world.breakPage(waiter.load, by: verdict.isByPolicy ? .policy : .stale, at: now)
        }
        if leaked { world.record.series.update(at: now) { $0.leaked += 1 } }
        if falselyBlocked { world.record.series.update(at: now) { $0.falselyBlocked += 1 } }
        guard waiter.counted else { return }
        world.log?.add(
            LoggedURL(waiter, wait: decision.wait, verdict: verdict, cause: verdict.isByPolicy ? cause : nil))
        world.record.urls.count(verdict, cause: cause)
        if fromCache { world.record.urls.answeredByCache += 1 }
        let began = world.loads.open[waiter.load].start
        if waiter.listed { world.countDecided(began: began, at: now) }
        if leaked { world.countLeaked(of: waiter.device, began: began, at: now) }
        if leaked, waiter.isMeant { world.record.urls.unmatchable? += 1 }
        // The database is never wrong about its own edition.
        if leaked, !waiter.isMeant {
            if verdict.isByPolicy {
                world.record.urls.policyLeaks[cause, default: 0] += 1
            } else {
                world.record.urls.stale += 1
            }
        }
        guard falselyBlocked else { return }
        world.countFalselyBlocked(of: waiter.device, began: began, at: now)
        if verdict.isByPolicy {
            world.record.urls.policyBlocks[cause, default: 0] += 1
        } else {
            world.record.urls.staleBlocks += 1
        }
    }
}
