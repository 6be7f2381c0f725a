import TestSupport
import Testing
import URLFilter

/// Values of article "Device", section "Prefilter".
@Suite struct KeyDigestTests {
    @Test(
        "FNV-1a equals the published values",
        arguments: [("", 0x811c_9dc5), ("a", 0xe40c_292c), ("foobar", 0xbf9c_f968)] as [(String, UInt32)])
    func fnv(text: String, expected: UInt32) {
        #expect(KeyDigest(text, murmurSeed: 1).start == expected)
    }

    @Test(
        "MurmurHash3 equals the published values",
        arguments: [("", 0, 0), ("", 1, 0x514e_28b7), ("Hello, world!", 0x9747_b28c, 0x2488_4cba)]
            as [(String, UInt32, UInt32)])
    func murmur(text: String, seed: UInt32, expected: UInt32) {
        #expect(KeyDigest(text, murmurSeed: seed).step == expected)
    }

    @Test(
        "keys hash as on Apple's devices",
        arguments: [
            ("example.com", 0x431c_eb26, 0x45ff_c2de, 0xe157_fbca),
            ("example2.com", 0xcdc1_e9de, 0xee61_81ae, 0x6987_a94e),
            ("example10.com/resource?query=bugs", 0x959c_c699, 0xeebd_7b48, 0x89a9_e58d),
            ("www.apple.com/url-filter-test", 0x5257_1b77, 0xcafa_f5ed, 0x41ca_c64c),
        ] as [(String, UInt32, UInt32, UInt32)])
    func keys(key: String, start: UInt32, step: UInt32, stepOfOtherSeed: UInt32) {
        #expect(KeyDigest(key, murmurSeed: 1_267_652_889) == KeyDigest(start: start, step: step))
        #expect(KeyDigest(key, murmurSeed: 624_656_550) == KeyDigest(start: start, step: stepOfOtherSeed))
    }

    @Test func allByteFormsOfAKeyHashAlikeAndLikeTheReference() {
        var random = SplitMix(seed: 1)
        for length in 0..<200 {
            let key = random.bytes(length)
            let seed = UInt32.random(in: 0 ... .max, using: &random)
            let digest = KeyDigest(key, murmurSeed: seed)
            #expect(digest.start == ReferenceBloom.fnv1a(key))
            #expect(digest.step == ReferenceBloom.murmur3(key, seed: seed))
            #expect(KeyDigest((key + key)[length...], murmurSeed: seed) == digest)
            #expect(key.withUnsafeBufferPointer { KeyDigest($0, murmurSeed: seed) } == digest)
        }
    }
}
