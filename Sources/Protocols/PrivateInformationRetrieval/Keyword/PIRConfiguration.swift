import Foundation
package import HomomorphicEncryption

/// Facts that a client has to know about a usecase: its shards and how to ask them.
package struct PIRConfiguration: Hashable, Sendable {
    /// The shapes of all shards, without repeating one that they share.
    package enum Shards: Hashable, Sendable {
        case each([DatabaseShape])
        case same(DatabaseShape, count: Int)

        package var count: Int {
            switch self {
            case .each(let shapes): shapes.count
            case .same(_, let count): count
            }
        }

        package subscript(index: Int) -> DatabaseShape {
            switch self {
            case .each(let shapes): shapes[index]
            case .same(let shape, _): shape
            }
        }
    }

    package let encryption: EncryptionParameters
    /// Name of the predefined set, or `unnamed`.
    package var encryptionName: String { encryption.name ?? "unnamed" }
    /// At least one.
    package let shards: Shards
    package let hashFunctionCount: Int
    package let shardingFunction: ShardingFunction
    /// Names the key configuration, see ``EvaluationKeyConfiguration/identifier``. 32 bytes.
    package let evaluationKeyIdentifier: [UInt8]

    /// The configuration of a usecase with these shards, as Apple's server describes it.
    ///
    /// - Throws: ``PIRError/differentParameters`` if shards do not fit together.
    package init(shards: [PIRParameters]) throws {
        guard let first = shards.first,
            let key = EvaluationKeyConfiguration.union(shards.map(\.evaluationKey)),
            shards.allSatisfy({
                $0.encryption == first.encryption && $0.hashFunctionCount == first.hashFunctionCount
                    && $0.shardingFunction == first.shardingFunction
            })
        else { throw PIRError.differentParameters }
        let shapes = shards.map(\.shape)
        encryption = first.encryption
        self.shards =
            shapes.count > 1 && shapes.allSatisfy { $0 == shapes[0] }
            ? .same(shapes[0], count: shapes.count) : .each(shapes)
        hashFunctionCount = first.hashFunctionCount
        shardingFunction = first.shardingFunction
        evaluationKeyIdentifier = key.identifier
    }

    /// Checks a server's message and takes its values.
    package init(_ wire: WirePIRConfig) throws {
        try wire.requireKeywordPIR()
        guard wire.evaluationKeyConfigHash.count == 32 else {
            throw WireError.outOfRange(
                "evaluation_key_config_hash", found: "\(wire.evaluationKeyConfigHash.count) bytes long",
                allowed: "32 bytes long")
        }
        encryption = try wire.encryptionParameters.value()
        (hashFunctionCount, shardingFunction) = try wire.keywordPirParams.values(batchSize: wire.batchSize)
        evaluationKeyIdentifier = Array(wire.evaluationKeyConfigHash)
        let bytesPerPlaintext = encryption.bytesPerPlaintext
        if wire.hasPirShardConfigs {
            guard case .repeatedShardConfig(let fixed)? = wire.pirShardConfigs.shardConfigs else {
                throw WireError.missing("repeated_shard_config")
            }
            guard fixed.shardCount > 0 else {
                throw WireError.outOfRange("shard_count", found: "0", allowed: "at least 1")
            }
            let shape = try fixed.shardConfig.shape(bytesPerPlaintext: bytesPerPlaintext)
            shards = .same(shape, count: Int(fixed.shardCount))
        } else {
            guard !wire.shardConfigs.isEmpty else { throw WireError.missing("shard_configs") }
            shards = .each(try wire.shardConfigs.map { try $0.shape(bytesPerPlaintext: bytesPerPlaintext) })
        }
    }

    /// The message; its bytes are those of Apple's server, so that its hash is, too.
    package var wire: WirePIRConfig {
        var wire = WirePIRConfig()
        wire.encryptionParameters = WireEncryptionParameters(encryption)
        wire.keywordPirParams = WireKeywordPirParameters(
            hashFunctionCount: hashFunctionCount, shardingFunction: shardingFunction)
        wire.algorithm = .mulPir
        wire.batchSize = UInt64(hashFunctionCount)
        wire.evaluationKeyConfigHash = Data(evaluationKeyIdentifier)
        switch shards {
        case .each(let shapes):
            wire.shardConfigs = shapes.map(WirePIRShardConfig.init)
        case .same(let shape, let count):
            wire.pirShardConfigs.repeatedShardConfig.shardConfig = WirePIRShardConfig(shape)
            wire.pirShardConfigs.repeatedShardConfig.shardCount = UInt32(clamping: count)
        }
        return wire
    }
}

extension WirePIRShardConfig {
    init(_ shape: DatabaseShape) {
        self.init()
        numEntries = UInt64(shape.entryCount)
        entrySize = UInt64(shape.entrySize)
        dimensions = shape.dimensions.map(UInt64.init)
        shardID = ""
    }

    func shape(bytesPerPlaintext: Int) throws(DatabaseShapeError) -> DatabaseShape {
        try DatabaseShape(
            entryCount: numEntries, entrySize: entrySize, dimensions: dimensions,
            bytesPerPlaintext: bytesPerPlaintext)
    }
}
