import ObliviousHTTP
import Parties
import PrivateInformationRetrieval

extension OperationProfiler {
    private static let usecaseName = PIRDatabase.usecaseName
    private static let batchSizes = [1, 2, 4]

    /// Keys, queries and answers of one shard, and what wraps them.
    static func lookupOperations(entryCount: Int, rlweParameters: String) throws -> [Operation] {
        let entries = (0..<entryCount).map { Array("entry-\($0).example".utf8) }
        func process() throws -> PIRUsecase {
            try PIRDatabase.usecase(
                named: usecaseName, entries: entries.lazy.map { $0[...] }, rlweParameters: rlweParameters,
                shardCount: 1, seed: 1)
        }
        let usecase = try process()
        let shard = usecase.shards[0]
        var generator = SystemRandomNumberGenerator()
        let service = PIRService(usecases: [usecase])
        func answer(_ endpoint: PIRService.Endpoint, _ body: [UInt8]) throws -> [UInt8] {
            let reply = service.handle(endpoint, userIdentifier: "device", body: body)
            guard reply.status == 200 else { throw OperationFailed(operation: "pir\(endpoint.path)") }
            return reply.body
        }
        var session = PIRSession(usecase: usecaseName, context: shard.context)
        let config = try answer(.config, WireCoding.bytes(of: session.configRequest()))
        _ = try session.receive(WireCoding.message(WireConfigResponse.self, from: config), using: &generator)
        let key = WireCoding.bytes(of: try session.makeKeyUpload(timestamp: 1, using: &generator))
        _ = try answer(.key, key)

        var operations = [
            Operation(
                name: "pir.process.\(entryCount)", meaning: "the whole shard of \(entryCount) entries",
                bytes: shard.databaseByteCount
            ) { _ = try process() },
            Operation(
                name: "pir.keys.\(entryCount)", meaning: "secret and evaluation key on the device",
                bytes: key.count
            ) {
                var other = session
                _ = try other.makeKeyUpload(timestamp: 2, using: &generator)
            },
            Operation(name: "pir.store-keys.\(entryCount)", meaning: "one upload read by the server") {
                _ = try answer(.key, key)
            },
        ]
        for batch in batchSizes where batch <= entryCount {
            operations += try batchOperations(Array(entries.prefix(batch)), of: entryCount, &session) {
                try answer(.queries, $0)
            }
        }
        return operations
    }

    /// A request for some keywords, its answer, and for a single one what wraps them.
    private static func batchOperations(
        _ keywords: [[UInt8]], of entryCount: Int, _ session: inout PIRSession,
        answer: @escaping ([UInt8]) throws -> [UInt8]
    ) throws -> [Operation] {
        var generator = SystemRandomNumberGenerator()
        let (pending, message) = try session.makeRequests(keywords, using: &generator)
        let request = WireCoding.bytes(of: message)
        let response = try answer(request)
        let asking = session
        func decrypt() throws {
            let found = try asking.readResponses(
                WireCoding.message(WireResponses.self, from: response), to: pending)
            guard found.allSatisfy({ $0 != nil }) else { throw OperationFailed(operation: "pir.decrypt") }
        }
        try decrypt()
        let place = "\(entryCount).batch\(keywords.count)"
        let operations = [
            Operation(
                name: "pir.query.\(place)", meaning: "\(keywords.count) keywords encrypted on the device",
                bytes: request.count
            ) {
                _ = WireCoding.bytes(of: try asking.makeRequests(keywords, using: &generator).message)
            },
            Operation(
                name: "pir.answer.\(place)", meaning: "the request answered by the server, one core",
                bytes: response.count
            ) { _ = try answer(request) },
            Operation(
                name: "pir.decrypt.\(place)", meaning: "the answer read on the device", body: decrypt),
        ]
        guard keywords.count == 1 else { return operations }
        return operations + (try wrapping(request: request, response: response, suffix: "\(entryCount)"))
    }

    /// Binary HTTP and Oblivious HTTP around one lookup.
    private static func wrapping(
        request: [UInt8], response: [UInt8], suffix: String
    ) throws -> [Operation] {
        let gateway = try OHTTPGateway(keys: [OHTTPKeyPair(keyID: 1)])
        let client = try OHTTPClient(configuration: gateway.configurations[0])
        let plain = BinaryHTTPRequest(
            authority: OperatorService.pirAuthority, path: PIRService.Endpoint.queries.path, fields: [],
            content: request)
        let encoded = try plain.encoded()
        let answer = try BinaryHTTPResponse(status: 200, content: response).encoded()
        let sealed = try client.seal(encoded)
        let opened = try gateway.open(sealed.message)
        let sealedAnswer = opened.context.seal(answer)
        guard try sealed.context.open(sealedAnswer) == answer else {
            throw OperationFailed(operation: "ohttp.open-response")
        }
        return [
            Operation(
                name: "bhttp.encode.\(suffix)", meaning: "the request of one lookup", bytes: encoded.count
            ) { _ = try plain.encoded() },
            Operation(name: "bhttp.decode.\(suffix)", meaning: "the request of one lookup") {
                _ = try BinaryHTTPRequest(decoding: encoded)
            },
            Operation(
                name: "ohttp.seal-request.\(suffix)", meaning: "the request on the device",
                bytes: sealed.message.count
            ) { _ = try client.seal(encoded) },
            Operation(name: "ohttp.open-request.\(suffix)", meaning: "the request at the gateway") {
                _ = try gateway.open(sealed.message)
            },
            Operation(
                name: "ohttp.seal-response.\(suffix)", meaning: "the response at the gateway",
                bytes: sealedAnswer.count
            ) { _ = opened.context.seal(answer) },
            Operation(name: "ohttp.open-response.\(suffix)", meaning: "the response on the device") {
                _ = try sealed.context.open(sealedAnswer)
            },
        ]
    }
}
