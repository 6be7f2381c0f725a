import EventSimulation
import Foundation
import RandomStreams
import Workload

/// How people browse: every parameter can be set, and `urlfilter trace describe` prints those that fit a trace.
extension ScenarioResolver {
    func profile(_ group: SettingsReader) throws -> BrowsingProfile {
        let setting = Schema.browsing.profile
        let name = try group(setting)
        guard var profile = BrowsingProfile.preset(named: name) else {
            throw group.error(setting, .unknownName(name, allowed: BrowsingProfile.presets.map(\.name)))
        }
        try readHabits(group, into: &profile)
        let set = try readTimes(group, into: &profile)
        try scaleVisits(group, &profile, isTold: set.contains("visitsPerActiveDay"))
        if profile.siteRevisitShare < 0.6 {
            group.withdraw(Schema.browsing.pageRevisitShare.key)
        }
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

    /// More or fewer visits than the profile says, each day and for everybody.
    ///
    /// - Parameter isTold: The scenario says how many visits there are.
    private func scaleVisits(
        _ group: SettingsReader, _ profile: inout BrowsingProfile, isTold: Bool
    ) throws {
        let setting = Schema.browsing.visitScale
        let scale = try group(setting)
        if scale != 1 { profile.visitsPerActiveDay = profile.visitsPerActiveDay.times(scale) }
        if isTold { group.withdraw(setting.key) }
        if profile.name == BrowsingProfile.office.name { group.move(setting.key, to: .computerVisits) }
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
}

extension Distribution {
    /// The law of so many times its values, of the kinds that visits of a day may have.
    fileprivate func times(_ factor: Double) -> Distribution {
        switch self {
        case .lognormal(let mu, let sigma): .lognormal(mu: mu + log(factor), sigma: sigma)
        case .empirical(let values): .empirical(values.map { $0 * factor })
        case .constant(let value): .constant(value * factor)
        default: self
        }
    }

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
