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
        post.patience.append(
            post.messages.name(of: slot), at: now.advanced(by: configuration.behaviour.exchangeTimeout))
        post.patience.arm(.world(.messageTimeouts), &agenda)
        if counts(now) { post.traffic[kind].countRequest(bytes: bytes, at: now) }
        guard !faults.isCaptive(group: group(of: device)) else {
            // The portal's own page comes back at once; the device cannot open it.
            let delay = preparing + accessDelay(device) + accessDelay(device)
            return schedule(slot, .fails, after: delay, &agenda)
        }
        if counts(now) { countSent(device, at: now) }
        travel(slot, from: 0, after: preparing, &agenda)
    }

    private mutating func countSent(_ device: Int, at now: SimulatedTime) {
        record.relay.count(second: now.wholeSeconds)
        guard let continent = configuration.groups[group(of: device)].continent else { return }
        record.continents[continent, default: RelayTraffic()].count(second: now.wholeSeconds)
    }

    /// Lets a message go on up to the next hop at which something may happen to it: what cannot be an event costs
    /// none.
    mutating func travel<Own>(
        _ slot: Int, from first: Int, after start: SimulatedDuration, _ agenda: inout Agenda<FleetEvent<Own>>
    ) {
        let device = post.messages[slot].device
        let kind = post.messages[slot].kind
        var delay = start
        for hop in first..<post.routes[kind].hops.count {
            switch post.routes[kind].hops[hop] {
            case .travel(let leg): delay += transmission(slot, on: leg) + self.delay(of: leg, device: device)
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
                    for leg in post.routes[kind].legs(to: hop) {
                        delay += self.delay(of: leg, device: device)
                    }
                    return schedule(slot, .fails, after: delay, &agenda)
                }
            case .serve: return arrive(slot, at: hop, after: delay, &agenda)
            }
        }
        schedule(slot, .returns, after: delay, &agenda)
    }

    private mutating func arrive<Own>(
        _ slot: Int, at hop: Int, after delay: SimulatedDuration, _ agenda: inout Agenda<FleetEvent<Own>>
    ) {
        post.messages[slot].hop = hop
        schedule(slot, .arrives, after: delay, &agenda)
    }

    /// Time for sending, which only the device's own line takes.
    private mutating func transmission(_ slot: Int, on leg: Leg) -> SimulatedDuration {
        let message = post.messages[slot]
        let time: SimulatedDuration
        switch leg {
        case .uplink: time = .seconds(Double(message.requestBytes) / access(of: message.device).uplink)
        case .downlink: time = .seconds(Double(message.responseBytes) / access(of: message.device).downlink)
        case .relayed, .backend: return .zero
        }
        post.messages[slot].transmission += time
        return time
    }

    /// Whether a request is small enough for the relay.
    func fits(_ slot: Int) -> Bool {
        let bytes = post.messages[slot].requestBytes
        return bytes <= configuration.services.relay.maximumRequestBody ?? .max && bytes <= faults.cap ?? .max
    }

    mutating func noteReading(of slot: Int, at part: Int) {
        let message = post.messages[slot]
        if counts(message.started) { post.readings.note(message, at: part) }
    }

    mutating func schedule<Own>(
        _ slot: Int, _ state: Message.State, after delay: SimulatedDuration,
        _ agenda: inout Agenda<FleetEvent<Own>>
    ) {
        post.messages[slot].state = state
        agenda.schedule(.world(.message(UInt32(slot))), after: delay)
    }
}
