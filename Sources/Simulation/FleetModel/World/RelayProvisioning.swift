package import EventSimulation
import RandomStreams

/// A relay that is approved, and that works for a share of the devices which grows for weeks.
///
/// Of two reports from the field, one names three weeks from the approval to a relay that works, and one a relay that
/// works for a few users of an app and for nobody else. A device for which it does not work has its requests refused
/// near it: nothing arrives at gateway and services, and every lookup ends by the failure policy. Once it works for a
/// device it goes on working.
package struct RelayProvisioning: Hashable, Sendable {
    /// Shares of the devices at the start and at the end. In `0...1`, the second not below the first.
    package var from: Double
    package var to: Double
    /// The share stays at ``from`` so long, then grows evenly for ``over``.
    package var after: SimulatedDuration
    package var over: SimulatedDuration

    package init(from: Double, to: Double, after: SimulatedDuration, over: SimulatedDuration) {
        precondition(
            from >= 0 && from <= to && to <= 1, "shares are in 0...1 and do not fall, got \(from) and \(to)")
        (self.from, self.to, self.after, self.over) = (from, to, after, over)
    }

    /// Time from which on the relay works for a device; `nil`: not in this run.
    ///
    /// - Parameter rank: Share of the devices that are served before it. In `0..<1`.
    func start(rank: Double) -> SimulatedDuration? {
        if rank < from { return .zero }
        guard rank < to else { return nil }
        return after + over * ((rank - from) / (to - from))
    }
}

extension World {
    /// Whether the relay takes requests of a device. The rank of a device is the same all through the run.
    func relayWorks(for device: Int, at now: SimulatedTime) -> Bool {
        guard let provisioning = configuration.services.relay.provisioning else { return true }
        var stream = RandomStream(
            seed: configuration.seed, replication: replication, entity: UInt32(device),
            purpose: .relayProvisioning)
        guard let start = provisioning.start(rank: stream.uniform()) else { return false }
        return now >= SimulatedTime.start.advanced(by: start)
    }
}

extension StreamPurpose {
    fileprivate static let relayProvisioning = StreamPurpose("relay provisioning")
}
