package import FleetModel
import Foundation
import URLFilter

/// A prefilter and a PIR database, as far as they decide what a fleet asks: known before anything is simulated.
package struct FilterDesign: Sendable {
    /// Chance that a string outside the list hits the prefilter.
    package var stringRate: Double
    /// Of one prefilter.
    package var prefilterBytes: Int
    package var costs: CostProfile

    package init(stringRate: Double, prefilterBytes: Int, costs: CostProfile) {
        self.stringRate = stringRate
        self.prefilterBytes = prefilterBytes
        self.costs = costs
    }

    /// Settings that differ from design to design; what else a scenario varies changes the traffic.
    package static let paths: Set<String> = {
        let (pir, filter) = (Schema.pir, Schema.filter)
        return [
            pir.path(\.shards), pir.path(\.rlweParameters), pir.path(\.implementation), pir.path(\.profile),
            filter.path(\.falsePositiveTolerance), filter.path(\.bitCount), filter.path(\.hashCount),
        ]
    }()
}

extension Preparation {
    /// The design of a scenario in `calibrated` fidelity: its list is read, its costs are measured unless they are
    /// known, and nothing is built.
    package static func design(
        of scenario: Scenario, options: Options, sharing shared: SharedParts,
        progress: @Sendable (String) -> Void
    ) throws -> FilterDesign {
        let common = try listParts(scenario, options, shared, progress)
        let shape = try PrefilterBuilder.parameters(itemCount: common.itemCount, settings: scenario.filter)
        let (measured, path) = try ProfileCache.profile(
            scenario, list: common.list, options: options, progress: progress)
        return FilterDesign(
            stringRate: shape.falsePositiveRate(entryCount: common.list.count),
            prefilterBytes: shape.byteCount,
            costs: try scenario.pir.server.costs(measured, path: path))
    }
}
