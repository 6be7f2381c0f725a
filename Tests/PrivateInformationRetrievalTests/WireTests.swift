import Crypto
import Foundation
import HomomorphicEncryption
import PrivateInformationRetrieval
import TestSupport
import Testing

/// Bytes and hashes of article "PIR protocol", section "Known answers".
@Suite struct WireTests {
    private let encryption: EncryptionParameters
    private let encryptionHex = "0a1708802010111a0c81c0fd3f8180fc7f81c0fb7f28013001"

    init() throws { encryption = try EncryptionParameters(named: "n_4096_logq_27_28_28_logt_5") }

    /// The generated files are not made in the build, so they could get out of step with their sources.
    @Test func generatedCodeBelongsToItsSources() throws {
        let protos = URL(fileURLWithPath: #filePath).deletingLastPathComponent()
            .appendingPathComponent("../../Sources/Protocols/PrivateInformationRetrieval/Wire/Protos")
        let record = try String(contentsOf: protos.appendingPathComponent("GENERATED.txt"), encoding: .utf8)
        let hashes = record.split(separator: "\n").filter {
            $0.hasSuffix(".proto") && !$0.hasPrefix("protoc")
        }
        #expect(hashes.count == 4)
        for line in hashes {
            let fields = line.split(separator: " ")
            let source = try Data(contentsOf: protos.appendingPathComponent(String(fields[1])))
            #expect(hex(SHA256.hash(data: source)) == fields[0], "regenerate \(fields[1]), see GENERATED.txt")
        }
    }

    private func parameters(rows: Int) throws -> PIRParameters {
        var configuration = ProcessConfiguration(
            inputDatabase: "", outputDatabase: "", outputPirParameters: "", encryption: encryption)
        configuration.trialsPerShard = 0
        let rows = try KeywordRows((0..<rows).map { (Array("url\($0)".utf8), [0x31]) })
        return try #require(try DatabaseProcessor(configuration).shards(of: rows).first).parameters
    }

    @Test func evaluationKeyConfigurationsHaveApplesBytesAndHashes() throws {
        let two = try parameters(rows: 10).evaluationKey
        #expect(hex(WireCoding.bytes(of: two.wire)) == encryptionHex + "1204811081201801")
        #expect(hex(two.identifier) == "f94fb04678cb89f123d50879536c7b21e11613fb6ff1077dab44dcbfc6054b71")
        var wire = two.wire
        wire.galoisElements = [513, 1025, 2049, 4097]
        #expect(hex(WireCoding.bytes(of: wire)) == encryptionHex + "120881048108811081201801")
        #expect(
            hex(WireCoding.sha256(wire)) == "13d2fd8bf643a9adbd0a86659c47d8c678943f5d10aea2fb8bf3dbd6e049ecf8"
        )
        #expect(try EvaluationKeyConfiguration(wire).galoisElements == [513, 1025, 2049, 4097])
    }

    @Test func configurationsHaveApplesBytes() throws {
        var one = try PIRConfiguration(shards: [parameters(rows: 10)]).wire
        one.evaluationKeyConfigHash = Data(repeating: 0xab, count: 32)
        one.shardConfigs[0].entrySize = 111
        let ab = String(repeating: "ab", count: 32)
        let shard = "0801106f1a0201012200"
        #expect(
            hex(WireCoding.bytes(of: one)) == encryptionHex + "120a" + shard + "1a06080222020a00200128023220"
                + ab)

