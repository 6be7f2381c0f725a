import Foundation
import Workload

/// The web that people browse: each parameter can be set, and `urlfilter trace describe` prints those that fit a trace.
extension ScenarioResolver {
    /// The synthetic web that all groups with a profile browse.
    ///
    /// - Returns: With it, the trace that the listed shares are to be counted in; `nil` if they are known.
    func web(_ group: SettingsReader) throws -> (WebParameters, listedTrace: TraceSettings?) {
        let settings = Schema.web
        var web = WebParameters()
        let sources = web.sources
        func source(_ key: String) -> String { sources.first { $0.key == key }?.source ?? "assumption" }
        func usual(_ value: some Any, _ key: String) -> SettingFallback {
            SettingFallback("\(value)", source(key))
        }
        web.siteCount = try group(settings.siteCount, else: usual(web.siteCount, "siteCount"))
        web.thirdPartyHostCount = try group(
            settings.thirdPartyHostCount, else: usual(web.thirdPartyHostCount, "thirdPartyHostCount"))
        web.siteExponent = try group(settings.siteExponent, else: usual(web.siteExponent, "siteExponent"))
        let trace = try listedTraffic(group, into: &web)
        var known: Set = ["siteCount", "thirdPartyHostCount", "siteExponent"]
        func read<Value>(
            _ setting: Setting<Value>, _ path: WritableKeyPath<WebParameters, Value>
        ) throws {
            guard let value = try group.optional(setting) else { return }
            web[keyPath: path] = value
            known.insert(setting.key)
        }
        for (setting, path) in Self.curves { try read(setting, path) }
        try scaleRequests(group, &web)
        try read(settings.pathDepthWeights, \.pathDepthWeights)
        try read(settings.minimumPathLength, \.minimumPathLength)
        for (setting, path) in Self.numbers {
            try read(setting, path)
            if known.isDisjoint(with: Self.fitted) { group.propose(setting.info, "\(web[keyPath: path])") }
        }
        if !known.isDisjoint(with: Self.fitted) {
            for setting in [Schema.web.adHeavyFreshShare, Schema.web.plainFreshShare] {
                group.withdraw(setting.key)
            }
        }
        try group.finish()
        do {
            try web.validate()
            let least = web.leastQueryShare
            if !known.contains(settings.queryShare.key) {
                // Nobody said how many URLs have a query: as many as have a fresh token, at least.
                web.queryShare = max(web.queryShare, least)
            }
            try web.requireQueries(atLeast: least)
        } catch {
            throw group.error(.conflict("\(error)"))
        }
        for setting in web.sources where !known.contains(setting.key) && !setting.key.hasPrefix("listed") {
            let curve = Self.curves.first { $0.0.key == setting.key }
            group.note(
                setting.key, curve.map { web[keyPath: $0.1].written } ?? setting.value, source: setting.source
            )
        }
        return (web, trace)
    }

    /// More or fewer requests of each page.
    private func scaleRequests(_ group: SettingsReader, _ web: inout WebParameters) throws {
        let setting = Schema.web.requestScale
        let scale = try group(setting)
        if scale != 1 { web.requestsPerPage = web.requestsPerPage.times(scale, in: 1...100_000) }
        if group.has(Schema.web.requestsPerPage) { group.withdraw(setting.key) }
    }

    /// Settings of a web that was fitted to somebody's, whose shares of fresh URLs have to agree with them.
    private static let fitted: Set = [
        "requestsPerPage", "thirdPartyShare", "queryShare", "adHeavyPageShare", "adHeavyFreshShare",
        "plainFreshShare",
    ]

    /// How often listed pages and objects are met: by the name of a measured preset, by two shares, or by counting in
    /// a trace.
    private func listedTraffic(
        _ group: SettingsReader, into web: inout WebParameters
    ) throws -> TraceSettings? {
        let settings = Schema.listed
        guard group.isGroup(Schema.web.listed) else {
            let preset = try listedPreset(group, Schema.web.listed)
            web.listed = preset.traffic
            group.note("listed.visitShare", "\(preset.traffic.visitShare)", source: preset.source)
            group.note("listed.objectShare", "\(preset.traffic.objectShare)", source: preset.source)
            propose(
                preset.traffic, of: isNamed(group) ? preset.name : nil, try group.empty(at: "listed"))
            return nil
        }
        let listed = try group.group("listed")
        if listed.has(settings.trace) {
            let trace = try traceSettings(listed, settings.trace)
            try listed.finish()
            return trace
        }
        let preset = try listedPreset(listed, settings.preset)
        web.listed = ListedTraffic(
            visitShare: try listed(
                settings.visitShare, else: SettingFallback("\(preset.traffic.visitShare)", preset.source)),
            objectShare: try listed(
                settings.objectShare, else: SettingFallback("\(preset.traffic.objectShare)", preset.source)))
        propose(preset.traffic, of: listed.has(settings.preset) ? preset.name : nil, listed)
        try listed.finish()
        return nil
    }

