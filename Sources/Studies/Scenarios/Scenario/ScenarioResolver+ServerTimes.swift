import EventSimulation
import FleetModel

/// Settings of what an instance does at once, and of when it is slow or stands still: the scenario's, or those of the
/// server's description.
extension ScenarioResolver {
    /// - Returns: `nil`: one for each core.
    func threads(
        _ station: SettingsReader, common: StationConfiguration?, _ server: ServerDescription?
    ) throws -> Int? {
        try station.optional(Schema.station.threads)
            ?? usual(.threads, station, server, \.threads, else: common?.threads)
    }

    /// - Returns: `nil`: it is as fast as ever at once.
    func coldStart(
        _ station: SettingsReader, common: StationConfiguration?, _ server: ServerDescription?
    ) throws -> ColdStart? {
        let setting = Schema.station.coldStart
        guard station.has(setting) else {
            return usual(.coldStart, station, server, \.coldStart, else: common?.coldStart)
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
            return usual(.pauses, station, server, \.pauses, else: common?.pauses)
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

    /// A value that the scenario does not give: the server's description has it, else the service in every region.
    ///
    /// - Parameter fact: Named as the setting is.
    private func usual<Value>(
        _ fact: ServerDescription.Fact, _ station: SettingsReader, _ server: ServerDescription?,
        _ value: (ServerDescription) -> Value?, else common: Value?
    ) -> Value? {
        guard let server, let value = value(server) else { return common }
        station.note(fact.rawValue, "\(value)", source: server.source(of: fact))
        return value
    }
}
