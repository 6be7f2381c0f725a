import EventSimulation
import RandomStreams
import URLFilter

/// One exchange from the device through relay, gateway and service, and back.
extension Fleet {
    /// Sends a request. The device's token, if the endpoint needs one, has been taken from its stock.
    mutating func begin(
        _ endpoint: Endpoint, device: Int, batch: PendingBatch? = nil, at now: SimulatedTime,
        _ agenda: inout Agenda<FleetEvent>
    ) throws {
        var exchange = Exchange(device: device, endpoint: endpoint, started: now)
        exchange.batch = batch
        exchange.keywordCount = batch?.keys.count ?? 0
        exchange.tokenKeyNumber = devices[device].tokenKeyNumber
        if batch != nil { exchange.databaseEdition = databaseEdition(of: device, at: now) }
        requests.enter(at: now)
        let slot = exchanges.insert(exchange)
        let (database, lives) = (exchange.databaseEdition, lives)
        let request = ExchangeRequest(
            device: device, endpoint: endpoint, keys: batch?.keys ?? [],
            listed: batch?.keys.map { lives.isListed($0, in: database) } ?? [], second: now.wholeSeconds)
        let work = try work.deviceBegins(slot, request: request)
        let preparing = scaled(work.cpu, by: configuration.behaviour.cpuFactor)
        let access = configuration.groups[devices[device].group].access
        exchanges[slot].requestBytes = work.bytes
        exchanges[slot].deviceTime = preparing
        exchangeDeadlines.append(
            exchanges.name(of: slot), at: now.advanced(by: configuration.behaviour.exchangeTimeout))
        exchangeDeadlines.arm(.exchangeTimeouts, &agenda)
        if counts(now) { traffic[endpoint.place].countRequest(bytes: work.bytes, at: now) }
        if faults.isCaptive(group: devices[device].group) {
            // The portal's own page comes back at once; the device cannot open it.
            let delay = preparing + accessDelay(device) + accessDelay(device)
            schedule(slot, .fails, after: delay, &agenda)
        } else {
            let transmission = SimulatedDuration.seconds(Double(work.bytes) / access.uplink)
            exchanges[slot].transmission = transmission
            if counts(now) { countRelayed(device, at: now) }
            let toRelay = preparing + transmission + accessDelay(device)
            if relayIsPlain, work.bytes <= configuration.services.relay.maximumRequestBody ?? .max {
                noteRelayed(exchange)
                schedule(slot, .reachesGateway, after: toRelay + relayDelay(device), &agenda)
            } else {
                schedule(slot, .reachesRelay, after: toRelay, &agenda)
            }
        }
    }

    private mutating func noteRelayed(_ exchange: Exchange) {
        if counts(exchange.started) { record.readings.relayed(exchange.endpoint) }
    }

    private mutating func countRelayed(_ device: Int, at now: SimulatedTime) {
        record.relay.count(second: now.wholeSeconds)
        guard let continent = configuration.groups[devices[device].group].continent else { return }
        record.continents[continent, default: RelayTraffic()].count(second: now.wholeSeconds)
    }

    mutating func advance(
        _ slot: Int, at now: SimulatedTime, _ agenda: inout Agenda<FleetEvent>
    ) throws {
        switch exchanges[slot].step {
        case .reachesRelay: reachRelay(slot, at: now, &agenda)
        case .reachesGateway:
            try enter(.gateway, part: .gateway, slot, hops: 1, at: now, &agenda)
        case .isOpened:
            try leave(.gateway, at: now, &agenda)
            schedule(slot, .reachesService, after: services.backendDelay(), &agenda)
        case .reachesService:
            let station = serviceStation(of: slot)
            let part: Fault.Part = station == .pir ? .pir : .issuer
            if !configurationEditions.isEmpty, asksGoneDatabase(slot, at: now) {
                return failOnTheWay(slot, status: 410, hops: 2, at: now, &agenda)
            }
            try enter(station, part: part, slot, hops: 2, at: now, &agenda)
        case .isAnswered:
            if exchanges[slot].isCompanion {
                services[serviceStation(of: slot)].finishCompanion(at: now)
            } else {
                try leave(serviceStation(of: slot), at: now, &agenda)
            }
            schedule(slot, .returnsToGateway, after: services.backendDelay(), &agenda)
        case .returnsToGateway:
            // A gateway that is down now has already lost the connection to the relay.
            try enter(.gateway, part: .gateway, slot, hops: 1, at: now, &agenda)
        case .isSealed:
            try leave(.gateway, at: now, &agenda)
            returnToDevice(slot, &agenda)
        case .returnsToDevice:
            if exchanges[slot].isGivenUp { return forget(slot) }
            exchanges[slot].isBack = true
            let end = try work.deviceEnds(slot)
            let reading = scaled(end.cpu, by: configuration.behaviour.cpuFactor)
            exchanges[slot].outcome = end.outcome
            exchanges[slot].deviceTime += reading
            schedule(slot, .ends, after: reading, &agenda)
        case .ends: try end(exchanges.remove(slot), at: now, &agenda)
        case .fails:
            if exchanges[slot].isGivenUp { return forget(slot) }
            exchanges[slot].isBack = true
            try abandon(slot, status: exchanges[slot].failureStatus, at: now, &agenda)
        case .isLost: preconditionFailure("nothing happens to a lost exchange")
        }
    }

