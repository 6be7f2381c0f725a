import Decoding
import Foundation
import HomomorphicEncryption

extension ProcessConfiguration {
    /// Longest configuration file accepted, in bytes.
    package static let maximumByteCount = 1 << 20

    /// Reads Apple's JSON.
    ///
    /// - Returns: The configuration, and the keys that have no meaning here, as dotted paths. Apple's tool skips
    ///   such keys silently; tell the user about them.
    package static func read(
        json: [UInt8]
    ) throws(ProcessConfigurationError) -> (configuration: ProcessConfiguration, unknownKeys: [UnknownKey]) {
        guard json.count <= maximumByteCount else {
            throw ProcessConfigurationError(
                "", .outOfRange(found: "\(json.count) bytes long", allowed: "at most \(maximumByteCount)"))
        }
        let document: JSONValue
        do {
            document = try JSONReader.read(JSONValue.self, from: Data(json))
        } catch {
            throw ProcessConfigurationError("", .notJSON(reason(of: error)))
        }
        guard case .object(let members) = document else {
            throw ProcessConfigurationError("", .notJSON("it is \(document.shown)"))
        }
        var root = JSONObjectReader(members)
        var unknownKeys: [UnknownKey] = []
        let configuration = try read(&root, &unknownKeys)
        return (configuration, (unknownKeys + root.unknownKeys).sorted { $0.path < $1.path })
    }

    private static func read(
        _ root: inout JSONObjectReader, _ unknownKeys: inout [UnknownKey]
    ) throws(ProcessConfigurationError) -> ProcessConfiguration {
        try refuseWhatIsMissingHere(&root)
        var result = ProcessConfiguration(
            inputDatabase: try root.requiredString("inputDatabase"),
            outputDatabase: try root.requiredString("outputDatabase"),
            outputPirParameters: try root.requiredString("outputPirParameters"),
            encryption: try encryption(named: root.requiredString("rlweParameters")))
        result.outputEvaluationKeyConfig = try root.string("outputEvaluationKeyConfig")
        if var object = try root.object("sharding") {
            result.sharding = try sharding(&object)
            unknownKeys += object.unknownKeys
        }
        if var object = try root.object("shardingFunction") {
            result.shardingFunction = try shardingFunction(&object)
            unknownKeys += object.unknownKeys
        }
        if var object = try root.object("cuckooTableArguments") {
            result.cuckooTable = try cuckooArguments(&object, &unknownKeys)
            unknownKeys += object.unknownKeys
        }
        if let name = try root.string("keyCompression") {
            guard let compression = KeyCompression(rawValue: name) else {
                let names = KeyCompression.allCases.map(\.rawValue).joined(separator: ", ")
                throw ProcessConfigurationError(
                    "keyCompression", .outOfRange(found: "'\(name)'", allowed: "one of \(names)"))
            }
            result.keyCompression = compression
        }
        result.useMaxSerializedBucketSize = try root.boolean("useMaxSerializedBucketSize") ?? false
        result.unevenDimensions = try root.boolean("unevenDimensions") ?? true
        result.trialsPerShard = try root.integer("trialsPerShard") ?? 1
        guard (0...10_000).contains(result.trialsPerShard) else {
            throw ProcessConfigurationError(
                "trialsPerShard", .outOfRange(found: "\(result.trialsPerShard)", allowed: "in 0...10000"))
        }
        try checkOutputs(of: result)
        return result
    }

    private static func refuseWhatIsMissingHere(
        _ root: inout JSONObjectReader
    ) throws(ProcessConfigurationError) {
        if let type = try root.string("databaseType"), type != "keyword" {
            throw ProcessConfigurationError(
                "databaseType", .unsupported(found: "'\(type)'", reason: "URL filters are keyword databases"))
        }
        if let algorithm = try root.string("algorithm"), algorithm != "mulPir" {
            throw ProcessConfigurationError(
                "algorithm", .outOfRange(found: "'\(algorithm)'", allowed: "'mulPir'"))
        }
        if root.value("symmetricPirArguments") != nil {
            throw ProcessConfigurationError(
                "symmetricPirArguments",
                .unsupported(found: "symmetric PIR", reason: "this program encrypts no database"))
        }
        if try root.boolean("encodingEntrySize") == true {
            throw ProcessConfigurationError(
                "encodingEntrySize",
                .unsupported(found: "true", reason: "entries of a keyword database carry their size already"))
        }
    }

    /// Checks that names tell shards apart where there are several, or where their number depends on the rows.
    private static func checkOutputs(of result: ProcessConfiguration) throws(ProcessConfigurationError) {
        if case .shardCount(1) = result.sharding.rule { return }
        for (key, pattern) in [
            ("outputDatabase", result.outputDatabase), ("outputPirParameters", result.outputPirParameters),
        ] where !pattern.contains(shardPlaceholder) {
            throw ProcessConfigurationError(
                key, .outOfRange(found: "'\(pattern)'", allowed: "a name with \(shardPlaceholder) in it"))
        }
    }

    private static func encryption(
        named name: String
    ) throws(ProcessConfigurationError) -> EncryptionParameters {
        do {
            let parameters = try EncryptionParameters(named: name)
            guard parameters.supportsEvaluationKeys else {
                throw ProcessConfigurationError(
                    "rlweParameters",
                    .unsupported(found: "'\(name)'", reason: "it has no modulus for evaluation keys"))
            }
            return parameters
        } catch let error as ProcessConfigurationError {
            throw error
        } catch {
            throw ProcessConfigurationError(
                "rlweParameters", .unsupported(found: "'\(name)'", reason: "\(error)"))
        }
    }

