import EventSimulation
package import FleetModel
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
        let siteDelay = try settings(Schema.mechanism.siteDelay)
        let own = try settings.group(choice.rawValue)
        var reader = MechanismReader(
            settings: own, relayDelay: services.relay.oneWayDelay, siteDelay: siteDelay, page: page,
            policy: policy)
        let mechanism = try reader.read(choice)
        try own.finish()
        return mechanism
    }

    private func page(_ settings: SettingsReader) throws -> PageShape {
        let page = Schema.page
        let requests = try settings(page.requests)
        let bytes = try settings(page.bytes)
        let hosts = try settings(page.hosts)
        let chain = try settings(page.chain)
        try settings.check(chain, in: 1...requests, page.chain.key)
        let chainHosts = try settings(page.chainHosts)
        try settings.check(chainHosts, in: 1...chain, page.chainHosts.key)
        try settings.finish()
        return PageShape(
            requests: requests, bytes: Double(bytes), hosts: hosts, chain: chain, chainHosts: chainHosts)
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
    package static let resolver = Part("resolver")
    static let resolverProxy = Part("resolverProxy")
}

extension Part {
    /// Server that decides about URLs in a scenario, whatever the architecture.
    package static let decider = Part("decider")
}
