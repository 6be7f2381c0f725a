import EventSimulation
import FleetModel
import URLFilter

/// Protocol of a tunnel, with what it says of itself; the article has the sources.
enum TunnelProtocol: String, CaseIterable {
    case ikev2, wireGuard

    /// Round trips from nothing to a tunnel that is up.
    var setUp: RoundTrips { RoundTrips(server: self == .ikev2 ? 2 : 1) }

    var packetBytes: SettingFallback {
        switch self {
        case .ikev2: SettingFallback("65B", "RFC 4303, RFC 4106: ESP with AES-GCM behind NAT, at most")
        case .wireGuard: SettingFallback("60B", "WireGuard, src/messages.h: over IPv4")
        }
    }

    var rekeyInterval: SettingFallback {
        switch self {
        case .ikev2: SettingFallback("24h", "apple/device-management: LifeTimeInMinutes, the default of 1440")
        case .wireGuard: SettingFallback("2min", "WireGuard, src/messages.h: REKEY_AFTER_TIME")
        }
    }

    var handshakeTime: SettingFallback {
        let measured = #"article "Other architectures", section "Costs of real software": wireguard-go"#
        return switch self {
        case .ikev2: SettingFallback("1ms", "assumption: about as a handshake of WireGuard in user space")
        case .wireGuard: SettingFallback("956us", measured)
        }
    }

    var handshakeBytes: SettingFallback {
        switch self {
        case .ikev2:
            SettingFallback("1500B", "assumption: two exchanges, with keys of 2048 bits in one of them")
        case .wireGuard:
            SettingFallback("296B", "WireGuard, src/messages.h: 148 and 92 bytes, with UDP and IPv4")
        }
    }

    /// How long keys are good for without a load; `nil` for a tunnel that somebody has to end.
    var idle: SettingFallback? {
        self == .ikev2 ? nil : SettingFallback("180s", "WireGuard, src/messages.h: REJECT_AFTER_TIME")
    }
}

/// Mechanisms whose gateway is the end of a tunnel.
extension MechanismReader {
    func tunnel(coverage: (String, String)) throws -> MechanismSettings {
        let own = Schema.tunnel
        let kind = try settings(own.kind)
        let includesAll = try settings(own.includeAllNetworks)
        var (connect, move) = (kind.setUp, RoundTrips(server: 1))
        var noticing = SimulatedDuration.zero
        var handOversMakeKeys = false
        if kind == .ikev2 {
            if try settings(own.redirect) {
                connect = connect + RoundTrips(server: 1)
            }
            if try !settings(own.mobike) {
                noticing = try settings(own.deadPeerDetection)
                (move, handOversMakeKeys) = (connect, true)
            }
        }
        let rules = try tunnelRules(kind, connect: connect, handOversMakeKeys: handOversMakeKeys)
        var costs = ServerCost.tunnel.costs
        costs.overheadPerPacket = Double(
            try settings(own.bytesPerPacket, else: kind.packetBytes))
        let delay = try serverDelay()
        var mechanism = try atServer(
            .vpnGateway,
            path: path {
                ($0.newHost, $0.request) = (RoundTrips(server: 3, site: 3), Self.through)
                ($0.noticing, $0.setUp, $0.serverDelay) = (noticing, move, delay)
                $0.resending = Self.through
            }, costs: costs, coverage: coverage)
        mechanism.configuration.whileMoving = includesAll ? .failClosed : .failOpen
        mechanism.configuration.tunnel = rules
        mechanism.coverage *= try 1 - excludedShare()
        return mechanism
    }

    private func tunnelRules(
        _ kind: TunnelProtocol, connect: RoundTrips, handOversMakeKeys: Bool
    ) throws -> TunnelRules {
        let own = Schema.tunnel
        let isOnDemand = try settings(own.connectOnDemand)
        if kind == .ikev2, !isOnDemand, settings.has(own.disconnectOnIdle) {
            throw settings.error(
                own.disconnectOnIdle,
                .conflict("ends the tunnel for good; add connectOnDemand: true"))
        }
        var idle: SimulatedDuration?
        if isOnDemand || kind.idle != nil {
            idle = try settings(
                own.disconnectOnIdle,
                else: kind.idle ?? SettingFallback("2min", "assumption: Apple's payload names no time"))
        }
        return TunnelRules(
            rekeyInterval: try settings(own.rekeyInterval, else: kind.rekeyInterval),
            cpuPerHandshake: try settings(own.cpuPerHandshake, else: kind.handshakeTime).seconds,
            bytesPerHandshake: Double(
                try settings(own.bytesPerHandshake, else: kind.handshakeBytes)),
            idle: idle, connect: connect, handOversMakeKeys: handOversMakeKeys)
    }

    /// Share of the loads that pass outside of the tunnel, and so unfiltered.
    private func excludedShare() throws -> Double {
        let own = Schema.tunnel
        var sum = try settings(own.exceptionShare)
        for (flag, share) in [
            (own.excludeLocalNetworks, own.localShare), (own.excludeAPNs, own.apnsShare),
            (own.excludeCellularServices, own.cellularServicesShare),
        ] {
            let isExcluded = try settings(flag)
            let part = try settings(share)
            if isExcluded { sum += part }
        }
        guard sum <= 1 else {
            throw settings.error(.conflict("more than all loads pass outside of the tunnel"))
        }
        return sum
    }
}
