import Foundation
import HomomorphicEncryption
import PrivateInformationRetrieval
import Timing

/// Whole lookups and their parts: expansion, response, query, verdict, processing.
///
/// Every response is compared with the portable twin's and decrypted before it counts.
enum PIRBenchmarks: BenchmarkSuite {
    private static let parameters = "n_4096_logq_27_28_28_logt_5"
    private static let wideParameters = "n_8192_logq_3x55_logt_24"

    static func run(_ selection: Selection, into report: inout BenchmarkReport) throws {
        try shard("pir.n4096_28bit", parameters, 10_000, target: nil, selection, &report)
        try shard("pir.n4096_28bit", parameters, 50_000, target: 7, selection, &report)
        try shard("pir.n8192_55bit", wideParameters, 50_000, target: nil, selection, &report)
        if !selection.quick {
            try shard("pir.n4096_28bit", parameters, 500_000, target: 25, selection, &report)
            try shard("pir.n4096_28bit", parameters, 1_000_000, target: nil, selection, &report)
            try process(selection, &report)
        }
        try noise(selection, &report)
    }

    // Lookups

    private static func shard(
        _ prefix: String, _ parameters: String, _ entryCount: Int, target: Double?, _ selection: Selection,
        _ report: inout BenchmarkReport
    ) throws {
        let size = entryCount < 1_000_000 ? "\(entryCount / 1000)k" : "\(entryCount / 1_000_000)M"
        let names = ["expand", "respond", "respond4", "query", "verdict", "load", "memory"]
            .map { "\(prefix).\($0).\(size)" }
        guard names.contains(where: selection.includes) else { return }
        let lookup = try Lookup(parameters, entryCount: entryCount)
        try lookup.check()
        let milliseconds = selection.quick ? 2.0 : 60
        func add(
            _ name: String, target: Double?, operations: Int = 1, _ body: () throws -> Void,
            twin: (() throws -> Void)? = nil
        ) throws {
            let name = "\(prefix).\(name).\(size)"
            guard selection.includes(name) else { return }
            let baseline = try twin.map { try measure("portable", milliseconds: milliseconds, $0) }
            let cost = try measure(name, operations: operations, milliseconds: milliseconds, body)
            report.add(cost, baseline: baseline, unit: "ms", target: target)
        }
        let isReference = parameters == Self.parameters && entryCount == 50_000
        try add("expand", target: nil) { try lookup.expand() }
        try add("respond", target: target) {
            try lookup.respond()
        } twin: {
            try lookup.respondPortably()
        }
        try add("respond4", target: nil, operations: 4) { try lookup.respondToFour() }
        try add("query", target: isReference ? 0.3 : nil) { try lookup.makeQuery() }
        try add("verdict", target: isReference ? 0.06 : nil) { try lookup.decrypt() }
        try add("load", target: nil) { try lookup.load() }
        let memory = "\(prefix).memory.\(size)"
        if selection.includes(memory) {
            report.add(
                .init(
                    name: memory, unit: "x", samples: [lookup.databaseRatio],
                    baselineName: "evaluation form", baseline: 1, target: 1.15))
        }
    }

    private static func process(_ selection: Selection, _ report: inout BenchmarkReport) throws {
        let name = "pir.n4096_28bit.process.1M"
        guard selection.includes(name) else { return }
        let rows = try Lookup.rows(1_000_000)
        var configuration = Lookup.configuration(try EncryptionParameters(named: parameters))
        configuration.sharding = try Sharding(.shardCount(20))
        let processor = try DatabaseProcessor(configuration)
        let cost = try measure(name, milliseconds: 1) {
            guard try processor.shards(of: rows, parallel: false).count == 20 else {
                throw WrongResult(description: "\(name): not 20 shards")
            }
        }
        report.add(cost, unit: "s", target: 2)
    }

    // Noise

    /// Noise budget left in the worst of many responses. Takes minutes, so it runs only when asked for.
    private static func noise(_ selection: Selection, _ report: inout BenchmarkReport) throws {
        guard selection.only.hasPrefix("noise") else { return }
        for encryption in EncryptionParameters.predefined {
            guard let parameters = encryption.name, selection.includes("noise.\(parameters)"),
                encryption.securityLevel == .quantum128
            else { continue }
            let count = selection.quick ? 5 : 1_000
            let lookup = try Lookup(parameters, entryCount: 50_000)
            let (budget, wrong) = try lookup.worstBudget(responses: count)
            report.add(
                .init(
                    name: "noise.\(parameters)", unit: "bits", samples: [budget], largerIsBetter: true))
            report.notes.append("noise.\(parameters): \(wrong) of \(count) responses decrypted wrongly")
        }
    }
}

