import EventSimulation
import RandomStreams
import URLFilter

/// What a device does so that lookups are possible: tokens, configuration, evaluation key, prefilter.
extension Fleet {
    /// Starts, or continues, the way to an active filter: tokens, `/config`, then `/key` if asked for.
    ///
    /// Does nothing while that is under way already.
    mutating func setUp(_ device: Int, at now: SimulatedTime, _ agenda: inout Agenda<FleetEvent>) throws {
        guard isOpen(now), devices[device].setUp == .idle else { return }
        try continueSetUp(device, at: now, &agenda)
    }

    /// The pause after a failed step is over.
    mutating func retrySetUp(
        _ device: Int, at now: SimulatedTime, _ agenda: inout Agenda<FleetEvent>
    ) throws {
        devices[device].setUpIsArmed = false
        // A periodic refetch may have succeeded during the pause.
        guard !devices[device].isActive || devices[device].failures > 0 else { return }
        try setUp(device, at: now, &agenda)
    }

    private mutating func continueSetUp(
        _ device: Int, at now: SimulatedTime, _ agenda: inout Agenda<FleetEvent>
    ) throws {
        guard takeToken(device, at: now, &agenda) else {
            devices[device].setUp = .waitsForToken
            try requestTokens(device, upTo: configuration.device.tokensWhenEmpty, at: now, &agenda)
            return
        }
        devices[device].setUp = .asks
        try begin(devices[device].needsKeyUpload ? .key : .config, device: device, at: now, &agenda)
    }

    /// A directory, token-key, issue, configuration or key exchange has ended.
    mutating func endSetUpStep(
        _ exchange: Exchange, _ outcome: ExchangeOutcome, at now: SimulatedTime,
        _ agenda: inout Agenda<FleetEvent>
    ) throws {
        let device = exchange.device
        switch (exchange.endpoint, outcome) {
        case (.directory, .success): try begin(.tokenKey, device: device, at: now, &agenda)
        case (.tokenKey, .success):
            devices[device].fetchesTokenKey = false
            devices[device].knowsTokenKey = true
            devices[device].tokenKeyNumber &+= 1
            try issueWantedTokens(device, at: now, &agenda)
        case (.directory, .failure), (.tokenKey, .failure):
            devices[device].fetchesTokenKey = false
            devices[device].tokensWanted = 0
            tokensFailed(device, cause: .noToken, at: now, &agenda)
        case (.issue, .success):
            devices[device].tokensUnderWay -= 1
            tokens.add(to: device, at: now.wholeSeconds)
            try tokenArrived(device, at: now, &agenda)
        case (.issue, .failure(let status)):
            devices[device].tokensUnderWay -= 1
            if status == 422, exchange.tokenKeyNumber == devices[device].tokenKeyNumber,
                devices[device].knowsTokenKey
            {
                // The issuer no longer knows the key: ask the directory again before the next try. Further
                // refusals of the same key come in late and must not spoil the new one.
                devices[device].knowsTokenKey = false
                work.forgetTokenKey(device: device)
            }
            if devices[device].tokensUnderWay == 0, tokens.count(of: device) == 0 {
                tokensFailed(device, cause: .noToken, at: now, &agenda)
            }
        case (.config, .success(_, let keyUploadNeeded)):
            if !configurationEditions.isEmpty { configurationEditions[device] = loadedEdition(at: now) }
            // A rotation that fell due meanwhile is not forgotten because the server still has the old key.
            let needsKeyUpload = keyUploadNeeded || now - devices[device].keyTime >= keyPeriod
            devices[device].needsKeyUpload = needsKeyUpload
            if needsKeyUpload {
                try continueSetUp(device, at: now, &agenda)
            } else {
                activate(device, newKey: false, at: now, &agenda)
            }
        case (.key, .success):
            devices[device].needsKeyUpload = false
            activate(device, newKey: true, at: now, &agenda)
        case (.config, .failure), (.key, .failure): setUpFailed(device, at: now, &agenda)
        case (.queries, _): preconditionFailure("lookups do not end here")
        }
    }

