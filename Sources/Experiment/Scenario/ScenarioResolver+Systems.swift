import EventSimulation
import URLFilter

/// Operating systems as bundles of settings, each of which can be set alone.
extension ScenarioResolver {
    /// - Parameter common: Of all groups; goes before what a system brings.
    func systems(_ settings: SettingsReader, common: Matching?) throws -> [DeviceSystem] {
        let mix = try settings.shares("os", of: OSGeneration.self)
        var reader = SystemsReader(systems: mix.map { DeviceSystem($0.0, share: $0.1) })
        if let common, !settings.has("urlMatching") {
            settings.note("urlMatching", common.rawValue, source: "filter.urlMatching")
            for index in reader.systems.indices { reader.systems[index].matching = common.rules }
        } else {
            try reader.read(
                "urlMatching", settings, \.os.matching.rawValue,
                #"article "Device", section "Lookup strings""#,
                { try settings.choice($0, default: Matching(rawValue: $1), source: $2) },
                { (system, value: Matching) in system.matching = value.rules })
        }
        try readTokens(settings.group("tokens"), &reader)
        try readProtocol(settings.group("protocol"), &reader)
        return reader.systems
    }

    private func readTokens(_ settings: SettingsReader, _ reader: inout SystemsReader) throws {
        let rules = #"article "Device", section "Tokens""#
        let most = 1...ExchangeMachine.mostTokens
        try reader.count("onDemand", settings, \.rules.tokens.onDemand, rules, most)
        try reader.count("refillBelow", settings, \.rules.tokens.refillBelow, rules, 0...most.upperBound)
        try reader.count("refill", settings, \.rules.tokens.stock, rules, most)
        try reader.flag("fixedBatches", settings, \.rules.tokens.ordersFixedBatches, rules)
        try reader.duration("refillDelay", settings, \.rules.tokens.refillDelay, rules)
        try reader.duration("refillSpread", settings, \.rules.tokens.refillSpread, rules)
        try reader.duration("life", settings, \.rules.tokens.life, rules, atLeast: "1s")
        try reader.read(
            "background", settings, { $0.rules.tokens.background.map { Self.text($0.interval) } ?? "never" },
            rules,
            { key, own, source in
                try settings.quantity(key, own, source, "'6h' or never") { text throws(Quantity.Failure) in
                    text == "never" ? nil : try Quantity.duration(text)
                }
            },
            { (system, interval: SimulatedDuration?) in
                var background = system.rules.tokens.background ?? BackgroundRefill()
                background.interval = interval?.nanoseconds ?? 0
                system.rules.tokens.background = interval == nil ? nil : background
            })
        let refills = reader.systems.indices.filter { reader.systems[$0].rules.tokens.background != nil }
        if !refills.isEmpty {
            var part = SystemsReader(systems: refills.map { reader.systems[$0] })
            try part.duration("backgroundSpread", settings, \.rules.tokens.orders.spread, rules)
            try part.count("backgroundLimit", settings, \.rules.tokens.orders.limit, rules, most)
            try part.duration("useHalfLife", settings, \.rules.tokens.orders.halfLife, rules, atLeast: "1s")
            try part.duration(
                "idleAfter", settings, \.rules.tokens.orders.idleAfter, "assumption: not in use")
            for (index, system) in zip(refills, part.systems) { reader.systems[index] = system }
        }
        try settings.finish()
    }

    private func readProtocol(_ settings: SettingsReader, _ reader: inout SystemsReader) throws {
        let source = #"article "Device", section "iOS 27.3""#
        let shards = #"article "Device", section "Caches and keys""#
        try reader.count("maximumShards", settings, \.rules.maximumShards, shards, 1...65_536)
        try reader.flag("powerOfTwoShards", settings, \.rules.needsPowerOfTwoShards, shards)
        try reader.flag("tokenKeyRequest", settings, \.rules.asksForTokenKey, source)
        try reader.read(
            "configurationCache", settings,
            { $0.rules.configurationCacheDelay.map { Self.text($0) } ?? "none" },
            source + "; length is assumption",
            { key, own, source in
                try settings.quantity(key, own, source, "'1h' or none") { text throws(Quantity.Failure) in
                    text == "none" ? nil : try Quantity.duration(text)
                }
            },
            { (system, delay: SimulatedDuration?) in
                system.rules.configurationCacheDelay = delay?.nanoseconds
            })
        try reader.read(
            "queryKeys", settings, { $0.rules.queryKeyShare.map { "\($0)" } ?? "never" },
            source + "; share is assumption",
            { key, own, source in
                let share = try settings.quantity(key, own, source, "'10%' or never") {
                    text throws(Quantity.Failure) in text == "never" ? nil : try Quantity.share(text)
                }
                if let share, !(0...1).contains(share) {
                    throw settings.error(key, .outOfRange("\(share)", allowed: "never, or 0...1"))
                }
                return share
            }, { (system, share: Double?) in system.rules.queryKeyShare = share })
        try settings.finish()
    }

    fileprivate static func text(_ duration: Nanoseconds) -> String {
        SettingsReader.text(SimulatedDuration(nanoseconds: duration))
    }
}

extension TokenRules {
    /// For devices with a background refill.
    fileprivate var orders: BackgroundRefill {
        get { background ?? BackgroundRefill() }
        set { if background != nil { background = newValue } }
    }
}

/// Reads settings that have a default per operating system.
private struct SystemsReader {
    var systems: [DeviceSystem]

    /// - Parameters:
    ///   - text: A system's own value.
    ///   - read: Gets key, default and its source.
    mutating func read<Value>(
        _ key: String, _ settings: SettingsReader, _ text: (DeviceSystem) -> String, _ source: String,
        _ read: (String, String, String) throws -> Value, _ write: (inout DeviceSystem, Value) -> Void
    ) throws {
        guard systems.count == 1 || settings.has(key) else {
            let values = systems.map { "\($0.os.rawValue) \(text($0))" }
            return settings.note(key, values.joined(separator: ", "), source: "os: \(source)")
        }
        let value = try read(key, text(systems[0]), "os \(systems[0].os.rawValue): \(source)")
        for index in systems.indices { write(&systems[index], value) }
    }

    mutating func count(
        _ key: String, _ settings: SettingsReader, _ path: WritableKeyPath<DeviceSystem, Int>,
        _ source: String,
        _ range: ClosedRange<Int>
    ) throws {
        try read(
            key, settings, { "\($0[keyPath: path])" }, source,
            { try settings.count($0, default: $1, source: $2, in: range) },
            { $0[keyPath: path] = $1 })
    }

    mutating func flag(
        _ key: String, _ settings: SettingsReader, _ path: WritableKeyPath<DeviceSystem, Bool>,
        _ source: String
    ) throws {
        try read(
            key, settings, { "\($0[keyPath: path])" }, source,
            { try settings.flag($0, default: $1 == "true", source: $2) }, { $0[keyPath: path] = $1 })
    }

    mutating func duration(
        _ key: String, _ settings: SettingsReader, _ path: WritableKeyPath<DeviceSystem, Nanoseconds>,
        _ source: String, atLeast shortest: String = "0s"
    ) throws {
        try read(
            key, settings, { ScenarioResolver.text($0[keyPath: path]) }, source,
            { try settings.duration($0, default: $1, source: $2, atLeast: shortest).nanoseconds },
            { $0[keyPath: path] = $1 })
    }
}
