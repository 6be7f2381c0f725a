import EventSimulation
import FleetModel
import RandomStreams

/// How the block list changes during a run.
extension ScenarioResolver {
    private static let largestUpdate = 100_000_000

    func updates(_ settings: SettingsReader) throws -> UpdateSettings {
        let interval = try settings.optionalDuration("every", atLeast: "1s")
        var updates = UpdateSettings(
            interval: interval, added: 0, removed: 0, appRestart: nil, reloadDelay: .zero,
            changesConfiguration: false, versionCount: 2)
        guard interval != nil else {
            for key in ["add", "remove", "appRestart", "pirReload", "changesConfiguration", "versionCount"]
            where settings.has(key) {
                throw settings.error(key, .conflict("means nothing without updates.every"))
            }
            try settings.finish()
            return updates
        }
        let range = 0...Self.largestUpdate
        updates.added = try settings.count("add", in: range)
        updates.removed = try settings.count("remove", in: range)
        if settings.has("appRestart") {
            updates.appRestart = try settings.delay("appRestart")
        }
        updates.reloadDelay = try settings.duration("pirReload")
        updates.changesConfiguration = try settings.flag("changesConfiguration")
        updates.versionCount = try settings.count("versionCount", in: 1...1_000_000)
        try settings.finish()
        return updates
    }
}
