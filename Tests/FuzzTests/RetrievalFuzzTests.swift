import Foundation
import HomomorphicEncryption
import Parties
import PrivateInformationRetrieval
import RandomStreams
import TestSupport
import Testing

/// Messages and files of PIR, over a ring of eight coefficients: small enough for many cases, with every field in use.
@Suite struct RetrievalFuzzTests {
    private static let name = "fuzz"
    private static let keywords = (0..<40).map { Array("host\($0).example".utf8) }

    private let usecase: PIRUsecase

    init() throws {
        usecase = try PIRDatabase.usecase(
            named: Self.name, entries: Self.keywords.map { $0[...] },
            rlweParameters: "insecure_n_8_logq_5x18_logt_5", shardCount: 2, seed: 1)
    }

    /// Numbers that are the same in every run.
    private static func random() -> RandomStream {
        RandomStream(seed: 1, replication: 0, entity: 0, purpose: StreamPurpose("fuzz keys"))
    }

    /// A client that has a configuration, and its key upload.
    private func client(
        _ service: PIRService, using random: inout RandomStream
    ) throws -> (session: PIRSession, configuration: [UInt8], upload: [UInt8]) {
        var session = PIRSession(usecase: Self.name)
        let reply = service.handle(
            .config, userIdentifier: "u", body: WireCoding.bytes(of: session.configRequest()))
        _ = try session.receive(
            WireCoding.message(WireConfigResponse.self, from: reply.body), using: &random)
        let upload = try session.makeKeyUpload(timestamp: 7, using: &random)
        return (session, reply.body, WireCoding.bytes(of: upload))
    }

    private func ask(_ service: PIRService, _ endpoint: PIRService.Endpoint, _ body: [UInt8]) throws {
        let reply = service.handle(endpoint, userIdentifier: "u", body: body)
        guard reply.status == 200 else { throw Refusal(status: reply.status) }
    }

    private struct Refusal: Error {
        let status: Int

        init(status: Int) {
            #expect([400, 404, 410, 413, 501].contains(status))
            self.status = status
        }
    }

    @Test func configRequest() throws {
        let service = PIRService(usecases: [usecase])
        var request = WireConfigRequest()
        request.usecases = [Self.name]
        let plain = WireCoding.bytes(of: request)
        request.existingConfigIds = [Data(usecase.configurationID)]
        try Fuzzer(
            "config request", seeds: [plain, WireCoding.bytes(of: request)], grammar: ProtobufGrammar.self
        ).run {
            try ask(service, .config, $0)
        }
    }

    @Test func configResponse() throws {
        var random = Self.random()
        let (_, configuration, _) = try client(PIRService(usecases: [usecase]), using: &random)
        try Fuzzer("config response", seeds: [configuration], grammar: ProtobufGrammar.self).run { bytes in
            var session = PIRSession(usecase: Self.name)
            _ = try session.receive(WireCoding.message(WireConfigResponse.self, from: bytes), using: &random)
            _ = try session.makeKeyUpload(timestamp: 1, using: &random)
            _ = try session.makeRequests([Self.keywords[0]], using: &random)
        }
    }

    @Test func evaluationKeys() throws {
        var random = Self.random()
        let service = PIRService(usecases: [usecase])
        let (_, _, upload) = try client(service, using: &random)
        try Fuzzer("evaluation keys", seeds: [upload], grammar: ProtobufGrammar.self).run {
            try ask(service, .key, $0)
        }
    }

    @Test func queriesAndResponses() throws {
        var random = Self.random()
        let service = PIRService(usecases: [usecase])
        let (session, _, upload) = try client(service, using: &random)
        try ask(service, .key, upload)
        let (pending, message) = try session.makeRequests(Array(Self.keywords.prefix(2)), using: &random)
        var inline = message
        inline.requests[0].pirRequest.evaluationKey =
            try WireCoding.message(WireEvaluationKeys.self, from: upload).keys[0]
        let queries = WireCoding.bytes(of: message)
        try Fuzzer(
            "queries", seeds: [queries, WireCoding.bytes(of: inline)], grammar: ProtobufGrammar.self
        ).run {
            try ask(service, .queries, $0)
        }
        let responses = service.handle(.queries, userIdentifier: "u", body: queries).body
        try Fuzzer("responses", seeds: [responses], grammar: ProtobufGrammar.self).run { bytes in
            _ = try session.readResponses(
                WireCoding.message(WireResponses.self, from: bytes), to: pending)
        }
    }

