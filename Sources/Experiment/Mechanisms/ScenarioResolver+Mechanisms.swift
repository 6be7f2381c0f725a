import EventSimulation
import FleetModel
import Foundation
import RandomStreams
import URLFilter

/// The mechanisms that may filter instead of the URL filter: `mechanisms: {httpProxy: {...}}`.
extension ScenarioResolver {
    /// - Parameters:
    ///   - settings: The group of all mechanisms, of which a scenario may set several.
    /// - Returns: `nil` for the URL filter.
    func mechanism(
        _ choice: ArchitectureChoice, _ settings: SettingsReader, services: ServiceConfiguration,
        policy: FailurePolicy
    ) throws -> MechanismSettings? {
        let names = ArchitectureChoice.allCases.map(\.rawValue).filter { $0 != "urlFilter" }
        let common = ["page", "siteDelay"]
        for key in settings.keys where !(names + common).contains(key) {
            throw settings.error(key, .unknownName(key, allowed: names + common))
        }
        for key in names + common { _ = settings.has(key) }
        try settings.finish()
        guard choice != .urlFilter else { return nil }
        let page = try page(settings.group("page"))
        let siteDelay = try settings.delay("siteDelay")
        let own = try settings.group(choice.rawValue)
        var reader = MechanismReader(
            settings: own, relayDelay: services.relay.oneWayDelay, siteDelay: siteDelay, page: page,
            policy: policy)
        let mechanism = try reader.read(choice)
        try own.finish()
        return mechanism
    }

    private func page(_ settings: SettingsReader) throws -> PageShape {
        let requests = try settings.number("requests", in: 1...10_000)
        let bytes = try settings.bytes("bytes")
        let hosts = try settings.number("hosts", in: 1...1_000)
        let chain = try settings.number("chain", in: 1...requests)
        let chainHosts = try settings.number("chainHosts", in: 1...chain)
        try settings.finish()
        return PageShape(
            requests: requests, bytes: Double(bytes), hosts: hosts, chain: chain, chainHosts: chainHosts)
    }
}

/// Reads the settings of one mechanism. What a scenario leaves out is a fact of the mechanism, with its source.
struct MechanismReader {
    let settings: SettingsReader
    let relayDelay: Distribution
    let siteDelay: Distribution
    let page: PageShape
    let policy: FailurePolicy

    private static let assumption = "assumption"
    private static let table = #"article "Architectures", section "Round trips""#
    private static let costs = #"article "Architectures", section "Costs""#
    private static let direct = (host: RoundTrips(direct: 3), request: RoundTrips(direct: 1))
    /// One round trip to the first byte, and its way on.
    private static let through = RoundTrips(server: 1, site: 1)

    mutating func read(_ choice: ArchitectureChoice) throws -> MechanismSettings {
        switch choice {
        case .urlFilter: preconditionFailure("the URL filter is no mechanism of this kind")
        case .wholeList: try onDevice(urlShare: 1, understandsMeant: false)
        case .hashPrefix: try hashPrefix()
        case .contentFilter: try contentFilter()
        case .packetFilter: try packetFilter()
        case .onSiteFilter: try onSite()
        case .httpProxy: try httpProxy()
        case .socksProxy:
            try proxy(newHost: RoundTrips(server: 5, site: 3), cost: .plain, coverage: ("1", Self.assumption))
        case .fullTunnel: try tunnel(coverage: ("1", "all traffic but Apple's exceptions"))
        case .splitTunnel: try tunnel(coverage: ("0.3", "assumption: what is routed to it"))
        case .perAppVPN: try tunnel(coverage: ("0.3", "assumption: what managed apps load"))
        case .appProxy:
            try proxy(
                newHost: RoundTrips(server: 5, site: 3), cost: .plain,
                coverage: ("0.3", "assumption: what managed apps load"))
        case .relay: try relay()
        case .dnsFilter: try dns()
        case .contentBlocker: try rules(limit: 150_000, "WebKit, ContentExtensionParser.cpp")
        case .builtInList: try rules(limit: 500, "apple/device-management, webcontent-filter.yaml")
        }
    }

    // MARK: On the device