/// One client and one shard, with everything that a lookup takes.
struct Lookup {
    private let context: BFVContext
    private let server: PIRShardServer
    private let twin: PIRShardServer
    private let client: PIRClient
    private let key: EvaluationKey
    private let query: (pending: PendingQuery, message: WireEncryptedIndices)
    private let response: WirePIRResponse
    private let file: [UInt8]
    /// Memory of the database by its size in evaluation form.
    let databaseRatio: Double

    static func rows(_ count: Int) throws -> KeywordRows {
        var rows = KeywordRows()
        for row in 0..<count { try rows.append(keyword: keyword(row), value: [0x31]) }
        return rows
    }

    static func configuration(_ encryption: EncryptionParameters) -> ProcessConfiguration {
        ProcessConfiguration(
            inputDatabase: "in.binpb", outputDatabase: "out-SHARD_ID.bin",
            outputPirParameters: "out-SHARD_ID.params.txtpb", encryption: encryption)
    }

    private static func keyword(_ row: Int) -> [UInt8] { Array("host\(row).example/path".utf8) }

    init(_ parameters: String, entryCount: Int) throws {
        let encryption = try EncryptionParameters(named: parameters)
        let processor = try DatabaseProcessor(Self.configuration(encryption))
        let shards = try processor.shards(of: Self.rows(entryCount), parallel: false)
        let shard = shards[0]
        context = processor.context
        server = PIRShardServer(parameters: shard.parameters, database: shard.database, context: context)
        twin = PIRShardServer(
            parameters: shard.parameters, database: shard.database,
            context: try BFVContext(parameters: encryption, instructionSet: .portable))
        var file: [UInt8] = []
        try shard.database.write(context: context) { file += $0 }
        self.file = file
        let wordByteCount = encryption.fits32BitWords ? 4 : 8
        databaseRatio =
            Double(shard.database.byteCount)
            / Double(
                shard.database.plaintextCount * encryption.ciphertextModulusCount
                    * encryption.polynomialDegree * wordByteCount)
        var random = SystemRandomNumberGenerator()
        client = try PIRClient(
            configuration: PIRConfiguration(shards: [shard.parameters]), context: context, using: &random)
        key = try client.makeEvaluationKey(for: shard.parameters.evaluationKey, using: &random)
        query = try client.query(Self.keyword(entryCount / 2), using: &random)
        response = try server.respond(to: query.message, key: key)
    }

    var shape: DatabaseShape { server.parameters.shape }
    var tableCount: Int { server.parameters.hashFunctionCount }
    var databaseByteCount: Int { server.databaseByteCount }

    /// Response equal to the twin's and on several cores, and the value right.
    func check() throws {
        guard try twin.respond(to: query.message, key: key) == response,
            try server.respond(to: query.message, key: key, pool: WorkPool(coreCount: 3)) == response
        else { throw WrongResult(description: "the response is not the portable twin's") }
        try decrypt()
    }

    func expand() throws {
        let ciphertexts = try query.message.ciphertexts.map { try context.deserialize($0.value()) }
        let shape = server.parameters.shape
        let block = shape.expandedCountPerIndex
        try context.withWorkspace { workspace in
            let outputs = context.ciphertexts(server.parameters.hashFunctionCount * block, workspace)
            try QueryExpansion(context: context, key: key)
                .expand(ciphertexts, into: outputs, pool: .callersThread) { $0 % block < shape.dimensions[0] }
        }
    }

    func respond() throws { _ = try server.respond(to: query.message, key: key) }

    func respondPortably() throws { _ = try twin.respond(to: query.message, key: key) }

    func respondToFour() throws {
        let queries = Array(repeating: (query: query.message, key: key), count: 4)
        for result in try server.respond(to: queries) { _ = try result.get() }
    }

    /// Reads the database from the bytes of its file.
    func load() throws {
        _ = try ProcessedDatabase(
            bytes: file, shape: server.parameters.shape, tableCount: server.parameters.hashFunctionCount,
            context: context)
    }

    func makeQuery() throws {
        var random = SystemRandomNumberGenerator()
        _ = WireCoding.bytes(of: try client.query(Self.keyword(1), using: &random).message)
    }

    func decrypt() throws {
        guard try client.decrypt(response, for: query.pending) == [0x31] else {
            throw WrongResult(description: "the response decrypts to another value")
        }
    }

    /// Smallest noise budget, and how many answers were wrong.
    func worstBudget(responses count: Int) throws -> (budget: Double, wrong: Int) {
        var random = SystemRandomNumberGenerator()
        var worst = Double.infinity
        var wrong = 0
        for number in 0..<count {
            let query = try client.query(Self.keyword(number), using: &random)
            let answers = try server.answers(to: query.message, key: key, pool: .allCores)
            worst = min(worst, client.noiseBudgets(of: answers).min() ?? 0)
            let value = try? client.decrypt(server.response(of: answers), for: query.pending)
            if value != [0x31] { wrong += 1 }
        }
        return (worst, wrong)
    }
}
