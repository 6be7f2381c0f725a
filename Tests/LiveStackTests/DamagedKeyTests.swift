import Foundation
import LiveStack
import ObliviousHTTP
import Parties
import PrivateInformationRetrieval
import Testing

/// One wrong bit in an uploaded evaluation key: where it is noticed, and that it never makes a wrong answer.
struct DamagedKeyTests {
    private enum Outcome: Hashable {
        /// The server refuses the upload.
        case refused
        /// The server takes it, and the device cannot read the answer to its next lookup.
        case noticed
        case rightAnswer, wrongAnswer
    }

    private static func outcome(
        _ device: inout TestDevice, _ damage: (inout [UInt8]) throws -> Void
    ) async throws -> Outcome {
        try await device.fetchTokens(2)
        var random = SystemRandomNumberGenerator()
        do {
            try await device.exchange { client in
                var (request, pending) = try client.keyRequest(second: 1, using: &random)
                try damage(&request.content)
                return (request, pending)
            }
        } catch is Refused {
            return .refused
        }
        do {
            let answer = try await device.look(up: ["blocked1.example", "a.example"])
            return answer == [true, false] ? .rightAnswer : .wrongAnswer
        } catch is Refused {
            return .refused
        } catch {
            return .noticed
        }
    }

    /// Damage to a part of the message.
    private static func outcome(
        _ device: inout TestDevice, in change: (inout WireEvaluationKey) throws -> Void
    ) async throws -> Outcome {
        try await outcome(&device) { content in
            var message = try WireCoding.message(WireEvaluationKeys.self, from: content)
            try change(&message.keys[0])
            content = WireCoding.bytes(of: message)
        }
    }

    /// Damage to the first ciphertext of the key for one Galois element.
    private static func outcome(
        _ device: inout TestDevice, inCiphertext change: (inout WireSerializedSeededCiphertext) -> Void
    ) async throws -> Outcome {
        try await outcome(
            &device,
            in: { key in
                let elements = key.evaluationKey.galoisKey.keySwitchKeys
                let element = try #require(elements.keys.sorted().first)
                var vector = try #require(elements[element]).keySwitchKey
                change(&vector.ciphertexts[0].seeded)
                key.evaluationKey.galoisKey.keySwitchKeys[element]?.keySwitchKey = vector
            })
    }

    @Test func aWrongBitIsRefusedOrNoticedOrHarmless() async throws {
        try await Fixture.withStack { stack async throws in
            var device = try TestDevice(directTo: stack.url)
            try await device.settle(tokens: 1)
            // What has a meaning is checked when it is uploaded.
            #expect(try await Self.outcome(&device, in: { $0.metadata.identifier[0] ^= 1 }) == .refused)
            #expect(
                try await Self.outcome(
                    &device,
                    in: { key in
                        let keys = key.evaluationKey.galoisKey.keySwitchKeys
                        let first = try #require(keys.keys.sorted().first)
                        key.evaluationKey.galoisKey.keySwitchKeys[first ^ 2] = keys[first]
                        key.evaluationKey.galoisKey.keySwitchKeys[first] = nil
                    }) == .refused)
            // A wrong date makes the device upload again, some time.
            #expect(try await Self.outcome(&device, in: { $0.metadata.timestamp ^= 1 }) == .rightAnswer)
            // Seed and polynomials look random, with a wrong bit as well.
            #expect(try await Self.outcome(&device, inCiphertext: { $0.seed[0] ^= 1 }) == .noticed)
            for (place, bit) in [(0, 0), (1_000, 3), (-1, 0)] as [(Int, UInt8)] {
                #expect(
                    try await Self.outcome(
                        &device,
                        inCiphertext: {
                            let index = place < 0 ? $0.poly0.index(before: $0.poly0.endIndex) : place
                            $0.poly0[index] ^= 1 << bit
                        }) == .noticed)
            }
            // Anywhere.
            var outcomes: [Outcome: Int] = [:]
            for number in 0..<24 {
                let outcome = try await Self.outcome(&device) { content in
                    content[(number * 7_919_003 + 5) % content.count] ^= 1 << UInt8(number % 8)
                }
                outcomes[outcome, default: 0] += 1
            }
            #expect(outcomes[.wrongAnswer] == nil, "\(outcomes)")
            #expect(outcomes[.noticed, default: 0] > 12, "\(outcomes)")
        }
    }
}
