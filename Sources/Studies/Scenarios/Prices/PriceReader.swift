import Foundation
import Workload

/// Reads the prices of a scenario or of a file: a preset, with the values that replace its own.
enum PriceReader {
    private static let given = "given"

    /// The keys of `prices`, at the top of a file.
    static func read(file path: String) throws -> Prices {
        let limit = ScenarioFile.maximumByteCount
        guard let data = try? InputBytes.read(path, limit: limit), data.count <= limit,
            let text = String(data: data, encoding: .utf8)
        else {
            throw ScenarioError(
                file: path, field: "prices",
                problem: .syntax("cannot be read as text of at most \(limit) bytes; is the path right?"))
        }
        guard let node = try ScenarioFile.tree(text, file: path) else {
            throw ScenarioError(
                file: path, field: "prices", problem: .missing(example: "'preset: large-cloud'"))
        }
        let group = try SettingsReader(node: node, path: "prices", log: SettingsLog(file: path))
        var prices = try values(of: group, over: try group(Schema.prices.preset).prices, regions: nil)
        try group.finish()
        for (key, source) in prices.sources where source == given { prices.sources[key] = "file \(path)" }
        prices.file = path
        return prices
    }

    /// The values of the group where it has them, else those of `base`.
    ///
    /// - Parameter regions: Names that there are; `nil` for a file, which may serve several scenarios.
    static func values(
        of group: SettingsReader, over base: Prices, regions: [String]?
    ) throws -> Prices {
        var prices = base
        let settings = Schema.prices
        func read<Value>(_ setting: Setting<Value>, _ usual: Value) throws -> Value {
            if group.has(setting) { prices.sources[setting.key] = given }
            return try group(setting, else: SettingFallback("\(usual)", base.sources[setting.key] ?? ""))
        }
        prices.currency = try read(settings.currency, base.currency)
        guard (1...8).contains(prices.currency.count),
            prices.currency.allSatisfy({ $0.isLetter || $0.isCurrencySymbol })
        else {
            throw group.error(
                settings.currency,
                .wrongKind(found: prices.currency, expected: "a word of up to 8 letters, such as EUR"))
        }
        for (setting, path) in Prices.Rates.settings {
            prices.rates[keyPath: path] = try read(setting, base.rates[keyPath: path])
        }
        prices.targetUtilization = try read(settings.targetUtilization, base.targetUtilization)
        prices.spareInstances = try read(settings.spareInstances, base.spareInstances)
        for (setting, path) in Prices.harms {
            prices[keyPath: path] = try read(setting, base[keyPath: path])
        }
        prices.contentNetwork = try contentNetwork(group, over: base.contentNetwork)
        prices.machines = try machines(group, over: base.machines)
        prices.network = try network(group, over: base.network)
        prices.purchase = try purchase(group, over: base.purchase)
        for place in try group.groups("regions") {
            let name = try place(Schema.regionPrices.name)
            if let regions, !regions.contains(name) {
                throw place.error(
                    Schema.regionPrices.name,
                    regions.isEmpty
                        ? .conflict("services.regions names no region; leave prices.regions out")
                        : .unknownName(name, allowed: regions))
            }
            if let least = try place.optional(Schema.regionPrices.leastInstances) {
                prices.leastInstances = (prices.leastInstances ?? [:]).merging([name: least]) { $1 }
            }
            for setting in Schema.regionPrices.rates {
                if let price = try place.optional(setting) {
                    prices.regions[name, default: [:]][setting.key] = price
                }
            }
            try place.finish()
        }
        return prices
    }
}

extension ScenarioResolver {
    /// - Parameters:
    ///   - root: The group that has the key `prices`.
    ///   - regions: Names of the scenario's data centres.
    func prices(_ root: SettingsReader, regions: [String]) throws -> Prices {
        guard root.isGroup("prices") else {
            let preset = try root(Schema.run.prices)
            return try PriceReader.values(
                of: root.empty(at: "prices"), over: preset.prices, regions: regions)
        }
        let group = try root.group("prices")
        let base: Prices
        if group.has(Schema.prices.file) {
            if group.has(Schema.prices.preset) {
                throw group.error(
                    Schema.prices.preset, .conflict("cannot be given together with file, which may name one"))
            }
            base = try PriceReader.read(file: group(Schema.prices.file))
        } else {
            base = try group(Schema.prices.preset).prices
        }
        let prices = try PriceReader.values(of: group, over: base, regions: regions)
        try group.finish()
        return prices
    }
}
