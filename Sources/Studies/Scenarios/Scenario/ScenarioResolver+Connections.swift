import FleetModel
import RandomStreams

/// How messages get from devices to the relay, and from its edges to the gateway.
extension ScenarioResolver {
    func connections(_ group: SettingsReader) throws -> ConnectionSettings {
        let settings = Schema.connections
        let transport = try group(settings.transport).transport
        let rules = ConnectionRules(
            transport: transport ?? .http3, idleTimeout: try group(settings.idleTimeout),
            uncachedNameShare: try group(settings.uncachedNameShare),
            earlyDataShare: try group(settings.earlyDataShare),
            initialWindow: try initialWindow(group, transport ?? .http3),
            windowIdle: try group(settings.windowIdle))
        let connections = ConnectionSettings(
            rules: transport == nil ? nil : rules, radioSleeps: try group(settings.radioSleep),
            sharesLines: try group(settings.sharedLines))
        try group.finish()
        return connections
    }

    private func initialWindow(
        _ group: SettingsReader, _ transport: ConnectionRules.Transport
    ) throws -> Int {
        let usual =
            switch transport {
            case .http3: SettingFallback("12kB", "RFC 9002, section 7.2: ten datagrams of 1 200 bytes")
            case .http2: SettingFallback("14.6kB", "RFC 6928: ten segments of 1 460 bytes")
            }
        return try group(Schema.connections.initialWindow, else: usual)
    }

    /// - Parameter fallback: What the kind of access has; keys of the scenario go first.
    func radioSleep(
        _ link: SettingsReader, default fallback: (wakeUp: String, idle: String)?
    ) throws -> RadioSleep? {
        let settings = Schema.access
        guard link.has(settings.radioWakeUp) || fallback != nil else { return nil }
        let fallback = fallback ?? ("260ms", "11.6s")
        let source = SettingUsual.source("Networks", "Connections")
        return RadioSleep(
            wakeUp: try link(settings.radioWakeUp, else: SettingFallback(fallback.wakeUp, source)),
            idle: try link(settings.radioIdle, else: SettingFallback(fallback.idle, source)))
    }

    /// - Parameter continents: Where devices are.
    func edgeDelays(
        _ group: SettingsReader, continents: [Continent]
    ) throws -> [Continent: Distribution] {
        var delays: [Continent: Distribution] = [:]
        for key in group.keys {
            guard let setting = Schema.edges.delays.first(where: { $0.key == key }) else { continue }
            guard let continent = Continent(rawValue: setting.key), continents.contains(continent) else {
                throw group.error(
                    setting, .unknownName(setting.key, allowed: continents.map(\.rawValue).sorted()))
            }
            delays[continent] = try group(setting)
        }
        try group.finish()
        return delays
    }

    /// The devices that the relay works for; `nil`: all.
    func provisioning(_ relay: SettingsReader) throws -> RelayProvisioning? {
        guard relay.has("provisioning") else { return nil }
        let settings = Schema.provisioning
        let group = try relay.group("provisioning")
        let from = try group(settings.from)
        let to = try group(settings.to)
        guard from <= to else {
            throw group.error(settings.to, .outOfRange("\(to)", allowed: "at least 'from', \(from)"))
        }
        let provisioning = RelayProvisioning(
            from: from, to: to, after: try group(settings.after), over: try group(settings.over))
        try group.finish()
        return provisioning
    }
}
