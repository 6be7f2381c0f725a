import Decoding
import EventSimulation
package import Scenarios
package import URLFilter

/// Bytes that a device downloads for a new edition, by what it has: known before any prefilter is built.
///
/// Editions keep the shape of the first one, as differences need.
package struct PrefilterDownloads: Sendable {
    private let shape: BloomParameters
    private let entries: Double
    /// Seconds from one edition to the next; `nil` for a list that stays.
    private let editionInterval: Double?
    /// Shares of the list that are new in each edition, and that it no longer has.
    private let (new, gone): (Double, Double)
    private let settings: DeliverySettings

    package init(_ scenario: Scenario, shape: BloomParameters, entries: Int) {
        self.shape = shape
        self.entries = Double(entries)
        editionInterval = scenario.prefilter.updates.interval?.seconds
        (new, gone) = scenario.prefilter.updates.shares(ofEntries: max(entries, 1))
        settings = scenario.prefilter.delivery
    }

    /// - Parameters:
    ///   - behind: Editions that have come since the one that the device has; 0 without one.
    ///   - kind: `nil` for the scenario's.
    package func byteCount(behind: Int, _ kind: DeliverySettings.Kind? = nil) -> Int {
        let kind = kind ?? settings.kind
        guard kind != .whole else { return shape.byteCount }
        let packed = PrefilterDifference.byteCount(
            shape, flippedShare: PrefilterDifference.flippedShare(shape, kept: 0, added: entries, removed: 0))
        var least = min(Double(shape.byteCount), packed)
        if kind == .difference, (1...max(1, settings.keptDifferences)).contains(behind) {
            let (added, removed) = (min(1, new * Double(behind)), min(1, gone * Double(behind)))
            let share = PrefilterDifference.flippedShare(
                shape, kept: entries * (1 - removed), added: entries * added, removed: entries * removed)
            least = min(least, PrefilterDifference.byteCount(shape, flippedShare: share))
        }
        return Int(saturating: least.rounded(.up))
    }

    /// Bytes of devices that are one edition behind, two, and so on, as far as differences are kept; empty if all
    /// download the same.
    var differences: [Int] {
        settings.kind == .difference
            ? (1...max(1, settings.keptDifferences)).map { byteCount(behind: $0) } : []
    }

    /// Mean bytes of a download of devices that fetch so often.
    ///
    /// - Parameter fetchInterval: Seconds.
    package func mean(fetchInterval: Double, _ kind: DeliverySettings.Kind? = nil) -> Double {
        // A device that fetches less often than editions come misses some, now more and now fewer.
        let behind = max(1, min(fetchInterval / max(editionInterval ?? .infinity, 1), 1e9))
        let (fewer, more) = (behind.rounded(.down), behind.rounded(.up))
        let bytes = [fewer, more].map { Double(byteCount(behind: Int(saturating: $0), kind)) }
        return bytes[0] + (behind - fewer) * (bytes[1] - bytes[0])
    }
}
