import EventSimulation
import ServiceRules

/// Treatment of a message at the hops of its way: availability, queue, work and readings, the same for every part and
/// every filter.
extension Fleet {
    mutating func advance(_ slot: Int, _ agenda: inout Agenda<Event>) throws {
        switch world.post.messages[slot].state {
        case .arrives: try arrive(slot, &agenda)
        case .isServed:
            let hop = world.post.messages[slot].hop
            if case .serve(let service) = world.hop(of: slot) {
                guard !world.goesOn(slot, service, &agenda) else { return }
                try leave(service, slot, &agenda)
            }
            world.travel(slot, from: hop + 1, after: .zero, &agenda)
        case .returns:
            world.connections.noteUse(of: world.post.messages[slot].device, at: agenda.now)
            if world.post.messages[slot].isGivenUp { return forget(slot) }
            world.post.messages[slot].isBack = true
            let (cpu, failure) = try filter.read(slot)
            let reading = SimulatedDuration(cpu: cpu, times: world.configuration.behaviour.cpuFactor)
            world.post.messages[slot].succeeded = failure == nil
            world.post.messages[slot].failure = failure ?? 0
            world.post.messages[slot].deviceTime += reading
            world.schedule(slot, .ends, after: reading, &agenda)
        case .ends:
            try end(world.post.messages.remove(slot), slot: slot, &agenda)
        case .fails:
            if world.post.messages[slot].isGivenUp { return forget(slot) }
            try abandon(slot, status: world.post.messages[slot].failure, &agenda)
        case .isLost: preconditionFailure("nothing happens to a lost message")
        }
    }

    private mutating func arrive(_ slot: Int, _ agenda: inout Agenda<Event>) throws {
        let hop = world.hop(of: slot)
        if case .travel(let leg) = hop, let way = leg.way { return world.cross(slot, leg, way, &agenda) }
        guard let part = hop.part else { preconditionFailure("a message arrives at a part") }
        switch world.faults.availability(of: part) {
        case .up: break
        case .refusing: return fail(slot, .busy, &agenda)
        case .silent: return lose(slot)
        }
        guard case .serve(let service) = hop else {
            world.noteReading(of: slot, at: part)
            guard !world.faults.isGatewayLost else { return fail(slot, .nextPartySilent, &agenda) }
            guard world.fits(slot) else { return fail(slot, .tooLarge, &agenda) }
            guard world.passesQuotas(slot, at: agenda.now) else { return fail(slot, .busy, &agenda) }
            return world.travel(slot, from: world.post.messages[slot].hop + 1, after: .zero, &agenda)
        }
        world.post.messages[slot].queued = agenda.now
        guard let line = world.stations[service.station].choose(for: world.post.messages[slot].device) else {
            return fail(slot, .busy, &agenda)
        }
        world.post.messages[slot].line = UInt32(line)
        dropLate(service, line: line, &agenda)
        let (kind, device) = (world.post.messages[slot].kind, world.post.messages[slot].device)
        switch world.stations[service.station].arrive(
            slot, kind: kind, of: service.knowsSender ? device : nil,
            units: service.groups ? world.units(of: slot) : 0, line: line, at: agenda.now)
        {
        case .starts: try serve(slot, &agenda)
        case .waits: break
        case .rejected: fail(slot, .busy, &agenda)
        case .displaces(let others): for other in others { fail(other, .busy, &agenda) }
        }
    }

    /// Frees a server and starts the next message in line, if any.
    private mutating func leave(_ service: Service, _ slot: Int, _ agenda: inout Agenda<Event>) throws {
        let line = Int(world.post.messages[slot].line)
        if world.post.messages[slot].isFollower {
            world.post.messages[slot].isFollower = false
            return world.stations[service.station].lines[line].finishFollower(at: agenda.now)
        }
        dropLate(service, line: line, &agenda)
        if let next = world.stations[service.station].lines[line].finish(at: agenda.now) {
            try serve(next, &agenda)
        }
    }

    /// Refuses what has waited too long; see ``StationConfiguration/queueTime``.
    private mutating func dropLate(_ service: Service, line: Int, _ agenda: inout Agenda<Event>) {
        for late in world.stations[service.station].lines[line].dropLate(at: agenda.now) {
            fail(late, .busy, &agenda)
        }
    }

