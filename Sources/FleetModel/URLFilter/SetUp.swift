import EventSimulation
import URLFilter

/// What a device repeats, each in a line of its own because it always takes equally long.
struct DeviceTimers {
    var fetches = DeadlineLine<UInt32>()
    var refetches = DeadlineLine<UInt32>()
    var rotations = DeadlineLine<UInt32>()
}

/// What a device does so that lookups are possible: configuration and evaluation key.
extension URLFilterModel {
    /// Starts, or continues, the way to an active filter: tokens, `/config`, then `/key` if asked for.
    ///
    /// Does nothing while that is under way already.
    mutating func setUp(_ device: Int, in world: inout World, _ agenda: inout Future) throws {
        guard world.isOpen(agenda.now), devices[device].setUp == .idle else { return }
        try continueSetUp(device, in: &world, &agenda)
    }

    /// The pause after a failed step is over.
    mutating func retrySetUp(_ device: Int, in world: inout World, _ agenda: inout Future) throws {
        devices[device].setUpIsArmed = false
        // A periodic refetch may have succeeded during the pause.
        guard !devices[device].isActive || devices[device].failures > 0 else { return }
        try setUp(device, in: &world, &agenda)
    }

    mutating func continueSetUp(_ device: Int, in world: inout World, _ agenda: inout Future) throws {
        guard takeToken(device, in: world, &agenda) else {
            devices[device].setUp = .waitsForToken
            try requestTokens(device, upTo: configuration.device.tokensWhenEmpty, in: &world, &agenda)
            return
        }
        devices[device].setUp = .asks
        try begin(devices[device].needsKeyUpload ? .key : .config, device: device, in: &world, &agenda)
    }

    /// A directory, token-key, issue, configuration or key exchange has ended.
    mutating func endSetUpStep(
        _ exchange: Exchange, device: Int, _ outcome: ExchangeOutcome, in world: inout World,
        _ agenda: inout Future
    ) throws {
        switch (exchange.endpoint, outcome) {
        case (.directory, .success): try begin(.tokenKey, device: device, in: &world, &agenda)
        case (.tokenKey, .success):
            devices[device].fetchesTokenKey = false
            devices[device].knowsTokenKey = true
            devices[device].tokenKeyNumber &+= 1
            try issueWantedTokens(device, in: &world, &agenda)
        case (.directory, .failure), (.tokenKey, .failure):
            devices[device].fetchesTokenKey = false
            devices[device].tokensWanted = 0
            tokensFailed(device, cause: .noToken, in: &world, &agenda)
        case (.issue, .success):
            devices[device].tokensUnderWay -= 1
            tokens.add(to: device, at: agenda.now.wholeSeconds)
            try tokenArrived(device, in: &world, &agenda)
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
                tokensFailed(device, cause: .noToken, in: &world, &agenda)
            }
        case (.config, .success(_, let keyUploadNeeded)):
            noteConfiguration(of: device, at: agenda.now)
            // A rotation that fell due meanwhile is not forgotten because the server still has the old key.
            let needsKeyUpload = keyUploadNeeded || agenda.now - devices[device].keyTime >= keyPeriod
            devices[device].needsKeyUpload = needsKeyUpload
            if needsKeyUpload {
                try continueSetUp(device, in: &world, &agenda)
            } else {
                activate(device, newKey: false, in: world, &agenda)
            }
        case (.key, .success):
            devices[device].needsKeyUpload = false
            activate(device, newKey: true, in: world, &agenda)
        case (.config, .failure), (.key, .failure): setUpFailed(device, &agenda)
        case (.queries, _): preconditionFailure("lookups do not end here")
        }
    }

    private mutating func activate(
        _ device: Int, newKey: Bool, in world: World, _ agenda: inout Future
    ) {
        let now = agenda.now
        devices[device].setUp = .idle
        devices[device].failures = 0
        devices[device].isActive = true
        if !devices[device].refetchIsArmed {
            devices[device].refetchIsArmed = true
            let pause = max(configuration.behaviour.configurationRefetch, Self.shortestPause)
            if world.isOpen(now.advanced(by: pause)) {
                timers.refetches.append(UInt32(device), at: now.advanced(by: pause))
                timers.refetches.arm(.filter(.configurationRefetches), &agenda)
            }
        }
        if newKey {
            devices[device].keyTime = now
            if world.isOpen(now.advanced(by: keyPeriod)) {
                timers.rotations.append(UInt32(device), at: now.advanced(by: keyPeriod))
                timers.rotations.arm(.filter(.keyRotations), &agenda)
            }
        }
    }

    /// Tries again after a pause that doubles with each failure in a row.
    mutating func setUpFailed(_ device: Int, _ agenda: inout Future) {
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
            .filter(.setUp(device: UInt32(device))),
            after: max(SimulatedDuration(nanoseconds: Int64(pause * spread)), Self.shortestPause))
    }

    mutating func refetchConfiguration(
        _ device: Int, in world: inout World, _ agenda: inout Future
    ) throws {
        devices[device].refetchIsArmed = false
        try setUp(device, in: &world, &agenda)
    }

    mutating func rotateKey(_ device: Int, in world: inout World, _ agenda: inout Future) throws {
        // A key made since, because the server had lost the old one, has its own date.
        guard agenda.now - devices[device].keyTime >= keyPeriod else { return }
        devices[device].needsKeyUpload = true
        try setUp(device, in: &world, &agenda)
    }

    /// Whatever a device repeats, it waits this long at least: a period of zero must not stop the clock.
    static var shortestPause: SimulatedDuration { .milliseconds(1) }
}