    private func path(
        newHost: RoundTrips = direct.host, request: RoundTrips = direct.request,
        directHost: RoundTrips = direct.host, perFlow: SimulatedDuration = .zero,
        noticing: SimulatedDuration = .zero, setUp: RoundTrips = RoundTrips(),
        serverDelay: Distribution = .constant(0)
    ) -> FilterPath {
        FilterPath(
            newHost: newHost, request: request, directNewHost: directHost,
            directRequest: Self.direct.request, perFlow: perFlow, noticing: noticing, setUp: setUp,
            serverDelay: serverDelay, siteDelay: siteDelay, page: page)
    }

    private func coverage(_ fallback: String, _ source: String) throws -> Double {
        try settings.number("coverage", default: fallback, source: source, in: 0...1)
    }

    private func pathEntries() throws -> MechanismSettings.PathEntries {
        try settings.choice(
            "pathEntries", default: MechanismSettings.PathEntries.blockHost,
            source: "assumption: what is listed must not be seen")
    }

    private func failurePolicy(_ source: String = "as filter.shouldFailClosed") throws -> FailurePolicy {
        try settings.flag("failClosed", default: policy == .failClosed, source: source)
            ? .failClosed : .failOpen
    }

    private func onDevice(urlShare: Double, understandsMeant: Bool) throws -> MechanismSettings {
        var configuration = MechanismConfiguration(
            keeper: .device, policy: policy, path: path(), costs: MechanismCosts())
        configuration.urlShare = urlShare
        configuration.understandsMeant = understandsMeant
        return MechanismSettings(
            configuration: configuration, coverage: try coverage("1", "it sees what the device loads"),
            coveredHours: nil, pathEntries: .blockHost, entryLimit: nil,
            bytesPerEntry: try settings.count(
                "bytesPerEntry", default: "8",
                source: "assumption: half of a SHA-256; chance hits once in 10¹² URLs",
                in: 1...1_000))
    }

    private func hashPrefix() throws -> MechanismSettings {
        var mechanism = try onDevice(urlShare: 1, understandsMeant: false)
        mechanism.configuration.question = MechanismConfiguration.Question(
            requestBytes: try settings.bytes(
                "requestBytes", default: "200B", source: "assumption: 4 bytes in a sealed request"),
            responseBytes: try settings.bytes(
                "responseBytes", default: "300B", source: "assumption: a few full hashes, sealed"),
            cpu: try settings.duration(
                "cpu", default: "80us",
                source:
                    "60 us for opening and sealing (article \"Transport\"), 20 us for a look-up: assumption"
            ).nanoseconds)
        mechanism.bytesPerEntry = 4
        mechanism.configuration.readers = [
            .relay: [.clientAddress, .sizeAndTime], .gateway: [.sizeAndTime, .hashPrefix],
        ]
        return mechanism
    }

    private func contentFilter() throws -> MechanismSettings {
        let share = try settings.number(
            "urlShare", default: "0.3", source: "assumption: browsers load about 30 % of all traffic",
            in: 0...1)
        var mechanism = try onDevice(urlShare: share, understandsMeant: true)
        let perFlow = try settings.duration(
            "perFlow", default: "300us",
            source: "Apple Developer Forums 735504: a few hundred microseconds a flow, one queue")
        mechanism.configuration.path = path(perFlow: perFlow)
        mechanism.configuration.costs.deviceCPUPerConnection = perFlow.seconds
        mechanism.configuration.provider = .provider
        mechanism.configuration.requestShare = try settings.number(
            "requestShare", default: "0.01", source: "assumption: readers of a block page who ask for access",
            in: 0...1)
        mechanism.pathEntries = try pathEntries()
        return mechanism
    }

    private func packetFilter() throws -> MechanismSettings {
        var mechanism = try onDevice(urlShare: 0, understandsMeant: true)
        mechanism.pathEntries = try pathEntries()
        mechanism.configuration.provider = .provider
        // 140 MB/s instead of 883 MB/s; of the bytes of a page one in twenty is sent, assumption.
        mechanism.configuration.costs.deviceCPUPerByte =
            try settings.duration(
                "perMegabyte", default: "300us",
                source: "Apple Developer Forums 757071: 140 instead of 883 MB/s, of what is sent"
            ).seconds / 1e6
        return mechanism
    }

