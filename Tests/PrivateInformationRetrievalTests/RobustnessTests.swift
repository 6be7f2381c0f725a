import Foundation
import HomomorphicEncryption
import PrivateInformationRetrieval
import TestSupport
import Testing

/// Files from outside, damaged at every field and every length: an error or a checked value, never a trap.
///
/// What is accepted is used, so that a value that passed the checks and does harm later is found as well.
@Suite struct RobustnessTests {
    private let vector: KeywordVector
    private let context: BFVContext

    init() throws {
        vector = try SmallVectors.load().keywordPir_twoTables
        context = try BFVContext(parameters: EncryptionParameters(named: "insecure_n_8_logq_5x18_logt_5"))
    }

    @Test func parameterFiles() throws {
        let database = bytes(hex: vector.processedDatabaseFile)
        var accepted = 0
        FieldMutations.forEach(of: bytes(hex: vector.PirParameters)) { bytes in
            guard
                let wire = try? MessageFile.message(WirePirParameters.self, from: bytes, format: .binary),
                let parameters = try? PIRParameters(wire)
            else { return }
            accepted += 1
            #expect(parameters.serverByteCount >= 0)
            _ = try? StoredShard(bytes: database, parameters: parameters, context: context)
            guard let configuration = try? PIRConfiguration(shards: [parameters]) else { return }
            // Keys for many large rings take long; the sizes are the same arithmetic.
            guard parameters.encryption.polynomialDegree <= 16 else { return }
            _ = try? MessageSizes(configuration: configuration, evaluationKey: parameters.evaluationKey)
        }
        #expect(accepted > 20)
    }

    @Test func parameterFilesInText() throws {
        let wire = try MessageFile.message(
            WirePirParameters.self, from: bytes(hex: vector.PirParameters), format: .binary)
        let text = MessageFile.bytes(of: wire, format: .text)
        func read(_ bytes: [UInt8]) {
            guard
                let wire = try? MessageFile.message(WirePirParameters.self, from: bytes, format: .text)
            else { return }
            _ = try? PIRParameters(wire)
        }
        for length in 0..<text.count { read(Array(text.prefix(length))) }
        let numbers = [
            "-1", "0", "18446744073709551615", "99999999999999999999999", "1e9", "\"x\"", "{}", "",
        ]
        let lines = String(decoding: text, as: UTF8.self).split(separator: "\n")
        for (index, line) in lines.enumerated() {
            guard let colon = line.firstIndex(of: ":") else { continue }
            for number in numbers {
                var changed = lines
                changed[index] = line[...colon] + number
                read(Array(changed.joined(separator: "\n").utf8))
            }
        }
        forEachMutation(of: text, count: 3_000, read)
    }

    @Test func keyConfigurationsAndConfigurations() throws {
        FieldMutations.forEach(of: bytes(hex: vector.EvaluationKeyConfig)) { bytes in
            guard
                let wire = try? MessageFile.message(
                    WireEvaluationKeyConfig.self, from: bytes, format: .binary),
                let value = try? EvaluationKeyConfiguration(wire)
            else { return }
            #expect(value.galoisElements.allSatisfy { $0 < UInt32(2 * value.encryption.polynomialDegree) })
        }
        let parameters = try PIRParameters(
            WireCoding.message(WirePirParameters.self, from: bytes(hex: vector.PirParameters)))
        for shards in [[parameters], [parameters, parameters]] {
            FieldMutations.forEach(of: WireCoding.bytes(of: try PIRConfiguration(shards: shards).wire)) {
                guard let wire = try? WireCoding.message(WirePIRConfig.self, from: $0),
                    let value = try? PIRConfiguration(wire)
                else { return }
                #expect(value.shards.count > 0)
            }
        }
    }

