import EventSimulation
import FleetModel
import Foundation
import RandomStreams

/// When devices are used, by whom, and what many of them do at once.
extension ScenarioResolver {
    func usage(_ settings: SettingsReader, hasProfile: Bool) throws -> DeviceUsage {
        var usage = DeviceUsage()
        usage.rollOut = try settings.duration("rollOut")
        if settings.has("startSpread") { usage.startSpread = try spread("startSpread", settings) }
        usage.coverage = try settings.number("coverage", in: 0...1)
        usage.unknownShare = try settings.optionalNumber("unknownShare", in: 0...1) ?? 0
        usage.handOversPerDay = try settings.number("handOversPerDay", in: 0...10_000)
        guard settings.has("background") else { return usage }
        guard hasProfile else {
            throw settings.error(
                "background", .conflict("needs a browsing profile: a trace or lookups are all requests"))
        }
        let background = try settings.group("background")
        usage.background = BackgroundRequests(
            perHour: try background.number("perHour", in: 0.001...100_000),
            listedShare: try background.number("listedShare", in: 0...1))
        try background.finish()
        return usage
    }

    /// Whether supervised devices tell what they blocked.
    func reports(_ settings: SettingsReader) throws -> ReportRules? {
        guard settings.isGroup("reports") else {
            let text = try settings.text("reports")
            guard text == "never" else {
                throw settings.error(
                    "reports",
                    .wrongKind(found: text, expected: "never, or { interval: 24h, entryBytes: 656B }"))
            }
            return nil
        }
        let group = try settings.group("reports")
        // Apple's shortest interval.
        let rules = ReportRules(
            interval: try group.duration("interval", atLeast: "1h"), entryBytes: try group.bytes("entryBytes")
        )
        try group.finish()
        return rules
    }

    /// Lookups as a log of servers shows them; `urlfilter calibrate` writes these settings.
    func lookupTraffic(_ settings: SettingsReader) throws -> LookupTraffic {
        var traffic = LookupTraffic(perDay: try settings.number("perDay", in: 0.001...1e7))
        traffic.skewShape = try settings.optionalNumber("skewShape", in: 0.01...1e4)
        if let weights = try settings.optionalNumbers("hourWeights", counts: 24...24, in: 0...1e9) {
            guard weights.contains(where: { $0 > 0 }) else {
                throw settings.error("hourWeights", .outOfRange("0 in all hours", allowed: "one above 0"))
            }
            traffic.hourWeights = weights
        }
        traffic.startHour = try settings.number("startHour", in: 0...23.99999)
        traffic.burstSize = try settings.number("burstSize", in: 1...10_000)
        if settings.has("burstGap") { traffic.burstGap = try settings.delay("burstGap") }
        try settings.finish()
        return traffic
    }

    /// - Parameters:
    ///   - groups: Names of the device groups.
    ///   - end: When the run ends, if the scenario says so.
    func crowd(_ settings: SettingsReader, groups: [String], end: SimulatedDuration?) throws -> Crowd {
        let begin = try begin(settings, before: end)
        let share = try settings.number("share", in: 0...1)
        let url = try settings.text("url", example: "url: https://news.example/now")
        guard let parsed = URL(string: url), parsed.scheme != nil, parsed.host != nil else {
            throw settings.error("url", .wrongKind(found: url, expected: "a URL with scheme and host"))
        }
        let delay = try spread("within", settings)
        let group = try settings.optionalText("group")
        if let group, !groups.contains(group) {
            throw settings.error("group", .unknownName(group, allowed: groups))
        }
        try settings.finish()
        return Crowd(begin: begin, share: share, url: url, delay: delay, group: group)
    }

    /// Times over which devices are spread: a distribution, or a length over which they are spread evenly.
    private func spread(_ key: String, _ settings: SettingsReader) throws -> Distribution {
        guard !settings.isGroup(key) else {
            return try settings.delay(key)
        }
        let length = try settings.duration(key)
        return length > .zero ? .uniform(lower: 0, upper: length.seconds) : .constant(0)
    }
}