    private func rules(limit: Int, _ source: String) throws -> MechanismSettings {
        var mechanism = try onDevice(urlShare: 1, understandsMeant: true)
        mechanism.coverage = try coverage("0.3", "assumption: what is loaded in WebKit")
        mechanism.entryLimit = try settings.count(
            "entryLimit", default: "\(limit)", source: source, in: 1...100_000_000)
        mechanism.bytesPerEntry = 60
        return mechanism
    }

    // MARK: At a server

    /// What a server does with what it carries; the article has the sources.
    private enum ServerCost {
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

    private func atServer(
        _ server: Part, path: FilterPath, costs: MechanismCosts, coverage: (String, String),
        hours: Range<Double>? = nil, opensTLS: Bool = false
    ) throws -> MechanismSettings {
        let reload = try settings.duration("reload", default: "0s", source: "assumption: loads at once")
        var configuration = MechanismConfiguration(
            keeper: .server(reload: reload), policy: try failurePolicy(), path: path,
            costs: try own(costs))
        configuration.server = server
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
        func time(_ key: String, _ value: Double) throws -> Double {
            try settings.duration(
                key, default: SettingsReader.text(.seconds(value)), source: Self.costs
            ).seconds
        }
        costs.cpuPerConnection = try time("cpuPerConnection", costs.cpuPerConnection)
        costs.cpuPerRequest = try time("cpuPerRequest", costs.cpuPerRequest)
        costs.cpuPerByte = try time("cpuPerMegabyte", costs.cpuPerByte * 1e6) / 1e6
        costs.memoryPerConnection = Double(
            try settings.bytes(
                "memoryPerConnection", default: "\(Int(costs.memoryPerConnection))B", source: Self.costs))
        return costs
    }

    private func serverDelay() throws -> Distribution {
        guard !settings.has("serverDelay") else { return try settings.delay("serverDelay") }
        settings.note(
            "serverDelay", String(format: "%.1fms (mean)", relayDelay.mean * 1_000),
            source: "as services.relay.oneWayDelay")
        return relayDelay
    }

    private func onSite() throws -> MechanismSettings {
        let opensTLS = try settings.flag("inspectsTLS", default: false, source: Self.assumption)
        let delay = try settings.delay(
            "serverDelay", default: .constant("500us"), source: "assumption: in the building")
        let from = try settings.number("from", default: "8", source: "assumption: a school day", in: 0...24)
        let to = try settings.number("to", default: "15", source: "assumption: a school day", in: from...24)
        let through =
            opensTLS
            ? path(newHost: RoundTrips(server: 3, site: 3), request: Self.through, serverDelay: delay)
            : path()
        var costs = (opensTLS ? ServerCost.inspecting : .plain).costs
        costs.isOnTheWay = true
        return try atServer(
            .siteFilter, path: through, costs: costs,
            coverage: ("1", "it sees what passes it"), hours: from..<to, opensTLS: opensTLS)
    }

    private func httpProxy() throws -> MechanismSettings {
        let isTLS = try settings.flag("tlsToProxy", default: false, source: Self.assumption)
        let opensTLS = try settings.flag("inspectsTLS", default: false, source: Self.assumption)
        return try proxy(
            newHost: RoundTrips(server: isTLS ? 5 : 4, site: 3),
            cost: opensTLS ? .inspecting : isTLS ? .tls : .plain,
            coverage: ("1", "supervised: all HTTP"), opensTLS: opensTLS)
    }

    private func proxy(
        newHost: RoundTrips, cost: ServerCost, coverage: (String, String), opensTLS: Bool = false
    ) throws -> MechanismSettings {
        let delay = try serverDelay()
        return try atServer(
            .proxy,
            path: path(
                newHost: newHost, request: Self.through, setUp: RoundTrips(server: newHost.server - 3),
                serverDelay: delay), costs: cost.costs, coverage: coverage, opensTLS: opensTLS)
    }

    private enum TunnelProtocol: String, CaseIterable {
        case ikev2, wireGuard
    }

