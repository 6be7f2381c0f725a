import ObliviousHTTP
import TestSupport
import Testing

struct OHTTPKeyConfigurationTests {
    @Test func listsOfTheVectorFileAreReadAndWritten() throws {
        let lists = try OHTTPVectors.all.get().keyConfigLists
        #expect(lists.count { $0.decoded != nil } == 3)
        for list in lists {
            guard let expected = list.decoded else { continue }
            let decoded = try OHTTPKeyConfiguration.decodeList(list.hex.bytes)
            #expect(decoded.map(\.keyID) == expected.map(\.keyId), "\(list.name)")
            #expect(decoded.map(\.kemID) == expected.map(\.kemId), "\(list.name)")
            #expect(decoded.map(\.publicKey) == expected.map(\.publicKey.bytes), "\(list.name)")
            #expect(
                decoded.map { $0.symmetric.map { [$0.kdf, $0.aead] } } == expected.map(\.symmetric),
                "\(list.name)")
            #expect(OHTTPKeyConfiguration.encodeList(decoded) == list.hex.bytes, "\(list.name)")
        }
    }

    @Test func oneErrorDiscardsTheWholeList() throws {
        let invalid = try OHTTPVectors.all.get().keyConfigLists.filter { $0.decoded == nil }
        #expect(invalid.count == 7)
        for list in invalid {
            #expect(throws: OHTTPKeyConfigurationError.self, "\(list.name)") {
                try OHTTPKeyConfiguration.decodeList(list.hex.bytes)
            }
        }
    }

    private func x25519(pairs: Int) throws -> OHTTPKeyConfiguration {
        try OHTTPKeyConfiguration(
            keyID: 1, kemID: 0x0020, publicKey: Array(repeating: 9, count: 32),
            symmetric: Array(repeating: .aes128GCM, count: pairs))
    }

    /// The sizes in article "Transport", section "Sizes".
    @Test func sizesAreThePublishedOnes() throws {
        #expect(try x25519(pairs: 2).encoded.count == 45)
        #expect(try x25519(pairs: 3).byteCount == 49)
        #expect(try OHTTPKeyConfiguration.encodeList([x25519(pairs: 2)]).count == 47)
    }

    @Test func theLongestListOfPairsFits() throws {
        let longest = try x25519(pairs: OHTTPKeyConfiguration.maximumSymmetricCount)
        #expect(try OHTTPKeyConfiguration(decoding: longest.encoded) == longest)
        #expect(throws: OHTTPKeyConfigurationError.self) { try x25519(pairs: 16_384) }
        let none = #expect(throws: OHTTPKeyConfigurationError.self) { try x25519(pairs: 0) }
        #expect(none?.problem == .symmetricLength(0))
    }

    @Test func aKeyOfAnotherMechanismIsReadAndNotUsed() throws {
        let configuration = try OHTTPKeyConfiguration(
            keyID: 3, kemID: 0x647A, publicKey: Array(repeating: 1, count: 1216), symmetric: [.aes128GCM])
        let list = OHTTPKeyConfiguration.encodeList([configuration, try x25519(pairs: 1)])
        #expect(try OHTTPKeyConfiguration.decodeList(list).count == 2)
        #expect(throws: OHTTPError.noUsableSuite(kem: 0x647A)) {
            try OHTTPClient(configuration: configuration)
        }
    }

    @Test func errorsSayWhatAndWhere() throws {
        let error = #expect(throws: OHTTPKeyConfigurationError.self) {
            try OHTTPKeyConfiguration.decodeList([0, 3, 1, 0x99, 0x99])
        }
        #expect(error?.problem == .unknownKEM(0x9999))
        #expect(error?.offset == 3)
        #expect(
            error?.description
                == "byte 3: the key encapsulation mechanism is 39321; its key length is not known")
    }

    @Test func damagedListsAreRefusedOrReadAsSomethingThatCanBeWritten() throws {
        let list = try #require(
            try OHTTPVectors.all.get().keyConfigLists.first { $0.name == "three-with-p256" })
        let bytes = list.hex.bytes
        let readable = Damage.truncations(of: bytes).compactMap { try? OHTTPKeyConfiguration.decodeList($0) }
        #expect(readable.map(\.count) == [1, 2])
        for damaged in Damage.mutations(of: bytes, count: 20_000, seed: 9458) {
            if let decoded = try? OHTTPKeyConfiguration.decodeList(damaged) {
                #expect(OHTTPKeyConfiguration.encodeList(decoded) == damaged)
            }
        }
    }
}
