import Decoding
package import FleetModel
package import Scenarios
import Timing
import URLFilter

/// Our measured server beside other schemes, for the entries of a list.
package struct PIRComparison: Codable, Equatable, Sendable {
    package static let schema = "urlfilter.pir-compare/1"

    package struct Row: Codable, Equatable, Sendable {
        package var name: String
        /// `nil` for what was measured.
        package var scheme: PIRScheme?
        /// CPU seconds of all servers, and bytes, of one lookup; see ``PIRScheme`` for the least.
        package var cpuSeconds: Double
        package var leastCPUSeconds: Double
        package var uploadBytes: Double
        package var downloadBytes: Double
        /// That each device fetches for each edition, and sends once.
        package var hintBytes: Double
        package var keyBytes: Double
        /// The size of the list lies within the figures that the model is from.
        package var isValid: Bool
        /// Entries at which its server needs as much CPU as ours does for them; `nil` where they do not meet between
        /// the smallest size that was measured and 10¹⁰ entries.
        package var crossingEntries: Double?
        /// Lookups of a device for each edition from which it takes fewer bytes than ours; `nil` for never, 0 for
        /// always.
        package var crossingLookups: Double?
    }

    package var schema = Self.schema
    package var entries: Int
    package var shards: Int
    /// Size of a database with so many entries.
    package var gigabytes: Double
    package var machine: String
    package var rows: [Row]

    /// - Parameter profile: Measured for the list.
    package init(_ profile: CostProfile, entries: Int) throws(CostProfileError) {
        guard let queries = profile[.queries] else { throw .missingEndpoint("queries") }
        self.entries = entries
        shards = profile.subject.shards
        machine = profile.machine.processor
        gigabytes = Double(gigabytesOf: Double(entries) * PIRScheme.bytesPerEntry)
        let ours = Row(
            name: "BFV, measured", scheme: nil, cpuSeconds: Double(nanoseconds: queries.serviceAnswers.mean),
            leastCPUSeconds: Double(nanoseconds: queries.serviceAnswers.mean),
            uploadBytes: Double(queries.requestBytes), downloadBytes: Double(queries.responseBytes),
            hintBytes: 0, keyBytes: Double(profile.evaluationKeyBytes), isValid: true, crossingEntries: nil,
            crossingLookups: nil)
        let size = gigabytes
        rows =
            [ours]
            + PIRScheme.all.map { scheme in
                var row = Row(
                    name: scheme.name, scheme: scheme, cpuSeconds: scheme.cpu(gigabytes: size),
                    leastCPUSeconds: scheme.leastCPU(gigabytes: size),
                    uploadBytes: scheme.uploadBytes(gigabytes: size),
                    downloadBytes: scheme.downloadBytes(gigabytes: size),
                    hintBytes: scheme.hintBytes(gigabytes: size), keyBytes: scheme.key,
                    isValid: scheme.isValid(gigabytes: size), crossingEntries: nil, crossingLookups: nil)
                row.crossingEntries = Self.crossing(scheme, ours.cpuSeconds)
                row.crossingLookups = Self.lookups(row, ours)
                return row
            }
    }

    /// Ours asks one shard of a fixed size, so that its CPU does not grow with the list; the others ask all of it.
    private static func crossing(_ scheme: PIRScheme, _ seconds: Double) -> Double? {
        let perEntry = Double(gigabytesOf: PIRScheme.bytesPerEntry)
        var (low, high) = (scheme.validity.lowerBound, 1e10 * perEntry)
        guard scheme.cpu(gigabytes: low) < seconds, scheme.cpu(gigabytes: high) > seconds else { return nil }
        for _ in 0..<100 {
            let middle = (low + high) / 2
            if scheme.cpu(gigabytes: middle) < seconds { low = middle } else { high = middle }
        }
        return low / perEntry
    }

    private static func lookups(_ row: Row, _ ours: Row) -> Double? {
        let saved = ours.uploadBytes + ours.downloadBytes - row.uploadBytes - row.downloadBytes
        let more = row.hintBytes + row.keyBytes - ours.keyBytes
        if saved <= 0 { return more <= 0 && saved == 0 ? 0 : nil }
        return max(0, more / saved)
    }
}
