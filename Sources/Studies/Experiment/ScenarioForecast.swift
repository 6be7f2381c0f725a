import EventSimulation
import FleetModel
import RunMetrics
package import Scenarios
import Workload

/// Figures of a scenario that closed forms tell before anything is simulated.
package struct ScenarioForecast: Codable, Equatable, Sendable {
    /// Page visits of a browsing device on the first day, in the mean over all days there could be; absent where none
    /// browses by a profile.
    package var visitsPerDeviceDay: Double?
    /// How long a new entry stays unblocked with the scenario's own intervals; absent for a list that stays.
    package var delay: BlockingDelay?
    /// How far these move over what nobody knows; absent where chance alone is asked for, and where everything is
    /// known.
    package var ignorance: IgnoranceResult?

    package init(_ scenario: Scenario) throws {
        var (visits, devices) = (0.0, 0)
        for group in scenario.devices {
            guard case .profile(let profile) = group.browsing else { continue }
            let habits = try BrowsingHabits(profile)
            visits += Double(group.count) * habits.expectedVisits(onDayOf: habits.localTime(universal: 0))
            devices += group.count
        }
        visitsPerDeviceDay = devices > 0 ? visits / Double(devices) : nil
        let updates = scenario.prefilter.updates
        if updates.changesEntries, let interval = updates.interval?.seconds {
            delay = FreshnessForecast(scenario).flatMap { BlockingDelay($0, published: interval) }
        }
    }

    /// The forecast with what nobody knows of it.
    ///
    /// - Parameters:
    ///   - file: The scenario as it is.
    ///   - request: Whether and how it is asked.
    package init(_ file: ScenarioFile, _ request: IgnoranceStudy.Request) throws {
        let scenario = try ScenarioResolver.resolve(file)
        try self.init(scenario)
        let inputs = try scenario.plausible.without(request.known)
        guard !request.chanceOnly,
            let drawn = FormulaDesign(
                inputs, points: request.points, seed: scenario.seed,
                confidence: scenario.replications.confidence)
        else { return }
        let points = try drawn.places.map { place in
            try DrawnPoint(inputs, at: place) { try ScenarioResolver.resolve(file.setting($0)) }
        }
        let design = FormulaDesign(
            inputs, places: points.map(\.place), seed: scenario.seed,
            confidence: scenario.replications.confidence)
        let forecasts = try points.map { try ScenarioForecast($0.scenario) }
        func form(
            _ figure: IgnoranceFigure, _ read: (ScenarioForecast) -> Double?
        ) -> FormulaDesign.Form? {
            read(self).map { .init(figure, now: $0, values: forecasts.map(read)) }
        }
        ignorance = design.result(
            [
                form(.visits) { $0.visitsPerDeviceDay }, form(.blockingMean) { $0.delay?.mean },
                form(.blockingLate) { $0.delay?.p95 },
            ].compactMap(\.self))
    }
}

extension IgnoranceFigure {
    package static let visits = IgnoranceFigure(
        name: "page.visits", statistic: "perDeviceDay", unit: .number, support: .amount)
}