    private mutating func activate(
        _ device: Int, newKey: Bool, at now: SimulatedTime, _ agenda: inout Agenda<FleetEvent>
    ) {
        devices[device].setUp = .idle
        devices[device].failures = 0
        devices[device].isActive = true
        if !devices[device].refetchIsArmed {
            devices[device].refetchIsArmed = true
            let pause = max(configuration.behaviour.configurationRefetch, Self.shortestPause)
            if isOpen(now.advanced(by: pause)) {
                refetches.append(UInt32(device), at: now.advanced(by: pause))
                refetches.arm(.configurationRefetches, &agenda)
            }
        }
        if newKey {
            devices[device].keyTime = now
            if isOpen(now.advanced(by: keyPeriod)) {
                rotations.append(UInt32(device), at: now.advanced(by: keyPeriod))
                rotations.arm(.keyRotations, &agenda)
            }
        }
    }

    /// Tries again after a pause that doubles with each failure in a row.
    private mutating func setUpFailed(
        _ device: Int, at now: SimulatedTime, _ agenda: inout Agenda<FleetEvent>
    ) {
        devices[device].setUp = .idle
        guard !devices[device].setUpIsArmed else { return }
        devices[device].setUpIsArmed = true
        let behaviour = configuration.behaviour
        let doublings = min(Int(devices[device].failures), 20)
        devices[device].failures = UInt8(clamping: Int(devices[device].failures) + 1)
        let pause = min(
            Double(behaviour.retryPause.nanoseconds) * Double(1 << doublings),
            Double(behaviour.retryCeiling.nanoseconds))
        // Half of the pause is random, so that a fleet does not come back in step.
        let spread = 0.5 + 0.5 * drawTiming(device)
        agenda.schedule(
            .setUp(device: UInt32(device)),
            after: max(SimulatedDuration(nanoseconds: Int64(pause * spread)), Self.shortestPause))
    }

    mutating func refetchConfiguration(
        _ device: Int, at now: SimulatedTime, _ agenda: inout Agenda<FleetEvent>
    ) throws {
        devices[device].refetchIsArmed = false
        try setUp(device, at: now, &agenda)
    }

    mutating func rotateKey(_ device: Int, at now: SimulatedTime, _ agenda: inout Agenda<FleetEvent>) throws {
        // A key made since, because the server had lost the old one, has its own date.
        guard now - devices[device].keyTime >= keyPeriod else { return }
        devices[device].needsKeyUpload = true
        try setUp(device, at: now, &agenda)
    }

    // Tokens: the rules are those of article "Device", section "Tokens".

    /// Takes a token from the stock and arms the refill when the stock runs low.
    ///
    /// - Returns: `false` if there is none; the caller asks for some.
    mutating func takeToken(
        _ device: Int, at now: SimulatedTime, _ agenda: inout Agenda<FleetEvent>
    ) -> Bool {
        let constants = configuration.device
        let oldestUsable = now.advanced(by: .zero - SimulatedDuration(constants.tokenLife)).wholeSeconds
        let expired = tokens.count(of: device, olderThan: oldestUsable)
        if expired > 0 {
            work.discardTokens(device: device, oldest: expired)
            tokens.removeOldest(expired, of: device)
        }
        guard tokens.count(of: device) > 0 else { return false }
        tokens.removeOldest(1, of: device)
        if tokens.count(of: device) < constants.tokenRefillBelow, !devices[device].refillIsArmed,
            isOpen(now)
        {
            devices[device].refillIsArmed = true
            let pause =
                SimulatedDuration(constants.tokenRefillDelay).seconds
                + drawTiming(device) * SimulatedDuration(constants.tokenRefillSpread).seconds
            agenda.schedule(.refillTokens(device: UInt32(device)), after: .seconds(pause))
        }
        return true
    }

    /// Asks for as many tokens as are missing to `stock`, counting those under way.
    mutating func requestTokens(
        _ device: Int, upTo stock: Int, at now: SimulatedTime, _ agenda: inout Agenda<FleetEvent>
    ) throws {
        let stock = min(stock, tokens.capacity)
        let held = tokens.count(of: device) + Int(devices[device].tokensUnderWay)
        guard stock > held else { return }
        devices[device].tokensWanted = max(devices[device].tokensWanted, UInt8(clamping: stock - held))
        if devices[device].knowsTokenKey {
            try issueWantedTokens(device, at: now, &agenda)
        } else if !devices[device].fetchesTokenKey {
            devices[device].fetchesTokenKey = true
            try begin(.directory, device: device, at: now, &agenda)
        }
    }

