import EventSimulation

/// The way of messages from part to part, as far as it is the same for every filter and needs nothing of it.
extension World {
    /// Starts a message on its way.
    ///
    /// - Parameters:
    ///   - slot: Of a message in ``Post/messages``.
    ///   - bytes: Length of the request.
    ///   - preparing: Time that the device needs to make it.
    mutating func send<Own>(
        _ slot: Int, bytes: Int, preparing: SimulatedDuration, _ agenda: inout Agenda<FleetEvent<Own>>
    ) {
        let now = agenda.now
        let (device, kind) = (post.messages[slot].device, post.messages[slot].kind)
        post.messages[slot].requestBytes = bytes
        post.messages[slot].deviceTime = preparing
        let path = path(of: device, at: now)
        post.messages[slot].path = Float(path)
        post.patience.append(
            post.messages.name(of: slot), at: now.advanced(by: configuration.behaviour.exchangeTimeout))
        post.patience.arm(.world(.messageTimeouts), &agenda)
        if counts(now) { post.traffic[kind].countRequest(bytes: bytes, at: now) }
        let isCaptive = faults.isCaptive(group: group(of: device))
        guard !isCaptive, relayWorks(for: device, at: now) || !passesRelay(slot) else {
            // The portal's own page, which the device cannot open, or the refusal of the edge near it comes back at
            // once, and nobody else hears of the request.
            let delay = preparing + accessDelay(device, path: path) + accessDelay(device, path: path)
            return schedule(slot, .fails, after: delay, &agenda)
        }
        record.series.update(at: now) { $0.requests += 1 }
        if counts(now) { countSent(kind, by: device, at: now) }
        if !record.regions.isEmpty, counts(now) { countRegion(of: slot) }
        let ready = connect(slot, at: now.advanced(by: preparing), now: now)
        travel(slot, from: 0, after: preparing + ready, &agenda)
    }

    private func passesRelay(_ slot: Int) -> Bool {
        post.routes[post.route(of: slot)].hops.contains { if case .pass = $0 { true } else { false } }
    }

    private mutating func countRegion(of slot: Int) {
        let region = post.messages[slot].region
        record.regions[region].requests += 1
        if region != home(of: post.messages[slot].device) { record.regions[region].diverted += 1 }
    }

    private mutating func countSent(_ kind: Int, by device: Int, at now: SimulatedTime) {
        record.relay.count(second: now.wholeSeconds, kind: kind, device: device)
        let continent = configuration.groups[group(of: device)].continent
        record.arrivals?.add(.requests(continent), of: device, amount: 1, at: now)
        guard let continent else { return }
        record.continents[continent, default: RelayTraffic()].count(
            second: now.wholeSeconds, kind: kind, device: device)
    }

    /// Lets a message go on up to the next hop at which something may happen to it: what cannot be an event costs
    /// none.
    mutating func travel<Own>(
        _ slot: Int, from first: Int, after start: SimulatedDuration, _ agenda: inout Agenda<FleetEvent<Own>>
    ) {
        let device = post.messages[slot].device
        let (kind, route) = (post.messages[slot].kind, post.route(of: slot))
        var delay = start
        for hop in first..<post.routes[route].hops.count {
            switch post.routes[route].hops[hop] {
            case .travel(let leg):
                if let way = leg.way {
                    if lines.areShared(byGroup: group(of: device)) {
                        return arrive(slot, at: hop, after: delay, &agenda)
                    }
                    delay += transmission(slot, way, at: agenda.now.advanced(by: delay))
                }
                delay += self.delay(of: leg, slot)
            case .pass(let part):
                guard isPlain[part], fits(slot) else {
                    return arrive(slot, at: hop, after: delay, &agenda)
                }
                noteReading(of: slot, at: part)
            case .passBack:
                let bytes = post.messages[slot].responseBytes
                if counts(post.messages[slot].started) { post.traffic[kind].countResponse(bytes: bytes) }
                if let cap = configuration.services.relay.maximumResponseBody, bytes > cap {
                    post.messages[slot].failure = 502
                    return schedule(slot, .fails, after: delay + wayBack(slot, from: hop), &agenda)
                }
            case .serve: return arrive(slot, at: hop, after: delay, &agenda)
            }
        }
        schedule(slot, .returns, after: delay, &agenda)
    }

    /// Propagation from a hop's part back to the device, on the way that the message took to it.
    mutating func wayBack(_ slot: Int, from hop: Int) -> SimulatedDuration {
        var delay = SimulatedDuration.zero
        for leg in post.routes[post.route(of: slot)].legs(to: hop) {
            delay += self.delay(of: leg, slot)
        }
        return delay
    }

    private mutating func arrive<Own>(
        _ slot: Int, at hop: Int, after delay: SimulatedDuration, _ agenda: inout Agenda<FleetEvent<Own>>
    ) {
        post.messages[slot].hop = hop
        schedule(slot, .arrives, after: delay, &agenda)
    }

    /// Time for sending over the access network, at the rate of its narrowest line and with what gets lost.
    ///
    /// - Parameter start: When the first byte is sent.
    mutating func transmission(_ slot: Int, _ way: Way, at start: SimulatedTime) -> SimulatedDuration {
        let device = post.messages[slot].device
        let bytes = post.messages[slot].bytes(way)
        let rate = min(access(of: device).rate(way), lines.siteRate(way, group: group(of: device)))
        var time = SimulatedDuration.seconds(Double(bytes) / rate)
        let loss = access(of: device).loss
        if loss > 0 {
            let trips = draw(device) { PacketLoss.roundTrips(bytes: bytes, rate: loss, using: &$0) }
            for _ in 0..<trips { time += accessRoundTrip(device, path: Double(post.messages[slot].path)) }
        }
        post.messages[slot].transmission += time
        return time + slowStart(slot, way, rate: rate, at: start)
    }

    /// Whether a request is small enough for the relay.
    func fits(_ slot: Int) -> Bool {
        let bytes = post.messages[slot].requestBytes
        return bytes <= configuration.services.relay.maximumRequestBody ?? .max && bytes <= faults.cap ?? .max
    }

    mutating func noteReading(of slot: Int, at part: Int) {
        guard counts(post.messages[slot].started) else { return }
        post.readings.note(
            kind: post.messages[slot].kind, items: post.messages[slot].items, at: part)
    }

    mutating func schedule<Own>(
        _ slot: Int, _ state: Message.State, after delay: SimulatedDuration,
        _ agenda: inout Agenda<FleetEvent<Own>>
    ) {
        post.messages[slot].state = state
        agenda.schedule(.world(.message(UInt32(slot))), after: delay)
    }
}
