import Crypto
import Foundation
import HomomorphicEncryption

/// Hashes that tell whether a shard made earlier is the one that would be made now.
enum ShardRecipe {
    /// Changed when the same recipe and rows give other files.
    private static let version = "urlfilter.pir-shard/1"

    /// The hash of a shard that is made from its rows alone.
    ///
    /// - Parameters:
    ///   - bucketSize: Largest size of a bucket, with the default filled in.
    ///   - shardCount: Shards in all.
    static func hash(
        _ configuration: ProcessConfiguration, bucketSize: Int, seed: UInt64, shard: Int, shardCount: Int
    ) -> String {
        hash(of: [
            version, encryption(configuration.encryption), "\(configuration.shardingFunction)",
            "\(configuration.cuckooTable.hashFunctionCount)", "\(configuration.cuckooTable.maxEvictionCount)",
            "\(configuration.cuckooTable.bucketCount)", "\(configuration.cuckooTable.slotCount)",
            "\(bucketSize)", configuration.keyCompression.rawValue,
            "\(configuration.useMaxSerializedBucketSize)", "\(configuration.unevenDimensions)",
            "\(seed)", "\(shard)", "\(shardCount)",
        ])
    }

    /// The hash of a shard whose parameters are given.
    static func hash(
        _ configuration: ProcessConfiguration, keeping parameters: PIRParameters, seed: UInt64, shard: Int
    ) -> String {
        hash(of: [
            version, "update", WireCoding.bytes(of: parameters.wire).hexadecimal,
            "\(configuration.cuckooTable.slotCount)", "\(seed)", "\(shard)",
        ])
    }

    /// Hash of a shard's rows in their order.
    static func hash(of members: [Int], rows: KeywordRows) -> String {
        var sha = SHA256()
        var bytes: [UInt8] = []
        for row in members {
            let value = rows.value(at: row)
            withUnsafeBytes(of: (rows.hashes[row].littleEndian, UInt64(value.count).littleEndian)) {
                bytes.append(contentsOf: $0)
            }
            bytes.append(contentsOf: value)
            if bytes.count >= 1 << 16 {
                sha.update(data: bytes)
                bytes.removeAll(keepingCapacity: true)
            }
        }
        sha.update(data: bytes)
        return sha.finalize().hexadecimal
    }

    private static func encryption(_ parameters: EncryptionParameters) -> String {
        WireCoding.bytes(of: WireEncryptionParameters(parameters)).hexadecimal
    }

    private static func hash(of parts: [String]) -> String {
        SHA256.hash(data: Array(parts.joined(separator: "\n").utf8)).hexadecimal
    }
}
