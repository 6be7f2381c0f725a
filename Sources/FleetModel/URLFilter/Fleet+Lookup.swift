import EventSimulation
import RandomStreams
import URLFilter

/// From a URL with hits to its verdict.
extension Fleet {
    /// - Parameters:
    ///   - hits: Raw values of ``HitKey``.
    ///   - load: The load that the URL belongs to. Its beginning decides whether the URL is counted.
    ///   - holds: The load goes on when this URL has its verdict.
    /// - Returns: Whether the URL waits for a lookup.
    mutating func check(
        _ hits: [UInt64], load: Int, holds: Bool, at now: SimulatedTime, _ agenda: inout Agenda<FleetEvent>
    ) throws -> Bool {
        let (device, began) = (loads[load].device, loads[load].start)
        var keys = hits
        let listed = see(&keys, device: device, at: now)
        if keys.isEmpty {
            if countMisses(1, device: device, at: began) { breakPage(load) }
            if listed { countStale(began: began, at: now) }
            return false
        }
        let counted = counts(began)
        if counted {
            record.urls.hit += 1
            if listed { record.urls.listed += 1 }
        }
        var waiter = Waiter(
            device: device, batch: .none, started: now, listed: listed, counted: counted, load: load,
            holds: holds)
        guard devices[device].edition > 0, devices[device].isActive else {
            count(
                Verdict(noAnswerUnder: configuration.policy), of: waiter, fromCache: false, cause: .notReady,
                at: now)
            return false
        }
        let slot = waiters.insert(waiter)
        let outcome = machines[machine(of: device)].check(
            keys, request: RequestNumber(slot), at: now.nanoseconds, filterIsReady: true)
        switch outcome {
        case .decided(let verdict, let source):
            waiter = waiters.remove(slot)
            count(verdict, of: waiter, fromCache: source.isCache, cause: .notReady, at: now)
            return false
        case .lookUp(let number, asked: let asked, deadline: let deadline):
            wait(slot, for: number, until: deadline, at: now, &agenda)
            let batch = PendingBatch(
                number: number, keys: asked, deadline: SimulatedTime(nanoseconds: deadline), counted: counted)
            try lookUp(batch, device: device, at: now, &agenda)
        case .joined(let number, deadline: let deadline):
            if counted { record.lookups.coalesced += 1 }
            wait(slot, for: number, until: deadline, at: now, &agenda)
        }
        return true
    }

    /// Place of the device's verdict machine, which is made when it is needed first.
    private mutating func machine(of device: Int) -> Int {
        if devices[device].machine == 0 {
            machines.append(VerdictMachine(constants: configuration.device, policy: configuration.policy))
            devices[device].machine = UInt32(machines.count)
        }
        return Int(devices[device].machine) - 1
    }

    private mutating func wait(
        _ waiter: Int, for batch: BatchNumber, until deadline: Nanoseconds, at now: SimulatedTime,
        _ agenda: inout Agenda<FleetEvent>
    ) {
        waits.enter(at: now)
        loads[waiters[waiter].load].waiting += 1
        waiters[waiter].batch = batch
        verdictDeadlines.append(waiters.name(of: waiter), at: SimulatedTime(nanoseconds: deadline))
        verdictDeadlines.arm(.verdictTimeouts, &agenda)
    }

    /// Asks the PIR server, as soon as the device has a token.
    private mutating func lookUp(
        _ batch: PendingBatch, device: Int, at now: SimulatedTime, _ agenda: inout Agenda<FleetEvent>
    ) throws {
        if batch.counted {
            record.lookups.sent += 1
            record.lookups.keywords += batch.keys.count
        }
        record.series.update(at: now) { $0.lookups += 1 }
        if takeToken(device, at: now, &agenda) {
            try send(batch, device: device, at: now, &agenda)
        } else {
            tokenQueues[device, default: []].append(batch)
            try requestTokens(device, upTo: configuration.device.tokensWhenEmpty, at: now, &agenda)
        }
    }

    mutating func send(
        _ batch: PendingBatch, device: Int, at now: SimulatedTime, _ agenda: inout Agenda<FleetEvent>
    ) throws {
        try begin(.queries, device: device, batch: batch, at: now, &agenda)
    }

    mutating func endLookup(
        _ exchange: Exchange, _ outcome: ExchangeOutcome, at now: SimulatedTime,
        _ agenda: inout Agenda<FleetEvent>
    ) {
        guard let batch = exchange.batch else {
            preconditionFailure("a queries exchange carries a batch")
        }
        guard case .success(let present, _) = outcome, present.count == batch.keys.count else {
            var cause = FailureCause.network
            if case .failure(let status) = outcome { cause = FailureCause(status: status) }
            fail(batch, device: exchange.device, cause: cause, at: now, &agenda)
            return
        }
        if batch.counted {
            record.lookups.answered += 1
            if present.contains(true) { record.lookups.answeredListed += 1 }
            if now > batch.deadline { record.lookups.late += 1 }
            record.lookups.checkedAgainstList += present.count
            let lives = lives
            record.lookups.disagreements += zip(present, batch.keys).count {
                $0 != lives.isListed($1, in: exchange.databaseEdition)
            }
            recordStages(of: exchange, at: now)
        }
        let decided = machines[machine(of: exchange.device)].answer(
            batch.number, present: present, at: now.nanoseconds)
        for (request, verdict) in decided { decide(Int(request), verdict, cause: .timeout, at: now, &agenda) }
    }

