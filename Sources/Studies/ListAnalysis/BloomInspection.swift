import Decoding
import Foundation
package import URLFilter
import Wording

/// Claims of a prefilter file about itself, and whether its bits agree. As JSON `urlfilter.bloom-inspect/1`.
package struct BloomInspection: Codable, Hashable, Sendable {
    package static let schemaName = "urlfilter.bloom-inspect/1"

    /// Memory of a control extension, in bytes. What is larger has to be handed over as a file that was built
    /// elsewhere (article "Device", section "Prefilter").
    package static let extensionMemory = 6_000_000

    package struct Warning: Codable, Hashable, Sendable {
        package enum Code: String, Codable, Sendable {
            case fillTooHigh, itemCountDiffers, largerThanExtensionMemory, otherShape, unusedBitsSet
        }

        package var code: Code
        package var message: String
    }

    package var schema = Self.schemaName
    package var file: String
    package var itemCount: Int
    package var falsePositiveTolerance: Double
    package var bitCount: UInt32
    package var hashCount: UInt32
    package var murmurSeed: UInt32
    package var byteCount: Int
    package var setBitCount: Int
    package var fillRatio: Double
    /// The share of 1 bits that `itemCount` distinct items would give.
    package var expectedFillRatio: Double
    /// How many distinct items the bits look like: `-(m/k) ln(1 - fill)`. Absent when every bit is 1.
    package var estimatedItemCount: Double?
    /// Standard deviation of that estimate.
    package var estimatedItemDeviation: Double?
    package var falseHitRatePerString: Double
    /// The rate for a URL of ``BloomBuildSummary/stringsPerURL`` lookup strings.
    package var falseHitRatePerURL: Double
    package var warnings: [Warning]

    package init(_ prefilter: PrefilterFile, file: String) {
        let filter = prefilter.filter
        let parameters = filter.parameters
        self.file = file
        itemCount = prefilter.itemCount
        falsePositiveTolerance = prefilter.falsePositiveTolerance
        bitCount = parameters.bitCount
        hashCount = parameters.hashCount
        murmurSeed = parameters.murmurSeed
        byteCount = parameters.byteCount
        setBitCount = filter.setBitCount
        fillRatio = filter.fillRatio
        let bitsPerItem = Double(parameters.bitCount) / Double(parameters.hashCount)
        expectedFillRatio = -expm1(-Double(prefilter.itemCount) / bitsPerItem)
        falseHitRatePerString = filter.effectiveFalsePositiveRate
        falseHitRatePerURL = filter.effectivePerURLFalsePositiveRate(
            stringsPerURL: BloomBuildSummary.stringsPerURL)
        if fillRatio < 1 {
            estimatedItemCount = -bitsPerItem * log1p(-fillRatio)
            estimatedItemDeviation = Self.deviation(bitCount: Double(bitCount), fill: fillRatio) * bitsPerItem
        }
        warnings = []
        warnings = makeWarnings(filter)
    }

    /// Standard deviation of `ln(1 - fill)` when balls are thrown into `bitCount` bins until `fill` are hit.
    private static func deviation(bitCount: Double, fill: Double) -> Double {
        let load = -log1p(-fill)
        let empty = 1 - fill
        return (max(0, 1 - (1 + load) * empty) / (bitCount * empty)).squareRoot()
    }

    private func makeWarnings(_ filter: BloomFilter) -> [Warning] {
        var warnings: [Warning] = []
        if falseHitRatePerString > 2 * falsePositiveTolerance {
            warnings.append(
                Warning(
                    code: .fillTooHigh,
                    message:
                        "\(Format.share(fillRatio)) of the bits are 1, so \(Format.number(falseHitRatePerString)) "
                        + "of all strings hit by chance instead of \(Format.number(falsePositiveTolerance)); "
                        + "the list outgrew the filter, rebuild it"))
        }
        if let estimatedItemCount, let estimatedItemDeviation {
            let difference = estimatedItemCount - Double(itemCount)
            // Six deviations, and one item for what the estimate loses in tiny filters.
            if abs(difference) > 6 * estimatedItemDeviation + 1 {
                let reason =
                    difference < 0
                    ? "the list had duplicates, or the data belong to another list"
                    : "the data belong to another list"
                warnings.append(
                    Warning(
                        code: .itemCountDiffers,
                        message: "itemCount is \(itemCount), but the bits look like "
                            + "\(Format.count(Int(saturating: estimatedItemCount.rounded()))) distinct items; \(reason)"
                    ))
            }
        }
        if byteCount > Self.extensionMemory {
            warnings.append(
                Warning(
                    code: .largerThanExtensionMemory,
                    message:
                        "the data have \(Format.bytes(Double(byteCount))), more than the 6 MB of memory that a "
                        + "control extension may use; hand them over as a file"))
        }
        let usual = try? BloomParameters(
            entryCount: max(itemCount, 1), falsePositiveTolerance: falsePositiveTolerance,
            murmurSeed: murmurSeed)
        if let usual, usual != filter.parameters {
            warnings.append(
                Warning(
                    code: .otherShape,
                    message:
                        "Apple's tool would take bitCount \(usual.bitCount) and hashCount \(usual.hashCount) "
                        + "for \(itemCount) items at \(Format.number(falsePositiveTolerance)); devices accept any"
                ))
        }
        let used = bitCount & 7
        if used != 0, let last = filter.bytes.last, last >> used != 0 {
            warnings.append(
                Warning(
                    code: .unusedBitsSet,
                    message: "bits after the last one of the filter are set; devices ignore them"))
        }
        return warnings
    }
}
