import EventSimulation
import FleetModel
import RandomStreams
import URLFilter

/// How the block list changes during a run.
extension ScenarioResolver {
    private static let largestUpdate = 100_000_000
    private static let never = "never"

    /// - Parameter fetchInterval: Of the prefilter.
    func updates(_ settings: SettingsReader, fetchInterval: SimulatedDuration) throws -> UpdateSettings {
        let interval = try settings.quantity(
            "every", SettingsReader.text(fetchInterval), "assumption: filter.prefilterFetchInterval",
            "'24h' or \(Self.never)"
        ) { text throws(Quantity.Failure) in text == Self.never ? nil : try Quantity.duration(text) }
        if let interval, interval < .seconds(1) {
            throw settings.error(
                "every", .outOfRange("\(interval.seconds)s", allowed: "at least 1s, or \(Self.never)"))
        }
        var updates = UpdateSettings(
            interval: interval, first: .zero, turnover: .churn(.none), appRestart: nil, reloadDelay: .zero,
            changesConfiguration: false, versionCount: 2)
        guard interval != nil else {
            for key in [
                "first", "churn", "add", "remove", "shortLived", "shortLife", "appRestart", "pirReload",
                "changesConfiguration", "versionCount",
            ] where settings.has(key) {
                throw settings.error(key, .conflict("means nothing with updates.every: \(Self.never)"))
            }
            try settings.finish()
            return updates
        }
        updates.first = try settings.duration("first")
        updates.turnover = try turnover(settings)
        updates.threats = try threats(settings, of: updates.turnover)
        if settings.has("appRestart") {
            updates.appRestart = try settings.delay("appRestart")
        }
        updates.reloadDelay = try settings.duration("pirReload")
        updates.changesConfiguration = try settings.flag("changesConfiguration")
        updates.versionCount = try settings.count("versionCount", in: 1...1_000_000)
        try settings.finish()
        return updates
    }

    private func threats(
        _ settings: SettingsReader, of turnover: UpdateSettings.Turnover
    ) throws -> ThreatEntries? {
        let areThreats = turnover == .churn(.threat)
        guard areThreats || settings.has("shortLived") else {
            guard settings.has("shortLife") else { return nil }
            throw settings.error("shortLife", .conflict("means nothing without updates.shortLived"))
        }
        let share = try settings.number("shortLived", in: 0...1)
        let life = try settings.duration("shortLife", atLeast: "1s")
        guard areThreats || share > 0 else { return nil }
        return ThreatEntries(shortLivedShare: share, shortLife: life)
    }

    private func turnover(_ settings: SettingsReader) throws -> UpdateSettings.Turnover {
        guard settings.has("add") || settings.has("remove") else {
            return .churn(try settings.choice("churn"))
        }
        if settings.has("churn") {
            throw settings.error("churn", .conflict("says in another way what updates.add and remove say"))
        }
        let range = 0...Self.largestUpdate
        return .entries(
            added: try settings.count("add", in: range), removed: try settings.count("remove", in: range))
    }
}
