import Decoding
import EventSimulation
import FleetModel
import Foundation
import RandomStreams
import URLFilter

/// Mechanisms that decide at a server of the operator.
extension MechanismReader {
    /// Work of a server on what it carries; the article has the sources.
    enum ServerCost {
        case plain, tls, inspecting, tunnel, relay

        var costs: MechanismCosts {
            var costs = MechanismCosts()
            costs.carriedShare = 1
            switch self {
            case .plain:
                costs.cpuPerConnection = 135e-6
                costs.cpuPerByte = 0.33e-9
                costs.memoryPerConnection = 32e3
            case .tls:
                costs.cpuPerConnection = 530e-6
                costs.cpuPerByte = 0.91e-9
                costs.memoryPerConnection = 47e3
            case .inspecting:
                costs.cpuPerConnection = 790e-6
                costs.cpuPerRequest = 53e-6
                costs.cpuPerByte = 1.16e-9
                costs.memoryPerConnection = 30e3
            case .tunnel: costs.cpuPerByte = 1.0e-9
            case .relay:
                costs.cpuPerConnection = 53e-6
                costs.cpuPerByte = 1.16e-9
                costs.memoryPerConnection = 15e3
            }
            return costs
        }
    }

    func atServer(
        _ server: Part, path: FilterPath, costs: MechanismCosts, coverage: (String, String),
        hours: Range<Double>? = nil, opensTLS: Bool = false
    ) throws -> MechanismSettings {
        let reload = try settings(Schema.server.reload)
        var configuration = MechanismConfiguration(
            keeper: .server(reload: reload), policy: try failurePolicy(), path: path,
            costs: try own(costs))
        configuration.server = server
        configuration.servers = try servers()
        configuration.urlShare = opensTLS ? 1 : 0
        configuration.understandsMeant = true
        configuration.readers = [
            server: [.clientAddress, .sizeAndTime, opensTLS ? .url : .host]
        ]
        return MechanismSettings(
            configuration: configuration, coverage: try self.coverage(coverage.0, coverage.1),
            coveredHours: hours, pathEntries: opensTLS ? .blockHost : try pathEntries(), entryLimit: nil,
            bytesPerEntry: 0)
    }

    /// The costs of a preset, as far as the scenario has no others.
    private func own(_ costs: MechanismCosts) throws -> MechanismCosts {
        var costs = costs
        func time(_ setting: Setting<SimulatedDuration>, _ value: Double) throws -> Double {
            try settings(
                setting, else: SettingFallback(SettingsReader.text(.seconds(value)), Self.costs)
            ).seconds
        }
        let server = Schema.server
        costs.cpuPerConnection = try time(server.cpuPerConnection, costs.cpuPerConnection)
        costs.cpuPerRequest = try time(server.cpuPerRequest, costs.cpuPerRequest)
        costs.cpuPerByte = try time(server.cpuPerMegabyte, costs.cpuPerByte * 1e6) / 1e6
        costs.memoryPerConnection = Double(
            try settings(
                server.memoryPerConnection,
                else: SettingFallback("\(Int(saturating: costs.memoryPerConnection))B", Self.costs)))
        return costs
    }

    /// How many there are by default follows from the load and the prices; see ``MechanismSettings/size(by:)``.
    private func servers() throws -> MechanismServers {
        let server = Schema.server
        var servers = MechanismServers(cores: try settings(server.cores))
        servers.instances = try settings.optional(server.instances)
        if servers.instances == nil {
            settings.note(
                "instances", "as many as the busiest interval needs",
                source: "prices.targetUtilization and prices.spareInstances")
        }
        servers.serviceVariability = try settings(server.serviceVariability)
        servers.patience = try settings(server.patience)
        return servers
    }

    func serverDelay() throws -> Distribution {
        if let delay = try settings.optional(Schema.server.serverDelay) { return delay }
        settings.note(
            "serverDelay", String(format: "%.1fms (mean)", relayDelay.mean * 1_000),
            source: "as services.relay.oneWayDelay")
        return relayDelay
    }

    func onSite() throws -> MechanismSettings {
        let opensTLS = try settings(Schema.tls.inspectsTLS)
        let delay = try settings(
            Schema.server.serverDelay, else: SettingFallback("500us", "assumption: in the building"))
        let from = try settings(Schema.onSite.from)
        let to = try settings(Schema.onSite.to)
        try settings.check(to, in: from...24, Schema.onSite.to.key)
        let through =
            opensTLS
            ? path {
                ($0.newHost, $0.request) = (RoundTrips(server: 3, site: 3), Self.through)
                ($0.serverDelay, $0.resending) = (delay, RoundTrips(server: 1))
            } : path()
        var costs = (opensTLS ? ServerCost.inspecting : .plain).costs
        costs.isOnTheWay = true
        return try atServer(
            .siteFilter, path: through, costs: costs,
            coverage: ("1", "it sees what passes it"), hours: from..<to, opensTLS: opensTLS)
    }

