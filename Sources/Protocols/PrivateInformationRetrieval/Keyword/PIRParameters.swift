import Foundation
package import HomomorphicEncryption
import SwiftProtobuf

/// Everything a server has to know about a processed shard; the file beside its database.
package struct PIRParameters: Hashable, Sendable {
    package let encryption: EncryptionParameters
    /// Entries are buckets; every table has this shape.
    package let shape: DatabaseShape
    /// Hash functions, tables, and indices per query.
    package let hashFunctionCount: Int
    package let shardingFunction: ShardingFunction
    package let evaluationKey: EvaluationKeyConfiguration

    package init(
        encryption: EncryptionParameters, shape: DatabaseShape, hashFunctionCount: Int,
        shardingFunction: ShardingFunction, keyCompression: KeyCompression
    ) throws {
        self.encryption = encryption
        self.shape = shape
        self.hashFunctionCount = hashFunctionCount
        self.shardingFunction = shardingFunction
        let elements = try keyCompression.galoisElements(
            expandedCount: shape.expandedCountPerIndex * hashFunctionCount,
            degree: encryption.polynomialDegree)
        evaluationKey = EvaluationKeyConfiguration(encryption: encryption, galoisElements: elements)
    }

    /// Checks a message and takes its values.
    package init(_ wire: WirePirParameters) throws {
        try wire.requireKeywordPIR()
        encryption = try wire.encryptionParameters.value()
        guard encryption.supportsEvaluationKeys else {
            throw WireError.outOfRange("coefficient_moduli", found: "1 number", allowed: "at least 2 numbers")
        }
        (hashFunctionCount, shardingFunction) = try wire.keywordPirParams.values(batchSize: wire.batchSize)
        shape = try DatabaseShape(
            entryCount: wire.numEntries, entrySize: wire.entrySize, dimensions: wire.dimensions,
            bytesPerPlaintext: encryption.bytesPerPlaintext)
        evaluationKey = try EvaluationKeyConfiguration(wire.evaluationKeyConfig)
        guard evaluationKey.encryption == encryption else {
            throw WireError.outOfRange(
                "evaluation_key_config.encryption_parameters", found: "different", allowed: "the same")
        }
    }

    /// Memory of the database in evaluation form, in bytes, with words as small as the moduli allow.
    package var serverByteCount: Int {
        let wordByteCount = encryption.fits32BitWords ? 4 : 8
        return shape.plaintextCount * hashFunctionCount * encryption.ciphertextModulusCount
            * encryption.polynomialDegree * wordByteCount
    }

    package var wire: WirePirParameters {
        var wire = WirePirParameters()
        wire.encryptionParameters = WireEncryptionParameters(encryption)
        wire.numEntries = UInt64(shape.entryCount)
        wire.entrySize = UInt64(shape.entrySize)
        wire.dimensions = shape.dimensions.map(UInt64.init)
        wire.keywordPirParams = WireKeywordPirParameters(
            hashFunctionCount: hashFunctionCount, shardingFunction: shardingFunction)
        wire.algorithm = .mulPir
        wire.batchSize = UInt64(hashFunctionCount)
        wire.evaluationKeyConfig = evaluationKey.wire
        return wire
    }
}

extension WireKeywordPirParameters {
    init(hashFunctionCount: Int, shardingFunction: ShardingFunction) {
        self.init()
        numHashFunctions = UInt64(hashFunctionCount)
        switch shardingFunction {
        case .sha256: self.shardingFunction.sha256 = WirePIRShardingFunctionSHA256()
        case .doubleMod(let count): self.shardingFunction.doubleMod.otherShardCount = count
        }
    }

    /// Hash function count and sharding function, if this program can work with them.
    func values(batchSize: UInt64) throws -> (Int, ShardingFunction) {
        let allowed = CuckooConfiguration.allowedHashFunctionCounts
        guard let count = Int(exactly: numHashFunctions), allowed.contains(count) else {
            throw WireError.outOfRange(
                "num_hash_functions", found: "\(numHashFunctions)",
                allowed: "in \(allowed.lowerBound)...\(allowed.upperBound)")
        }
        guard batchSize == numHashFunctions else {
            throw WireError.outOfRange(
                "batch_size", found: "\(batchSize)", allowed: "num_hash_functions, \(numHashFunctions)")
        }
        guard !hasSymmetricPirClientConfig else {
            throw WireError.unsupported("symmetric_pir_client_config", found: "set")
        }
        switch shardingFunction.function {
        case nil, .sha256: return (count, .sha256)
        case .doubleMod(let function):
            guard function.otherShardCount > 0 else {
                throw WireError.outOfRange("other_shard_count", found: "0", allowed: "at least 1")
            }
            return (count, .doubleMod(otherShardCount: function.otherShardCount))
        }
    }
}

extension DatabaseShape {
    /// A shape from the numbers of a message, which may be anything.
    init(
        entryCount: UInt64, entrySize: UInt64, dimensions: [UInt64], bytesPerPlaintext: Int
    ) throws(DatabaseShapeError) {
        try self.init(
            entryCount: Int(clamping: entryCount), entrySize: Int(clamping: entrySize),
            dimensions: dimensions.map(Int.init(clamping:)), bytesPerPlaintext: bytesPerPlaintext)
    }
}