    /// Every exchange that has taken too long is given up.
    mutating func giveUpOverdue(at now: SimulatedTime, _ agenda: inout Agenda<FleetEvent>) throws {
        exchangeDeadlines.disarm()
        while let exchange = exchangeDeadlines.popDue(now) {
            if isAwaited(exchange) { try giveUp(Int(exchange.slot), at: now, &agenda) }
        }
        while let front = exchangeDeadlines.front, !isAwaited(front) { exchangeDeadlines.dropFront() }
        exchangeDeadlines.arm(.exchangeTimeouts, &agenda)
    }

    private func isAwaited(_ exchange: SlotName) -> Bool {
        exchanges.contains(exchange) && !exchanges[Int(exchange.slot)].isBack
    }

    /// The device has waited long enough for an answer. Servers that work on the request do not notice.
    private mutating func giveUp(
        _ slot: Int, at now: SimulatedTime, _ agenda: inout Agenda<FleetEvent>
    ) throws {
        guard exchanges[slot].step != .isLost else {
            return try abandon(slot, status: 0, at: now, &agenda)
        }
        var exchange = exchanges[slot]
        exchange.outcome = .failure(status: 0)
        exchanges[slot].isGivenUp = true
        exchanges[slot].batch = nil
        try end(exchange, at: now, &agenda)
    }

    private mutating func abandon(
        _ slot: Int, status: Int, at now: SimulatedTime, _ agenda: inout Agenda<FleetEvent>
    ) throws {
        work.abandon(slot)
        var exchange = exchanges.remove(slot)
        exchange.outcome = .failure(status: status)
        try end(exchange, at: now, &agenda)
    }

    /// Drops an exchange that nobody waits for.
    private mutating func forget(_ slot: Int) {
        work.abandon(slot)
        _ = exchanges.remove(slot)
    }

    private mutating func reachRelay(
        _ slot: Int, at now: SimulatedTime, _ agenda: inout Agenda<FleetEvent>
    ) {
        guard pass(.relay, slot, hops: 0, at: now, &agenda) else { return }
        noteRelayed(exchanges[slot])
        let caps = [configuration.services.relay.maximumRequestBody, faults.cap].compactMap { $0 }
        if let cap = caps.min(), exchanges[slot].requestBytes > cap {
            failOnTheWay(slot, status: 413, hops: 0, at: now, &agenda)
        } else {
            schedule(slot, .reachesGateway, after: relayDelay(exchanges[slot].device), &agenda)
        }
    }

    private mutating func returnToDevice(_ slot: Int, _ agenda: inout Agenda<FleetEvent>) {
        let exchange = exchanges[slot]
        let access = configuration.groups[devices[exchange.device].group].access
        if counts(exchange.started) {
            traffic[exchange.endpoint.place].countResponse(bytes: exchange.responseBytes)
        }
        var delay = relayDelay(exchange.device) + accessDelay(exchange.device)
        if let cap = configuration.services.relay.maximumResponseBody, exchange.responseBytes > cap {
            exchanges[slot].failureStatus = 502
            schedule(slot, .fails, after: delay, &agenda)
        } else {
            let transmission = SimulatedDuration.seconds(Double(exchange.responseBytes) / access.downlink)
            exchanges[slot].transmission += transmission
            delay += transmission
            schedule(slot, .returnsToDevice, after: delay, &agenda)
        }
    }

    /// Lets the exchange pass a part unless the part is down.
    private mutating func pass(
        _ part: Fault.Part, _ slot: Int, hops: Int, at now: SimulatedTime,
        _ agenda: inout Agenda<FleetEvent>
    ) -> Bool {
        switch faults.availability(of: part) {
        case .up: return true
        case .refusing: failOnTheWay(slot, status: 503, hops: hops, at: now, &agenda)
        case .silent: lose(slot)
        }
        return false
    }

    /// The request gets no answer, not even an error.
    mutating func lose(_ slot: Int) {
        if exchanges[slot].isGivenUp { forget(slot) } else { exchanges[slot].step = .isLost }
    }

