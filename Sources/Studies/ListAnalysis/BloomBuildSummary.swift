package import Experiment
import Foundation
package import URLFilter
package import Workload

/// Result of `urlfilter bloom build`. As JSON the document `urlfilter.bloom-build/1`.
package struct BloomBuildSummary: Codable, Hashable, Sendable {
    package static let schemaName = "urlfilter.bloom-build/1"
    /// Lookup strings of a usual URL under the documented rules (article "Device", section "Prefilter").
    package static let stringsPerURL = 40

    package struct Files: Codable, Hashable, Sendable {
        package var propertyList: String?
        package var raw: String?
        package var pirData: String?

        package init() {}
    }

    package var schema = Self.schemaName
    package var list: String
    /// How the list was read, in words.
    package var format: String
    package var keys: KeyPolicy
    /// On every system.
    package var unmatchable: [UnmatchableSummary]
    /// Entries that the size is chosen for; see ``KeyPolicy/countsDuplicates``.
    package var itemCount: Int
    package var distinctCount: Int
    /// Lines that looked like entries and could not be used.
    package var droppedCount: Int
    package var falsePositiveTolerance: Double
    package var bitCount: UInt32
    package var hashCount: UInt32
    package var murmurSeed: UInt32
    /// Whether the seed was drawn for this build, so that repeating the command gives other bytes.
    package var seedWasDrawn: Bool
    package var byteCount: Int
    /// Share of bits that are 1.
    package var fillRatio: Double
    /// Chance that a string outside the list hits this very filter.
    package var falseHitRatePerString: Double
    /// Hits that random strings really have. Their rate is far from the one above in a tiny filter, where the
    /// positions of one string often coincide.
    package var strayHits: BloomCheck.StrayHits
    /// The rate for a URL of ``stringsPerURL`` lookup strings. Follows from ``falseHitRatePerString``, or, where
    /// random strings contradict that, from what they do.
    package var falseHitRatePerURL: Double
    /// ``falseHitRatePerURL`` is measured: the formula's rate lies outside the interval of the random strings.
    package var falseHitRateIsMeasured: Bool
    /// Up to 64 bytes of data, base64, so that small examples can be compared by eye.
    package var data: String?
    package var files: Files

    package init(
        filter: BloomFilter, list: String, format: String, keys: KeyPolicy,
        unmatchable: [UnmatchableSummary], itemCount: Int, distinctCount: Int, droppedCount: Int,
        falsePositiveTolerance: Double, seedWasDrawn: Bool, strayHits: BloomCheck.StrayHits, files: Files
    ) {
        self.list = list
        self.format = format
        self.keys = keys
        self.unmatchable = unmatchable
        self.itemCount = itemCount
        self.distinctCount = distinctCount
        self.droppedCount = droppedCount
        self.falsePositiveTolerance = falsePositiveTolerance
        self.seedWasDrawn = seedWasDrawn
        self.strayHits = strayHits
        self.files = files
        bitCount = filter.parameters.bitCount
        hashCount = filter.parameters.hashCount
        murmurSeed = filter.parameters.murmurSeed
        byteCount = filter.parameters.byteCount
        fillRatio = filter.fillRatio
        falseHitRatePerString = filter.effectiveFalsePositiveRate
        falseHitRateIsMeasured = strayHits.contradictsPrediction
        falseHitRatePerURL =
            falseHitRateIsMeasured
            ? PrefilterSize.perURL(strayHits.rate, stringsPerURL: Self.stringsPerURL)
            : filter.effectivePerURLFalsePositiveRate(stringsPerURL: Self.stringsPerURL)
        data = filter.bytes.count <= 64 ? Data(filter.bytes).base64EncodedString() : nil
    }
}