    /// A server begins to work on a message.
    mutating func serve(_ slot: Int, _ agenda: inout Agenda<Event>) throws {
        guard case .serve(let service) = world.hop(of: slot) else {
            preconditionFailure("a message is served at a station")
        }
        let work = try filter.work(
            on: slot, stage: service.stage, at: world.server(of: slot), agenda.now, in: &world)
        world.post.messages[slot].responseBytes = work.bytes
        if service.reads { world.noteReading(of: slot, at: service.part) }
        let line = Int(world.post.messages[slot].line)
        let factor =
            world.stations[service.station].times.factor(line: line, at: agenda.now)
            * world.faults.slowDown(of: service.part)
        var working = SimulatedDuration(cpu: work.cpu, times: factor)
        var (units, isRefused) = (1, work.isRefusal)
        if service.groups {
            let along = try serveAlong(slot, service, afterWorking: working, factor: factor, &agenda)
            working += along.added
            units = world.units(of: slot) + along.units
            isRefused = isRefused || along.isRefused
        }
        working = world.stations[service.station].times.elapsed(of: working, line: line, from: agenda.now)
        if !isRefused {
            world.stations[service.station].noteService(
                working, kind: world.post.messages[slot].kind, units: units)
        }
        world.stations[service.station].lines[line].noteService(working)
        if world.record.arrivals != nil, world.counts(agenda.now) {
            let flow = ArrivalLog.Flow.work(
                region: world.stations[service.station].region,
                world.stations[service.station].part.role)
            world.record.arrivals?.add(
                flow, of: world.post.messages[slot].device, amount: working.seconds, at: agenda.now)
        }
        world.finishService(slot, service, working: working, &agenda)
    }

    /// Lets waiting messages be answered along with one that starts now; see ``LookupGrouping``.
    ///
    /// - Parameters:
    ///   - first: The message that starts.
    ///   - alone: What it takes by itself.
    ///   - factor: Time at this station per CPU time of the profile.
    /// - Returns: What the others add to it, their units, and whether one of them is refused.
    private mutating func serveAlong(
        _ first: Int, _ service: Service, afterWorking alone: SimulatedDuration, factor: Double,
        _ agenda: inout Agenda<Event>
    ) throws -> (added: SimulatedDuration, units: Int, isRefused: Bool) {
        let station = service.station
        let line = Int(world.post.messages[first].line)
        guard let grouping = world.stations[station].settings.grouping else {
            return (.zero, 0, false)
        }
        let others = world.stations[station].lines[line].startFollowers(
            of: world.units(of: first), within: grouping.bounds, at: agenda.now)
        var (added, units, isRefused) = (SimulatedDuration.zero, 0, false)
        for next in others {
            let work = try filter.work(
                on: next, stage: service.stage, at: world.server(of: next), agenda.now, in: &world)
            world.post.messages[next].responseBytes = work.bytes
            added += SimulatedDuration(cpu: work.cpu, times: factor * grouping.followerShare)
            units += world.units(of: next)
            isRefused = isRefused || work.isRefusal
        }
        let working = world.stations[station].times.elapsed(of: alone + added, line: line, from: agenda.now)
        for slot in others {
            world.stations[station].lines[line].noteService(.zero)
            world.post.messages[slot].isFollower = true
            world.finishService(slot, service, working: working, &agenda)
        }
        return (added, units, isRefused)
    }

    /// Sends an error back to the device from the part that the message has come to.
    mutating func fail(_ slot: Int, _ why: ServiceRefusal, _ agenda: inout Agenda<Event>) {
        if world.post.messages[slot].isGivenUp { return forget(slot) }
        world.post.messages[slot].failure = why.status
        let delay = world.wayBack(slot, from: world.post.messages[slot].hop)
        world.schedule(slot, .fails, after: delay, &agenda)
    }

    /// The request gets no answer, not even an error.
    mutating func lose(_ slot: Int) {
        if world.post.messages[slot].isGivenUp {
            forget(slot)
        } else {
            world.post.messages[slot].state = .isLost
        }
    }

