import EventSimulation
import FleetModel
import RandomStreams
import URLFilter

/// Reads the settings of one mechanism. What a scenario leaves out is a fact of the mechanism, with its source.
struct MechanismReader {
    let settings: SettingsReader
    let relayDelay: Distribution
    let siteDelay: Distribution
    let page: PageShape
    let policy: FailurePolicy

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
            try proxy(newHost: RoundTrips(server: 5, site: 3), cost: .plain, coverage: ("1", "assumption"))
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

    /// The way straight to the sites, or what a mechanism makes of it.
    func path(_ change: (inout FilterPath) -> Void = { _ in }) -> FilterPath {
        var path = FilterPath(
            newHost: Self.direct.host, request: Self.direct.request, siteDelay: siteDelay, page: page)
        change(&path)
        return path
    }

    func coverage(_ fallback: String, _ source: String) throws -> Double {
        try settings(Schema.coverage.coverage, else: SettingFallback(fallback, source))
    }

    func pathEntries() throws -> MechanismSettings.PathEntries {
        try settings(Schema.pathEntries.pathEntries)
    }

    func failurePolicy(_ source: String = "as filter.shouldFailClosed") throws -> FailurePolicy {
        try settings(
            Schema.server.failClosed, else: SettingFallback("\(policy == .failClosed)", source))
            ? .failClosed : .failOpen
    }

    /// - Parameter coverage: Usual share of loads that it sees, and the source of that.
    private func onDevice(
        urlShare: Double, understandsMeant: Bool,
        coverage: (String, String) = ("1", "it sees what the device loads")
    ) throws -> MechanismSettings {
        var configuration = MechanismConfiguration(
            keeper: .device, policy: policy, path: path(), costs: MechanismCosts())
        configuration.urlShare = urlShare
        configuration.understandsMeant = understandsMeant
        return MechanismSettings(
            configuration: configuration, coverage: try self.coverage(coverage.0, coverage.1),
            coveredHours: nil, pathEntries: .blockHost, entryLimit: nil,
            bytesPerEntry: try settings(Schema.onDevice.bytesPerEntry))
    }

    private func hashPrefix() throws -> MechanismSettings {
        var mechanism = try onDevice(urlShare: 1, understandsMeant: false)
        mechanism.configuration.question = MechanismConfiguration.Question(
            requestBytes: try settings(Schema.hashPrefix.requestBytes),
            responseBytes: try settings(Schema.hashPrefix.responseBytes),
            cpu: try settings(Schema.hashPrefix.cpu).nanoseconds)
        mechanism.bytesPerEntry = 4
        mechanism.configuration.readers = [
            .relay: [.clientAddress, .sizeAndTime], .gateway: [.sizeAndTime, .hashPrefix],
        ]
        return mechanism
    }

    private func contentFilter() throws -> MechanismSettings {
        let share = try settings(Schema.contentFilter.urlShare)
        var mechanism = try onDevice(urlShare: share, understandsMeant: true)
        let perFlow = try settings(Schema.contentFilter.perFlow)
        mechanism.configuration.path.perFlow = perFlow
        mechanism.configuration.costs.deviceCPUPerConnection = perFlow.seconds
        mechanism.configuration.provider = .provider
        mechanism.configuration.requestShare = try settings(Schema.contentFilter.requestShare)
        mechanism.pathEntries = try pathEntries()
        return mechanism
    }

    private func packetFilter() throws -> MechanismSettings {
        var mechanism = try onDevice(urlShare: 0, understandsMeant: true)
        mechanism.pathEntries = try pathEntries()
        mechanism.configuration.provider = .provider
        mechanism.configuration.costs.deviceCPUPerByte =
            try settings(Schema.packetFilter.perMegabyte).seconds / 1e6
        return mechanism
    }

    private func rules(
        limit: Int, _ source: String, _ matching: MechanismSettings.Matching, _ matchingSource: String
    ) throws -> MechanismSettings {
        var mechanism = try onDevice(
            urlShare: 1, understandsMeant: true, coverage: ("0.3", "assumption: what is loaded in WebKit"))
        mechanism.entryLimit = try settings(
            Schema.rules.entryLimit, else: SettingFallback("\(limit)", source))
        mechanism.matching = try settings(
            Schema.rules.matching, else: SettingFallback(matching.rawValue, matchingSource))
        mechanism.bytesPerEntry = 60
        return mechanism
    }
}
