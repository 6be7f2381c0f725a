import EventSimulation
import URLFilter

/// Second requests for a lookup: after a failure, and beside one without an answer.
extension URLFilterModel {
    /// Whether a lookup goes on although one of its requests failed.
    mutating func goesOn(
        _ exchange: Exchange, _ batch: PendingBatch, device: Int, in world: inout World,
        _ agenda: inout Future
    ) throws -> Bool {
        if let twin = exchange.twin, isPending(twin, in: &world) {
            exchanges[Int(twin.slot)].twin = nil
            return true
        }
        guard batch.retries < world.configuration.behaviour.lookupRetries, agenda.now < batch.deadline else {
            return false
        }
        var next = batch
        next.retries += 1
        next.wanted = agenda.now
        next.hedges = nil
        if batch.counted { world.record.urlFilter.lookups.retried? += 1 }
        try tell(device, .lookUpNeeded, lookUp: next, in: &world, &agenda)
        return true
    }

    /// Nobody waits for the other of two requests any more.
    mutating func leaveTwin(of exchange: Exchange, in world: inout World) {
        if let twin = exchange.twin, world.post.messages.contains(twin) {
            exchanges[Int(twin.slot)].batch = nil
        }
    }

    /// Prepares for a second request, or ties one that begins to the first.
    mutating func noteTwins(_ slot: Int, in world: inout World, _ agenda: inout Future) {
        let name = world.post.messages.name(of: slot)
        if let first = exchanges[slot].batch?.hedges {
            exchanges[slot].twin = first
            exchanges[Int(first.slot)].twin = name
        } else if let pause = world.configuration.behaviour.hedgeAfter {
            agenda.schedule(.filter(.hedge(slot: name.slot, generation: name.generation)), after: pause)
        }
    }

    /// Asks a second time, if the first request still has no answer and there is a token.
    mutating func hedge(_ first: SlotName, in world: inout World, _ agenda: inout Future) throws {
        guard isPending(first, in: &world), !world.post.messages[Int(first.slot)].isBack,
            var batch = exchanges[Int(first.slot)].batch
        else { return }
        let device = world.post.messages[Int(first.slot)].device
        let rules = exchangeRules[world.group(of: device)]
        let oldest = SimulatedTime(nanoseconds: rules.oldestToken(at: agenda.now.nanoseconds)).wholeSeconds
        guard tokens.count(of: device) > tokens.count(of: device, olderThan: oldest) else { return }
        batch.hedges = first
        batch.wanted = agenda.now
        if batch.counted { world.record.urlFilter.lookups.hedged? += 1 }
        try tell(device, .lookUpNeeded, lookUp: batch, in: &world, &agenda)
    }

    private func isPending(_ name: SlotName, in world: inout World) -> Bool {
        world.post.messages.contains(name) && exchanges[Int(name.slot)].batch != nil
    }
}