    func httpProxy() throws -> MechanismSettings {
        let isTLS = try settings(Schema.proxy.tlsToProxy)
        let opensTLS = try settings(Schema.tls.inspectsTLS)
        let fallsBack = try settings(Schema.proxy.pacFallback)
        var mechanism = try proxy(
            newHost: RoundTrips(server: isTLS ? 5 : 4, site: 3),
            cost: opensTLS ? .inspecting : isTLS ? .tls : .plain,
            coverage: ("1", "supervised: all HTTP"), opensTLS: opensTLS)
        if fallsBack {
            mechanism.configuration.passesBy = try settings(Schema.proxy.pacRetry)
        }
        return mechanism
    }

    func proxy(
        newHost: RoundTrips, cost: ServerCost, coverage: (String, String), opensTLS: Bool = false
    ) throws -> MechanismSettings {
        let delay = try serverDelay()
        return try atServer(
            .proxy,
            path: path {
                ($0.newHost, $0.request) = (newHost, Self.through)
                $0.setUp = RoundTrips(server: newHost.server - 3)
                ($0.serverDelay, $0.resending) = (delay, RoundTrips(server: 1))
            },
            costs: cost.costs, coverage: coverage, opensTLS: opensTLS)
    }

    func relay() throws -> MechanismSettings {
        let own = Schema.relayFilter
        let hops = try settings(own.hops)
        let quic = try settings(own.quicShare)
        let isBlocked = try settings(own.http3BlockedShare)
        let fallback = try settings(own.fallbackDelay)
        let named = try settings(own.matchShare)
        let isOff = try settings(own.switchedOffShare)
        let between = try settings(own.hopDelay)
        var delay = try serverDelay()
        if hops == 2 { delay = .constant(delay.mean + between.mean) }
        var costs = ServerCost.relay.costs
        costs.overheadPerPacket = 51 * Double(hops)
        // With HTTP/2 the datagrams of QUIC have no use: TCP to the site.
        let direct = quic * (1 - isBlocked)
        var mechanism = try atServer(
            .relayHop,
            path: path {
                $0.newHost =
                    RoundTrips(server: 3, site: 3) * (1 - direct) + RoundTrips(server: 2, site: 2) * direct
                $0.request = Self.through
                $0.directNewHost = RoundTrips(direct: 3 - quic)
                $0.noticing = fallback * isBlocked
                $0.setUp = RoundTrips(server: Double(hops) + isBlocked)
                $0.serverDelay = delay
                // Datagrams of a host's QUIC are not the relay's to send again (RFC 9221, section 5).
                $0.resending = RoundTrips(server: 1, site: direct)
            }, costs: costs,
            coverage: ("1", "what is not matched or switched off comes on top"))
        mechanism.coverage *= named * (1 - isOff)
        if hops == 2 {
            mechanism.configuration.readers = [
                .firstRelayHop: [.clientAddress, .sizeAndTime], .relayHop: [.sizeAndTime, .host],
            ]
        }
        return mechanism
    }

    func dns() throws -> MechanismSettings {
        let transport = try settings(Schema.dns.transport)
        let misses = try settings(Schema.dns.cacheMissShare)
        let detour = misses * (transport == .odoh ? 2 : 1)
        var costs = MechanismCosts()
        costs.cpuPerConnection = 16e-6 * misses
        costs.visitsPerConnection = misses
        costs.messageBytesPerConnection = 400 * misses
        costs.memoryPerConnection = 0
        let delay = try serverDelay()
        var mechanism = try atServer(
            .resolver,
            path: path {
                $0.newHost = Self.direct.host + RoundTrips(detour: detour)
                ($0.setUp, $0.serverDelay) = (RoundTrips(server: 3), delay)
            }, costs: costs,
            coverage: ("0.95", "assumption: some apps bring their own resolver"))
        mechanism.configuration.readers =
            transport == .odoh
            ? [.resolverProxy: [.clientAddress, .sizeAndTime], .resolver: [.sizeAndTime, .host]]
            : [.resolver: [.clientAddress, .sizeAndTime, .host]]
        return mechanism
    }
}