    /// The lookup ended without an answer: the policy decides for everything that waits for it.
    mutating func fail(
        _ batch: PendingBatch, device: Int, cause: FailureCause, at now: SimulatedTime,
        _ agenda: inout Agenda<FleetEvent>
    ) {
        if batch.counted { record.lookups.failed[cause, default: 0] += 1 }
        record.series.update(at: now) { $0.failures += 1 }
        let decided = machines[machine(of: device)].fail(batch.number, at: now.nanoseconds)
        for (request, verdict) in decided { decide(Int(request), verdict, cause: cause, at: now, &agenda) }
    }

    /// Every URL whose patience is over gets the policy's verdict.
    mutating func timeOutOverdue(at now: SimulatedTime, _ agenda: inout Agenda<FleetEvent>) throws {
        verdictDeadlines.disarm()
        while let waiter = verdictDeadlines.popDue(now) {
            if waiters.contains(waiter) { timeOut(waiter: Int(waiter.slot), at: now, &agenda) }
        }
        while let front = verdictDeadlines.front, !waiters.contains(front) { verdictDeadlines.dropFront() }
        verdictDeadlines.arm(.verdictTimeouts, &agenda)
    }

    private mutating func timeOut(waiter: Int, at now: SimulatedTime, _ agenda: inout Agenda<FleetEvent>) {
        let waiting = waiters[waiter]
        guard
            let verdict = machines[machine(of: waiting.device)].timeOut(
                RequestNumber(waiter), batch: waiting.batch, at: now.nanoseconds)
        else { return }
        decide(waiter, verdict, cause: .timeout, at: now, &agenda)
    }

    private mutating func decide(
        _ slot: Int, _ verdict: Verdict, cause: FailureCause, at now: SimulatedTime,
        _ agenda: inout Agenda<FleetEvent>
    ) {
        let waiter = waiters.remove(slot)
        waits.leave(.decided, enteredAt: waiter.started, at: now)
        recordLatency(of: waiter, at: now)
        count(verdict, of: waiter, fromCache: false, cause: cause, at: now)
        release(waiter, at: now, &agenda)
    }

    private mutating func recordLatency(of waiter: Waiter, at now: SimulatedTime) {
        let latency = now - waiter.started
        if waiter.counted { record.verdictLatency.record(latency) }
        record.series.update(at: now) {
            $0.decided += 1
            $0.latencySum += latency.seconds
        }
    }

    /// - Parameter cause: Why the policy decided, if it did.
    private mutating func count(
        _ verdict: Verdict, of waiter: Waiter, fromCache: Bool, cause: FailureCause, at now: SimulatedTime
    ) {
        let leaked = waiter.listed && !verdict.blocks
        let falselyBlocked = !waiter.listed && verdict.blocks
        // What a cache knows says nothing about the servers.
        if !fromCache { record.health.count(failed: verdict.isByPolicy, at: now) }
        if falselyBlocked || verdict.isByPolicy && cause == .timeout { breakPage(waiter.load) }
        if leaked { record.series.update(at: now) { $0.leaked += 1 } }
        if falselyBlocked { record.series.update(at: now) { $0.falselyBlocked += 1 } }
        guard waiter.counted else { return }
        record.urls.count(verdict, cause: cause)
        if fromCache { record.urls.answeredByCache += 1 }
        if leaked { record.urls.leaked += 1 }
        if falselyBlocked { record.urls.falselyBlocked += 1 }
    }

    private mutating func recordStages(of exchange: Exchange, at now: SimulatedTime) {
        let total = now - exchange.started
        let inside =
            exchange.deviceTime + exchange.transmission + exchange.gatewayWaiting + exchange.gatewayWorking
            + exchange.serviceWaiting + exchange.serviceWorking
        stages.device.record(exchange.deviceTime)
        stages.gatewayWaiting.record(exchange.gatewayWaiting)
        stages.gatewayWorking.record(exchange.gatewayWorking)
        stages.pirWaiting.record(exchange.serviceWaiting)
        stages.pirWorking.record(exchange.serviceWorking)
        stages.transmission.record(exchange.transmission)
        stages.propagation.record(total - inside)
    }
}

/// Where the time of answered lookups went.
struct StageTimes {
    var device = LatencyHistogram()
    var gatewayWaiting = LatencyHistogram()
    var gatewayWorking = LatencyHistogram()
    var pirWaiting = LatencyHistogram()
    var pirWorking = LatencyHistogram()
    var transmission = LatencyHistogram()
    var propagation = LatencyHistogram()

    var byName: [Stage: LatencyHistogram] {
        [
            .device: device, .gatewayWaiting: gatewayWaiting, .gatewayWorking: gatewayWorking,
            .pirWaiting: pirWaiting, .pirWorking: pirWorking, .transmission: transmission,
            .propagation: propagation,
        ]
    }
}

extension URLCounts {
    mutating func count(_ verdict: Verdict, cause: FailureCause, times: Int = 1) {
        switch verdict {
        case .allowedByPrefilter: allowedByPrefilter += times
        case .allowedByServer: allowedByServer += times
        case .blockedByServer: blockedByServer += times
        case .allowedByPolicy:
            allowedByPolicy += times
            policyCauses[cause, default: 0] += times
        case .blockedByPolicy:
            blockedByPolicy += times
            policyCauses[cause, default: 0] += times
        }
    }
}

extension Verdict {
    var blocks: Bool { self == .blockedByServer || self == .blockedByPolicy }
    var isByPolicy: Bool { self == .allowedByPolicy || self == .blockedByPolicy }
}
