package import EventSimulation
import URLFilter

/// Content of a message of the URL filter.
struct Exchange {
    var endpoint: Endpoint
    /// Batch of the device, for `.queries`, until the device waits no longer.
    var batch: PendingBatch?
    /// Which of the device's token keys an `.issue` request was made with.
    var tokenKeyNumber: UInt8
    /// Edition of the list that answers a `.queries` request.
    var databaseEdition: UInt32
    /// Result that the device found in the answer.
    var outcome = ExchangeOutcome.failure(status: 0)
    /// The other of two requests for one batch.
    var twin: SlotName?
    /// Entries in it, for `.report`.
    var reported: [HitKey] = []

    /// No other request is counted for the same batch.
    var standsForBatch: Bool { batch?.hedges == nil || twin == nil }
}

/// Keys that a device has to ask the server about.
struct PendingBatch {
    var number: BatchNumber
    var keys: [HitKey]
    /// Time when the device wanted to send the request.
    var wanted: SimulatedTime
    var deadline: SimulatedTime
    /// The URL that asked first belongs to the observed period.
    var counted: Bool
    var retries = 0
    /// The first request, beside which this one is a second.
    var hedges: SlotName?
}

/// Messages between devices and services.
extension URLFilterModel {
    /// Sends a request. The device's token, if the endpoint needs one, has been taken from its stock.
    mutating func begin(
        _ endpoint: Endpoint, device: Int, batch: PendingBatch? = nil, reporting entries: [HitKey] = [],
        in world: inout World,
        _ agenda: inout Future
    ) throws {
        let now = agenda.now
        let exchange = Exchange(
            endpoint: endpoint, batch: batch, tokenKeyNumber: devices[device].exchanges.tokenKeyNumber,
            databaseEdition: batch == nil ? 0 : databaseEdition(of: device, at: now), reported: entries)
        world.post.requests.enter(at: now)
        if endpoint == .issue { world.record.series.update(at: now) { $0.tokens += 1 } }
        let slot = world.post.messages.insert(
            Message(
                device: device, kind: endpoint.place, region: world.region(for: device),
                items: batch?.keys.count ?? 0, started: now))
        if slot < exchanges.count { exchanges[slot] = exchange } else { exchanges.append(exchange) }
        let lives = editions.lives
        let rules = exchangeRules[world.group(of: device)]
        var request = ExchangeRequest(
            device: device, endpoint: endpoint, keys: (batch?.keys ?? entries).map(\.rawValue),
            listed: batch?.keys.map { lives.isListed($0, in: exchange.databaseEdition) } ?? [],
            second: now.wholeSeconds)
        request.takesFirstTokenKey = !rules.generation.asksForTokenKey
        request.reportedEntryBytes = reports.entryBytes(ofGroup: world.group(of: device))
        if endpoint == .queries, rules.generation.queryKeyShare != nil {
            let uniform = drawTiming(device)
            request.carriesKey = devices[device].exchanges.sendsKey(by: rules, uniform: uniform)
        }
        if world.log != nil, batch != nil {
            world.trails.send(
                slot,
                LoggedRequest(
                    started: now, ended: now,
                    region: world.regions[world.post.messages[slot].region].name))
        }
        let made = try work.deviceBegins(slot, request: request)
        world.send(
            slot, bytes: made.bytes,
            preparing: SimulatedDuration(cpu: made.cpu, times: world.configuration.behaviour.cpuFactor),
            &agenda)
        if batch != nil { noteTwins(slot, in: &world, &agenda) }
    }

    package mutating func work(
        on slot: Int, stage: UInt8, at server: ServerPlace, _ now: SimulatedTime, in world: inout World
    ) throws -> StageWork {
        switch Work(rawValue: stage) {
        case .open: return try work.gatewayOpens(slot)
        case .answer:
            if asksGoneDatabase(slot, at: now) { try work.withdrawConfiguration(of: slot) }
            let answer = try work.serviceAnswers(slot, at: server)
            if answer.readsKey, world.counts(world.post.messages[slot].started) {
                world.record.urlFilter.lookups.keyReads += 1
            }
            return answer
        case .seal: return try work.gatewaySeals(slot)
        case nil: preconditionFailure("no work has the number \(stage)")
        }
    }

    package mutating func read(_ slot: Int) throws -> (cpu: Int64, failure: Int?) {
        let (cpu, outcome) = try work.deviceEnds(slot)
        exchanges[slot].outcome = outcome
        if case .failure(let status) = outcome { return (cpu, status) }
        return (cpu, nil)
    }

    package mutating func end(
        _ message: Message, slot: Int, in world: inout World, _ agenda: inout Future
    ) throws {
        let exchange = exchanges[slot]
        exchanges[slot].batch = nil
        if world.log != nil {
            world.trails.end(slot, message, of: exchange.batch?.number.rawValue, at: agenda.now)
        }
        let outcome = message.succeeded ? exchange.outcome : .failure(status: message.failure)
        if exchange.endpoint == .queries {
            try endLookup(exchange, message, outcome, in: &world, &agenda)
        }
        try endExchange(exchange, device: message.device, outcome, in: &world, &agenda)
    }

    package mutating func forget(_ slot: Int) { work.abandon(slot) }

    package mutating func restart(_ part: Part, region: Int, instances: Range<Int>?) throws {
        try work.restart(part, region: region, instances: instances)
    }
}
