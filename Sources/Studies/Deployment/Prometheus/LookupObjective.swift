import FleetModel
import Foundation
import Questions

/// The latency objective of the plan as the PIR servers can judge it: they see their own part of a lookup.
struct LookupObjective {
    /// Lookups of so many have to be in time.
    let share: Double
    /// A bound of the servers' histogram, seconds, and the time that the plan leaves them.
    let bound: Double
    let budget: Double?

    /// - Parameter region: Its PIR servers take the time that is left.
    init(_ plan: DeployedPlan, _ region: DeployedPlan.Region) {
        let work = region[Part.pir]?.serviceSeconds ?? 0
        guard let limit = plan.rule.shownLimit, let base = plan.baseLatency else {
            // Without an objective a lookup has to be answered before the device gives up.
            (share, bound, budget) = (0.99, 3, nil)
            return
        }
        share = plan.rule.shownPercentile
        let left = limit - base + work
        budget = left
        let bounds = ServedMetric.bounds
        bound = bounds.last { $0 <= left && $0 > work } ?? bounds.first { $0 > work } ?? 10
    }

    /// Share that may miss it.
    var errorBudget: Double { 1 - share }

    /// Windows of an alarm: it fires if both see the budget burn so many times too fast.
    struct Burn {
        let factor: Double
        let long: Int
        let short: Int
        let severity: String
        /// Share of a month's budget that is gone by then.
        let spent: String
    }

    /// Beyer et al., The Site Reliability Workbook (2018), chapter 5, table 5-8, for a budget of 30 days.
    static let burns = [
        Burn(factor: 14.4, long: 3_600, short: 300, severity: "page", spent: "2 %"),
        Burn(factor: 6, long: 21_600, short: 1_800, severity: "page", spent: "5 %"),
        Burn(factor: 3, long: 86_400, short: 7_200, severity: "ticket", spent: "10 %"),
        Burn(factor: 1, long: 259_200, short: 21_600, severity: "ticket", spent: "10 %"),
    ]

    static var windows: [Int] { Set(burns.flatMap { [$0.long, $0.short] }).sorted() }
}