    /// Drops a message that nobody waits for.
    private mutating func forget(_ slot: Int) {
        filter.forget(slot)
        world.post.messages.remove(slot)
    }

    /// Every message that has taken too long is given up.
    mutating func giveUpOverdue(_ agenda: inout Agenda<Event>) throws {
        world.post.patience.disarm()
        while let name = world.post.patience.popDue(agenda.now) {
            if world.isAwaited(name) { try giveUp(Int(name.slot), &agenda) }
        }
        while let front = world.post.patience.front, !world.isAwaited(front) {
            world.post.patience.dropFront()
        }
        world.post.patience.arm(.world(.messageTimeouts), &agenda)
    }

    /// The device has waited long enough for an answer. Servers that work on the request do not notice.
    private mutating func giveUp(_ slot: Int, _ agenda: inout Agenda<Event>) throws {
        guard world.post.messages[slot].state != .isLost else { return try abandon(slot, status: 0, &agenda) }
        world.post.messages[slot].isGivenUp = true
        var message = world.post.messages[slot]
        message.failure = 0
        try end(message, slot: slot, &agenda)
    }

    private mutating func abandon(_ slot: Int, status: Int, _ agenda: inout Agenda<Event>) throws {
        var message = world.post.messages.remove(slot)
        message.failure = status
        filter.forget(slot)
        try end(message, slot: slot, &agenda)
    }

    private mutating func end(_ message: Message, slot: Int, _ agenda: inout Agenda<Event>) throws {
        world.post.requests.leave(
            message.succeeded ? .succeeded : .failed, enteredAt: message.started, at: agenda.now)
        if world.counts(message.started) {
            if message.succeeded {
                world.post.traffic[message.kind].succeeded += 1
            } else {
                world.post.traffic[message.kind].failures += 1
            }
        }
        try filter.end(message, slot: slot, in: &world, &agenda)
    }
}

extension World {
    /// Place on the way that a message has come to.
    @inline(__always)
    fileprivate func hop(of slot: Int) -> Hop {
        post.routes[post.route(of: slot)].hops[post.messages[slot].hop]
    }

    /// Questions in a message, at least one.
    @inline(__always)
    fileprivate func units(of slot: Int) -> Int { max(1, post.messages[slot].items) }

    /// Server that serves a message.
    @inline(__always)
    fileprivate func server(of slot: Int) -> ServerPlace {
        ServerPlace(region: post.messages[slot].region, instance: Int(post.messages[slot].line))
    }

    @inline(__always)
    fileprivate func isAwaited(_ name: SlotName) -> Bool {
        post.messages.contains(name) && !post.messages[Int(name.slot)].isBack
    }

    fileprivate mutating func finishService<Own>(
        _ slot: Int, _ service: Service, working: SimulatedDuration, _ agenda: inout Agenda<FleetEvent<Own>>
    ) {
        post.messages[slot][service.tally].waiting += agenda.now - post.messages[slot].queued
        post.messages[slot][service.tally].working += working
        if log != nil {
            trails.serve(
                slot,
                LoggedService(
                    part: stations[service.station].part, instance: Int(post.messages[slot].line),
                    queued: post.messages[slot].queued, began: agenda.now,
                    ended: agenda.now.advanced(by: working)))
        }
        stations[service.station].begin(
            slot, work: working, isFollower: post.messages[slot].isFollower,
            line: Int(post.messages[slot].line), at: agenda.now)
        schedule(slot, .isServed, after: working, &agenda)
    }

    /// Lets a server go on with a message on which a limit of its CPU time has stopped it.
    ///
    /// - Returns: Whether it has to.
    fileprivate mutating func goesOn<Own>(
        _ slot: Int, _ service: Service, _ agenda: inout Agenda<FleetEvent<Own>>
    ) -> Bool {
        let more = stations[service.station].end(
            slot, isFollower: post.messages[slot].isFollower, line: Int(post.messages[slot].line),
            at: agenda.now)
        guard let more else { return false }
        post.messages[slot][service.tally].waiting += more
        if log != nil { trails.extend(slot, until: agenda.now.advanced(by: more)) }
        schedule(slot, .isServed, after: more, &agenda)
        return true
    }
}
