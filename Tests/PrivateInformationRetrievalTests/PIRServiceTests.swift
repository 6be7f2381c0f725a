import Foundation
import HomomorphicEncryption
import PrivateInformationRetrieval
import Testing

/// Status codes and flow of article "PIR protocol", section "Statuses".
@Suite struct PIRServiceTests {
    private let name = "com.example.app.url.filtering"

    /// Small parameters, several shards.
    private func usecase(rows: Int = 12, name: String? = nil) throws -> PIRUsecase {
        var configuration = try ProcessConfiguration.named("insecure_n_8_logq_5x18_logt_5")
        configuration.cuckooTable.maxSerializedBucketSize = 24
        configuration.sharding = try Sharding(.shardCount(3))
        return try DatabaseProcessor(configuration).usecase(named: name ?? self.name, rows: sampleRows(rows))
    }

    private func send<Answer: WireAnswer>(
        _ request: [UInt8], to endpoint: PIRService.Endpoint, of service: PIRService, user: String = "user"
    ) throws -> Answer {
        let reply = service.handle(endpoint, userIdentifier: user, body: request)
        #expect(reply.status == 200, "\(String(decoding: reply.body, as: UTF8.self))")
        return try Answer.read(reply.body)
    }

    private func configure(
        _ session: inout PIRSession, _ service: PIRService, user: String = "user",
        using random: inout DeterministicRandomBits
    ) throws -> PIRSession.Step {
        let response: WireConfigResponse = try send(
            WireCoding.bytes(of: session.configRequest()), to: .config, of: service, user: user)
        return try session.receive(response, using: &random)
    }

    /// A session that has uploaded its key.
    private func readySession(
        _ service: PIRService, user: String = "user", using random: inout DeterministicRandomBits
    ) throws -> PIRSession {
        var session = PIRSession(usecase: name)
        #expect(try configure(&session, service, user: user, using: &random) == .uploadKey)
        let upload = try session.makeKeyUpload(timestamp: 1_700_000_000, using: &random)
        let reply = service.handle(.key, userIdentifier: user, body: WireCoding.bytes(of: upload))
        #expect(reply.status == 200 && reply.body.isEmpty)
        return session
    }

    private func status(_ request: WireRequest, _ service: PIRService, user: String = "user") -> Int {
        var requests = WireRequests()
        requests.requests = [request]
        return service.handle(.queries, userIdentifier: user, body: WireCoding.bytes(of: requests)).status
    }

    @Test(arguments: EvaluationKeyForm.allCases)
    func aSessionFindsWhatIsThere(form: EvaluationKeyForm) throws {
        let service = PIRService(usecases: [try usecase()], keys: InMemoryEvaluationKeyStore(form: form))
        var random = generator("session")
        var session = try readySession(service, using: &random)
        let keywords = ["host3.example/path", "nobody.example", "host11.example/path"].map { Array($0.utf8) }
        let (pending, message) = try session.makeRequests(keywords, using: &random)
        let responses: WireResponses = try send(WireCoding.bytes(of: message), to: .queries, of: service)
        let values = try session.readResponses(responses, to: pending)
        #expect(values == [sampleValue(3, 1), nil, sampleValue(11, 1)])
        // The key is known now, and the configuration is reused.
        #expect(try configure(&session, service, using: &random) == .query)
        #expect(session.client != nil)
    }

    @Test func manyQuestionsInOneRequestAreAnsweredInOrder() throws {
        let usecase = try usecase()
        let service = PIRService(usecases: [usecase], pool: WorkPool(coreCount: 2))
        var random = generator("many questions")
        let session = try readySession(service, using: &random)
        let keywords = (0..<17).map { Array("host\($0).example/path".utf8) }
        let (pending, message) = try session.makeRequests(keywords, using: &random)
        let responses: WireResponses = try send(WireCoding.bytes(of: message), to: .queries, of: service)
        let values = try session.readResponses(responses, to: pending)
        #expect(values == (0..<17).map { $0 < 12 ? sampleValue($0, 1) : nil })
    }

    @Test func aRefusedQueryDoesNotAffectOthers() throws {
        let shard = try usecase().shards[0]
        var random = generator("refused query")
        let client = try PIRClient(
            configuration: PIRConfiguration(shards: [shard.parameters]), context: shard.context,
            using: &random)
        let key = try client.makeEvaluationKey(for: shard.parameters.evaluationKey, using: &random)
        let query = try client.query([1], using: &random).message
        var damaged = query
        damaged.ciphertexts = []
        let keyless = EvaluationKey(galoisKeys: [:], relinearizationKey: key.relinearizationKey)
        let results = try shard.respond(to: [(query, key), (damaged, key), (query, keyless), (query, key)])
        let expected = try shard.respond(to: query, key: key)
        #expect(try results[0].get() == expected)
        #expect(throws: PIRError.queryCiphertextCount(0, expected: 1)) { try results[1].get() }
        #expect(throws: PIRError.self) { try results[2].get() }
        #expect(try results[3].get() == expected)
    }

