import EventSimulation
import Foundation
import RandomStreams
import Workload

/// How people browse, and the web that they browse: every parameter can be set, and
/// `urlfilter trace describe` prints those that fit a trace.
extension ScenarioResolver {
    func profile(_ group: SettingsReader) throws -> BrowsingProfile {
        let setting = Schema.browsing.profile
        let name = try group(setting)
        guard var profile = BrowsingProfile.preset(named: name) else {
            throw group.error(setting, .unknownName(name, allowed: BrowsingProfile.presets.map(\.name)))
        }
        try readHabits(group, into: &profile)
        let set = try readTimes(group, into: &profile)
        for setting in profile.sources
        where !Self.habitSettings.contains(setting.key) && !set.contains(setting.key) {
            let written = Self.written(setting, in: profile)
            group.note(written.key, written.value, source: setting.source)
        }
        try group.finish()
        do {
            try profile.validate()
        } catch {
            throw group.error(setting, .conflict("\(error)"))
        }
        return profile
    }

    /// Settings of a profile that are listed with their default under their own name.
    private static let habitSettings: Set = [
        "visitPersistence", "activeDayShare", "weekdayOfDayZero", "timeZoneOffsetSeconds", "siteRevisitShare",
        "pageRevisitShare",
    ]

    /// A setting of a profile as the scenario would write it.
    private static func written(
        _ setting: SourcedSetting, in profile: BrowsingProfile
    ) -> (key: String, value: String) {
        switch setting.key {
        case "visitsPerActiveDay": ("visitsPerDay", profile.visitsPerActiveDay.written(unit: ""))
        case "sessionsPerActiveDay": ("sessionsPerDay", setting.value)
        case "thinkSeconds": ("thinkTime", "{ lognormal: \(profile.thinkSeconds.written(unit: "s")) }")
        case "thinkCutSeconds": ("thinkCut", setting.value + "s")
        default: (setting.key, setting.value)
        }
    }

    private func readHabits(_ group: SettingsReader, into profile: inout BrowsingProfile) throws {
        let settings = Schema.browsing
        let sources = profile.sources
        func usual(_ value: some Any, _ key: String) -> SettingFallback {
            SettingFallback("\(value)", sources.first { $0.key == key }?.source ?? "assumption")
        }
        func read<Value>(
            _ setting: Setting<Value>, _ path: WritableKeyPath<BrowsingProfile, Value>
        ) throws {
            profile[keyPath: path] = try group(
                setting, else: usual(profile[keyPath: path], setting.key))
        }
        try read(settings.visitPersistence, \.visitPersistence)
        try read(settings.activeDayShare, \.activeDayShare)
        try read(settings.weekdayOfDayZero, \.weekdayOfDayZero)
        profile.timeZoneOffsetSeconds = Int(
            try group(settings.timeZoneHours, else: usual("0", "timeZoneOffsetSeconds")) * 3600)
        try read(settings.siteRevisitShare, \.siteRevisitShare)
        try read(settings.pageRevisitShare, \.pageRevisitShare)
    }

    /// - Returns: The settings of the profile that the scenario names.
    private func readTimes(
        _ group: SettingsReader, into profile: inout BrowsingProfile
    ) throws -> Set<String> {
        let settings = Schema.browsing
        var set: Set<String> = []
        func read<Value>(
            _ setting: Setting<Value>, _ path: WritableKeyPath<BrowsingProfile, Value>, as key: String? = nil
        ) throws {
            guard let value = try group.optional(setting) else { return }
            profile[keyPath: path] = value
            set.insert(key ?? setting.key)
        }
        if group.has(settings.visitsPerDay) {
            profile.visitsPerActiveDay = try visitsPerDay(group)
            set.insert("visitsPerActiveDay")
        }
        try read(settings.maximumVisitsPerDay, \.maximumVisitsPerDay)
        try read(settings.sessionsPerDay, \.sessionsPerActiveDay, as: "sessionsPerActiveDay")
        try read(settings.thinkTime, \.thinkSeconds, as: "thinkSeconds")
        if let cut = try group.optional(settings.thinkCut) {
            profile.thinkCutSeconds = cut.seconds
            set.insert("thinkCutSeconds")
        }
        try read(settings.hourWeights, \.hourWeights)
        try read(settings.weekdayWeights, \.weekdayWeights)
        try read(settings.termWeeks, \.termWeeks)
        if group.has(settings.holidayShare), !set.contains(settings.termWeeks.key) {
            throw group.error(settings.holidayShare, .conflict("means nothing without termWeeks"))
        }
        try read(settings.holidayShare, \.holidayShare)
        try read(settings.favouriteShare, \.favouriteShare)
        try read(settings.favouriteCount, \.favouriteCount)
        return set
    }

    /// `{ median, p95 }` of a log-normal distribution, or a list of values that are equally likely.
    private func visitsPerDay(_ group: SettingsReader) throws -> Distribution {
        let setting = Schema.browsing.visitsPerDay
        guard group.isGroup(setting) else { return .empirical(try group(setting).sorted()) }
        let visits = try group.group(setting.key)
        let median = try visits(Schema.visits.median)
        let high = try visits(Schema.visits.p95)
        try visits.check(high, in: median...max(median, 50_000), Schema.visits.p95.key)
        try visits.finish()
        return .lognormal(median: median, p95: high)
    }

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
        try read(settings.pathDepthWeights, \.pathDepthWeights)
        try read(settings.minimumPathLength, \.minimumPathLength)
        for (setting, path) in Self.numbers { try read(setting, path) }
        for setting in web.sources where !known.contains(setting.key) && !setting.key.hasPrefix("listed") {
            let curve = Self.curves.first { $0.0.key == setting.key }
            group.note(
                setting.key, curve.map { web[keyPath: $0.1].written } ?? setting.value, source: setting.source
            )
        }
        try group.finish()
        do {
            try web.validate()
        } catch {
            throw group.error(.conflict("\(error)"))
        }
        return (web, trace)
    }

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
        try listed.finish()
        return nil
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

extension Distribution {
    /// Text of the law as the scenario would write it: a log-normal one by two values, equally likely values
    /// one by one.
    fileprivate func written(unit: String) -> String {
        func text(_ value: Double) -> String { String(format: "%.6g", value) + unit }
        return switch self {
        case .lognormal(let mu, let sigma):
            "{ median: \(text(exp(mu))), p95: \(text(exp(mu + sigma * StandardNormal.quantile95))) }"
        case .empirical(let values): "[\(values.map(text).joined(separator: ", "))]"
        default: "\(self)"
        }
    }
}

extension QuantileCurve {
    /// Text of the curve as the scenario would write it.
    fileprivate var written: String {
        func text(_ value: Double) -> String { String(format: "%.6g", value) }
        let knots = knots.map { "p\(text($0.probability * 100)): \(text($0.value))" }
        return "{ \((knots + ["min: \(text(minimum))", "max: \(text(maximum))"]).joined(separator: ", ")) }"
    }
}
