import Decoding
import EventSimulation
package import Experiment
package import FleetModel
import Foundation
package import Scenarios
import URLFilter

/// A prefilter and a PIR database, as far as they decide what a fleet asks: known before anything is simulated.
package struct FilterDesign: Sendable {
    package var outline: Outline
    package var costs: CostProfile

    /// The part that the list and the settings of the prefilter say, without any measurement.
    package struct Outline: Sendable {
        /// Chance that a string outside the list hits the prefilter.
        package var stringRate: Double
        /// Size of one prefilter.
        package var prefilterBytes: Int
        /// Mean bytes that a device downloads for an edition, where that is not the whole.
        package var download: Double?

        /// Downloads of a device in a day; 1 for a list that stays.
        package var downloadsPerDay = 1.0
        /// Fetches of a device in a day that find nothing new; 0 for a list that stays.
        package var unchangedPerDay = 0.0

        /// Mean bytes that a device downloads for an edition.
        package var downloadBytes: Double { download ?? Double(prefilterBytes) }
        /// Mean bytes that a device fetches in a day, answers that say that nothing is new among them.
        package var bytesPerDay: Double {
            downloadBytes * downloadsPerDay + unchangedPerDay * EditionPlan.unchangedBytes
        }
    }

    package init(_ outline: Outline, costs: CostProfile) {
        self.outline = outline
        self.costs = costs
    }

    package init(stringRate: Double, prefilterBytes: Int, costs: CostProfile) {
        self.init(Outline(stringRate: stringRate, prefilterBytes: prefilterBytes), costs: costs)
    }

    var stringRate: Double { outline.stringRate }
    var prefilterBytes: Int { outline.prefilterBytes }

    /// Settings that differ from design to design; what else a scenario varies changes the traffic.
    package static let paths: Set<String> = {
        let (pir, filter) = (Schema.pir, Schema.filter)
        return [
            pir.path(\.shards), pir.path(\.rlweParameters), pir.path(\.implementation), pir.path(\.profile),
            filter.path(\.falsePositiveTolerance), filter.path(\.bitCount), filter.path(\.hashCount),
            filter.path(\.delivery),
        ]
    }()
}

extension Preparation {
    /// The outline of a scenario's design: its list is read, and nothing is measured.
    package static func outline(
        of scenario: Scenario, options: Options, sharing shared: SharedParts,
        progress: @Sendable (String) -> Void
    ) throws -> FilterDesign.Outline {
        let common = try listParts(scenario, options, shared, progress)
        let shape = try PrefilterBuilder.parameters(itemCount: common.itemCount, settings: scenario.filter)
        return outline(of: scenario, shape: shape, entries: common.list.count)
    }

    /// Bytes of the downloads of a scenario's prefilter.
    package static func downloads(
        of scenario: Scenario, options: Options, sharing shared: SharedParts,
        progress: @Sendable (String) -> Void
    ) throws -> PrefilterDownloads {
        let common = try listParts(scenario, options, shared, progress)
        let shape = try PrefilterBuilder.parameters(itemCount: common.itemCount, settings: scenario.filter)
        return PrefilterDownloads(scenario, shape: shape, entries: common.list.count)
    }

    private static func outline(
        of scenario: Scenario, shape: BloomParameters, entries: Int
    ) -> FilterDesign.Outline {
        let interval = Double(nanoseconds: scenario.device.prefilterFetchInterval)
        let downloads = scenario.prefilter.updates.interval.map { 86_400 / max($0.seconds, interval) }
        return FilterDesign.Outline(
            stringRate: shape.falsePositiveRate(entryCount: entries), prefilterBytes: shape.byteCount,
            download: scenario.prefilter.delivery.kind == .whole
                ? nil
                : PrefilterDownloads(scenario, shape: shape, entries: entries).mean(fetchInterval: interval),
            downloadsPerDay: downloads ?? 1, unchangedPerDay: downloads.map { 86_400 / interval - $0 } ?? 0)
    }

    /// Outlines of a scenario's designs by their tolerance, each with the bits and hashes that Apple's rule gives it.
    package static func outlines(
        of scenario: Scenario, options: Options, sharing shared: SharedParts,
        progress: @Sendable (String) -> Void
    ) throws -> (Double) throws -> FilterDesign.Outline {
        let common = try listParts(scenario, options, shared, progress)
        let (items, entries) = (common.itemCount, common.list.count)
        return { tolerance in
            var settings = scenario.filter
            settings.shape = .falsePositiveTolerance(tolerance)
            let shape = try PrefilterBuilder.parameters(itemCount: items, settings: settings)
            return outline(of: scenario, shape: shape, entries: entries)
        }
    }

    /// The design of a scenario in `calibrated` fidelity: its list is read, its costs are measured unless they are
    /// known, and nothing is built.
    package static func design(
        of scenario: Scenario, options: Options, sharing shared: SharedParts,
        progress: @Sendable (String) -> Void
    ) throws -> FilterDesign {
        let common = try listParts(scenario, options, shared, progress)
        let (measured, path) = try ProfileCache.profile(
            scenario, list: common.list, options: options, progress: progress)
        return FilterDesign(
            try outline(of: scenario, options: options, sharing: shared, progress: progress),
            costs: try scenario.pir.server.costs(measured, path: path))
    }
}