    private mutating func issueWantedTokens(
        _ device: Int, at now: SimulatedTime, _ agenda: inout Agenda<FleetEvent>
    ) throws {
        let wanted = devices[device].tokensWanted
        devices[device].tokensWanted = 0
        devices[device].tokensUnderWay += wanted
        for _ in 0..<wanted { try begin(.issue, device: device, at: now, &agenda) }
    }

    private mutating func tokenArrived(
        _ device: Int, at now: SimulatedTime, _ agenda: inout Agenda<FleetEvent>
    ) throws {
        if devices[device].setUp == .waitsForToken {
            try continueSetUp(device, at: now, &agenda)
        } else if var queue = tokenQueues[device], !queue.isEmpty, takeToken(device, at: now, &agenda) {
            let batch = queue.removeFirst()
            tokenQueues[device] = queue.isEmpty ? nil : queue
            try send(batch, device: device, at: now, &agenda)
        }
        if tokenQueues[device] != nil, tokens.count(of: device) == 0 {
            try requestTokens(device, upTo: configuration.device.tokensWhenEmpty, at: now, &agenda)
        }
    }

    /// No token can be had: everything that waits for one fails.
    private mutating func tokensFailed(
        _ device: Int, cause: FailureCause, at now: SimulatedTime, _ agenda: inout Agenda<FleetEvent>
    ) {
        for batch in tokenQueues.removeValue(forKey: device) ?? [] {
            fail(batch, device: device, cause: cause, at: now, &agenda)
        }
        if devices[device].setUp == .waitsForToken { setUpFailed(device, at: now, &agenda) }
    }

    // Prefilter: fetched from the operator's own server, not through the relay (article "Device", section "Onboarding
    // and relay").

    mutating func fetchPrefilter(
        _ device: Int, at now: SimulatedTime, _ agenda: inout Agenda<FleetEvent>
    ) {
        guard isOpen(now) else { return }
        let settings = configuration.prefilter
        let group = devices[device].group
        let entity = UInt32(device)
        let isCut = faults.isCaptive(group: group) || faults.availability(of: .prefilterOrigin) != .up
        if isCut {
            if counts(now) { record.prefilter.failures += 1 }
            // Without any prefilter the filter cannot start, so the device keeps trying.
            if devices[device].edition == 0 {
                let pause = max(configuration.behaviour.retryPause, Self.shortestPause)
                agenda.schedule(.prefilterFetch(device: entity), after: pause)
            } else {
                scheduleFetch(device, at: now, &agenda)
            }
            return
        }
        let published = edition(at: now)
        let isNew = published > devices[device].edition
        let bytes = isNew ? settings.byteCount : settings.unchangedByteCount
        if counts(now) {
            record.prefilter.bytes += bytes
            if isNew { record.prefilter.downloads += 1 } else { record.prefilter.unchanged += 1 }
        }
        let access = configuration.groups[group].access
        var delay = SimulatedDuration.zero
        for _ in 0..<2 {
            delay += .seconds(drawDelay(device, access.oneWayDelay))
        }
        // A line at half the speed is one that has twice as many bytes to send.
        let load = Double(bytes) * faults.slowDown(of: .prefilterOrigin)
        let sent = services.origin.transmit(bytes: Int(min(load, 0x1p62)), at: now)
        delay += (sent - now) + .seconds(Double(bytes) / access.downlink)
        if isNew { agenda.schedule(.prefilterArrives(device: entity, edition: published), after: delay) }
        scheduleFetch(device, at: now, &agenda)
    }

    private mutating func scheduleFetch(
        _ device: Int, at now: SimulatedTime, _ agenda: inout Agenda<FleetEvent>
    ) {
        let interval = SimulatedDuration(configuration.device.prefilterFetchInterval)
        let time = now.advanced(by: max(interval, Self.shortestPause))
        guard isOpen(time) else { return }
        fetches.append(UInt32(device), at: time)
        fetches.arm(.prefilterFetches, &agenda)
    }

    /// Whatever a device repeats, it waits this long at least: a period of zero must not stop the clock.
    private static var shortestPause: SimulatedDuration { .milliseconds(1) }
}
