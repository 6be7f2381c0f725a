import FleetModel
import RandomStreams

/// How messages get from devices to the relay, and from its edges to the gateway.
extension ScenarioResolver {
    private enum TransportName: String, CaseIterable {
        case http3, http2
        /// Every message finds an open connection with a wide window.
        case none

        var transport: ConnectionRules.Transport? { .init(rawValue: rawValue) }
    }

    func connections(_ settings: SettingsReader) throws -> ConnectionSettings {
        let name: TransportName = try settings.choice("transport")
        let transport = name.transport
        let rules = ConnectionRules(
            transport: transport ?? .http3,
            idleTimeout: try settings.duration("idleTimeout", atLeast: "1ms"),
            uncachedNameShare: try settings.number("uncachedNameShare", in: 0...1),
            earlyDataShare: try settings.number("earlyDataShare", in: 0...1),
            initialWindow: try initialWindow(settings, transport ?? .http3),
            windowIdle: try settings.duration("windowIdle", atLeast: "0s"))
        let connections = ConnectionSettings(
            rules: transport == nil ? nil : rules,
            radioSleeps: try settings.flag("radioSleep"),
            sharesLines: try settings.flag("sharedLines"))
        try settings.finish()
        return connections
    }

    private func initialWindow(
        _ settings: SettingsReader, _ transport: ConnectionRules.Transport
    ) throws -> Int {
        let (size, source) =
            switch transport {
            case .http3: ("12kB", "RFC 9002, section 7.2: ten datagrams of 1 200 bytes")
            case .http2: ("14.6kB", "RFC 6928: ten segments of 1 460 bytes")
            }
        let window = try settings.bytes("initialWindow", default: size, source: source)
        guard (1...1_000_000_000).contains(window) else {
            throw settings.error("initialWindow", .outOfRange("\(window)", allowed: "1B...1GB"))
        }
        return window
    }

    /// - Parameter fallback: What the kind of access has; keys of the scenario go first.
    func radioSleep(
        _ settings: SettingsReader, default fallback: (wakeUp: String, idle: String)?
    ) throws -> RadioSleep? {
        guard settings.has("radioWakeUp") || fallback != nil else { return nil }
        let fallback = fallback ?? ("260ms", "11.6s")
        let source = #"article "Networks", section "Connections""#
        return RadioSleep(
            wakeUp: try settings.delay("radioWakeUp", default: .constant(fallback.wakeUp), source: source),
            idle: try settings.duration("radioIdle", default: fallback.idle, source: source))
    }

    /// - Parameter continents: Where devices are.
    func edgeDelays(
        _ settings: SettingsReader, continents: [Continent]
    ) throws -> [Continent: Distribution] {
        var delays: [Continent: Distribution] = [:]
        for name in settings.keys {
            guard let continent = Continent(rawValue: name), continents.contains(continent) else {
                throw settings.error(name, .unknownName(name, allowed: continents.map(\.rawValue).sorted()))
            }
            delays[continent] = try settings.delay(name)
        }
        try settings.finish()
        return delays
    }

    /// For whom the relay works; `nil`: for all.
    func provisioning(_ settings: SettingsReader) throws -> RelayProvisioning? {
        guard settings.has("provisioning") else { return nil }
        let group = try settings.group("provisioning")
        let from = try group.number("from", in: 0...1)
        let to = try group.number("to", in: 0...1)
        guard from <= to else {
            throw group.error("to", .outOfRange("\(to)", allowed: "at least 'from', \(from)"))
        }
        let provisioning = RelayProvisioning(
            from: from, to: to, after: try group.duration("after"), over: try group.duration("over"))
        try group.finish()
        return provisioning
    }
}
