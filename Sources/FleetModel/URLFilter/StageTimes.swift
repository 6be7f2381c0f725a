import EventSimulation

/// Where the time of answered lookups went.
struct StageTimes {
    private(set) var byName: [Stage: LatencyHistogram] = Dictionary(
        uniqueKeysWithValues: Stage.allCases.map { ($0, LatencyHistogram()) })
    /// Waiting and work at the PIR server, and at gateway and PIR server together.
    private(set) var pirTime = LatencyHistogram()
    private(set) var serverTime = LatencyHistogram()

    /// - Parameters:
    ///   - message: One that has ended now.
    ///   - waited: For a token, before it was made.
    mutating func record(
        _ message: Message, waited: SimulatedDuration, in world: World, at now: SimulatedTime
    ) {
        var inside = SimulatedDuration.zero
        func add(_ stage: Stage, _ time: SimulatedDuration, to times: inout [Stage: LatencyHistogram]) {
            times[stage]?.record(time)
            inside += time
        }
        let (gateway, pir) = (message[0], message[1])
        byName[.token]?.record(waited)
        pirTime.record(pir.waiting + pir.working)
        serverTime.record(gateway.waiting + gateway.working + pir.waiting + pir.working)
        add(.device, message.deviceTime, to: &byName)
        add(.gatewayWaiting, gateway.waiting, to: &byName)
        add(.gatewayWorking, gateway.working, to: &byName)
        add(.pirWaiting, pir.waiting, to: &byName)
        add(.pirWorking, pir.working, to: &byName)
        add(.transmission, message.transmission, to: &byName)
        if world.connections.hasRadio { add(.radio, message.radio, to: &byName) }
        if world.connections.rules != nil { add(.slowStart, message.slowStart, to: &byName) }
        if world.connections.areKept { add(.connection, message.connection, to: &byName) }
        if world.lines.areShared { add(.lineWaiting, message.lineWaiting, to: &byName) }
        add(.propagation, now - message.started - inside, to: &byName)
    }
}
