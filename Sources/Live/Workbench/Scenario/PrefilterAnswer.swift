import Experiment
import ListAnalysis
import Scenarios
import URLFilter
import Wording

/// A prefilter by closed form, and its neighbours: the same code as `urlfilter bloom size`.
struct PrefilterAnswer: Encodable {
    /// Knobs of the page, as a user types them.
    struct Question: Decodable {
        var entries: String
        /// Chance of a false hit per lookup string; `nil` or empty: the size is given.
        var tolerance: String?
        var bitCount: String?
        /// Empty for the number that Apple's tool chooses, or that is best for the size.
        var hashCount: String?
        var devices: String?
        var urlsPerDevice: String?
    }

    struct Design: Encodable {
        var hashCount: UInt32
        var bitCount: UInt32
        var bytes: Int
        var perString: Double
        var perURL: Double
    }

    var chosen: Design
    /// Shape that Apple's tool would choose for as many entries.
    var usual: Design
    /// Same bits, other numbers of hashes: what varies is how often it errs.
    var bySize: [Design]
    /// Same tolerance, other numbers of hashes: what varies is its size.
    var byTolerance: [Design]
    var bitsPerEntry: Double
    /// Mean over filters of random entries; absent for lists that are so long that the formula holds.
    var measuredPerString: Double?
    /// Lookups for nothing of the whole fleet in a day, and bytes of one edition.
    var lookupsPerDay: Double?
    var bytesPerEdition: Double?
    var command: String
    /// Settings of a scenario that say the same.
    var settings: [String]
    var sentence: String

    private static let curve = UInt32(1)...24
    private static let tolerances = 1e-300...0.999_999

    init(_ question: Question) throws {
        let entries = try Knob.count(question.entries, "entries")
        let tolerance = try Knob.given(question.tolerance).map {
            try Knob.number($0, "tolerance", in: Self.tolerances, like: "0.001, 0.1% or 1/1000")
        }
        let hashes = try Knob.given(question.hashCount).map { try Knob.count($0, "hashCount") }
        let bits = try Knob.given(question.bitCount).map { try Knob.count($0, "bitCount") }
        let hashCount = hashes.map { UInt32(clamping: $0) }
        let rate = tolerance ?? BloomParameters.defaultFalsePositiveTolerance
        let size: PrefilterSize
        if tolerance == nil, let bits {
            guard bits <= BloomParameters.maximumBitCount else {
                throw BloomError.tooManyBits(
                    needed: Double(bits), allowed: BloomParameters.maximumBitCount)
            }
            size = try PrefilterSize(
                entryCount: entries, bitCount: UInt32(bits), hashCount: hashCount)
        } else {
            size = try PrefilterSize(entryCount: entries, tolerance: rate, hashCount: hashCount)
        }
        chosen = Self.design(size)
        usual = Self.design(
            try PrefilterSize(
                entryCount: entries, tolerance: BloomParameters.defaultFalsePositiveTolerance))
        bySize = Self.curve.compactMap {
            (try? PrefilterSize(entryCount: entries, bitCount: size.bitCount, hashCount: $0)).map(
                Self.design)
        }
        byTolerance = Self.curve.compactMap {
            (try? PrefilterSize(
                entryCount: entries, tolerance: size.falsePositiveRate, hashCount: $0)).map(Self.design)
        }
        bitsPerEntry = Double(size.bitCount) / Double(entries)
        let measured = try PrefilterBuilder.measuredRate(size)
        measuredPerString = measured
        let strings = BloomBuildSummary.stringsPerURL
        let perURL =
            measured.map { PrefilterSize.perURL($0, stringsPerURL: strings) }
            ?? size.falsePositiveRate(stringsPerURL: strings)
        let devices = try Knob.given(question.devices).map { try Knob.count($0, "devices") }
        let urls = try Knob.given(question.urlsPerDevice).map { try Knob.count($0, "URLs") }
        if let devices {
            bytesPerEdition = Double(devices) * Double(size.byteCount)
            lookupsPerDay = urls.map { Double(devices) * Double($0) * perURL }
        }
        command =
            "urlfilter bloom size --entries \(entries)"
            + (tolerance == nil && bits != nil
                ? " --bit-count \(size.bitCount)" : " --tolerance \(rate)")
            + (hashCount.map { " --hash-count \($0)" } ?? "") + (devices.map { " --devices \($0)" } ?? "")
        settings =
            tolerance == nil && bits != nil || hashCount != nil
            ? ["filter.bitCount=\(size.bitCount)", "filter.hashCount=\(size.hashCount)"]
            : ["filter.falsePositiveTolerance=\(rate)"]
        sentence =
            "\(Format.bytes(Double(size.byteCount))) hold \(Format.count(entries, "entry")); one URL in "
            + "\(Format.number(1 / perURL)) is looked up for nothing."
    }

    private static func design(_ size: PrefilterSize) -> Design {
        Design(
            hashCount: size.hashCount, bitCount: size.bitCount, bytes: size.byteCount,
            perString: size.falsePositiveRate,
            perURL: size.falsePositiveRate(stringsPerURL: BloomBuildSummary.stringsPerURL))
    }
}
