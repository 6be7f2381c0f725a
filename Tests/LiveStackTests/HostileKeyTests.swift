import Foundation
import LiveStack
import ObliviousHTTP
import Parties
import PrivateInformationRetrieval
import Testing

/// Evaluation keys that are not what the server asked for, and more of them than there is room.
struct HostileKeyTests {
    /// The key upload of a device, changed. Takes one of its tokens.
    private static func upload(
        _ device: inout TestDevice, _ change: (inout WireEvaluationKey) throws -> Void
    ) throws -> BinaryHTTPRequest {
        var random = SystemRandomNumberGenerator()
        var (request, _) = try device.withClient { try $0.keyRequest(second: 1, using: &random) }
        var message = try WireCoding.message(WireEvaluationKeys.self, from: request.content)
        try change(&message.keys[0])
        request.content = WireCoding.bytes(of: message)
        return request
    }

    @Test func keysOfTheWrongShapeAreRefusedWhenTheyAreUploaded() async throws {
        try await Neighbourhood.withDevice(tokens: 20) { stack, device async throws in
            func status(_ change: (inout WireEvaluationKey) throws -> Void) async throws -> Int {
                let request = try Self.upload(&device, change)
                return try await device.send(request).status
            }
            func changeEach(
                _ change: @escaping (inout WireSerializedCiphertextVec) -> Void
            ) -> (inout WireEvaluationKey) -> Void {
                return { key in
                    for element in key.evaluationKey.galoisKey.keySwitchKeys.keys {
                        var vector =
                            key.evaluationKey.galoisKey.keySwitchKeys[element]?.keySwitchKey ?? .init()
                        change(&vector)
                        key.evaluationKey.galoisKey.keySwitchKeys[element]?.keySwitchKey = vector
                    }
                }
            }
            // Every message below can be decoded.
            #expect(try await status { $0.evaluationKey.galoisKey.keySwitchKeys.removeAll() } == 400)
            #expect(try await status { $0.evaluationKey.clearRelinKey() } == 400)
            #expect(try await status(changeEach { $0.ciphertexts.removeLast() }) == 400)
            #expect(try await status(changeEach { $0.ciphertexts.append($0.ciphertexts[0]) }) == 400)
            #expect(try await status(changeEach { $0.ciphertexts[0].seeded.seed.removeLast() }) == 400)
            #expect(try await status(changeEach { $0.ciphertexts[0].seeded.poly0.removeLast(2) }) == 400)
            #expect(try await status(changeEach { $0.ciphertexts[0].seeded.poly0.append(0) }) == 400)
            // Residues that are no residues: all bits set is more than any modulus.
            #expect(
                try await status(
                    changeEach {
                        let count = $0.ciphertexts[0].seeded.poly0.count
                        $0.ciphertexts[0].seeded.poly0 = Data(repeating: 255, count: count)
                    }) == 400)
            // The elements of the Galois group that are there are not the ones that are needed.
            #expect(
                try await status { key in
                    let keys = key.evaluationKey.galoisKey.keySwitchKeys
                    key.evaluationKey.galoisKey.keySwitchKeys = Dictionary(
                        uniqueKeysWithValues: keys.map { ($0.key &* 2 + 1, $0.value) })
                } == 400)
            #expect(try await status { _ in } == 200)
        }
    }

    @Test(arguments: ["n_8192_logq_3x55_logt_24", "n_4096_logq_16_33_33_logt_4"])
    func keysForOtherParametersAreRefused(parameters: String) async throws {
        let otherData = try LiveData(
            list: Fixture.entries.map { Array($0.utf8)[...] }, usecase: PIRDatabase.usecaseName,
            rlweParameters: parameters, shardCount: 2, seed: 1)
        let identifier = Data(
            Fixture.data.versions[0].usecase.configuration.evaluationKeyIdentifier)
        try await Neighbourhood.withDevice(tokens: 3) { _, device async throws in
            try await Fixture.withStack(load: { otherData }) { other async throws in
                var stranger = try TestDevice(directTo: other.url, data: otherData)
                try await stranger.settle(tokens: 1)
                // As it is: a configuration nobody has here. Under our name: other moduli, another ring.
                let foreign = try Self.upload(&stranger) { _ in }
                #expect(try await device.spend(on: "/key", foreign.content).status == 400)
                try await stranger.fetchTokens(1)
                let disguised = try Self.upload(&stranger) { $0.metadata.identifier = identifier }
                #expect(try await device.spend(on: "/key", disguised.content).status == 400)
            }
        }
    }

    /// Such a key is as good as random to the server; who asks with it gets an answer that means nothing.
    @Test func aKeyThatFitsAndIsNonsenseHarmsOnlyItsOwner() async throws {
        try await Neighbourhood.withDevice(tokens: 2) { _, device async throws in
            let mixed = try Self.upload(&device) { key in
                let keys = key.evaluationKey.galoisKey.keySwitchKeys
                let elements = keys.keys.sorted()
                for (element, other) in zip(elements, elements.dropFirst() + elements.prefix(1)) {
                    key.evaluationKey.galoisKey.keySwitchKeys[element] = keys[other]
                }
            }
            #expect(try await device.send(mixed).status == 200)
            var random = SystemRandomNumberGenerator()
            let (request, _) = try device.withClient {
                try $0.queriesRequest([Array("blocked1.example".utf8)], using: &random)
            }
            #expect(try await device.send(request).status == 200)
        }
    }

    @Test(arguments: [true, false])
    func aFloodOfKeysTakesNoMoreThanItsRoom(inFile: Bool) async throws {
        try await Fixture.withStateFile { path in
            var options = Fixture.options
            options.statePath = inFile ? path : nil
            // Room for three: a quarter of a megabyte in the file, some 600 kB in memory.
            options.keyStorageByteCount = inFile ? 800_000 : 2_000_000
            try await Fixture.withStack(options) { stack async throws in
                func storedKeys() async throws -> Int {
                    let page = try await Wire.get("/metrics", stack.url).content
                    let line = String(decoding: page, as: UTF8.self).split(separator: "\n")
                        .first { $0.hasPrefix("urlfilter_evaluation_keys ") }
                    return line.flatMap { Int($0.dropFirst("urlfilter_evaluation_keys ".count)) } ?? -1
                }
                var first = try TestDevice(number: 0, directTo: stack.url)
                try await first.settle(tokens: 2)
                // The same name again and again takes no more room.
                try await first.fetchTokens(4)
                for _ in 0..<4 {
                    let upload = try Self.upload(&first) { _ in }
                    #expect(try await first.send(upload).status == 200)
                }
                #expect(try await storedKeys() == 1)
                for number in 1...6 {
                    var device = try TestDevice(number: number, directTo: stack.url)
                    try await device.settle(tokens: 1)
                    #expect(try await device.look(up: ["blocked1.example"]) == [true])
                    #expect(try await storedKeys() == min(number + 1, 3))
                }
                // Whoever was there first has to come again, and is told so.
                await #expect(throws: Refused(status: 400, text: "Evaluation key not found")) {
                    try await first.look(up: ["blocked1.example"])
                }
                guard
                    case .keyUploadNeeded(true) = try await first.exchange({ try $0.configRequest() })
                else {
                    Issue.record("the device is not told to upload its key")
                    return
                }
                try await first.fetchTokens(2)
                var random = SystemRandomNumberGenerator()
                try await first.exchange { try $0.keyRequest(second: 2, using: &random) }
                #expect(try await first.look(up: ["blocked1.example"]) == [true])
                #expect(try await storedKeys() == 3)
            }
        }
    }
}
