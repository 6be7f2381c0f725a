import EventSimulation
import URLFilter

/// Tokens, by the rules of the PIR protocol for devices (article "Device", section "Tokens").
extension URLFilterModel {
    /// Takes a token from the stock and arms the refill when the stock runs low.
    ///
    /// - Returns: `false` if there is none; the caller asks for some.
    mutating func takeToken(_ device: Int, in world: World, _ agenda: inout Future) -> Bool {
        let constants = configuration.device
        let now = agenda.now
        let oldestUsable = now.advanced(by: .zero - SimulatedDuration(constants.tokenLife)).wholeSeconds
        let expired = tokens.count(of: device, olderThan: oldestUsable)
        if expired > 0 {
            work.discardTokens(device: device, oldest: expired)
            tokens.removeOldest(expired, of: device)
        }
        guard tokens.count(of: device) > 0 else { return false }
        tokens.removeOldest(1, of: device)
        if tokens.count(of: device) < constants.tokenRefillBelow, !devices[device].refillIsArmed,
            world.isOpen(now)
        {
            devices[device].refillIsArmed = true
            let pause =
                SimulatedDuration(constants.tokenRefillDelay).seconds
                + drawTiming(device) * SimulatedDuration(constants.tokenRefillSpread).seconds
            agenda.schedule(.filter(.refillTokens(device: UInt32(device))), after: .seconds(pause))
        }
        return true
    }

    /// Asks for as many tokens as are missing to `stock`, counting those under way.
    mutating func requestTokens(
        _ device: Int, upTo stock: Int, in world: inout World, _ agenda: inout Future
    ) throws {
        let stock = min(stock, tokens.capacity)
        let held = tokens.count(of: device) + Int(devices[device].tokensUnderWay)
        guard stock > held else { return }
        devices[device].tokensWanted = max(devices[device].tokensWanted, UInt8(clamping: stock - held))
        if devices[device].knowsTokenKey {
            try issueWantedTokens(device, in: &world, &agenda)
        } else if !devices[device].fetchesTokenKey {
            devices[device].fetchesTokenKey = true
            try begin(.directory, device: device, in: &world, &agenda)
        }
    }

    mutating func issueWantedTokens(_ device: Int, in world: inout World, _ agenda: inout Future) throws {
        let wanted = devices[device].tokensWanted
        devices[device].tokensWanted = 0
        devices[device].tokensUnderWay += wanted
        for _ in 0..<wanted { try begin(.issue, device: device, in: &world, &agenda) }
    }

    mutating func tokenArrived(_ device: Int, in world: inout World, _ agenda: inout Future) throws {
        if devices[device].setUp == .waitsForToken {
            try continueSetUp(device, in: &world, &agenda)
        } else if var queue = tokenQueues[device], !queue.isEmpty, takeToken(device, in: world, &agenda) {
            let batch = queue.removeFirst()
            tokenQueues[device] = queue.isEmpty ? nil : queue
            try begin(.queries, device: device, batch: batch, in: &world, &agenda)
        }
        if tokenQueues[device] != nil, tokens.count(of: device) == 0 {
            try requestTokens(device, upTo: configuration.device.tokensWhenEmpty, in: &world, &agenda)
        }
    }

    /// No token can be had: everything that waits for one fails.
    mutating func tokensFailed(
        _ device: Int, cause: FailureCause, in world: inout World, _ agenda: inout Future
    ) {
        for batch in tokenQueues.removeValue(forKey: device) ?? [] {
            fail(batch, device: device, cause: cause, in: &world, &agenda)
        }
        if devices[device].setUp == .waitsForToken { setUpFailed(device, &agenda) }
    }

    /// Tokens of a device that has enough.
    var fullStock: Int { min(configuration.device.tokenStock, tokens.capacity) }
}
