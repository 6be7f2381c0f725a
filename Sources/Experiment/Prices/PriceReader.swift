import Foundation
import Workload

/// Reads the prices of a scenario or of a file: a preset, with the values that replace its own.
enum PriceReader {
    private static let amounts = 0.0...1_000_000
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
        let preset: Prices.Preset = try group.choice("preset")
        var prices = try values(of: group, over: preset.prices, regions: nil)
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
        func read<Value>(_ key: String, _ value: (_ source: String) throws -> Value) rethrows -> Value {
            if group.has(key) { prices.sources[key] = given }
            return try value(base.sources[key] ?? "")
        }
        prices.currency = try read("currency") {
            try group.text("currency", default: base.currency, source: $0)
        }
        guard (1...8).contains(prices.currency.count),
            prices.currency.allSatisfy({ $0.isLetter || $0.isCurrencySymbol })
        else {
            throw group.error(
                "currency",
                .wrongKind(found: prices.currency, expected: "a word of up to 8 letters, such as EUR"))
        }
        for (key, path) in Prices.Rates.keys {
            prices.rates[keyPath: path] = try read(key) {
                try group.number(key, default: "\(base.rates[keyPath: path])", source: $0, in: amounts)
            }
        }
        prices.targetUtilization = try read("targetUtilization") {
            try group.number(
                "targetUtilization", default: "\(base.targetUtilization)", source: $0, in: 0.01...1)
        }
        prices.spareInstances = try read("spareInstances") {
            try group.count("spareInstances", default: "\(base.spareInstances)", source: $0, in: 0...1_000)
        }
        for (key, path) in Prices.harms {
            prices[keyPath: path] = try read(key) {
                try group.number(key, default: "\(base[keyPath: path])", source: $0, in: amounts)
            }
        }
        for place in try group.groups("regions") {
            let name = try place.text("name", example: "name: europe")
            if let regions, !regions.contains(name) {
                throw place.error(
                    "name",
                    regions.isEmpty
                        ? .conflict("services.regions names no region; leave prices.regions out")
                        : .unknownName(name, allowed: regions))
            }
            for (key, _) in Prices.Rates.keys {
                if let price = try place.optionalNumber(key, in: amounts) {
                    prices.regions[name, default: [:]][key] = price
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
            let preset: Prices.Preset = try root.choice("prices")
            return try PriceReader.values(
                of: root.empty(at: "prices"), over: preset.prices, regions: regions)
        }
        let group = try root.group("prices")
        let base: Prices
        if group.has("file") {
            if group.has("preset") {
                throw group.error(
                    "preset", .conflict("cannot be given together with file, which may name one"))
            }
            base = try PriceReader.read(
                file: group.file("file", of: file, example: "prices: { file: prices.yaml }"))
        } else {
            let preset: Prices.Preset = try group.choice("preset")
            base = preset.prices
        }
        let prices = try PriceReader.values(of: group, over: base, regions: regions)
        try group.finish()
        return prices
    }
}