        var three = try PIRConfiguration(shards: Array(repeating: parameters(rows: 10), count: 3)).wire
        three.evaluationKeyConfigHash = Data(repeating: 0xab, count: 32)
        three.pirShardConfigs.repeatedShardConfig.shardConfig.entrySize = 111
        #expect(
            hex(WireCoding.bytes(of: three))
                == encryptionHex + "1a06080222020a00200128023220" + ab + "52100a0e0a0a" + shard + "1003")
        let read = try PIRConfiguration(three)
        #expect(read.shards.count == 3 && read.shards[2].entrySize == 111)
    }

    @Test func parametersInTextHaveTheFieldsOfApplesFile() throws {
        let parameters = try parameters(rows: 10)
        let text = String(decoding: MessageFile.bytes(of: parameters.wire, format: .text), as: UTF8.self)
        for part in [
            "num_entries: 1\n", "dimensions: [1, 1]\n", "num_hash_functions: 2\n", "sha256 {",
            "batch_size: 2\n",
            "algorithm: PIR_ALGORITHM_MUL_PIR\n", "galois_elements: [2049, 4097]\n", "has_relin_key: true\n",
            "security_level: SECURITY_LEVEL_QUANTUM128\n", "he_scheme: HE_SCHEME_BFV\n",
        ] {
            #expect(text.contains(part), "\(part) in \(text)")
        }
        #expect(!text.contains("key_compression_strategy") && !text.contains("error_std_dev"))
        for format in [MessageFormat.text, .binary] {
            let bytes = MessageFile.bytes(of: parameters.wire, format: format)
            let read = try MessageFile.message(WirePirParameters.self, from: bytes, format: format)
            #expect(try PIRParameters(read) == parameters)
        }
    }

    private typealias Change = @Sendable (inout WirePirParameters) -> Void

    private static let refusals: [(field: String, change: Change)] = [
        ("algorithm", { $0.algorithm = .aclsPir }),
        ("batch_size", { $0.batchSize = 3 }),
        ("num_hash_functions", { $0.keywordPirParams.numHashFunctions = .max }),
        ("num_entries", { $0.numEntries = .max }),
        ("entry_size", { $0.entrySize = 0 }),
        ("dimensions", { $0.dimensions = [.max, .max] }),
        ("dimensions", { $0.dimensions = [] }),
        ("encoding_entry_size", { $0.encodingEntrySize = true }),
        ("keyword_pir_params", { $0.clearKeywordPirParams() }),
        ("encryption_parameters", { $0.clearEncryptionParameters() }),
        ("encryption_parameters", { $0.evaluationKeyConfig.encryptionParameters.plaintextModulus = 37 }),
        ("galois_elements", { $0.evaluationKeyConfig.galoisElements = [8] }),
        ("galois_elements", { $0.evaluationKeyConfig.galoisElements = [4097, 2049] }),
        ("galois_elements", { $0.evaluationKeyConfig.galoisElements = (1...33).map { 2 * $0 + 1 } }),
        ("he_scheme", { $0.encryptionParameters.heScheme = .bgv }),
        ("error_std_dev", { $0.encryptionParameters.errorStdDev = .stddev64 }),
        ("security_level", { $0.encryptionParameters.securityLevel = .UNRECOGNIZED(7) }),
        ("other_shard_count", { $0.keywordPirParams.shardingFunction.doubleMod.otherShardCount = 0 }),
        ("symmetric_pir", { $0.keywordPirParams.symmetricPirClientConfig.configType = .unspecified }),
        ("polynomial degree", { $0.encryptionParameters.polynomialDegree = .max }),
    ]

    @Test("parameters that cannot be used are refused with the field's name", arguments: refusals.indices)
    func refusedParameters(number: Int) throws {
        let (name, change) = Self.refusals[number]
        var wire = try parameters(rows: 10).wire
        change(&wire)
        let error = #expect(throws: (any Error).self) { try PIRParameters(wire) }
        #expect("\(try #require(error))".contains(name), "\(String(describing: error))")
    }

    @Test func deepNestingAndOversizeAreErrors() {
        // A million groups inside each other, in a field that is not known.
        #expect(throws: WireError.malformed(message: "Requests")) {
            try WireCoding.message(WireRequests.self, from: [UInt8](repeating: 0x7b, count: 1 << 20))
        }
        #expect(throws: WireError.tooLarge(message: "Requests", byteCount: 11, limit: 10)) {
            try WireCoding.message(WireRequests.self, from: [UInt8](repeating: 0, count: 11), limit: 10)
        }
        let text = Array(String(repeating: "keyword_pir_params {", count: 100_000).utf8)
        #expect(throws: WireError.self) {
            try MessageFile.message(WirePirParameters.self, from: text, format: .text)
        }
    }

    @Test func noMutationOfParametersMakesReadingTrap() throws {
        let wire = try parameters(rows: 1_000).wire
        for format in [MessageFormat.text, .binary] {
            forEachMutation(of: MessageFile.bytes(of: wire, format: format), count: 2_000) { bytes in
                guard
                    let message = try? MessageFile.message(
                        WirePirParameters.self, from: bytes, format: format)
                else { return }
                _ = try? PIRParameters(message)
            }
        }
        let configuration = try PIRConfiguration(shards: [parameters(rows: 10), parameters(rows: 1_000)])
        forEachMutation(of: WireCoding.bytes(of: configuration.wire), count: 2_000) { bytes in
            guard let message = try? WireCoding.message(WirePIRConfig.self, from: bytes) else { return }
            _ = try? PIRConfiguration(message)
        }
    }
}