    private mutating func enter(
        _ station: StationName, part: Fault.Part, _ slot: Int, hops: Int, at now: SimulatedTime,
        _ agenda: inout Agenda<FleetEvent>
    ) throws {
        guard pass(part, slot, hops: hops, at: now, &agenda) else { return }
        exchanges[slot].queued = now
        switch services.arrive(slot, at: station, now) {
        case .starts: try serve(slot, at: station, now, &agenda)
        case .waits: break
        case .rejected: failOnTheWay(slot, status: 503, hops: hops, at: now, &agenda)
        }
    }

    /// Frees a server and starts the next request in line, if any.
    private mutating func leave(
        _ station: StationName, at now: SimulatedTime, _ agenda: inout Agenda<FleetEvent>
    ) throws {
        if let next = services[station].finish(at: now) { try serve(next, at: station, now, &agenda) }
    }

    mutating func serve(
        _ slot: Int, at station: StationName, _ now: SimulatedTime, _ agenda: inout Agenda<FleetEvent>
    ) throws {
        let waited = now - exchanges[slot].queued
        let step: Exchange.Step
        let cpu: StageWork
        switch exchanges[slot].step {
        case .reachesGateway:
            cpu = try work.gatewayOpens(slot)
            step = .isOpened
            if counts(exchanges[slot].started) {
                record.readings.opened(exchanges[slot].endpoint, keywords: exchanges[slot].keywordCount)
            }
        case .reachesService:
            cpu = try work.serviceAnswers(slot)
            step = .isAnswered
            if counts(exchanges[slot].started) {
                record.readings.served(exchanges[slot].endpoint, keywords: exchanges[slot].keywordCount)
            }
        case .returnsToGateway:
            cpu = try work.gatewaySeals(slot)
            exchanges[slot].responseBytes = cpu.bytes
            step = .isSealed
        default: preconditionFailure("no service for an exchange at step \(exchanges[slot].step)")
        }
        let part: Fault.Part = station == .gateway ? .gateway : station == .pir ? .pir : .issuer
        let factor = services.settings(of: station).cpuFactor * faults.slowDown(of: part)
        var working = scaled(cpu.cpu, by: factor)
        if step == .isAnswered, exchanges[slot].endpoint == .queries {
            working += try takeAlong(from: station, afterWorking: working, factor: factor, at: now, &agenda)
        }
        services[station].noteService(working)
        if station == .gateway {
            exchanges[slot].gatewayWaiting += waited
            exchanges[slot].gatewayWorking += working
        } else {
            exchanges[slot].serviceWaiting += waited
            exchanges[slot].serviceWorking += working
        }
        schedule(slot, step, after: working, &agenda)
    }

    /// Sends an error back to the device from the relay (`hops` 0), the gateway (1) or a service (2).
    mutating func failOnTheWay(
        _ slot: Int, status: Int, hops: Int, at now: SimulatedTime, _ agenda: inout Agenda<FleetEvent>
    ) {
        if exchanges[slot].isGivenUp { return forget(slot) }
        let device = exchanges[slot].device
        var delay = accessDelay(device)
        if hops >= 1 { delay += relayDelay(device) }
        if hops >= 2 { delay += services.backendDelay() }
        exchanges[slot].failureStatus = status
        schedule(slot, .fails, after: delay, &agenda)
    }

    private mutating func end(
        _ exchange: Exchange, at now: SimulatedTime, _ agenda: inout Agenda<FleetEvent>
    ) throws {
        let outcome = exchange.outcome ?? .failure(status: 0)
        let end: RequestEnd = if case .failure = outcome { .failed } else { .succeeded }
        requests.leave(end, enteredAt: exchange.started, at: now)
        if counts(exchange.started) {
            switch end {
            case .failed: traffic[exchange.endpoint.place].failures += 1
            case .succeeded: traffic[exchange.endpoint.place].succeeded += 1
            }
        }
        if exchange.endpoint == .queries {
            endLookup(exchange, outcome, at: now, &agenda)
        } else {
            try endSetUpStep(exchange, outcome, at: now, &agenda)
        }
    }

    private func serviceStation(of slot: Int) -> StationName {
        exchanges[slot].endpoint.isAnsweredByIssuer ? .issuer : .pir
    }

    mutating func schedule(
        _ slot: Int, _ step: Exchange.Step, after delay: SimulatedDuration,
        _ agenda: inout Agenda<FleetEvent>
    ) {
        exchanges[slot].step = step
        agenda.schedule(.exchange(UInt32(slot)), after: delay)
    }

    private mutating func accessDelay(_ device: Int) -> SimulatedDuration {
        .seconds(drawDelay(device, configuration.groups[devices[device].group].access.oneWayDelay))
    }

    private mutating func relayDelay(_ device: Int) -> SimulatedDuration {
        .seconds(
            drawDelay(device, configuration.services.relay.oneWayDelay) * faults.slowDown(of: .relay))
    }

    func scaled(_ cpu: Int64, by factor: Double) -> SimulatedDuration {
        SimulatedDuration(nanoseconds: cpu) * factor
    }
}
