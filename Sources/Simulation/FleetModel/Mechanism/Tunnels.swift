package import EventSimulation
import Foundation

/// Upkeep of a tunnel, beside what it carries.
package struct TunnelRules: Hashable, Sendable {
    /// Keys are made anew so often while the tunnel is up, before the old ones end: nobody waits for that.
    package var rekeyInterval: SimulatedDuration
    /// CPU seconds of the gateway, and bytes both ways together, for each handshake: a rekey or a set-up.
    package var cpuPerHandshake: Double
    package var bytesPerHandshake: Double
    /// Without a load for so long the tunnel is down, and the next one waits for ``connect``; `nil`: it stays up.
    package var idle: SimulatedDuration?
    /// Round trips of a set-up.
    package var connect: RoundTrips
    /// A device that was handed over to another network makes new keys, beside the round trips that it waits.
    package var handOversMakeKeys: Bool

    package init(
        rekeyInterval: SimulatedDuration, cpuPerHandshake: Double, bytesPerHandshake: Double,
        idle: SimulatedDuration?, connect: RoundTrips, handOversMakeKeys: Bool
    ) {
        self.rekeyInterval = rekeyInterval
        self.cpuPerHandshake = cpuPerHandshake
        self.bytesPerHandshake = bytesPerHandshake
        self.idle = idle
        self.connect = connect
        self.handOversMakeKeys = handOversMakeKeys
    }

    /// Share of the time for which the tunnel of a device is up whose loads come as a Poisson process, in the mean: it
    /// is down when none came for ``idle``.
    ///
    /// - Parameter rate: Loads in a second.
    package func upShare(rate: Double) -> Double { 1 - downShare(rate: rate) }

    /// Share of the loads that find it down. They see what any moment does (PASTA).
    package func downShare(rate: Double) -> Double { idle.map { exp(-rate * $0.seconds) } ?? 0 }
}

/// The tunnels of all devices over the observed period, in the mean.
package struct TunnelRecord: Codable, Hashable, Sendable {
    /// Seconds for which they were up.
    package var connectedSeconds = 0.0
    package var rekeys = 0.0
    /// Set-ups for a load after idling, and new keys after a hand-over.
    package var setUps = 0.0
    package var handOvers = 0.0

    package var handshakes: Double { rekeys + setUps + handOvers }

    package init() {}
}

/// Tunnels by the intervals of the series.
struct TunnelUse {
    private(set) var record = TunnelRecord()
    /// Handshakes of each interval, and the share of its pages that wait for a set-up.
    private(set) var handshakes: [Double] = []
    private(set) var downShares: [Double] = []

    /// - Parameter pages: Through the tunnels of all devices.
    init(_ rules: TunnelRules, pages: Double, _ shape: LoadShape, _ configuration: FleetConfiguration) {
        let devices = Double(configuration.deviceCount)
        let movesPerDay = configuration.groups.reduce(0) { $0 + Double($1.count) * $1.usage.handOversPerDay }
        // The last interval may be a part of one.
        let length = shape.shares.isEmpty ? 0 : shape.observed / Double(shape.shares.count)
        for share in shape.shares {
            let rate = devices > 0 && length > 0 ? pages * share / devices / length : 0
            let down = rules.downShare(rate: rate)
            let connected = rules.upShare(rate: rate) * devices * length
            let rekeys = connected / rules.rekeyInterval.seconds
            let setUps = pages * share * down
            let moves = rules.handOversMakeKeys ? movesPerDay * length / 86_400 : 0
            record.connectedSeconds += connected
            record.rekeys += rekeys
            record.setUps += setUps
            record.handOvers += moves
            handshakes.append(rekeys + setUps + moves)
            downShares.append(down)
        }
    }
}

extension OperationsRecord {
    /// Adds the cost of the handshakes of tunnels to that of what the tunnels carry.
    mutating func add(
        _ tunnels: TunnelUse, _ rules: TunnelRules, pages: Double, _ shape: LoadShape, _ page: PageShape,
        _ costs: MechanismCosts
    ) {
        tunnel = tunnels.record
        let count = tunnels.record.handshakes
        let carried = pages * costs.cpu(of: page)
        cpuSeconds += count * rules.cpuPerHandshake
        if shape.seconds > 0 {
            peakCores =
                zip(shape.shares, tunnels.handshakes).map {
                    ($0 * carried + $1 * rules.cpuPerHandshake) / shape.seconds
                }.max() ?? 0
        }
        ingressBytes += count * rules.bytesPerHandshake / 2
        egressBytes += count * rules.bytesPerHandshake / 2
        deviceBytes += count * rules.bytesPerHandshake
    }
}