    @Test("database files", arguments: [false, true])
    func databaseFiles(oneTable: Bool) throws {
        let vectors = try SmallVectors.load()
        let vector = oneTable ? vectors.keywordPir_oneTable_maxCompression : vectors.keywordPir_twoTables
        let parameters = try PIRParameters(
            WireCoding.message(WirePirParameters.self, from: bytes(hex: vector.PirParameters)))
        let file = bytes(hex: vector.processedDatabaseFile)
        func read(_ bytes: [UInt8]) throws -> StoredShard {
            _ = try ProcessedDatabase(
                bytes: bytes, shape: parameters.shape, tableCount: parameters.hashFunctionCount,
                context: context)
            return try StoredShard(bytes: bytes, parameters: parameters, context: context)
        }
        #expect(try read(file).rowCount == 5)
        for length in 0..<file.count {
            #expect(throws: ProcessedDatabaseError.self) { try read(Array(file.prefix(length))) }
        }
        #expect(throws: ProcessedDatabaseError.self) { try read(file + [0]) }
        // The header and every tag, with every value; every other byte with a few.
        var tags: Set<Int> = []
        var place = 5
        while place < file.count {
            tags.insert(place)
            place += file[place] == 1 ? 1 + context.evaluationPlaintextByteCount : 1
        }
        for place in file.indices {
            let isStructure = place < 5 || tags.contains(place)
            let values = isStructure ? Array(0...255) : [0, file[place] ^ 1, file[place] ^ 0x80, 0xff]
            for value in values where value != file[place] {
                var damaged = file
                damaged[place] = value
                if isStructure {
                    #expect(throws: (any Error).self, "byte \(place) is \(value)") { try read(damaged) }
                } else {
                    _ = try? read(damaged)
                }
            }
        }
        forEachMutation(of: file, count: 2_000) { _ = try? read($0) }
    }