    @Test func parameterFile() throws {
        let wire = usecase.shards[0].parameters.wire
        let words = ["{", "}", "num_entries: ", "dimensions: [", "\"", "-", "PIR_ALGORITHM_", "#", "<", ">"]
        for format in [MessageFormat.binary, .text] {
            let name: StaticString = format == .text ? "parameter file text" : "parameter file binary"
            let seeds = [MessageFile.bytes(of: wire, format: format)]
            try Fuzzer(
                name, seeds: seeds, words: format == .text ? words : [],
                grammar: format == .binary ? ProtobufGrammar.self : nil
            ).run { bytes in
                let parameters = try PIRParameters(
                    MessageFile.message(WirePirParameters.self, from: bytes, format: format))
                _ = try PIRConfiguration(shards: [parameters]).wire
            }
        }
    }

    @Test func processedDatabase() throws {
        let folder = try TemporaryFolder()
        defer { folder.remove() }
        _ = try usecase.write(copy: folder.path + "/copy")
        let shard = usecase.shards[0]
        let file = try folder.read("copy/0.bin")
        try Fuzzer("processed database", seeds: [file]).run { bytes in
            _ = try ProcessedDatabase(
                bytes: bytes, shape: shard.parameters.shape, tableCount: shard.parameters.hashFunctionCount,
                context: shard.context)
            _ = try StoredShard(bytes: bytes, parameters: shard.parameters, context: shard.context)
        }
    }

    @Test func bucket() throws {
        let rows = try KeywordRows(Self.keywords.prefix(3).map { (keyword: $0, value: [0x31, 0x32]) })
        let bucket = HashBucket.encode(rows: [0, 1, 2], of: rows)
        try Fuzzer("bucket", seeds: [bucket, bucket + Array(repeating: 0, count: 40)]).run { bytes in
            for slot in try HashBucket.slots(in: bytes) {
                _ = try HashBucket.value(for: slot.hash, in: bytes)
            }
        }
    }

    @Test func keywordDatabase() throws {
        var message = WireKeywordDatabase()
        for keyword in Self.keywords.prefix(3) {
            var row = WireKeywordDatabaseRow()
            row.keyword = Data(keyword)
            row.value = Data([0x31])
            message.rows.append(row)
        }
        let words = ["rows {", "}", "keyword: \"", "value: '", "\\303", "\\x", "\\u", "#", "\n", "[", "]"]
        for format in [MessageFormat.binary, .text] {
            let name: StaticString = format == .text ? "keyword database text" : "keyword database binary"
            let seeds = [MessageFile.bytes(of: message, format: format)]
            try Fuzzer(
                name, seeds: seeds, words: format == .text ? words : [],
                grammar: format == .binary ? ProtobufGrammar.self : nil
            ).run { bytes in
                var reader = KeywordDatabaseReader(bytes: bytes, format: format)
                while try reader.next() != nil {}
            }
        }
    }

    private static let processConfiguration = """
        { "databaseType": "keyword", "inputDatabase": "a", "outputDatabase": "b-SHARD_ID",
          "outputPirParameters": "c-SHARD_ID", "rlweParameters": "n_4096_logq_27_28_28_logt_5",
          "algorithm": "mulPir", "sharding": { "entryCountPerShard": 10, "maxShardCount": 9 },
          "shardingFunction": { "doubleMod": 7 }, "keyCompression": "noCompression", "trialsPerShard": 1,
          "cuckooTableArguments": { "hashFunctionCount": 2, "maxEvictionCount": 100,
            "bucketCount": { "allowExpansion": { "expansionFactor": 1.1, "targetLoadFactor": 0.9 } } } }
        """
    private static let serviceConfiguration = """
        { "users": [{"tier": "tier1", "tokens": ["AAAA"]}, {"tier": "tier2", "tokens": ["BBBB", "CCCC"]}],
          "usecases": [{"name": "a.url.filtering", "fileStem": "url", "shardCount": 2, "versionCount": 3}],
          "issuerRequestUri": "/issue", "reportDirectory": "reports" }
        """
    private static let jsonWords = [
        "{", "}", "[", "]", "\"", ":", ",", "null", "\\u0000", "\\ud800", "[[[[[[[[",
    ]

    @Test func configurations() throws {
        try Fuzzer("process configuration", texts: [Self.processConfiguration], words: Self.jsonWords).run {
            let (configuration, _) = try ProcessConfiguration.read(json: $0)
            #expect(configuration.sharding.shardCount(rowCount: 1_000_000) >= 1)
        }
        try Fuzzer("service configuration", texts: [Self.serviceConfiguration], words: Self.jsonWords).run {
            let (configuration, _) = try ServiceConfiguration.read(json: $0)
            #expect(configuration.usecases.allSatisfy { $0.shardCount > 0 })
        }
    }
}
