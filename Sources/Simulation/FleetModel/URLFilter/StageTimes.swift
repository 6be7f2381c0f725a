import EventSimulation

/// Stages in which the time of answered lookups went.
struct StageTimes {
    /// Times of each stage, by ``Stage/place``.
    private var histograms = Stage.allCases.map { _ in LatencyHistogram() }
    /// Waiting and work at the PIR server, and at gateway and PIR server together.
    private(set) var pirTime = LatencyHistogram()
    private(set) var serverTime = LatencyHistogram()

    var byName: [Stage: LatencyHistogram] {
        Dictionary(uniqueKeysWithValues: zip(Stage.allCases, histograms))
    }

    /// - Parameters:
    ///   - message: One that has ended now.
    ///   - waited: For a token, before it was made.
    mutating func record(
        _ message: Message, waited: SimulatedDuration, in world: inout World, at now: SimulatedTime
    ) {
        let (gateway, pir) = (message[0], message[1])
        pirTime.record(pir.waiting + pir.working)
        serverTime.record(gateway.waiting + gateway.working + pir.waiting + pir.working)
        message.visitStages(waited: waited, in: &world, at: now) { histograms[$0.place].record($1) }
    }
}

extension Message {
    /// Hands over each stage of an answered lookup with its time, as far as the fleet has it.
    ///
    /// - Parameter waited: For a token, before the message was made.
    func visitStages(
        waited: SimulatedDuration, in world: inout World, at now: SimulatedTime,
        _ visit: (Stage, SimulatedDuration) -> Void
    ) {
        var inside = SimulatedDuration.zero
        func add(_ stage: Stage, _ time: SimulatedDuration) {
            visit(stage, time)
            inside += time
        }
        let (gateway, pir) = (self[0], self[1])
        visit(.token, waited)
        add(.device, deviceTime)
        add(.gatewayWaiting, gateway.waiting)
        add(.gatewayWorking, gateway.working)
        add(.pirWaiting, pir.waiting)
        add(.pirWorking, pir.working)
        add(.transmission, transmission)
        if world.connections.hasRadio { add(.radio, radio) }
        if world.connections.rules != nil { add(.slowStart, slowStart) }
        if world.connections.areKept { add(.connection, connection) }
        if world.lines.areShared { add(.lineWaiting, lineWaiting) }
        visit(.propagation, now - started - inside)
    }
}
