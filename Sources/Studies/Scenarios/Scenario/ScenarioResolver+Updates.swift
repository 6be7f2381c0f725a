import EventSimulation
import FleetModel
import RandomStreams
import URLFilter

/// How the block list changes during a run.
extension ScenarioResolver {
    /// - Parameter fetchInterval: Of the prefilter.
    func updates(_ group: SettingsReader, fetchInterval: SimulatedDuration) throws -> UpdateSettings {
        let settings = Schema.updates
        let interval = try group(
            settings.every,
            else: SettingFallback(
                SettingsReader.text(fetchInterval), "assumption: filter.prefilterFetchInterval"))
        var updates = UpdateSettings(
            interval: interval, first: .zero, turnover: .churn(.none), appRestart: nil, reloadDelay: .zero,
            changesConfiguration: false, versionCount: 2)
        guard interval != nil else {
            for setting in settings.settings where setting.key != settings.every.key && group.has(setting.key)
            {
                throw group.error(
                    setting.key, .conflict("means nothing with updates.every: \(EditionSettings.never)"))
            }
            try group.finish()
            return updates
        }
        updates.first = try group(settings.first)
        updates.turnover = try turnover(group)
        updates.threats = try threats(group, of: updates.turnover)
        let restart = try group(settings.appRestart)
        updates.appRestart = restart == .constant(0) ? nil : restart
        updates.reloadDelay = try group(settings.pirReload)
        updates.changesConfiguration = try group(settings.changesConfiguration)
        updates.versionCount = try group(settings.versionCount)
        try group.finish()
        return updates
    }

    private func threats(
        _ group: SettingsReader, of turnover: UpdateSettings.Turnover
    ) throws -> ThreatEntries? {
        let settings = Schema.updates
        let areThreats = turnover == .churn(.threat)
        guard areThreats || group.has(settings.shortLived) else {
            guard group.has(settings.shortLife) else { return nil }
            throw group.error(settings.shortLife, .conflict("means nothing without updates.shortLived"))
        }
        let share = try group(settings.shortLived)
        let life = try group(settings.shortLife)
        guard areThreats || share > 0 else { return nil }
        return ThreatEntries(shortLivedShare: share, shortLife: life)
    }

    private func turnover(_ group: SettingsReader) throws -> UpdateSettings.Turnover {
        let settings = Schema.updates
        guard group.has(settings.add) || group.has(settings.remove) else {
            return .churn(try group(settings.churn))
        }
        if group.has(settings.churn) {
            throw group.error(
                settings.churn, .conflict("says in another way what updates.add and remove say"))
        }
        return .entries(added: try group(settings.add), removed: try group(settings.remove))
    }
}
