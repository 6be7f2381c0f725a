import EventSimulation

/// What a fault does at once; what it does while it lasts, ``FaultState`` knows.
extension Fleet {
    mutating func change(_ fault: Fault, begins: Bool, _ agenda: inout Agenda<Event>) throws {
        world.faults.apply(fault.kind, groups: world.configuration.groups, begins: begins)
        switch fault.kind {
        case .restart(let part):
            try filter.restart(part)
            dropQueue(of: part, silently: false, &agenda)
        case .outage(let part, let silent):
            if begins { dropQueue(of: part, silently: silent, &agenda) }
        case .instanceLoss(let part, instances: _): try scale(part, &agenda)
        case .slowDown, .sizeCap, .captivePortal: break
        }
    }

    /// Gives a part the servers of the instances that it has left. Requests that wait at an instance of its own that
    /// is gone end with 503.
    private mutating func scale(_ part: Part, _ agenda: inout Agenda<Event>) throws {
        guard let station = world.station(of: part), let place = world.parts.firstIndex(of: part) else {
            return
        }
        let settings = world.stations[station].settings
        let left = max(0, settings.instances - world.faults.lostInstances(of: place))
        let (starting, dropped) = world.stations[station].scale(to: left, at: agenda.now)
        for (slot, _) in starting { try serve(slot, &agenda) }
        for slot in dropped { fail(slot, status: 503, &agenda) }
    }

    /// Requests that wait at a part that goes down end with 503, or without any answer; those in service are
    /// still finished.
    private mutating func dropQueue(of part: Part, silently: Bool, _ agenda: inout Agenda<Event>) {
        guard let station = world.station(of: part) else { return }
        for slot in world.stations[station].drain(at: agenda.now) {
            if silently { lose(slot) } else { fail(slot, status: 503, &agenda) }
        }
    }
}

extension World {
    /// Place of a part's station; `nil` if it has no queue.
    fileprivate func station(of part: Part) -> Int? { stations.firstIndex { $0.part == part } }
}
