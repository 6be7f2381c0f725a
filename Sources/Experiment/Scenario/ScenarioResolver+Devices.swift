import EventSimulation
import FleetModel
import RandomStreams
import URLFilter
import Workload

/// Device groups, their browsing and their access networks.
extension ScenarioResolver {
    /// Devices of all groups together.
    private static let maximumDeviceCount = 10_000_000

    func deviceGroups(_ root: SettingsReader, rules: MatchingRules) throws -> [DeviceSettings] {
        var groups: [DeviceSettings] = []
        var left = Self.maximumDeviceCount
        for settings in try root.groups("devices") {
            let group = try deviceGroup(settings, rules: rules, limit: left)
            guard !groups.contains(where: { $0.name == group.name }) else {
                throw settings.error("name", .conflict("another group is called '\(group.name)' already"))
            }
            groups.append(group)
            left -= group.count
        }
        guard !groups.isEmpty else {
            throw root.error("devices", .missing(example: "devices: [{ name: homes, count: 1000 }]"))
        }
        return groups
    }

    private func deviceGroup(
        _ settings: SettingsReader, rules: MatchingRules, limit: Int
    ) throws -> DeviceSettings {
        let name = try settings.text("name", default: nil, source: "", example: "name: students")
        guard !name.isEmpty, !name.contains(where: { ".[]=".contains($0) || $0.isNewline }) else {
            throw settings.error(
                "name",
                .wrongKind(found: name, expected: "a name that --set can use: no '.', '[', ']' or '='"))
        }
        let count = try settings.count("count", default: nil, source: "", in: 1...max(limit, 1))
        let access = try accessNetwork(settings)
        let own = settings.has("urlMatching") ? try matchingRules(settings, default: .iOS27) : rules
        let browsing = try browsing(settings.group("browsing"))
        try settings.finish()
        return DeviceSettings(name: name, count: count, browsing: browsing, access: access, rules: own)
    }

    private func browsing(_ settings: SettingsReader) throws -> DeviceSettings.Browsing {
        if settings.has("trace") {
            let path = try settings.file("trace", of: file, example: "trace: day.csv")
            let format = try settings.optionalText("format").map { text in
                guard let format = TraceFormat(name: text) else {
                    throw settings.error("format", .unknownName(text, allowed: TraceFormat.names))
                }
                return format
            }
            let trace = TraceSettings(
                file: path, format: format, host: try settings.optionalText("host"),
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
            let high = try visits.number("p95", default: nil, source: "", in: median...50_000)
            profile.visitsPerActiveDay = .lognormal(median: median, p95: high)
            try visits.finish()
        }
        profile.activeDayShare = try settings.number(
            "activeDayShare", default: "\(profile.activeDayShare)", source: source("activeDayShare", profile),
            in: 0.001...1)
        profile.weekdayOfDayZero = try settings.count(
            "weekdayOfDayZero", default: "\(profile.weekdayOfDayZero)",
            source: source("weekdayOfDayZero", profile), in: 0...6)
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

        /// Median and 95th percentile of half the round trip.
        var oneWayDelay: (median: String, p95: String) {
            switch self {
            case .fibre: ("5ms", "12.5ms")
            case .wifi: ("10ms", "30ms")
            case .fiveG: ("14ms", "30ms")
            case .lte: ("22.5ms", "55ms")
            case .hspa: ("42.5ms", "155ms")
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
        let link = try custom ?? settings.empty(at: "access")
        let half = name.oneWayDelay
        let delay = try link.delay(
            "oneWayDelay", default: .lognormal(median: half.median, p95: half.p95),
            source: "facts, workload section 9: half of the access round trip")
        let linkSource =
            "facts, workload section 7: WebPageTest link profiles; for 5g that of LTE (assumption)"
        let uplink = try link.bandwidth("uplink", default: name.bandwidth.up, source: linkSource)
        let downlink = try link.bandwidth("downlink", default: name.bandwidth.down, source: linkSource)
        try link.finish()
        return AccessNetwork(oneWayDelay: delay, uplink: uplink, downlink: downlink)
    }
}
