import Foundation
import HomomorphicEncryption
import PrivateInformationRetrieval
import Testing

/// Bodies whose work is out of proportion to their length.
struct PIRServiceLimitTests {
    private let usecase: PIRUsecase
    private let service: PIRService

    init() throws {
        var configuration = try ProcessConfiguration.named("insecure_n_8_logq_5x18_logt_5")
        configuration.cuckooTable.maxSerializedBucketSize = 24
        usecase = try DatabaseProcessor(configuration).usecase(named: "a", rows: sampleRows(12))
        service = PIRService(usecases: [usecase])
    }

    private func reply(_ endpoint: PIRService.Endpoint, _ body: [UInt8]) -> (status: Int, text: String) {
        let reply = service.handle(endpoint, userIdentifier: "user", body: body)
        return (reply.status, String(decoding: reply.body, as: UTF8.self))
    }

    @Test func aUsecaseIsNotAskedForAgainAndAgain() throws {
        var request = WireConfigRequest()
        request.usecases = Array(repeating: "a", count: 2)
        let twice = reply(.config, WireCoding.bytes(of: request))
        #expect(twice.status == 400 && twice.text.contains("2 entries"))
        // 280,000 names took 24 CPU seconds and made an answer of 11 MB.
        request.usecases = Array(repeating: "a", count: 280_000)
        #expect(reply(.config, WireCoding.bytes(of: request)).status == 413)
        request.usecases = ["a"]
        #expect(reply(.config, WireCoding.bytes(of: request)).status == 200)
    }

    @Test func aRequestHasAsManyQuestionsAsAURLHasStrings() throws {
        var session = PIRSession(usecase: "a")
        var random = generator("questions")
        let config = service.handle(
            .config, userIdentifier: "user", body: WireCoding.bytes(of: session.configRequest()))
        _ = try session.receive(
            WireCoding.message(WireConfigResponse.self, from: config.body), using: &random)
        let upload = try session.makeKeyUpload(timestamp: 1, using: &random)
        #expect(reply(.key, WireCoding.bytes(of: upload)).status == 200)
        let keywords = (0..<PIRService.questionLimit).map { Array("host\($0).example/path".utf8) }
        var message = try session.makeRequests(keywords, using: &random).message
        #expect(reply(.queries, WireCoding.bytes(of: message)).status == 200)
        message.requests.append(message.requests[0])
        #expect(reply(.queries, WireCoding.bytes(of: message)).status == 413)
    }

    /// Two bytes each on the wire, on all levels.
    @Test func messagesOfNothingAreCountedBeforeTheyAreMade() throws {
        /// A field with a length: number, then what is in it.
        func field(_ number: UInt8, _ content: [UInt8]) -> [UInt8] {
            var length = content.count
            var bytes = [number << 3 | 2]
            repeat {
                bytes.append(UInt8(length & 0x7F) | (length > 0x7F ? 0x80 : 0))
                length >>= 7
            } while length > 0
            return bytes + content
        }
        let empty = Array(repeating: field(1, []), count: 100_000).flatMap { $0 }
        let emptySeconds = Array(repeating: field(2, []), count: 100_000).flatMap { $0 }
        for body in [
            empty, field(1, emptySeconds), field(1, field(2, field(2, empty))),
            field(1, field(2, field(6, field(2, field(1, empty))))),
            field(1, field(2, field(6, field(2, field(1, field(1, field(2, field(1, empty)))))))),
        ] {
            #expect(reply(.queries, body).status == 413)
        }
        for body in [
            empty, field(1, field(2, field(1, empty))),
            field(1, field(2, field(2, field(1, field(1, empty))))),
        ] {
            #expect(reply(.key, body).status == 413)
        }
        #expect(reply(.config, Array(empty.prefix(60_000))).status == 413)
        // A group, which the counter does not follow, is no way round it.
        #expect(reply(.queries, [0x1B, 0x1C] + empty).status == 400)
    }

    @Test func thereIsOneKeyForEachConfiguration() throws {
        var session = PIRSession(usecase: "a")
        var random = generator("keys")
        let config = service.handle(
            .config, userIdentifier: "user", body: WireCoding.bytes(of: session.configRequest()))
        _ = try session.receive(
            WireCoding.message(WireConfigResponse.self, from: config.body), using: &random)
        var upload = try session.makeKeyUpload(timestamp: 1, using: &random)
        upload.keys.append(upload.keys[0])
        let refused = reply(.key, WireCoding.bytes(of: upload))
        #expect(refused.status == 400 && refused.text.contains("2 entries"))
    }

    /// What nobody knows is not stored: a key takes no more room than the one that was asked for.
    @Test func unknownFieldsAreNotKept() throws {
        final class Store: EvaluationKeyStore {
            nonisolated(unsafe) var messages: [[UInt8]] = []
            let forms: Set<EvaluationKeyForm> = [.bytes]
            var usage: (count: Int?, byteCount: Int) { (messages.count, 0) }
            var droppedCount: Int { 0 }
            func timestamp(of _: EvaluationKeyName) -> UInt64? { nil }
            func key(
                _: EvaluationKeyName, reading _: ([UInt8]) throws -> EvaluationKey
            ) -> EvaluationKey? { nil }
            func store(_ key: StoredEvaluationKey, as _: EvaluationKeyName) { messages.append(key.message) }
            func removeAll() {}
        }
        let store = Store()
        let service = PIRService(usecases: [usecase], keys: store)
        var session = PIRSession(usecase: "a")
        var random = generator("unknown fields")
        let config = service.handle(
            .config, userIdentifier: "user", body: WireCoding.bytes(of: session.configRequest()))
        _ = try session.receive(
            WireCoding.message(WireConfigResponse.self, from: config.body), using: &random)
        var upload = try session.makeKeyUpload(timestamp: 1, using: &random)
        for padding in [0, 100_000] {
            var key = WireCoding.bytes(of: upload.keys[0].evaluationKey)
            // Number 15, 100,000 bytes.
            if padding > 0 { key += [0x7A, 0xA0, 0x8D, 0x06] + Array(repeating: 7, count: padding) }
            upload.keys[0].evaluationKey = try WireCoding.message(
                WireSerializedEvaluationKey.self, from: key)
            let body = WireCoding.bytes(of: upload)
            #expect(body.count > padding)
            #expect(service.handle(.key, userIdentifier: "user", body: body).status == 200)
        }
        #expect(store.messages.count == 2 && store.messages[0] == store.messages[1])
    }
}