    @Test func aDatabaseOfOtherParametersIsRefused() throws {
        let vectors = try SmallVectors.load()
        let parameters = try PIRParameters(
            WireCoding.message(
                WirePirParameters.self, from: bytes(hex: vectors.keywordPir_twoTables.PirParameters)))
        // The tables of the other file have four buckets each, so rows stand in places that are not theirs.
        let other = bytes(hex: vectors.keywordPir_oneTable_maxCompression.processedDatabaseFile)
        #expect(throws: (any Error).self) {
            try StoredShard(bytes: other, parameters: parameters, context: context)
        }
    }

    @Test func keywordDatabaseFiles() throws {
        var message = WireKeywordDatabase()
        for row in 0..<3 {
            var wire = WireKeywordDatabaseRow()
            wire.keyword = Data("host\(row).example".utf8)
            wire.value = Data([0x31])
            message.rows.append(wire)
        }
        func read(_ bytes: [UInt8], _ format: MessageFormat) {
            var reader = KeywordDatabaseReader(bytes: bytes, format: format)
            _ = try? reader.readAll()
            var slow = KeywordDatabaseReader(bytes: bytes, format: format)
            while (try? slow.next()) != nil {}
        }
        FieldMutations.forEach(of: MessageFile.bytes(of: message, format: .binary)) { read($0, .binary) }
        let text = MessageFile.bytes(of: message, format: .text)
        for length in 0..<text.count { read(Array(text.prefix(length)), .text) }
        for place in text.indices {
            for byte in [0, 0x0a, 0x22, 0x23, 0x5c, 0x7b, 0x7d, 0xff] as [UInt8] {
                var damaged = text
                damaged[place] = byte
                read(damaged, .text)
            }
        }
    }

    /// Every value of a full configuration is replaced by every kind of JSON value, removed, and the text is cut at
    /// every length.
    @Test func configurations() throws {
        let full = """
            { "databaseType": "keyword", "inputDatabase": "a", "outputDatabase": "b-SHARD_ID",
              "outputPirParameters": "c-SHARD_ID", "outputEvaluationKeyConfig": "d",
              "rlweParameters": "n_4096_logq_27_28_28_logt_5", "algorithm": "mulPir",
              "sharding": { "entryCountPerShard": 10, "maxShardCount": 9, "requirePowerOfTwoShardCount": true },
              "shardingFunction": { "doubleMod": 7 }, "keyCompression": "noCompression",
              "useMaxSerializedBucketSize": false, "trialsPerShard": 1, "unevenDimensions": true,
              "encodingEntrySize": false, "symmetricPirArguments": null,
              "cuckooTableArguments": { "hashFunctionCount": 2, "maxEvictionCount": 100, "slotCount": 200,
                "maxSerializedBucketSize": 1024,
                "bucketCount": { "allowExpansion": { "expansionFactor": 1.1, "targetLoadFactor": 0.9 } } } }
            """
        _ = try ProcessConfiguration.read(json: Array(full.utf8))
        func read(_ bytes: [UInt8]) {
            guard let (configuration, _) = try? ProcessConfiguration.read(json: bytes) else { return }
            #expect(configuration.sharding.shardCount(rowCount: 1_000_000) >= 1)
            #expect(!configuration.journalPath.isEmpty)
        }
        for length in 0..<full.utf8.count { read(Array(full.utf8.prefix(length))) }
        let values = [
            "null", "true", "false", "-1", "0", "1", "0.5", "-0.0", "1e308", "1e999", "9223372036854775807",
            "9223372036854775808", "-9223372036854775808", "\"\"", "\"x\"", "\"\\u0000\"", "[]", "[[]]", "{}",
            "{\"sha256\": null}", "{\"doubleMod\": 4294967296}", "{\"fixedSize\": {\"bucketCount\": -1}}",
        ]
        let root = try #require(
            try JSONSerialization.jsonObject(with: Data(full.utf8)) as? [String: Any])
        var count = 0
        for path in paths(of: root) {
            for value in values + [""] {
                count += 1
                read(Array(json(root, replacing: path[...], by: value).utf8))
            }
        }
        #expect(count > 500)
    }

    /// Settings within their own ranges that together ask for terabytes.
    @Test func settingsOutOfProportionAreRefused() throws {
        let rows = try sampleRows(10)
        func refusal(_ change: (inout ProcessConfiguration) throws -> Void) throws -> KeywordDatabaseError? {
            var configuration = try ProcessConfiguration.named("n_4096_logq_27_28_28_logt_5")
            try change(&configuration)
            return #expect(throws: KeywordDatabaseError.self) {
                try DatabaseProcessor(configuration).shards(of: rows)
            }
        }
        let shards = try refusal { $0.sharding = try Sharding(.shardCount(Int(UInt32.max))) }
        #expect(
            shards?.description
                == "sharding.shardCount is 4294967295; it must be at most 65536 for these rows")
        let buckets = try refusal { $0.cuckooTable.bucketCount = .fixedSize(1 << 28) }
        #expect(buckets?.description.hasPrefix("cuckooTableArguments is 268435456 buckets") == true)
        _ = try refusal {
            $0.cuckooTable.maxSerializedBucketSize = 1 << 24
            $0.cuckooTable.bucketCount = .fixedSize(4)
        }
    }

    private func paths(of object: [String: Any]) -> [[String]] {
        object.flatMap { key, value in
            [[key]] + ((value as? [String: Any]).map(paths) ?? []).map { [key] + $0 }
        }.sorted { $0.joined(separator: ".") < $1.joined(separator: ".") }
    }

    /// The object as text with one value replaced; an empty replacement leaves the key out.
    private func json(_ object: [String: Any], replacing path: ArraySlice<String>, by text: String) -> String
    {
        let members = object.sorted { $0.key < $1.key }.compactMap { key, value -> String? in
            if path.first == key, path.count == 1 { return text.isEmpty ? nil : "\"\(key)\": \(text)" }
            if let inner = value as? [String: Any] {
                return "\"\(key)\": "
                    + json(inner, replacing: path.first == key ? path.dropFirst() : [], by: text)
            }
            let data = try? JSONSerialization.data(withJSONObject: value, options: .fragmentsAllowed)
            return "\"\(key)\": " + String(decoding: data ?? Data("null".utf8), as: UTF8.self)
        }
        return "{" + members.joined(separator: ", ") + "}"
    }
}
