import EventSimulation
import URLFilter

/// Deadlines of what devices repeat after equal times, each in a line of its own.
struct DeviceTimers {
    var fetches = DeadlineLine<UInt32>()
    var refetches = DeadlineLine<UInt32>()
    var renewals = DeadlineLine<UInt32>()
}

/// Tokens, configuration and evaluation key: does what a device's ``ExchangeMachine`` decides.
extension URLFilterModel {
    /// - Parameter lookUp: The lookup that `.lookUpNeeded` is about.
    mutating func tell(
        _ device: Int, _ event: ExchangeEvent, lookUp batch: PendingBatch? = nil, in world: inout World,
        _ agenda: inout Future
    ) throws {
        let now = agenda.now.nanoseconds
        let rules = exchangeRules[world.group(of: device)]
        // The age of a token is known to the second.
        let oldest = SimulatedTime(nanoseconds: rules.oldestToken(at: now)).wholeSeconds
        let holdings = ExchangeHoldings(
            tokens: tokens.count(of: device), expired: tokens.count(of: device, olderThan: oldest),
            lookups: tokenQueues[device]?.count ?? 0)
        let steps = devices[device].exchanges.handle(event, at: now, holdings, by: rules)
        if steps.forgetsTokenKey { work.forgetTokenKey(device: device) }
        if steps.discarded > 0 {
            work.discardTokens(device: device, oldest: steps.discarded)
            tokens.removeOldest(steps.discarded, of: device)
        }
        // Nothing new is prepared for after the end.
        if steps.waits.contains(.refill), world.isOpen(agenda.now) {
            wait(.refill, device, .refillTokens(device: UInt32(device)), rules, &agenda)
        }
        if let endpoint = steps.setUp {
            if rules.needsToken(endpoint) {
                tokens.removeOldest(1, of: device)
                try begin(endpoint, device: device, in: &world, &agenda)
            } else {
                askPublicCache(device, in: &world, &agenda)
            }
        }
        switch steps.lookups {
        case .none: if let batch { tokenQueues[device, default: []].append(batch) }
        case .begin:
            tokens.removeOldest(1, of: device)
            let next = batch ?? longestWaiting(device)
            try begin(.queries, device: device, batch: next, in: &world, &agenda)
        case .fail:
            for batch in tokenQueues.removeValue(forKey: device) ?? [] {
                fail(batch, device: device, cause: .noToken, in: &world, &agenda)
            }
        }
        if steps.sendsReport {
            tokens.removeOldest(1, of: device)
            try begin(
                .report, device: device, reporting: reports.send(of: device), in: &world, &agenda)
        }
        wait(for: steps.waits, device, rules, in: &world, &agenda)
        if let endpoint = steps.fetch { try begin(endpoint, device: device, in: &world, &agenda) }
        for _ in 0..<steps.issues { try begin(.issue, device: device, in: &world, &agenda) }
    }

    /// Begins all waits but for a refill.
    private mutating func wait(
        for waits: ExchangeWait.Set, _ device: Int, _ rules: ExchangeRules, in world: inout World,
        _ agenda: inout Future
    ) {
        if waits.contains(.retry) {
            wait(.retry, device, .setUp(device: UInt32(device)), rules, &agenda)
        }
        if waits.contains(.background) {
            wait(.background, device, .backgroundRefill(device: UInt32(device)), rules, &agenda)
        }
        if waits.contains(.refetch) { waitToRefetch(device, rules, in: &world, &agenda) }
        if waits.contains(.renewal), let time = end(of: .renewal, device, rules, in: &world, agenda.now) {
            timers.renewals.append(UInt32(device), at: time)
            timers.renewals.arm(.filter(.keyRenewals), &agenda)
        }
    }

    private mutating func waitToRefetch(
        _ device: Int, _ rules: ExchangeRules, in world: inout World, _ agenda: inout Future
    ) {
        let time = end(of: .refetch, device, rules, in: &world, agenda.now)
        guard instants == nil else {
            // Replayed ones do not end in the order in which they began, so that no line can have them.
            guard let time = replayedEnd(of: .refetch, device, rules, agenda.now) ?? time else { return }
            return agenda.schedule(.filter(.configurationRefetch(device: UInt32(device))), at: time)
        }
        guard let time else { return }
        timers.refetches.append(UInt32(device), at: time)
        timers.refetches.arm(.filter(.configurationRefetches), &agenda)
    }

    private mutating func longestWaiting(_ device: Int) -> PendingBatch? {
        guard var queue = tokenQueues[device], !queue.isEmpty else { return nil }
        let batch = queue.removeFirst()
        tokenQueues[device] = queue.isEmpty ? nil : queue
        return batch
    }

    private mutating func wait(
        _ wait: ExchangeWait, _ device: Int, _ event: URLFilterEvent, _ rules: ExchangeRules,
        _ agenda: inout Future
    ) {
        let uniform = drawTiming(device)
        let pause = devices[device].exchanges.pause(before: wait, by: rules, uniform: uniform)
        let drawn = agenda.now.advanced(by: SimulatedDuration(nanoseconds: pause))
        agenda.schedule(.filter(event), at: replayedEnd(of: wait, device, rules, agenda.now) ?? drawn)
    }

    /// Time when a wait that is not random ends; `nil` if that is after the end of the run.
    private func end(
        of wait: ExchangeWait, _ device: Int, _ rules: ExchangeRules, in world: inout World,
        _ now: SimulatedTime
    ) -> SimulatedTime? {
        let pause = devices[device].exchanges.pause(before: wait, by: rules, uniform: 0)
        let time = now.advanced(by: SimulatedDuration(nanoseconds: pause))
        return world.isOpen(time) ? time : nil
    }

    /// A wait of the device is over.
    mutating func endWait(
        _ wait: ExchangeWait, _ device: Int, in world: inout World, _ agenda: inout Future
    ) throws {
        // After the end a stock that runs low is still filled, but nothing is done for later.
        guard wait == .refill || world.isOpen(agenda.now) else {
            return devices[device].exchanges.cancel(wait)
        }
        try tell(device, .over(wait), in: &world, &agenda)
    }

    mutating func endExchange(
        _ exchange: Exchange, device: Int, _ outcome: ExchangeOutcome, in world: inout World,
        _ agenda: inout Future
    ) throws {
        let end: ExchangeEnd
        switch outcome {
        case .failure(let status): end = .failure(status: status)
        case .success(_, let keyUploadNeeded):
            end = .success(keyUploadNeeded: keyUploadNeeded)
            if exchange.endpoint == .report { reports.remove(exchange.reported, of: device) }
            if exchange.endpoint == .issue { tokens.add(1, to: device, at: agenda.now.wholeSeconds) }
            if exchange.endpoint == .config {
                noteConfiguration(of: device, edition: loadedEdition(at: agenda.now))
            }
        }
        if exchange.endpoint == .report { awaitReport(device, in: &world, &agenda) }
        try tell(
            device, .ended(exchange.endpoint, end, tokenKey: exchange.tokenKeyNumber), in: &world, &agenda)
    }
}
