import ObliviousHTTP
import Parties
import PrivateInformationRetrieval
import SwiftProtobuf

/// Requests that pay with one token and would cost as much as thousands.
enum AmplificationAttacks: AttackFamily {
    /// Each request is made so often: one alone costs no more than the clock of the kernel is wrong by.
    private static let requestCount = 3

    static let attacks = [
        attack("config", "/config that names the use case 280 000 times") { _ in
            var message = WireConfigRequest()
            message.usecases = [PIRDatabase.usecaseName]
            return Body(path: "/config", content: repeated(message, 280_000))
        },
        attack("empty-queries", "/queries with up to 88 000 questions that ask nothing") { device in
            var message = try device.lookup(of: "listed1.example")
            message.requests[0].pirRequest.clearQuery()
            return Body(path: "/queries", content: repeated(message, 88_000))
        },
        attack("queries", "/queries with as many real questions as fit, up to 369") { device in
            Body(path: "/queries", content: repeated(try device.lookup(of: "listed1.example"), 369))
        },
        attack("report", "/report with half a million empty strings") { _ in
            // A URLFilterReport is repeated strings with number 1.
            Body(path: "/report", content: Array(repeatElement([0x0A, 0x00], count: 500_000).joined()))
        },
        attack("report-json", "/report with 340 000 empty strings as JSON") { _ in
            let text = "[\"\"" + String(repeating: ",\"\"", count: 339_999) + "]"
            return Body(path: "/report", content: Array(text.utf8), mediaType: "application/json")
        },
        attack("keys", "/key with as many real evaluation keys as fit") { device in
            Body(path: "/key", content: repeated(try device.keyUpload(), 1_000))
        },
        attack("galois-keys", "/key with 200 000 empty Galois keys besides the real ones") { device in
            var message = try device.keyUpload()
            var keys = message.keys[0].evaluationKey.galoisKey.keySwitchKeys
            for number in 0..<200_000 where keys[UInt64(2 * number + 1)] == nil {
                keys[UInt64(2 * number + 1)] = WireSerializedKeySwitchKey()
            }
            message.keys[0].evaluationKey.galoisKey.keySwitchKeys = keys
            return Body(path: "/key", content: WireCoding.bytes(of: message))
        },
    ]

    private struct Body {
        var path: String
        var content: [UInt8]
        var mediaType = "application/octet-stream"
    }

    private static func attack(
        _ name: String, _ summary: String, _ make: @escaping @Sendable (inout AttackDevice) throws -> Body
    ) -> Attack {
        // A device may ask for all strings of one URL at once.
        Attack(
            name: "amplification.\(name)", summary: "one token each for \(requestCount) \(summary)",
            limits: AttackLimits(cost: .perRequest(20))
        ) { target in
            var device = AttackDevice(target, pseudonym: name)
            try device.settle(tokens: requestCount)
            let body = try make(&device)
            for number in 0..<requestCount where number == 0 || !target.isOver {
                var request = try device.request(body.path, body.content)
                request.fields.append(.init("content-type", body.mediaType))
                target.log.tried(byteCount: request.content.count)
                let answer = device.send(request)
                target.log.answered(answer.map { "\($0.status)" } ?? "none")
                if let answer, answer.content.count > answerByteLimit {
                    target.log.problem("the answer has \(Text.bytes(answer.content.count))")
                }
            }
        }
    }

    /// Longest answer that one token is worth, bytes.
    private static let answerByteLimit = 4 << 20

    /// A message whose repeated fields are there so many times, or as often as a body may hold them: protobuf takes
    /// messages one behind the other for one.
    private static func repeated(_ message: some SwiftProtobuf.Message, _ count: Int) -> [UInt8] {
        let bytes = WireCoding.bytes(of: message)
        return Array(
            repeatElement(bytes, count: min(count, WireCoding.maximumBodyByteCount / bytes.count)).joined())
    }
}
