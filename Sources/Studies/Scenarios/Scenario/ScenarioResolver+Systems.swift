import EventSimulation
import URLFilter

/// Operating systems as bundles of settings, each of which can be set alone.
extension ScenarioResolver {
    /// - Parameter common: Of all groups; goes before what a system brings.
    func systems(_ group: SettingsReader, common: Matching?) throws -> [DeviceSystem] {
        let settings = Schema.devices
        let mix = try group(settings.os)
        var reader = SystemsReader(systems: mix.map { DeviceSystem($0.0, share: $0.1) })
        if let common, !group.has(settings.urlMatching) {
            group.note(settings.urlMatching.key, common.rawValue, source: "filter.urlMatching")
            for index in reader.systems.indices { reader.systems[index].matching = common.rules }
        } else {
            try reader.read(
                settings.urlMatching, group, \.os.matching.rawValue,
                SettingUsual.source("Device", "Lookup strings")
            ) { $0.matching = $1.rules }
        }
        try readTokens(group.group("tokens"), &reader)
        try readProtocol(group.group("protocol"), &reader)
        return reader.systems
    }

    private func readTokens(_ group: SettingsReader, _ reader: inout SystemsReader) throws {
        let settings = Schema.tokens
        let rules = SettingUsual.source("Device", "Tokens")
        try reader.read(settings.onDemand, group, \.rules.tokens.onDemand, rules)
        try reader.read(settings.refillBelow, group, \.rules.tokens.refillBelow, rules)
        try reader.read(settings.refill, group, \.rules.tokens.stock, rules)
        try reader.read(settings.fixedBatches, group, \.rules.tokens.ordersFixedBatches, rules)
        try reader.read(settings.refillDelay, group, \.rules.tokens.refillDelay, rules)
        try reader.read(settings.refillSpread, group, \.rules.tokens.refillSpread, rules)
        try reader.read(settings.life, group, \.rules.tokens.life, rules)
        try reader.read(
            settings.background, group,
            { $0.rules.tokens.background.map { SystemsReader.text($0.interval) } ?? "never" }, rules
        ) { system, interval in
            var background = system.rules.tokens.background ?? BackgroundRefill()
            background.interval = interval?.nanoseconds ?? 0
            system.rules.tokens.background = interval == nil ? nil : background
        }
        let refills = reader.systems.indices.filter { reader.systems[$0].rules.tokens.background != nil }
        if !refills.isEmpty {
            var part = SystemsReader(systems: refills.map { reader.systems[$0] })
            try part.read(settings.backgroundSpread, group, \.rules.tokens.orders.spread, rules)
            try part.read(settings.backgroundLimit, group, \.rules.tokens.orders.limit, rules)
            try part.read(settings.useHalfLife, group, \.rules.tokens.orders.halfLife, rules)
            try part.read(
                settings.idleAfter, group, \.rules.tokens.orders.idleAfter, "assumption: not in use")
            for (index, system) in zip(refills, part.systems) { reader.systems[index] = system }
        }
        try group.finish()
    }

    private func readProtocol(_ group: SettingsReader, _ reader: inout SystemsReader) throws {
        let settings = Schema.exchange
        let newest = SettingUsual.source("Device", "iOS 27.3")
        let shards = SettingUsual.source("Device", "Caches and keys")
        try reader.read(settings.maximumShards, group, \.rules.maximumShards, shards)
        try reader.read(settings.powerOfTwoShards, group, \.rules.needsPowerOfTwoShards, shards)
        try reader.read(settings.tokenKeyRequest, group, \.rules.asksForTokenKey, newest)
        try reader.read(
            settings.configurationCache, group,
            { $0.rules.configurationCacheDelay.map { SystemsReader.text($0) } ?? "none" },
            newest + "; length is assumption"
        ) { $0.rules.configurationCacheDelay = $1?.nanoseconds }
        // In a mix it is of those that have it at all, which then have one value that may be another.
        let asking = reader.systems.indices.filter { reader.systems[$0].rules.queryKeyShare != nil }
        let asked = asking.count == 1 ? asking : Array(reader.systems.indices)
        var part = SystemsReader(systems: asked.map { reader.systems[$0] })
        try part.read(
            settings.queryKeys, group, { $0.rules.queryKeyShare.map { "\($0)" } ?? "never" },
            newest + "; share is assumption"
        ) { $0.rules.queryKeyShare = $1 }
        for (index, system) in zip(asked, part.systems) { reader.systems[index] = system }
        try group.finish()
    }
}

extension TokenRules {
    /// Orders of devices with a background refill.
    fileprivate var orders: BackgroundRefill {
        get { background ?? BackgroundRefill() }
        set { if background != nil { background = newValue } }
    }
}

/// Reads settings that have a default per operating system.
private struct SystemsReader {
    var systems: [DeviceSystem]

    static func text(_ duration: Nanoseconds) -> String {
        SettingsReader.text(SimulatedDuration(nanoseconds: duration))
    }

    /// - Parameter text: A system's own value.
    mutating func read<Value>(
        _ setting: Setting<Value>, _ group: SettingsReader, _ text: (DeviceSystem) -> String,
        _ source: String, _ write: (inout DeviceSystem, Value) -> Void
    ) throws {
        guard systems.count == 1 || group.has(setting) else {
            let values = systems.map { "\($0.os.rawValue) \(text($0))" }
            return group.note(setting.key, values.joined(separator: ", "), source: "os: \(source)")
        }
        let usual = SettingFallback(text(systems[0]), "os \(systems[0].os.rawValue): \(source)")
        let value = try group(setting, else: usual)
        for index in systems.indices { write(&systems[index], value) }
    }

    mutating func read<Value>(
        _ setting: Setting<Value>, _ group: SettingsReader, _ path: WritableKeyPath<DeviceSystem, Value>,
        _ source: String
    ) throws {
        try read(setting, group, { "\($0[keyPath: path])" }, source) { $0[keyPath: path] = $1 }
    }

    mutating func read(
        _ setting: Setting<SimulatedDuration>, _ group: SettingsReader,
        _ path: WritableKeyPath<DeviceSystem, Nanoseconds>, _ source: String
    ) throws {
        try read(setting, group, { Self.text($0[keyPath: path]) }, source) {
            $0[keyPath: path] = $1.nanoseconds
        }
    }
}
