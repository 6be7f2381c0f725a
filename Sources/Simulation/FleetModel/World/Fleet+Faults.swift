import EventSimulation
import ServiceRules

/// Immediate effects of a fault; what it does while it lasts, ``FaultState`` knows.
extension Fleet {
    mutating func change(_ fault: Fault, begins: Bool, _ agenda: inout Agenda<Event>) throws {
        world.faults.apply(fault.kind, groups: world.configuration.groups, begins: begins)
        switch fault.kind {
        case .restart(let part):
            if let station = world.station(of: part) {
                try filter.restart(part.role, region: world.stations[station].region, instances: nil)
                world.stations[station].restart(at: agenda.now)
            }
            dropQueue(of: part, silently: false, &agenda)
        case .outage(let part, let silent):
            if begins { dropQueue(of: part, silently: silent, &agenda) }
        case .instanceLoss(let part, instances: _): try scale(part, &agenda)
        case .regionLoss(let name, let silent):
            guard begins else { break }
            for part in world.parts where part.region == name {
                dropQueue(of: part, silently: silent, &agenda)
            }
        case .slowDown, .sizeCap, .relayWithoutGateway, .captivePortal: break
        case .deployment: preconditionFailure("a deployment goes on step by step")
        }
    }

    /// One step of a deployment: in even ones a batch of instances gets no more requests and the one before is back,
    /// in odd ones the batch stops, and what still waits there ends with 503.
    mutating func deploy(fault: Int, step: Int, _ agenda: inout Agenda<Event>) throws {
        guard case .deployment(let part, let deployment) = world.configuration.faults[fault].kind,
            let station = world.station(of: part)
        else { return }
        if step.isMultiple(of: 2) {
            let instances = world.stations[station].active
            let first = min(step / 2 * deployment.batch, instances)
            let batch = first..<min(first + deployment.batch, instances)
            for slot in world.stations[station].replace(batch, at: agenda.now) { try serve(slot, &agenda) }
            try emptyMemories(of: station)
            world.note(
                station,
                change: batch.isEmpty
                    ? "deployment done"
                    : "deployment: instances \(batch.lowerBound + 1) to \(batch.upperBound) get no more requests",
                at: agenda.now)
            if batch.isEmpty { return }
        } else {
            for slot in world.stations[station].stopReplaced(at: agenda.now) {
                fail(slot, .busy, &agenda)
            }
        }
        agenda.schedule(
            .world(.deploymentStep(fault: UInt32(fault), step: UInt32(step + 1))),
            after: step.isMultiple(of: 2) ? deployment.drain : deployment.start)
    }

    /// Gives a part the servers of the instances that it has left. Requests that wait at an instance of its own that
    /// is gone end with 503.
    mutating func scale(_ part: Part, _ agenda: inout Agenda<Event>) throws {
        guard let station = world.station(of: part), let place = world.parts.firstIndex(of: part) else {
            return
        }
        let lost = world.faults.lostInstances(of: place) + (world.stations[station].spot?.gone ?? 0)
        let (starting, dropped) = world.stations[station].lose(lost, at: agenda.now)
        for slot in starting { try serve(slot, &agenda) }
        try emptyMemories(of: station)
        for slot in dropped { fail(slot, .busy, &agenda) }
    }

    /// Instances that take requests again, or for the first time, have nothing in their memory.
    mutating func emptyMemories(of station: Int) throws {
        let (part, region) = (world.stations[station].part, world.stations[station].region)
        for instance in world.stations[station].takeBegun() {
            try filter.restart(part.role, region: region, instances: instance..<instance + 1)
        }
    }

    /// Requests that wait at a part that goes down end with 503, or without any answer; those in service are
    /// still finished.
    private mutating func dropQueue(of part: Part, silently: Bool, _ agenda: inout Agenda<Event>) {
        guard let station = world.station(of: part) else { return }
        for slot in world.stations[station].drain(at: agenda.now) {
            if silently { lose(slot) } else { fail(slot, .busy, &agenda) }
        }
    }
}

extension World {
    /// Place of a part's station; `nil` if it has no queue.
    fileprivate func station(of part: Part) -> Int? { stations.firstIndex { $0.part == part } }
}