    /// Whether the scenario chose a preset by its name.
    private func isNamed(_ group: SettingsReader) -> Bool {
        let setting = Schema.web.listed
        return group.has(setting) && !group.log.assumptions.contains(Schema.web.path(\.listed))
    }

    /// Notes what the shares of a preset may be instead.
    ///
    /// - Parameter name: Of the preset, if the scenario names it.
    private func propose(_ traffic: ListedTraffic, of name: String?, _ listed: SettingsReader) {
        let shares = [
            (Schema.listed.visitShare, traffic.visitShare), (Schema.listed.objectShare, traffic.objectShare),
        ]
        for (setting, share) in shares where !listed.has(setting) {
            listed.withdraw(setting.key)
            guard share > 0 else { continue }
            listed.propose(
                setting.info, "\(share)", name.flatMap { ListedSettings.range(of: setting.key, in: $0) })
        }
    }

    private func listedPreset(
        _ group: SettingsReader, _ setting: Setting<String>
    ) throws -> (name: String, traffic: ListedTraffic, source: String) {
        let name = try group(setting)
        guard let preset = ListedTraffic.presets.first(where: { $0.name == name }) else {
            throw group.error(setting, .unknownName(name, allowed: ListedTraffic.presets.map(\.name)))
        }
        return preset
    }

    private static var curves: [(Setting<QuantileCurve>, WritableKeyPath<WebParameters, QuantileCurve>)] {
        let settings = Schema.web
        return [
            (settings.pagesPerSite, \.pagesPerSite), (settings.requestsPerPage, \.requestsPerPage),
            (settings.hostsPerPage, \.hostsPerPage), (settings.thirdPartyShare, \.thirdPartyShare),
            (settings.loadSeconds, \.loadSeconds), (settings.addressLength, \.addressLength),
            (settings.queryLength, \.queryLength),
        ]
    }

    private static var numbers: [(Setting<Double>, WritableKeyPath<WebParameters, Double>)] {
        let settings = Schema.web
        return [
            (settings.pageExponent, \.pageExponent), (settings.thirdPartyExponent, \.thirdPartyExponent),
            (settings.frontPageShare, \.frontPageShare), (settings.uniquePageShare, \.uniquePageShare),
            (settings.subdomainShare, \.subdomainShare), (settings.siteSimilarity, \.siteSimilarity),
            (settings.repeatedObjectShare, \.repeatedObjectShare),
            (settings.sharedObjectShare, \.sharedObjectShare), (settings.queryShare, \.queryShare),
            (settings.adHeavyPageShare, \.adHeavyPageShare),
            (settings.adHeavyFreshShare, \.adHeavyFreshShare),
            (settings.plainFreshShare, \.plainFreshShare), (settings.burstExponent, \.burstExponent),
            (settings.firstObjectSeconds, \.firstObjectSeconds),
        ]
    }
}

extension QuantileCurve {
    /// The curve of so many times its values.
    ///
    /// - Parameter allowed: Where its limits stay.
    fileprivate func times(_ factor: Double, in allowed: ClosedRange<Double>) -> QuantileCurve {
        func limit(_ value: Double) -> Double {
            min(max(value * factor, allowed.lowerBound), allowed.upperBound)
        }
        return QuantileCurve(
            knots.map { .init($0.probability, $0.value * factor) }, minimum: limit(minimum),
            maximum: limit(maximum))
    }

    /// Text of the curve as the scenario would write it.
    fileprivate var written: String {
        func text(_ value: Double) -> String { String(format: "%.6g", value) }
        let knots = knots.map { "p\(text($0.probability * 100)): \(text($0.value))" }
        return "{ \((knots + ["min: \(text(minimum))", "max: \(text(maximum))"]).joined(separator: ", ")) }"
    }
}