    private func tunnel(coverage: (String, String)) throws -> MechanismSettings {
        let kind = try settings.choice("protocol", default: TunnelProtocol.ikev2, source: Self.assumption)
        let includesAll = try settings.flag(
            "includeAllNetworks", default: false, source: "apple/device-management: the default")
        var noticing = SimulatedDuration.zero
        var setUp = RoundTrips(server: 1)
        if kind == .ikev2,
            try !settings.flag("mobike", default: true, source: "RFC 4555; Apple's default")
        {
            noticing = try settings.duration(
                "deadPeerDetection", default: "10min", source: "Apple's default, Medium")
            setUp = RoundTrips(server: 2)
        }
        var costs = ServerCost.tunnel.costs
        costs.overheadPerPacket = kind == .ikev2 ? 65 : 60
        let delay = try serverDelay()
        var mechanism = try atServer(
            .vpnGateway,
            path: path(
                newHost: RoundTrips(server: 3, site: 3), request: Self.through, noticing: noticing,
                setUp: setUp, serverDelay: delay), costs: costs, coverage: coverage)
        mechanism.configuration.whileMoving = includesAll ? .failClosed : .failOpen
        return mechanism
    }

    private func relay() throws -> MechanismSettings {
        let hops = try settings.count("hops", default: "1", source: Self.assumption, in: 1...2)
        let quic = try settings.number(
            "quicShare", default: "0.3", source: "assumption: hosts that the device reaches over HTTP/3",
            in: 0...1)
        let isBlocked = try settings.number(
            "http3BlockedShare", default: "0", source: "assumption: no network blocks QUIC", in: 0...1)
        let between = try settings.delay(
            "hopDelay", default: .constant("5ms"), source: "assumption: relays of neighbouring networks")
        var delay = try serverDelay()
        if hops == 2 { delay = .constant(delay.mean + between.mean) }
        var costs = ServerCost.relay.costs
        costs.overheadPerPacket = 51 * Double(hops)
        // With HTTP/2 the datagrams of QUIC have no use: TCP to the site.
        let direct = quic * (1 - isBlocked)
        var mechanism = try atServer(
            .relayHop,
            path: path(
                newHost: RoundTrips(server: 3, site: 3) * (1 - direct) + RoundTrips(server: 2, site: 2)
                    * direct,
                request: Self.through,
                directHost: RoundTrips(direct: 3 - quic),
                setUp: RoundTrips(server: Double(hops) + isBlocked), serverDelay: delay), costs: costs,
            coverage: ("1", "assumption: nobody switches it off"))
        if hops == 2 {
            mechanism.configuration.readers = [
                .firstRelayHop: [.clientAddress, .sizeAndTime], .relayHop: [.sizeAndTime, .host],
            ]
        }
        return mechanism
    }

    private enum ResolverTransport: String, CaseIterable {
        case doh, dot, odoh
    }

    private func dns() throws -> MechanismSettings {
        let transport = try settings.choice(
            "transport", default: ResolverTransport.doh, source: Self.assumption)
        let misses = try settings.number(
            "cacheMissShare", default: "0.5", source: "assumption: names that the device does not know yet",
            in: 0...1)
        let detour = misses * (transport == .odoh ? 2 : 1)
        var costs = MechanismCosts()
        costs.cpuPerConnection = 16e-6 * misses
        costs.messageBytesPerConnection = 400 * misses
        costs.memoryPerConnection = 0
        let delay = try serverDelay()
        var mechanism = try atServer(
            .resolver,
            path: path(
                newHost: Self.direct.host + RoundTrips(detour: detour), setUp: RoundTrips(server: 3),
                serverDelay: delay), costs: costs,
            coverage: ("0.95", "assumption: some apps bring their own resolver"))
        mechanism.configuration.readers =
            transport == .odoh
            ? [.resolverProxy: [.clientAddress, .sizeAndTime], .resolver: [.sizeAndTime, .host]]
            : [.resolver: [.clientAddress, .sizeAndTime, .host]]
        return mechanism
    }
}

extension Part {
    /// The app extension of a filter on the device.
    static let provider = Part("provider")
    /// The servers of the mechanisms.
    static let siteFilter = Part("siteFilter")
    static let proxy = Part("proxy")
    static let vpnGateway = Part("vpnGateway")
    /// The last of the relays, which knows the site, and the first of two, which knows the device.
    static let relayHop = Part("relayHop")
    static let firstRelayHop = Part("firstRelayHop")
    static let resolver = Part("resolver")
    static let resolverProxy = Part("resolverProxy")
}
