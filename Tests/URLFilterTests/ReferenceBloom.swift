/// A second implementation of the prefilter, slow and spelled out, with the mistakes that are easy to make.
struct ReferenceBloom {
    enum Mistake: CaseIterable {
        /// Positions are computed with more than 32 bits.
        case noWrap
        /// FNV-1: multiply, then XOR.
        case multiplyFirst
        case swappedHashes
        case mostSignificantBitFirst
    }

    let bitCount: Int
    let hashCount: Int
    let seed: UInt32
    var mistake: Mistake?
    private(set) var bits: [Bool]

    init(bitCount: Int, hashCount: Int, seed: UInt32, mistake: Mistake? = nil) {
        self.bitCount = bitCount
        self.hashCount = hashCount
        self.seed = seed
        self.mistake = mistake
        bits = Array(repeating: false, count: bitCount)
    }

    mutating func insert(_ key: [UInt8]) {
        for position in positions(of: key) { bits[position] = true }
    }

    func contains(_ key: [UInt8]) -> Bool {
        positions(of: key).allSatisfy { bits[$0] }
    }

    func positions(of key: [UInt8]) -> [Int] {
        var h1 = UInt64(mistake == .multiplyFirst ? Self.fnv1(key) : Self.fnv1a(key))
        var h2 = UInt64(Self.murmur3(key, seed: seed))
        if mistake == .swappedHashes { swap(&h1, &h2) }
        return (0..<UInt64(hashCount)).map { index in
            let sum = h1 + index * h2
            return Int((mistake == .noWrap ? sum : sum % 0x1_0000_0000) % UInt64(bitCount))
        }
    }

    var bytes: [UInt8] {
        var bytes = [UInt8](repeating: 0, count: (bitCount + 7) / 8)
        for (index, bit) in bits.enumerated() where bit {
            bytes[index / 8] += mistake == .mostSignificantBitFirst ? 128 >> (index % 8) : 1 << (index % 8)
        }
        return bytes
    }

    static func fnv1a(_ key: [UInt8]) -> UInt32 {
        key.reduce(2_166_136_261) { ($0 ^ UInt32($1)) &* 16_777_619 }
    }

    static func fnv1(_ key: [UInt8]) -> UInt32 {
        key.reduce(2_166_136_261) { $0 &* 16_777_619 ^ UInt32($1) }
    }

    static func murmur3(_ key: [UInt8], seed: UInt32) -> UInt32 {
        func rotated(_ x: UInt32, by count: UInt32) -> UInt32 { (x << count) + (x >> (32 - count)) }
        func mixed(_ block: [UInt8]) -> UInt32 {
            let value = block.enumerated().reduce(UInt32(0)) { $0 + UInt32($1.element) << (8 * $1.offset) }
            return rotated(value &* 0xcc9e_2d51, by: 15) &* 0x1b87_3593
        }
        var hash = seed
        var rest = key
        while rest.count >= 4 {
            hash = rotated(hash ^ mixed(Array(rest.prefix(4))), by: 13) &* 5 &+ 0xe654_6b64
            rest.removeFirst(4)
        }
        if !rest.isEmpty { hash ^= mixed(rest) }
        hash ^= UInt32(key.count)
        hash ^= hash >> 16
        hash = hash &* 0x85eb_ca6b
        hash ^= hash >> 13
        hash = hash &* 0xc2b2_ae35
        return hash ^ (hash >> 16)
    }
}
