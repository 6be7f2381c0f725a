import Decoding
import EventSimulation
import Experiment
import RunMetrics
package import Scenarios
import URLFilter

/// How prefilters get to devices, and how often these fetch them: what a search chooses beside the prefilter itself.
///
/// Servers do not notice it, so that the delivery whose downloads cost least is the best one, whatever else a design
/// is. How fresh devices have to be is said by objectives such as `freshness.block p99 < 12h`: without one the interval
/// stays, since money alone would have devices fetch never.
package struct DeliverySearch: Sendable {
    package struct Delivery: Hashable, Sendable {
        package var kind: DeliverySettings.Kind
        /// Time between two fetches of a device, seconds.
        package var interval: Double

        package init(kind: DeliverySettings.Kind, interval: Double) {
            self.kind = kind
            self.interval = interval
        }
    }

    /// The scenario's.
    package let own: Delivery
    /// Seconds from one edition to the next where the scenario leaves that to the fetches; `nil` where it says it.
    package let editionsOfFetches: Double?
    /// Deliveries that are tried, the scenario's own one first if it is fresh enough; never empty.
    package let deliveries: [Delivery]

    /// - Parameters:
    ///   - searchesKind: Nobody has named one.
    ///   - searchesInterval: The same for the interval.
    package init(_ scenario: Scenario, searchesKind: Bool, searchesInterval: Bool) {
        own = Delivery(
            kind: scenario.prefilter.delivery.kind,
            interval: Double(nanoseconds: scenario.device.prefilterFetchInterval))
        editionsOfFetches =
            scenario.sets(Schema.updates.path(\.every)) ? nil : scenario.prefilter.updates.interval?.seconds
        guard scenario.prefilter.updates.changesEntries else {
            // What differs between two editions nobody has said.
            deliveries = [own]
            return
        }
        let ownKind = own.kind
        let kinds = [ownKind] + (searchesKind ? DeliverySettings.Kind.allCases.filter { $0 != ownKind } : [])
        let limits = searchesInterval ? Self.limits(scenario) : []
        let ownInterval = own.interval
        let fresh = ([ownInterval] + FetchForecast.intervals.filter { $0 != ownInterval }).filter {
            Self.isFresh(scenario, interval: $0, limits)
        }
        let intervals = limits.isEmpty || fresh.isEmpty ? [ownInterval] : fresh
        deliveries = intervals.flatMap { interval in kinds.map { Delivery(kind: $0, interval: interval) } }
    }

    /// A time of so many seconds as a scenario has it.
    package static func text(_ seconds: Double) -> String {
        if (seconds / 3_600).rounded() * 3_600 == seconds { return "\(Int(saturating: seconds / 3_600))h" }
        if (seconds / 60).rounded() * 60 == seconds { return "\(Int(saturating: seconds / 60))min" }
        return "\(seconds)s"
    }

    /// Whether there is anything to choose.
    package var searchesKind: Bool { deliveries.contains { $0.kind != own.kind } }
    package var searchesInterval: Bool { deliveries.contains { $0.interval != own.interval } }

    /// Objectives on the time until devices block a new entry.
    private static func limits(_ scenario: Scenario) -> [Objective] {
        scenario.objectives.filter { $0.metric.limitsFreshness && $0.isUpper }
    }

    /// Whether devices that fetch so often meet the objectives, by closed form; unknown where there is none.
    private static func isFresh(_ scenario: Scenario, interval: Double, _ limits: [Objective]) -> Bool {
        let forecast = FreshnessForecast(scenario, fetchInterval: interval)
        return limits.allSatisfy { objective in
            let share = objective.metric.freshnessShare
            let seconds = share.flatMap { forecast.seconds(untilShare: $0, of: forecast.blocks) }
            return seconds.map { objective.relation.holds($0, objective.limit) } ?? false
        }
    }

    /// The delivery that costs least; the first one if none is cheaper by more than ``ToleranceSearch/precision``.
    ///
    /// - Parameter money: For what devices fetch.
    /// - Returns: Its place among ``deliveries``.
    package func best(_ money: (Int) throws -> Double) rethrows -> Int {
        var best = (place: 0, money: try money(0) * (1 - ToleranceSearch.precision))
        for place in deliveries.indices.dropFirst() {
            let found = try money(place)
            if found < best.money { best = (place, found) }
        }
        return best.place
    }
}

extension DeliverySearch.Delivery {
    /// The scenario with it.
    package func applied(to scenario: Scenario) -> Scenario {
        var scenario = scenario
        scenario.prefilter.delivery.kind = kind
        scenario.device.prefilterFetchInterval = SimulatedDuration.seconds(interval).nanoseconds
        return scenario
    }

    /// The interval as a scenario has it.
    package var intervalText: String { DeliverySearch.text(interval) }
}

extension Metric {
    /// Whether it is a time until devices block a new entry.
    var limitsFreshness: Bool { freshnessShare != nil }

    /// The share of the devices that do so then.
    fileprivate var freshnessShare: Double? {
        Self.freshnessToBlock.first { $0.metric == self }?.share
    }
}

extension Objective {
    /// Whether it is a limit from above.
    var isUpper: Bool { relation == .below || relation == .atMost }
}
