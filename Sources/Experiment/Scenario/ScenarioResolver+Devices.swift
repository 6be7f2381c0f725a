import EventSimulation
import FleetModel
import RandomStreams
import URLFilter
import Workload

/// Device groups, their browsing and their access networks.
extension ScenarioResolver {
    func deviceGroup(_ settings: SettingsReader, rules: MatchingRules) throws -> DeviceSettings {
        let name = try settings.text("name", default: nil, source: "", example: "name: students")
        let count = try settings.count("count", default: nil, source: "", in: 1...10_000_000)
        let access = try accessNetwork(settings)
        let own = settings.has("urlMatching") ? try matchingRules(settings, default: .iOS27) : rules
        let browsing = try browsing(settings.group("browsing"))
        try settings.finish()
        return DeviceSettings(name: name, count: count, browsing: browsing, access: access, rules: own)
    }

    private func browsing(_ settings: SettingsReader) throws -> DeviceSettings.Browsing {
        if settings.has("trace") {
            let path = try settings.text("trace", default: nil, source: "")
            let format = try settings.optionalText("format").map { text in
                guard let format = TraceFormat(name: text) else {
                    throw settings.error("format", .unknownName(text, allowed: TraceFormat.names))
                }
                return format
            }
            let trace = TraceSettings(
                file: file.resolve(path), format: format, host: try settings.optionalText("host"),
                compression: try settings.number(
                    "compression", default: "1", source: "the trace's own speed", in: 0.001...1e6),
                spread: try settings.duration(
                    "spread", default: "10min", source: "assumption: copies of one client are not in step"))
            try settings.finish()
            return .trace(trace)
        }
        let presets = BrowsingProfile.presets.map(\.name)
        let name = try settings.text("profile", default: "adult", source: "assumption")
        guard var profile = BrowsingProfile.preset(named: name) else {
            throw settings.error("profile", .unknownName(name, allowed: presets))
        }
        if settings.has("visitsPerDay") {
            let visits = try settings.group("visitsPerDay")
            let median = try visits.number("median", default: nil, source: "", in: 0.1...10_000)
            let high = try visits.number("p95", default: nil, source: "", in: 0.1...50_000)
            profile.visitsPerActiveDay = .lognormal(median: median, p95: high)
            try visits.finish()
        }
        profile.activeDayShare = try settings.number(
            "activeDayShare", default: "\(profile.activeDayShare)", source: source("activeDayShare", profile),
            in: 0.001...1)
        profile.weekdayOfDayZero = try settings.count(
            "weekdayOfDayZero", default: "0", source: source("weekdayOfDayZero", profile), in: 0...6)
        profile.timeZoneOffsetSeconds = Int(
            try settings.number(
                "timeZoneHours", default: "0", source: source("timeZoneOffsetSeconds", profile), in: -14...14)
                * 3600)
        profile.siteRevisitShare = try settings.number(
            "siteRevisitShare", default: "\(profile.siteRevisitShare)",
            source: source("siteRevisitShare", profile), in: 0...1)
        profile.pageRevisitShare = try settings.number(
            "pageRevisitShare", default: "\(profile.pageRevisitShare)",
            source: source("pageRevisitShare", profile), in: 0...1)
        for setting in profile.sources where !Self.readSettings.contains(setting.key) {
            settings.note(setting.key, setting.value, source: setting.source)
        }
        try settings.finish()
        do {
            try profile.validate()
        } catch {
            throw settings.error("profile", .conflict("\(error)"))
        }
        return .profile(profile)
    }

    /// Settings of a profile that a scenario can change under their own name.
    private static let readSettings: Set = [
        "activeDayShare", "weekdayOfDayZero", "timeZoneOffsetSeconds", "siteRevisitShare", "pageRevisitShare",
    ]

    private func source(_ key: String, _ profile: BrowsingProfile) -> String {
        profile.sources.first { $0.key == key }?.source ?? "assumption"
    }

    /// The synthetic web that all groups with a profile browse.
    func web(_ settings: SettingsReader) throws -> WebParameters {
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
        let listed = try settings.group("listed")
        let fallback = web.listed
        let listedSource = web.sources.first { $0.key.hasPrefix("listed") }?.source ?? "assumption"
        web.listed.visitShare = try listed.number(
            "visitShare", default: "\(fallback.visitShare)", source: listedSource, in: 0...1)
        web.listed.objectShare = try listed.number(
            "objectShare", default: "\(fallback.objectShare)", source: listedSource, in: 0...1)
        try listed.finish()
        let read: Set = ["siteCount", "thirdPartyHostCount", "siteExponent"]
        for setting in web.sources where !read.contains(setting.key) && !setting.key.hasPrefix("listed") {
            settings.note(setting.key, setting.value, source: setting.source)
        }
        try settings.finish()
        do {
            try web.validate()
        } catch {
            throw settings.error("siteCount", .conflict("\(error)"))
        }
        return web
    }

    private enum AccessName: String, CaseIterable {
        case fibre, wifi, fiveG = "5g", lte, hspa

        /// Median and 95th percentile of the round trip, seconds.
        var roundTrip: (median: Double, p95: Double) {
            switch self {
            case .fibre: (0.010, 0.025)
            case .wifi: (0.020, 0.060)
            case .fiveG: (0.028, 0.060)
            case .lte: (0.045, 0.110)
            case .hspa: (0.085, 0.310)
            }
        }

        /// Uplink and downlink.
        var bandwidth: (up: String, down: String) {
            switch self {
            case .fibre: ("5Mbit/s", "20Mbit/s")
            case .wifi: ("1Mbit/s", "5Mbit/s")
            case .fiveG, .lte: ("12Mbit/s", "12Mbit/s")
            case .hspa: ("0.768Mbit/s", "1.6Mbit/s")
            }
        }
    }

    private func accessNetwork(_ settings: SettingsReader) throws -> AccessNetwork {
        let name: AccessName
        let custom: SettingsReader?
        if settings.isGroup("access") {
            name = .wifi
            custom = try settings.group("access")
        } else {
            name = try settings.choice("access", default: .wifi, source: "assumption")
            custom = nil
        }
        let empty = try custom ?? settings.empty(at: "access")
        let trip = name.roundTrip
        let delay = try empty.delay(
            "oneWayDelay", default: .lognormal(median: trip.median / 2, p95: trip.p95 / 2),
            text: "{lognormal: {median: \(trip.median * 500)ms, p95: \(trip.p95 * 500)ms}}",
            source: "facts, workload section 9: half of the access round trip")
        let linkSource =
            "facts, workload section 7: WebPageTest link profiles; for 5g that of LTE (assumption)"
        let uplink = try empty.bandwidth("uplink", default: name.bandwidth.up, source: linkSource)
        let downlink = try empty.bandwidth("downlink", default: name.bandwidth.down, source: linkSource)
        try empty.finish()
        return AccessNetwork(oneWayDelay: delay, uplink: uplink, downlink: downlink)
    }
}
