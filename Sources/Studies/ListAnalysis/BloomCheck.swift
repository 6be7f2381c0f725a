package import Experiment

/// Findings of `urlfilter bloom check`. As JSON the document `urlfilter.bloom-check/1`; of `keys`, `urls` and
/// `list` those are there that were asked for.
package struct BloomCheck: Codable, Hashable, Sendable {
    package static let schemaName = "urlfilter.bloom-check/1"

    package struct Key: Codable, Hashable, Sendable {
        package var key: String
        package var hit: Bool

        package init(key: String, hit: Bool) {
            self.key = key
            self.hit = hit
        }
    }

    package struct URLCheck: Codable, Hashable, Sendable {
        package var url: String
        package var rules: RulesGeneration
        /// The lookup strings that hit, in order; the batch for the server. Empty: the URL is allowed.
        package var hits: [String]

        package init(url: String, rules: RulesGeneration, hits: [String]) {
            self.url = url
            self.rules = rules
            self.hits = hits
        }
    }

    package struct ListCheck: Codable, Hashable, Sendable {
        package var file: String
        package var entries: Int
        /// Entries that the prefilter does not have, so that no device would ever ask for them.
        package var missing: Int
        /// The first of them, at most ten.
        package var firstMissing: [String]
        package var strayHits: StrayHits

        package init(file: String, entries: Int, missing: Int, firstMissing: [String], strayHits: StrayHits) {
            self.file = file
            self.entries = entries
            self.missing = missing
            self.firstMissing = firstMissing
            self.strayHits = strayHits
        }
    }

    /// Random strings that hit although they are not in the list.
    package struct StrayHits: Codable, Hashable, Sendable {
        package var probes: Int
        package var hits: Int
        /// Rate per string that follows from the bits of the filter.
        package var predictedRate: Double
        /// Bounds of the observed rate, Clopper-Pearson, 95 %.
        package var low: Double
        package var high: Double

        package init(probes: Int, hits: Int, predictedRate: Double, low: Double, high: Double) {
            self.probes = probes
            self.hits = hits
            self.predictedRate = predictedRate
            self.low = low
            self.high = high
        }

        package var rate: Double { probes > 0 ? Double(hits) / Double(probes) : 0 }

        /// Whether the predicted rate lies outside the bounds. In a tiny filter the positions of one string
        /// often coincide, so that the formula is far too low.
        package var contradictsPrediction: Bool { !(low...high).contains(predictedRate) }
    }

    package var schema = Self.schemaName
    package var filter: String
    package var keys: [Key]?
    package var urls: [URLCheck]?
    /// Lines of the URL file that are not URLs.
    package var unusableURLs: Int?
    package var list: ListCheck?

    package init(filter: String) { self.filter = filter }
}