    @Test func aRestartedServerAsksForTheKeyAgain() throws {
        let service = PIRService(usecases: [try usecase()])
        var random = generator("restart")
        var session = try readySession(service, using: &random)
        #expect(service.evaluationKeyUsage.count == 1)
        // 4 key-switching keys of 4 pairs of polynomials over 5 moduli with 8 residues of 8 bytes.
        let keyCount = try #require(session.keyConfiguration).galoisElements.count + 1
        #expect(service.evaluationKeyUsage.byteCount == keyCount * 4 * 2 * 5 * 8 * 8)
        service.forgetEvaluationKeys()
        #expect(service.evaluationKeyUsage == (0, 0))
        let request = try session.makeRequests([[1]], using: &random).message.requests[0]
        #expect(status(request, service) == 400)
        #expect(try configure(&session, service, using: &random) == .uploadKey)
        let upload = try session.makeKeyUpload(timestamp: 1_700_000_001, using: &random)
        #expect(
            service.handle(.key, userIdentifier: "user", body: WireCoding.bytes(of: upload)).status == 200)
        #expect(status(try session.makeRequests([[1]], using: &random).message.requests[0], service) == 200)
    }

    @Test func keysBelongToTheirUserAndTheLatestCounts() throws {
        let service = PIRService(usecases: [try usecase()])
        var random = generator("users")
        var first = try readySession(service, user: "a", using: &random)
        let second = try readySession(service, user: "b", using: &random)
        #expect(service.evaluationKeyUsage.count == 2)
        let request = try first.makeRequests([[1]], using: &random).message.requests[0]
        #expect(status(request, service, user: "a") == 200)
        #expect(status(request, service, user: "c") == 400)
        let upload = try first.makeKeyUpload(timestamp: 1_800_000_000, using: &random)
        #expect(service.handle(.key, userIdentifier: "a", body: WireCoding.bytes(of: upload)).status == 200)
        #expect(service.evaluationKeyUsage.count == 2)
        // Another device of the same user with an older key has to upload again.
        var other = second
        #expect(try configure(&other, service, user: "a", using: &random) == .uploadKey)
        #expect(try configure(&first, service, user: "a", using: &random) == .query)
    }

    @Test func oldVersionsAreServedUntilTheyAreGone() throws {
        let service = PIRService(usecases: [try usecase(rows: 12)], versionCount: 2)
        var random = generator("versions")
        let session = try readySession(service, using: &random)
        let request = try session.makeRequests([[1]], using: &random).message.requests[0]
        let newer = try [usecase(rows: 30), usecase(rows: 60)]
        #expect(newer[0].configurationID != newer[1].configurationID)
        service.install(newer[0])
        service.install(newer[0])
        #expect(status(request, service) == 200)
        service.install(newer[1])
        #expect(status(request, service) == 410)
        var updated = session
        _ = try configure(&updated, service, using: &random)
        #expect(updated.client?.configuration != session.client?.configuration)
    }

    @Test func wrongRequestsGetTheirStatus() throws {
        let service = PIRService(usecases: [try usecase()])
        var random = generator("wrong requests")
        let session = try readySession(service, using: &random)
        let good = try session.makeRequests([[1]], using: &random).message.requests[0]
        #expect(status(good, service) == 200)
        func changed(_ change: (inout WireRequest) -> Void) -> Int {
            var request = good
            change(&request)
            return status(request, service)
        }
        #expect(changed { $0.usecase = "other" } == 400)
        #expect(changed { $0.pirRequest.configurationHash = Data(repeating: 1, count: 32) } == 410)
        #expect(changed { $0.pirRequest.shardIndex = 3 } == 400)
        #expect(changed { $0.pirRequest.shardIndex = .max } == 400)
        #expect(changed { $0.pirRequest.shardID = "0" } == 501)
        #expect(changed { $0.oprfRequest.configID = Data() } == 501)
        #expect(changed { $0.request = nil } == 400)
        #expect(changed { $0.pirRequest.evaluationKeyMetadata.identifier = Data() } == 400)
        #expect(changed { $0.pirRequest.query.numPirCalls = 9 } == 400)
        #expect(changed { $0.pirRequest.query.ciphertexts = [] } == 400)
        #expect(changed { $0.pirRequest.query.ciphertexts += $0.pirRequest.query.ciphertexts } == 400)
        #expect(changed { $0.pirRequest.query.ciphertexts[0].seeded.seed = Data() } == 400)
        #expect(changed { $0.pirRequest.query.ciphertexts[0].serializedCiphertextType = nil } == 400)
        #expect(changed { $0.pirRequest.evaluationKey = WireEvaluationKey() } == 400)
    }

    @Test func configurationRequestsGetTheirStatus() throws {
        let service = PIRService(usecases: [try usecase(), try usecase(rows: 5, name: "b")])
        var request = WireConfigRequest()
        let all: WireConfigResponse = try send(WireCoding.bytes(of: request), to: .config, of: service)
        #expect(all.configs.keys.sorted() == ["b", name] && all.keyInfo.count == 2)
        #expect(all.configs.values.allSatisfy { $0.configID == Data(WireCoding.sha256($0.pirConfig)) })
        #expect(
            all.configs.values.allSatisfy { config in
                all.keyInfo.contains {
                    Data(WireCoding.sha256($0.keyConfig)) == config.pirConfig.evaluationKeyConfigHash
                }
            })
        request.usecases = ["b"]
        request.existingConfigIds = [try #require(all.configs["b"]).configID]
        let reused: WireConfigResponse = try send(WireCoding.bytes(of: request), to: .config, of: service)
        let config = try #require(reused.configs["b"])
        #expect(config.reuseExistingConfig && config.configID.isEmpty && config.config == nil)
        request.existingConfigIds += [Data()]
        #expect(
            service.handle(.config, userIdentifier: "", body: WireCoding.bytes(of: request)).status == 400)
        request.usecases = ["c"]
        request.existingConfigIds = []
        #expect(
            service.handle(.config, userIdentifier: "", body: WireCoding.bytes(of: request)).status == 404)
    }

    /// Whether a key is made of the upload or not, the same is refused.
    @Test(arguments: EvaluationKeyForm.allCases)
    func wrongKeysAreRefused(form: EvaluationKeyForm) throws {
        let service = PIRService(usecases: [try usecase()], keys: InMemoryEvaluationKeyStore(form: form))
        var random = generator("wrong keys")
        var session = try readySession(service, using: &random)
        let good = try session.makeKeyUpload(timestamp: 5, using: &random)
        func status(_ change: (inout WireEvaluationKey) -> Void) -> Int {
            var upload = good
            change(&upload.keys[0])
            return service.handle(.key, userIdentifier: "user", body: WireCoding.bytes(of: upload)).status
        }
        #expect(status { _ in } == 200)
        #expect(status { $0.clearMetadata() } == 400)
        #expect(status { $0.clearEvaluationKey() } == 400)
        #expect(status { $0.metadata.identifier = Data([1]) } == 400)
        #expect(status { $0.evaluationKey.clearRelinKey() } == 400)
        #expect(status { $0.evaluationKey.galoisKey.keySwitchKeys[9] = nil } == 400)
        #expect(status { $0.evaluationKey.galoisKey.keySwitchKeys[9] = WireSerializedKeySwitchKey() } == 400)
        func changeSeeded(_ change: (inout WireSerializedSeededCiphertext) -> Void) -> Int {
            status { change(&$0.evaluationKey.relinKey.relinKey.keySwitchKey.ciphertexts[0].seeded) }
        }
        #expect(changeSeeded { $0.seed.removeLast() } == 400)
        #expect(changeSeeded { $0.poly0.append(0) } == 400)
        #expect(changeSeeded { $0.poly0 = Data(repeating: 255, count: $0.poly0.count) } == 400)
        // What the shards do not need is neither kept nor looked at.
        let size = service.evaluationKeyUsage.byteCount
        #expect(
            status { $0.evaluationKey.galoisKey.keySwitchKeys[.max] = WireSerializedKeySwitchKey() } == 200)
        #expect(service.evaluationKeyUsage.byteCount == size)
    }

    @Test func aKeyInTheRequestIsUsedForItAlone() throws {
        let service = PIRService(usecases: [try usecase()])
        var random = generator("inline key")
        var session = PIRSession(usecase: name)
        _ = try configure(&session, service, using: &random)
        let upload = try session.makeKeyUpload(timestamp: 5, using: &random)
        var request = try session.makeRequests([[1]], using: &random).message.requests[0]
        #expect(status(request, service) == 400)
        request.pirRequest.evaluationKey = upload.keys[0]
        #expect(status(request, service) == 200)
        #expect(service.evaluationKeyUsage.count == 0)
    }

    @Test func aSessionRefusesWhatItCannotUse() throws {
        let service = PIRService(usecases: [try usecase()])
        var random = generator("refused responses")
        var session = PIRSession(usecase: name)
        let response: WireConfigResponse = try send(
            WireCoding.bytes(of: session.configRequest()), to: .config, of: service)
        #expect(throws: WireError.self) { try session.receive(WireConfigResponse(), using: &random) }
        var reuse = response
        reuse.configs[name]?.reuseExistingConfig = true
        #expect(throws: WireError.missing("pir_config")) { try session.receive(reuse, using: &random) }
        var other = response
        other.keyInfo = []
        #expect(throws: WireError.self) { try session.receive(other, using: &random) }
        #expect(session.client == nil)
        #expect(throws: WireError.self) { try session.makeRequests([[1]], using: &random) }
        #expect(throws: WireError.self) { try session.makeKeyUpload(timestamp: 1, using: &random) }
    }

    @Test func noMutationOfAConfigurationMakesAClientTrap() throws {
        let service = PIRService(usecases: [try usecase()])
        var random = generator("damaged configurations")
        let fresh = PIRSession(usecase: name)
        let response: WireConfigResponse = try send(
            WireCoding.bytes(of: fresh.configRequest()), to: .config, of: service)
        forEachMutation(of: WireCoding.bytes(of: response), count: 3_000) { bytes in
            var session = fresh
            guard let damaged = try? WireCoding.message(WireConfigResponse.self, from: bytes),
                (try? session.receive(damaged, using: &random)) != nil
            else { return }
            _ = try? session.makeKeyUpload(timestamp: 1, using: &random)
            _ = try? session.makeRequests([[1, 2, 3]], using: &random)
        }
        // Valid parameters whose plaintexts cannot hold a byte.
        var tiny = response
        tiny.configs[name]?.pirConfig.encryptionParameters.polynomialDegree = 2
        tiny.configs[name]?.pirConfig.encryptionParameters.plaintextModulus = 3
        #expect(throws: DatabaseShapeError.plaintextWithoutBytes) {
            var session = fresh
            _ = try session.receive(tiny, using: &random)
        }
    }

    @Test func everyBodyGetsAnAnswer() throws {
        let service = PIRService(usecases: [try usecase()])
        var random = generator("every body")
        var session = try readySession(service, using: &random)
        let queries = WireCoding.bytes(of: try session.makeRequests([[1], [2]], using: &random).message)
        let config = WireCoding.bytes(of: session.configRequest())
        let keys = WireCoding.bytes(of: try session.makeKeyUpload(timestamp: 9, using: &random))
        let allowed: Set = [200, 400, 404, 410, 501]
        for (endpoint, body) in [(PIRService.Endpoint.config, config), (.key, keys), (.queries, queries)] {
            forEachMutation(of: body, count: 2_000) { bytes in
                let status = service.handle(endpoint, userIdentifier: "user", body: bytes).status
                #expect(allowed.contains(status))
            }
            for length in stride(from: 1, to: body.count, by: max(1, body.count / 100)) {
                let reply = service.handle(endpoint, userIdentifier: "user", body: Array(body.prefix(length)))
                #expect(allowed.contains(reply.status))
            }
            #expect(service.handle(endpoint, userIdentifier: "user", body: [0xff, 0xff]).status == 400)
            let large = [UInt8](repeating: 0, count: WireCoding.maximumBodyByteCount + 1)
            #expect(service.handle(endpoint, userIdentifier: "user", body: large).status == 413)
        }
    }

    @Test func manyThreadsMayAsk() async throws {
        let service = PIRService(usecases: [try usecase()])
        try await withThrowingTaskGroup(of: Void.self) { group in
            for user in 0..<8 {
                group.addTask {
                    var random = generator("user \(user)")
                    let session = try readySession(service, user: "user \(user)", using: &random)
                    for row in 0..<12 {
                        let keyword = Array("host\(row).example/path".utf8)
                        let (pending, message) = try session.makeRequests([keyword], using: &random)
                        let responses: WireResponses = try send(
                            WireCoding.bytes(of: message), to: .queries, of: service, user: "user \(user)")
                        #expect(try session.readResponses(responses, to: pending) == [sampleValue(row, 1)])
                    }
                }
            }
            try await group.waitForAll()
        }
        #expect(service.evaluationKeyUsage.count == 8)
    }
}

/// Messages that a service answers with.
private protocol WireAnswer { static func read(_ bytes: [UInt8]) throws -> Self }

extension WireConfigResponse: WireAnswer {
    fileprivate static func read(_ bytes: [UInt8]) throws -> Self {
        try WireCoding.message(Self.self, from: bytes)
    }
}

extension WireResponses: WireAnswer {
    fileprivate static func read(_ bytes: [UInt8]) throws -> Self {
        try WireCoding.message(Self.self, from: bytes)
    }
}
