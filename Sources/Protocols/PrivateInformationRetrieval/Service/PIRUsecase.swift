import HomomorphicEncryption

/// One version of a database that a service offers under a name.
package struct PIRUsecase: Sendable {
    /// The name, which for URL filtering is the bundle identifier of the app, then `.url.filtering`.
    package let name: String
    package let shards: [PIRShardServer]
    package let configuration: PIRConfiguration
    /// SHA-256 of the configuration's message; a client's `configuration_hash`.
    package let configurationID: [UInt8]
    package let keyConfiguration: EvaluationKeyConfiguration
    let wireConfiguration: WirePIRConfig

    /// - Parameter shards: At least one, all with the same encryption parameters.
    package init(name: String, shards: [PIRShardServer]) throws {
        guard let key = EvaluationKeyConfiguration.union(shards.map(\.parameters.evaluationKey)) else {
            throw PIRError.differentParameters
        }
        self.name = name
        self.shards = shards
        configuration = try PIRConfiguration(shards: shards.map(\.parameters))
        keyConfiguration = key
        wireConfiguration = configuration.wire
        configurationID = WireCoding.sha256(wireConfiguration)
    }

    /// Loads the files that processing wrote, with `SHARD_ID` in both names standing for the shard's number.
    package init(name: String, databasePath: String, parametersPath: String, shardCount: Int) throws {
        var shards: [PIRShardServer] = []
        for shard in 0..<shardCount {
            shards.append(
                try PIRShardServer(
                    databasePath: ProcessConfiguration.path(databasePath, shard: shard),
                    parametersPath: ProcessConfiguration.path(parametersPath, shard: shard),
                    context: shards.first?.context))
        }
        try self.init(name: name, shards: shards)
    }

    /// A client's key without what these shards do not need, so that no upload takes more memory than the key that
    /// was asked for.
    func neededPart(of wire: WireSerializedEvaluationKey) -> WireSerializedEvaluationKey {
        var needed = wire
        if !keyConfiguration.hasRelinearizationKey { needed.clearRelinKey() }
        needed.galoisKey.keySwitchKeys = wire.galoisKey.keySwitchKeys.filter { element, _ in
            keyConfiguration.galoisElements.contains { UInt64($0) == element }
        }
        return needed
    }

    /// Reads a key and checks that it has what these shards need.
    ///
    /// What can be seen is seen: another length, number of ciphertexts or Galois element, a residue that is none. What
    /// is left cannot: to whoever has no secret key, the polynomials of a key look uniformly random, with and without
    /// a wrong bit. Such a bit makes answers random, for polynomials travel in evaluation form, where one value is part
    /// of every coefficient; the client notices when it decrypts one (``HashBucket/value(for:in:)``).
    ///
    /// - Parameter wire: See ``neededPart(of:)``.
    func evaluationKey(_ wire: WireSerializedEvaluationKey) throws -> EvaluationKey {
        let key = try wire.value(context: shards[0].context)
        guard keyConfiguration.isSatisfied(by: key) else {
            throw PIRError.evaluationKeyIncomplete(needed: keyConfiguration.galoisElements)
        }
        return key
    }

    /// Checks a key as ``evaluationKey(_:)`` does, without making it: no seed is expanded.
    func checkEvaluationKey(_ wire: WireSerializedEvaluationKey) throws {
        try wire.check(context: shards[0].context)
        guard
            keyConfiguration.galoisElements.allSatisfy({
                wire.galoisKey.keySwitchKeys[UInt64($0)] != nil
            }), !keyConfiguration.hasRelinearizationKey || wire.hasRelinKey
        else { throw PIRError.evaluationKeyIncomplete(needed: keyConfiguration.galoisElements) }
    }
}
