import EventSimulation
import FleetModel
import URLFilter

/// Mechanisms whose gateway is the end of a tunnel.
extension MechanismReader {
    /// What a tunnel's protocol says of itself; the article has the sources.
    private enum TunnelProtocol: String, CaseIterable {
        case ikev2, wireGuard

        /// Round trips from nothing to a tunnel that is up.
        var setUp: RoundTrips { RoundTrips(server: self == .ikev2 ? 2 : 1) }

        var packetBytes: (value: String, source: String) {
            switch self {
            case .ikev2: ("65B", "RFC 4303, RFC 4106: ESP with AES-GCM behind NAT, at most")
            case .wireGuard: ("60B", "WireGuard, src/messages.h: over IPv4")
            }
        }

        var rekeyInterval: (value: String, source: String) {
            switch self {
            case .ikev2: ("24h", "apple/device-management: LifeTimeInMinutes, the default of 1440")
            case .wireGuard: ("2min", "WireGuard, src/messages.h: REKEY_AFTER_TIME")
            }
        }

        var handshakeTime: (value: String, source: String) {
            let measured = #"article "Other architectures", section "Costs of real software": wireguard-go"#
            return switch self {
            case .ikev2: ("1ms", "assumption: about as a handshake of WireGuard in user space")
            case .wireGuard: ("956us", measured)
            }
        }

        var handshakeBytes: (value: String, source: String) {
            switch self {
            case .ikev2: ("1500B", "assumption: two exchanges, with keys of 2048 bits in one of them")
            case .wireGuard: ("296B", "WireGuard, src/messages.h: 148 and 92 bytes, with UDP and IPv4")
            }
        }

        /// How long keys are good for without a load; `nil` for a tunnel that somebody has to end.
        var idle: (value: String, source: String)? {
            self == .ikev2 ? nil : ("180s", "WireGuard, src/messages.h: REJECT_AFTER_TIME")
        }
    }

    func tunnel(coverage: (String, String)) throws -> MechanismSettings {
        let kind = try settings.choice("protocol", default: TunnelProtocol.ikev2, source: Self.assumption)
        let includesAll = try settings.flag(
            "includeAllNetworks", default: false, source: "apple/device-management: the default")
        var (connect, move) = (kind.setUp, RoundTrips(server: 1))
        var noticing = SimulatedDuration.zero
        var handOversMakeKeys = false
        if kind == .ikev2 {
            if try settings.flag(
                "redirect", default: false,
                source: "assumption: the gateway that is asked serves (RFC 5685: else one exchange more)")
            {
                connect = connect + RoundTrips(server: 1)
            }
            if try !settings.flag("mobike", default: true, source: "RFC 4555; Apple's default") {
                noticing = try settings.duration(
                    "deadPeerDetection", default: "10min", source: "Apple's default, Medium")
                (move, handOversMakeKeys) = (connect, true)
            }
        }
        let rules = try tunnelRules(kind, connect: connect, handOversMakeKeys: handOversMakeKeys)
        var costs = ServerCost.tunnel.costs
        costs.overheadPerPacket = Double(
            try settings.bytes(
                "bytesPerPacket", default: kind.packetBytes.value, source: kind.packetBytes.source))
        let delay = try serverDelay()
        var mechanism = try atServer(
            .vpnGateway,
            path: path(
                newHost: RoundTrips(server: 3, site: 3), request: Self.through, noticing: noticing,
                setUp: move, serverDelay: delay), costs: costs, coverage: coverage)
        mechanism.configuration.whileMoving = includesAll ? .failClosed : .failOpen
        mechanism.configuration.tunnel = rules
        mechanism.coverage *= try 1 - excludedShare()
        return mechanism
    }

    private func tunnelRules(
        _ kind: TunnelProtocol, connect: RoundTrips, handOversMakeKeys: Bool
    ) throws -> TunnelRules {
        let isOnDemand = try settings.flag(
            "connectOnDemand", default: false, source: "apple/device-management: the default")
        if kind == .ikev2, !isOnDemand, settings.has("disconnectOnIdle") {
            throw settings.error(
                "disconnectOnIdle",
                .conflict("ends the tunnel for good; add connectOnDemand: true"))
        }
        var idle: SimulatedDuration?
        if isOnDemand || kind.idle != nil {
            idle = try settings.duration(
                "disconnectOnIdle", default: kind.idle?.value ?? "2min",
                source: kind.idle?.source ?? "assumption: Apple's payload names no time", atLeast: "1s")
        }
        return TunnelRules(
            rekeyInterval: try settings.duration(
                "rekeyInterval", default: kind.rekeyInterval.value, source: kind.rekeyInterval.source,
                atLeast: "1s"),
            cpuPerHandshake: try settings.duration(
                "cpuPerHandshake", default: kind.handshakeTime.value, source: kind.handshakeTime.source
            ).seconds,
            bytesPerHandshake: Double(
                try settings.bytes(
                    "bytesPerHandshake", default: kind.handshakeBytes.value,
                    source: kind.handshakeBytes.source)),
            idle: idle, connect: connect, handOversMakeKeys: handOversMakeKeys)
    }

    /// Share of the loads that pass outside of the tunnel, and so unfiltered.
    private func excludedShare() throws -> Double {
        let unknown = "assumption: no load of a URL goes there"
        func share(_ key: String, _ source: String) throws -> Double {
            try settings.number(key, default: "0", source: source, in: 0...1)
        }
        var sum = try share("exceptionShare", "assumption: MDM names no exception")
        let apple = "apple/device-management: the default"
        let classes = [
            ("excludeLocalNetworks", "localShare", false, "assumption: Apple's payload names no default"),
            ("excludeAPNs", "apnsShare", true, apple),
            ("excludeCellularServices", "cellularServicesShare", true, apple),
        ]
        for (flag, key, isUsual, source) in classes {
            let isExcluded = try settings.flag(flag, default: isUsual, source: source)
            let part = try share(key, unknown)
            if isExcluded { sum += part }
        }
        guard sum <= 1 else {
            throw settings.error(.conflict("more than all loads pass outside of the tunnel"))
        }
        return sum
    }
}
