import EventSimulation
import FleetModel
import RandomStreams
import URLFilter

/// Reads the settings of one mechanism. What a scenario leaves out is a fact of the mechanism, with its source.
struct MechanismReader {
    let settings: SettingsReader
    let relayDelay: Distribution
    /// Of one of the operator's servers, whatever runs on it.
    let cores: Int
    let siteDelay: Distribution
    let page: PageShape
    let policy: FailurePolicy

    static let assumption = "assumption"
    static let costs = #"article "Architectures", section "Costs""#
    static let direct = (host: RoundTrips(direct: 3), request: RoundTrips(direct: 1))
    /// One round trip to the first byte, and its way on.
    static let through = RoundTrips(server: 1, site: 1)

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
        case .contentBlocker:
            try rules(
                limit: 150_000, "WebKit, ContentExtensionParser.cpp", .entry,
                "assumption: rules that say what entries say")
        case .builtInList:
            try rules(
                limit: 500, "apple/device-management, webcontent-filter.yaml", .substring,
                "apple/device-management, webcontent-filter.yaml")
        }
    }

    func path(
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

    func coverage(_ fallback: String, _ source: String) throws -> Double {
        try settings.number("coverage", default: fallback, source: source, in: 0...1)
    }

    func pathEntries() throws -> MechanismSettings.PathEntries {
        try settings.choice(
            "pathEntries", default: MechanismSettings.PathEntries.blockHost,
            source: "assumption: what is listed must not be seen")
    }

    func failurePolicy(_ source: String = "as filter.shouldFailClosed") throws -> FailurePolicy {
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

    private func rules(
        limit: Int, _ source: String, _ matching: MechanismSettings.Matching, _ matchingSource: String
    ) throws -> MechanismSettings {
        var mechanism = try onDevice(urlShare: 1, understandsMeant: true)
        mechanism.coverage = try coverage("0.3", "assumption: what is loaded in WebKit")
        mechanism.entryLimit = try settings.count(
            "entryLimit", default: "\(limit)", source: source, in: 1...100_000_000)
        mechanism.matching = try settings.choice("matching", default: matching, source: matchingSource)
        mechanism.bytesPerEntry = 60
        return mechanism
    }
}
