package import ListAnalysis
import PrivateInformationRetrieval
import Wording

/// The terminal form of what `pir inspect` found.
package enum PIRInspectionText {
    /// - Returns: A row per shard, then what holds for all of them; about 90 columns.
    package static func render(_ inspection: PIRInspection) -> String {
        var lines = Format.table([header(of: inspection)] + inspection.shards.enumerated().map(row))
        lines.append("")
        lines += facts(of: inspection)
        return lines.joined(separator: "\n") + "\n"
    }

    private static func header(of inspection: PIRInspection) -> [String] {
        ["shard", "rows", "buckets", "bucket", "dimensions", "load", "fullest", "room for", "file", "noise"]
    }

    private static func row(_ number: Int, _ shard: PIRInspection.Shard) -> [String] {
        let contents = shard.contents
        return [
            "\(number)", contents.map { Format.count($0.rows) } ?? "–",
            "\(shard.tables) × \(Format.count(shard.buckets))", "\(shard.bucketSize) B",
            shard.dimensions.map(String.init).joined(separator: "×"),
            contents.map { Format.share($0.meanBucket) } ?? "–",
            contents.map { Format.share($0.fullestBucket) } ?? "–",
            contents.map { Format.count($0.headroomRows) } ?? "–",
            contents.map { Format.bytes(Double($0.databaseByteCount)) } ?? "–",
            shard.smallestNoiseBudget.map { Format.number($0) + " b" } ?? "–",
        ]
    }

    private static func facts(of inspection: PIRInspection) -> [String] {
        let messages = inspection.messages
        let memory = inspection.shards.reduce(0) { $0 + $1.serverByteCount }
        let elements = Set(inspection.shards.flatMap(\.galoisElements)).sorted().map(String.init)
        var facts: [(String, String)] = [
            ("encryption parameters", inspection.encryptionParameters),
            ("configuration id", inspection.configurationID),
            ("evaluation key id", inspection.evaluationKeyID),
            ("Galois elements", elements.joined(separator: " ")),
            ("configuration message", Format.bytes(Double(messages.configuration))),
            ("evaluation key", Format.bytes(Double(messages.evaluationKey))),
            ("query, one keyword", Format.bytes(Double(messages.query))),
            ("response", Format.bytes(Double(messages.response))),
            ("server memory", Format.bytes(Double(memory)) + " for the databases"),
        ]
        if let headroom = inspection.headroomRows {
            facts.append(
                (
                    "headroom",
                    "about \(Format.count(headroom)) more rows, evenly spread, before parameters change"
                ))
        }
        return facts.map { Format.left($0.0, 24) + $0.1 }
    }
}