    private static func sharding(
        _ object: inout JSONObjectReader
    ) throws(ProcessConfigurationError) -> Sharding {
        let shardCount = try object.integer("shardCount")
        let entryCount = try object.integer("entryCountPerShard")
        let rule: Sharding.Rule
        switch (shardCount, entryCount) {
        case (let count?, nil): rule = .shardCount(count)
        case (nil, let count?): rule = .entryCountPerShard(count)
        default:
            throw ProcessConfigurationError(
                "sharding",
                .outOfRange(
                    found: shardCount == nil ? "without a number" : "both",
                    allowed:
                        "either shardCount or entryCountPerShard"))
        }
        let maxShardCount = try object.integer("maxShardCount")
        let powerOfTwo = try object.boolean("requirePowerOfTwoShardCount") ?? false
        do {
            return try Sharding(rule, maxShardCount: maxShardCount, requirePowerOfTwoShardCount: powerOfTwo)
        } catch {
            throw ProcessConfigurationError("sharding", error)
        }
    }

    private static func shardingFunction(
        _ object: inout JSONObjectReader
    ) throws(ProcessConfigurationError) -> ShardingFunction {
        let path = "shardingFunction"
        guard object.has("doubleMod") else {
            guard object.has("sha256") else {
                throw ProcessConfigurationError(
                    path,
                    .outOfRange(
                        found: "another function", allowed: "{\"sha256\": null} or {\"doubleMod\": n}"))
            }
            return .sha256
        }
        guard case .integer(let count)? = object.value("doubleMod") else {
            let found = object.value("doubleMod")?.shown ?? "null"
            throw ProcessConfigurationError(
                path + ".doubleMod", .wrongType(found: found, expected: "a whole number"))
        }
        guard let other = UInt32(exactly: count), other > 0 else {
            throw ProcessConfigurationError(
                path + ".doubleMod", .outOfRange(found: "\(count)", allowed: "in 1...\(UInt32.max)"))
        }
        return .doubleMod(otherShardCount: other)
    }

    private static func cuckooArguments(
        _ object: inout JSONObjectReader, _ unknownKeys: inout [UnknownKey]
    ) throws(ProcessConfigurationError) -> CuckooArguments {
        var result = CuckooArguments()
        result.hashFunctionCount = try object.integer("hashFunctionCount") ?? result.hashFunctionCount
        result.maxEvictionCount = try object.integer("maxEvictionCount") ?? result.maxEvictionCount
        result.maxSerializedBucketSize = try object.integer("maxSerializedBucketSize")
        result.slotCount = try object.integer("slotCount") ?? result.slotCount
        if var bucketCount = try object.object("bucketCount") {
            result.bucketCount = try self.bucketCount(&bucketCount, &unknownKeys)
            unknownKeys += bucketCount.unknownKeys
        }
        do {
            _ = try result.configuration(
                bucketSize: result.maxSerializedBucketSize
                    ?? CuckooConfiguration.allowedBucketSizes.lowerBound)
        } catch {
            guard case .settingOutOfRange(let name, _, _) = error else {
                throw ProcessConfigurationError("cuckooTableArguments", error)
            }
            throw ProcessConfigurationError("cuckooTableArguments.\(name)", error)
        }
        return result
    }

    private static func bucketCount(
        _ object: inout JSONObjectReader, _ unknownKeys: inout [UnknownKey]
    ) throws(ProcessConfigurationError) -> CuckooConfiguration.BucketCount {
        if var growing = try object.object("allowExpansion") {
            let expansionFactor = try growing.double("expansionFactor") ?? 1.1
            let targetLoadFactor = try growing.double("targetLoadFactor") ?? 0.9
            unknownKeys += growing.unknownKeys
            return .allowExpansion(expansionFactor: expansionFactor, targetLoadFactor: targetLoadFactor)
        }
        if var fixed = try object.object("fixedSize") {
            guard let count = try fixed.integer("bucketCount") else {
                throw ProcessConfigurationError(fixed.path("bucketCount"), .missing)
            }
            unknownKeys += fixed.unknownKeys
            return .fixedSize(count)
        }
        throw ProcessConfigurationError(
            "cuckooTableArguments.bucketCount",
            .outOfRange(found: "something else", allowed: "{\"allowExpansion\": {…}} or {\"fixedSize\": {…}}")
        )
    }

    private static func reason(of error: any Error) -> String {
        if case .dataCorrupted(let context)? = error as? DecodingError {
            let underlying = (context.underlyingError as NSError?)?.userInfo["NSDebugDescription"] as? String
            return underlying ?? context.debugDescription
        }
        return "its structure cannot be read"
    }
}

extension ProcessConfiguration.CuckooArguments {
    /// The settings with the bucket size decided.
    func configuration(bucketSize: Int) throws(KeywordDatabaseError) -> CuckooConfiguration {
        try CuckooConfiguration(
            hashFunctionCount: hashFunctionCount, maxEvictionCount: maxEvictionCount,
            maxSerializedBucketSize: bucketSize, bucketCount: bucketCount, slotCount: slotCount)
    }
}
