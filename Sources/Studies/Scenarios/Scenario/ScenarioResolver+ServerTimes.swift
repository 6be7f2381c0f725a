import EventSimulation
import FleetModel

/// Settings of what an instance does at once, and of when it is slow or stands still: the scenario's, or those of the
/// server's description.
extension ScenarioResolver {
    /// - Returns: `nil`: one for each core.
    func threads(
        _ station: SettingsReader, common: StationConfiguration?, _ server: ServerDescription?
    ) throws -> Int? {
        let setting = Schema.station.threads
        if let threads = try station.optional(setting) { return threads }
        guard let server, let threads = server.threads else { return common?.threads }
        station.note(setting.key, "\(threads)", source: server.source(of: .threads))
        return threads
    }

    /// - Returns: `nil`: it is as fast as ever at once.
    func coldStart(
        _ station: SettingsReader, common: StationConfiguration?, _ server: ServerDescription?
    ) throws -> ColdStart? {
        let setting = Schema.station.coldStart
        guard station.has(setting) else {
            guard let server, let start = server.coldStart else { return common?.coldStart }
            station.note(
                setting.key, "{factor: \(start.factor), time: \(start.seconds)s}",
                source: server.source(of: .coldStart))
            return start
        }
        guard station.isGroup(setting) else {
            _ = try station(setting)
            return nil
        }
        let settings = Schema.coldStart
        let group = try station.group(setting.key)
        let start = ColdStart(
            factor: try group(settings.factor), seconds: try group(settings.time).seconds)
        try group.finish()
        return start
    }

    /// - Returns: `nil` for none.
    func pauses(
        _ station: SettingsReader, common: StationConfiguration?, _ server: ServerDescription?
    ) throws -> ServerPauses? {
        let setting = Schema.station.pauses
        guard station.has(setting) else {
            guard let server, let pauses = server.pauses else { return common?.pauses }
            station.note(
                setting.key, "{every: \(pauses.every)s, length: \(pauses.seconds)s}",
                source: server.source(of: .pauses))
            return pauses
        }
        guard station.isGroup(setting) else {
            _ = try station(setting)
            return nil
        }
        let settings = Schema.pauses
        let group = try station.group(setting.key)
        let every = try group(settings.every)
        let length = try group(settings.length)
        guard length < every else {
            throw group.error(
                settings.length,
                .outOfRange(
                    SettingsReader.text(length), allowed: "less than every, \(SettingsReader.text(every))"))
        }
        try group.finish()
        return ServerPauses(every: every.seconds, seconds: length.seconds)
    }
}
