import Decoding
import EventSimulation
package import Experiment
import FleetModel
package import Scenarios
import URLFilter

/// One interval between two fetches of the prefilter: what downloads cost with it, and how fresh devices are.
package struct FetchForecast: Codable, Equatable, Sendable {
    /// Seconds.
    package var interval: Double
    /// Whether the scenario has it.
    package var isChosen: Bool
    /// Full downloads of a device.
    package var downloadsPerDay: Double
    /// Money of the plan a month.
    package var total: Double
    /// The same if devices downloaded the bits that differ from the edition that they have; absent where nobody counted
    /// them, and in documents of earlier versions.
    package var differenceTotal: Double?
    /// Seconds from the moment in which an entry is known to be bad until devices block it, in the mean, and until 99 %
    /// of them do after its publication; absent for starts of the app without a closed form.
    package var meanDelay: Double?
    package var longDelay: Double?

    /// Intervals that are compared, from the shortest that the system accepts, seconds.
    static let intervals: [Double] = [2_700, 3_600, 7_200, 10_800, 21_600, 43_200, 86_400, 172_800]

    /// Intervals for a plan, the shortest first.
    ///
    /// - Parameter bytes: Of downloads of the plan's prefilter; `nil` where nobody knows them.
    /// - Returns: `nil` for a list that stays.
    package static func front(
        of plan: ServerPlan, _ scenario: Scenario, bytes: PrefilterDownloads? = nil
    ) -> [FetchForecast]? {
        let updates = scenario.prefilter.updates
        guard let editions = updates.interval?.seconds, editions > 0, updates.changesEntries else {
            return nil
        }
        let now = Double(nanoseconds: scenario.device.prefilterFetchInterval)
        // Of a device in a day: editions, and answers that none is new. All editions are alike where nobody knows them.
        func fetched(_ interval: Double, _ kind: DeliverySettings.Kind? = nil) -> Double {
            let downloads = 86_400 / max(interval, editions)
            guard let bytes else { return downloads }
            return downloads * bytes.mean(fetchInterval: interval, kind)
                + (86_400 / interval - downloads) * EditionPlan.unchangedBytes
        }
        func total(_ interval: Double, _ kind: DeliverySettings.Kind? = nil) -> Double {
            let fetching = plan.cost.fetching(
                bytes: fetched(interval, kind) / fetched(now), requests: now / interval, scenario.prices)
            return plan.total - plan.cost.fetching + fetching
        }
        return Set(intervals + [now]).sorted().map { interval in
            let freshness = FreshnessForecast(scenario, fetchInterval: interval)
            return FetchForecast(
                interval: interval, isChosen: interval == now,
                downloadsPerDay: 86_400 / max(interval, editions),
                total: total(interval), differenceTotal: bytes.map { _ in total(interval, .difference) },
                meanDelay: freshness.means.map { editions / 2 + $0.toBlock },
                longDelay: freshness.seconds(untilShare: 0.99, of: freshness.blocks))
        }
    }
}

extension FreshnessForecast {
    /// Devices of a scenario that fetch so often, seconds.
    init(_ scenario: Scenario, fetchInterval: Double) {
        let updates = scenario.prefilter.updates
        self.init(
            fetchInterval: fetchInterval, refetchInterval: scenario.behaviour.configurationRefetch.seconds,
            reloadDelay: updates.reloadDelay.seconds, appRestart: updates.appRestart,
            changesConfiguration: updates.changesConfiguration)
    }
}
