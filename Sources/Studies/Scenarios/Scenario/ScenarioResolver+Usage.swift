import EventSimulation
import FleetModel
import Foundation
import RandomStreams

/// The times at which devices are used, by whom, and what many of them do at once.
extension ScenarioResolver {
    func usage(_ group: SettingsReader, hasProfile: Bool) throws -> DeviceUsage {
        let settings = Schema.devices
        var usage = DeviceUsage()
        usage.rollOut = try group(settings.rollOut)
        if let spread = try group.optional(settings.startSpread) { usage.startSpread = spread }
        usage.coverage = try group(settings.coverage)
        usage.unknownShare = try group.optional(settings.unknownShare) ?? 0
        usage.handOversPerDay = try group(settings.handOversPerDay)
        guard group.has("background") else { return usage }
        guard hasProfile else {
            throw group.error(
                "background", .conflict("needs a browsing profile: a trace or lookups are all requests"))
        }
        let background = try group.group("background")
        usage.background = BackgroundRequests(
            perHour: try background(Schema.background.perHour),
            listedShare: try background(Schema.background.listedShare))
        try background.finish()
        return usage
    }

    /// Whether supervised devices tell what they blocked.
    func reports(_ devices: SettingsReader) throws -> ReportRules? {
        let setting = Schema.devices.reports
        guard devices.isGroup(setting) else {
            _ = try devices(setting)
            return nil
        }
        let group = try devices.group(setting.key)
        let rules = ReportRules(
            interval: try group(Schema.reports.interval), entryBytes: try group(Schema.reports.entryBytes))
        try group.finish()
        return rules
    }

    /// Lookups as a log of servers shows them; `urlfilter calibrate` writes these settings.
    func lookupTraffic(_ group: SettingsReader) throws -> LookupTraffic {
        let settings = Schema.lookups
        var traffic = LookupTraffic(perDay: try group(settings.perDay))
        traffic.skewShape = try group.optional(settings.skewShape)
        if let weights = try group.optional(settings.hourWeights) {
            guard weights.contains(where: { $0 > 0 }) else {
                throw group.error(
                    settings.hourWeights, .outOfRange("0 in all hours", allowed: "one above 0"))
            }
            traffic.hourWeights = weights
        }
        traffic.startHour = try group(settings.startHour)
        traffic.burstSize = try group(settings.burstSize)
        if let gap = try group.optional(settings.burstGap) { traffic.burstGap = gap }
        try group.finish()
        return traffic
    }

    /// - Parameters:
    ///   - groups: Names of the device groups.
    ///   - end: When the run ends, if the scenario says so.
    func crowd(_ group: SettingsReader, groups: [String], end: SimulatedDuration?) throws -> Crowd {
        let settings = Schema.crowds
        let begin = try begin(group, settings.at, before: end)
        let share = try group(settings.share)
        let url = try group(settings.url)
        guard let parsed = URL(string: url), parsed.scheme != nil, parsed.host != nil else {
            throw group.error(settings.url, .wrongKind(found: url, expected: "a URL with scheme and host"))
        }
        let delay = try group(settings.within)
        let name = try group.optional(settings.group)
        if let name, !groups.contains(name) {
            throw group.error(settings.group, .unknownName(name, allowed: groups))
        }
        try group.finish()
        return Crowd(begin: begin, share: share, url: url, delay: delay, group: name)
    }
}
