import EventSimulation
import Foundation
import RandomStreams
import Workload

/// How people browse, and the web that they browse: every parameter can be set, and
/// `urlfilter trace describe` prints those that fit a trace.
extension ScenarioResolver {
    func profile(_ settings: SettingsReader) throws -> BrowsingProfile {
        let presets = BrowsingProfile.presets.map(\.name)
        let name = try settings.text("profile")
        guard var profile = BrowsingProfile.preset(named: name) else {
            throw settings.error("profile", .unknownName(name, allowed: presets))
        }
        try readHabits(settings, into: &profile)
        let set = try readTimes(settings, into: &profile)
        for setting in profile.sources
        where !Self.habitSettings.contains(setting.key) && !set.contains(setting.key) {
            let written = Self.written(setting, in: profile)
            settings.note(written.key, written.value, source: setting.source)
        }
        try settings.finish()
        do {
            try profile.validate()
        } catch {
            throw settings.error("profile", .conflict("\(error)"))
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

    private func readHabits(_ settings: SettingsReader, into profile: inout BrowsingProfile) throws {
        let sources = profile.sources
        func source(_ key: String) -> String { sources.first { $0.key == key }?.source ?? "assumption" }
        profile.visitPersistence = try settings.number(
            "visitPersistence", default: "\(profile.visitPersistence)", source: source("visitPersistence"),
            in: 0...1)
        profile.activeDayShare = try settings.number(
            "activeDayShare", default: "\(profile.activeDayShare)", source: source("activeDayShare"),
            in: 0.001...1)
        profile.weekdayOfDayZero = try settings.count(
            "weekdayOfDayZero", default: "\(profile.weekdayOfDayZero)", source: source("weekdayOfDayZero"),
            in: 0...6)
        profile.timeZoneOffsetSeconds = Int(
            try settings.number(
                "timeZoneHours", default: "0", source: source("timeZoneOffsetSeconds"), in: -14...14) * 3600)
        profile.siteRevisitShare = try settings.number(
            "siteRevisitShare", default: "\(profile.siteRevisitShare)", source: source("siteRevisitShare"),
            in: 0...1)
        profile.pageRevisitShare = try settings.number(
            "pageRevisitShare", default: "\(profile.pageRevisitShare)", source: source("pageRevisitShare"),
            in: 0...1)
    }

    /// - Returns: The settings of the profile that the scenario names.
    private func readTimes(
        _ settings: SettingsReader, into profile: inout BrowsingProfile
    ) throws -> Set<String> {
        var set: Set<String> = []
        if settings.has("visitsPerDay") {
            profile.visitsPerActiveDay = try visitsPerDay(settings)
            set.insert("visitsPerActiveDay")
        }
        if let count = try settings.optionalCount("maximumVisitsPerDay", in: 1...60_000) {
            profile.maximumVisitsPerDay = count
            set.insert("maximumVisitsPerDay")
        }
        if let sessions = try settings.optionalNumber("sessionsPerDay", in: 1...50) {
            profile.sessionsPerActiveDay = sessions
            set.insert("sessionsPerActiveDay")
        }
        if settings.has("thinkTime") {
            profile.thinkSeconds = try settings.delay("thinkTime")
            set.insert("thinkSeconds")
        }
        if let cut = try settings.optionalDuration("thinkCut", atLeast: "1s") {
            profile.thinkCutSeconds = cut.seconds
            set.insert("thinkCutSeconds")
        }
        if let weights = try settings.optionalNumbers("hourWeights", counts: 24...24, in: 0...1e9) {
            profile.hourWeights = weights
            set.insert("hourWeights")
        }
        if let weights = try settings.optionalNumbers("weekdayWeights", counts: 7...7, in: 0...1e9) {
            profile.weekdayWeights = weights
            set.insert("weekdayWeights")
        }
        if let weeks = try settings.optionalNumber("termWeeks", in: 0...BrowsingProfile.weeksOfYear) {
            profile.termWeeks = weeks
            set.insert("termWeeks")
        }
        if let share = try settings.optionalNumber("holidayShare", in: 0...1) {
            guard set.contains("termWeeks") else {
                throw settings.error("holidayShare", .conflict("means nothing without termWeeks"))
            }
            profile.holidayShare = share
            set.insert("holidayShare")
        }
        if let share = try settings.optionalNumber("favouriteShare", in: 0...1) {
            profile.favouriteShare = share
            set.insert("favouriteShare")
        }
        if let count = try settings.optionalCount("favouriteCount", in: 1...1_000) {
            profile.favouriteCount = count
            set.insert("favouriteCount")
        }
        return set
    }

    /// `{ median, p95 }` of a log-normal distribution, or a list of values that are equally likely.
    private func visitsPerDay(_ settings: SettingsReader) throws -> Distribution {
        if !settings.isGroup("visitsPerDay"),
            let values = try settings.optionalNumbers("visitsPerDay", counts: 1...1_000, in: 0...60_000)
        {
            return .empirical(values.sorted())
        }
        let visits = try settings.group("visitsPerDay")
        let median = try visits.number("median", in: 0.1...10_000)
        let high = try visits.number("p95", in: median...50_000)
        try visits.finish()
        return .lognormal(median: median, p95: high)
    }

    /// The synthetic web that all groups with a profile browse.
    ///
    /// - Returns: With it, the trace that the listed shares are to be counted in; `nil` if they are known.
    func web(_ settings: SettingsReader) throws -> (WebParameters, listedTrace: TraceSettings?) {
        var web = WebParameters()
        func source(_ key: String) -> String { web.sources.first { $0.key == key }?.source ?? "assumption" }
        web.siteCount = try settings.count(
            "siteCount", default: "\(web.siteCount)", source: source("siteCount"), in: 1...(1 << 24))
        web.thirdPartyHostCount = try settings.count(
            "thirdPartyHostCount", default: "\(web.thirdPartyHostCount)",
            source: source("thirdPartyHostCount"),
            in: 1...(1 << 24))
        web.siteExponent = try settings.number(
            "siteExponent", default: "\(web.siteExponent)", source: source("siteExponent"), in: 0.01...5)
        let trace = try listedTraffic(settings, into: &web)
        var read: Set = ["siteCount", "thirdPartyHostCount", "siteExponent"]
        try readCurves(settings, into: &web, &read)
        try readShares(settings, into: &web, &read)
        for setting in web.sources where !read.contains(setting.key) && !setting.key.hasPrefix("listed") {
            let curve = Self.curves.first { $0.0 == setting.key }
            settings.note(
                setting.key, curve.map { web[keyPath: $0.1].written } ?? setting.value, source: setting.source
            )
        }
        try settings.finish()
        do {
            try web.validate()
        } catch {
            throw settings.error(.conflict("\(error)"))
        }
        return (web, trace)
    }

    /// How often listed pages and objects are met: by the name of a measured preset, by two shares, or by counting in
    /// a trace.
    private func listedTraffic(
        _ settings: SettingsReader, into web: inout WebParameters
    ) throws -> TraceSettings? {
        guard settings.isGroup("listed") else {
            let preset = try listedPreset(settings, "listed")
            web.listed = preset.traffic
            settings.note("listed.visitShare", "\(preset.traffic.visitShare)", source: preset.source)
            settings.note("listed.objectShare", "\(preset.traffic.objectShare)", source: preset.source)
            return nil
        }
        let listed = try settings.group("listed")
        if listed.has("trace") {
            let trace = try traceSettings(listed)
            try listed.finish()
            return trace
        }
        let preset = try listedPreset(listed, "preset")
        web.listed = ListedTraffic(
            visitShare: try listed.number(
                "visitShare", default: "\(preset.traffic.visitShare)", source: preset.source, in: 0...1),
            objectShare: try listed.number(
                "objectShare", default: "\(preset.traffic.objectShare)", source: preset.source, in: 0...1))
        try listed.finish()
        return nil
    }

    private func listedPreset(
        _ settings: SettingsReader, _ key: String
    ) throws -> (name: String, traffic: ListedTraffic, source: String) {
        let name = try settings.text(key)
        guard let preset = ListedTraffic.presets.first(where: { $0.name == name }) else {
            throw settings.error(key, .unknownName(name, allowed: ListedTraffic.presets.map(\.name)))
        }
        return preset
    }

    private static var curves: [(String, WritableKeyPath<WebParameters, QuantileCurve>)] {
        [
            ("pagesPerSite", \.pagesPerSite), ("requestsPerPage", \.requestsPerPage),
            ("hostsPerPage", \.hostsPerPage), ("thirdPartyShare", \.thirdPartyShare),
            ("loadSeconds", \.loadSeconds), ("addressLength", \.addressLength),
            ("queryLength", \.queryLength),
        ]
    }

    private func readCurves(
        _ settings: SettingsReader, into web: inout WebParameters, _ read: inout Set<String>
    ) throws {
        for (key, path) in Self.curves {
            guard let curve = try settings.optionalCurve(key, default: web[keyPath: path]) else { continue }
            web[keyPath: path] = curve
            read.insert(key)
        }
        if let weights = try settings.optionalNumbers("pathDepthWeights", counts: 1...32, in: 0...1e9) {
            web.pathDepthWeights = weights
            read.insert("pathDepthWeights")
        }
        if let length = try settings.optionalCount("minimumPathLength", in: 1...64) {
            web.minimumPathLength = length
            read.insert("minimumPathLength")
        }
    }

    private func readShares(
        _ settings: SettingsReader, into web: inout WebParameters, _ read: inout Set<String>
    ) throws {
        let numbers: [(String, WritableKeyPath<WebParameters, Double>, ClosedRange<Double>)] = [
            ("pageExponent", \.pageExponent, 0.01...5),
            ("thirdPartyExponent", \.thirdPartyExponent, 0.01...5),
            ("frontPageShare", \.frontPageShare, 0...1), ("uniquePageShare", \.uniquePageShare, 0...1),
            ("subdomainShare", \.subdomainShare, 0...1), ("siteSimilarity", \.siteSimilarity, 0...1),
            ("repeatedObjectShare", \.repeatedObjectShare, 0...1),
            ("sharedObjectShare", \.sharedObjectShare, 0...1), ("queryShare", \.queryShare, 0...1),
            ("adHeavyPageShare", \.adHeavyPageShare, 0...1),
            ("adHeavyFreshShare", \.adHeavyFreshShare, 0...1),
            ("plainFreshShare", \.plainFreshShare, 0...1), ("burstExponent", \.burstExponent, 0.1...10),
            ("firstObjectSeconds", \.firstObjectSeconds, 1e-6...60),
        ]
        for (key, path, range) in numbers {
            guard let value = try settings.optionalNumber(key, in: range) else { continue }
            web[keyPath: path] = value
            read.insert(key)
        }
    }
}

extension Distribution {
    /// As the scenario would write it: a log-normal one by two values, equally likely values one by one.
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
    /// As the scenario would write it.
    fileprivate var written: String {
        func text(_ value: Double) -> String { String(format: "%.6g", value) }
        let knots = knots.map { "p\(text($0.probability * 100)): \(text($0.value))" }
        return "{ \((knots + ["min: \(text(minimum))", "max: \(text(maximum))"]).joined(separator: ", ")) }"
    }
}
