import Foundation
import HomomorphicEncryption
import PrivateInformationRetrieval
import TestSupport
import Testing

/// A keyword database, keys, a query and its response, captured from Apple's implementation.
struct KeywordVector: Decodable {
    let rows: [String: String]
    let insertionOrder: [String]
    let hashFunctionCount: Int
    let maxSerializedBucketSize: Int
    let unevenDimensions: Bool
    let keyCompression: String
    let entryCountPerTable: Int
    let entrySize: Int
    let dimensions: [Int]
    let galoisElements: [UInt32]
    let serializedBuckets: [String]
    let PirParameters: String
    let EvaluationKeyConfig: String
    let processedDatabaseFile: String
    let serializedSecretKey: String
    let SerializedEvaluationKey: String
    let EncryptedIndices: String
    let PIRResponse: String
    let keyword: String
    let decrypted: String
}

struct IndexVector: Decodable {
    let entries: [String]
    let entrySize: Int
    let dimensions: [Int]
    let galoisElements: [UInt32]
    let queriedIndex: Int
    let processedDatabaseFile: String
    let serializedSecretKey: String
    let SerializedEvaluationKey: String
    let EncryptedIndices: String
    let PIRResponse: String
    let decrypted: String
}

/// `pir-vectors-n8.json`; bytes are hexadecimal.
struct SmallVectors: Decodable {
    let keywordPir_twoTables: KeywordVector
    let keywordPir_oneTable_maxCompression: KeywordVector
    let indexPir: IndexVector

    static func load() throws -> SmallVectors {
        try VectorFile.decode(SmallVectors.self, from: "pir-vectors-n8.json", in: .module)
    }
}

/// `pir-vectors-n4096.json`; bytes are base64.
struct LargeVectors: Decodable {
    struct Expected: Decodable {
        let bucketCount: Int
        let entrySize: Int
        let dimensions: [Int]
        let galoisElements: [UInt32]
        let processedDatabaseByteCount: Int
        let processedDatabaseSha256: String
        let queriedKeyword: String
        let queriedBucketIndex: [Int]
        let queryNonZeroCoefficients: [String: UInt64]
        let value: String
    }

    let expected: Expected
    let pirParameters: Data
    let evaluationKeyConfig: Data
    let secretKey: Data
    let serializedEvaluationKey: Data
    let encryptedIndices: Data
    let pirResponse: Data

    static func load() throws -> LargeVectors {
        try VectorFile.decode(LargeVectors.self, from: "pir-vectors-n4096.json", in: .module)
    }
}

/// A generator that gives the same numbers in every run of the tests.
func generator(_ purpose: String) -> DeterministicRandomBits {
    var seed = Array(purpose.utf8.prefix(32))
    seed += Array(repeating: 0, count: 32 - seed.count)
    return DeterministicRandomBits(seed: seed)
}

/// Rows whose values differ in content and, if asked for, in length.
func sampleRows(_ count: Int, valueByteCounts: ClosedRange<Int> = 1...1) throws -> KeywordRows {
    var rows = KeywordRows()
    for row in 0..<count {
        let length = valueByteCounts.lowerBound + row % valueByteCounts.count
        try rows.append(keyword: Array("host\(row).example/path".utf8), value: sampleValue(row, length))
    }
    return rows
}

func sampleValue(_ row: Int, _ byteCount: Int) -> [UInt8] {
    (0..<byteCount).map { UInt8(truncatingIfNeeded: 31 &* row &+ 7 &* $0 &+ 1) }
}

extension ProcessConfiguration {
    static func named(_ parameters: String) throws -> ProcessConfiguration {
        ProcessConfiguration(
            inputDatabase: "in.txtpb", outputDatabase: "out-SHARD_ID.bin",
            outputPirParameters: "out-SHARD_ID.params.txtpb",
            encryption: try EncryptionParameters(named: parameters))
    }
}
