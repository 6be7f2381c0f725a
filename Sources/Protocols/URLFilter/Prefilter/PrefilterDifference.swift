import Decoding
import Foundation

/// Bits that differ between two prefilters of one shape, coded for a download: an app that has the older edition makes
/// the newer one of it, and downloads a small part of its size.
///
/// The distances from one such bit to the next are coded with Rice's code (R. F. Rice, JPL publication 79-22, 1979): a
/// quotient by 2ᵇ in unary, then b bits. Bits of a Bloom filter are as good as independent, so the distances are
/// geometric, and b is the best for their mean. Both filters have a checksum in the head, since a prefilter that was
/// made of the wrong edition would let listed URLs through.
package struct PrefilterDifference: Hashable, Sendable {
    package let parameters: BloomParameters
    /// Bits that differ.
    package let flippedCount: Int
    /// The message: head and code.
    package let bytes: [UInt8]

    /// Bytes of the head: mark, version, b, hashCount, a zero, bitCount, murmurSeed, number of bits that differ, and
    /// the checksums of both filters.
    package static let headByteCount = 36
    private static let mark = Array("UFPD".utf8)
    private static let version: UInt8 = 1
    private static let mostRemainderBits = 31

    /// - Parameter old: Of the same shape; an empty one for what a device without a prefilter needs.
    package init(from old: BloomFilter, to new: BloomFilter) throws(PrefilterDifferenceError) {
        guard old.parameters == new.parameters else {
            throw .otherShape(new.parameters, than: old.parameters)
        }
        parameters = new.parameters
        let shape = parameters
        var count = 0
        for (before, after) in zip(old.bytes, new.bytes) { count += (before ^ after).nonzeroBitCount }
        // Bits after the last one of a filter are no part of it.
        count -= Self.strayBits(old, new).nonzeroBitCount
        flippedCount = count
        let remainderBits = Self.remainderBits(share: Double(count) / Double(shape.bitCount))
        var code = BitWriter()
        code.append(Self.mark)
        code.append([Self.version, UInt8(remainderBits), UInt8(shape.hashCount), 0])
        for number in [shape.bitCount, shape.murmurSeed, UInt32(count)] { code.append(number) }
        for filter in [old, new] { Self.checksum(of: filter).forEach { code.append($0) } }
        var previous = -1
        for index in old.bytes.indices {
            var changed = old.bytes[index] ^ new.bytes[index]
            if index == old.bytes.count - 1 { changed ^= Self.strayBits(old, new) }
            while changed != 0 {
                let place = index * 8 + changed.trailingZeroBitCount
                let gap = place - previous - 1
                code.appendOnes(gap >> remainderBits)
                code.append(UInt64(gap), bits: remainderBits)
                previous = place
                changed &= changed &- 1
            }
        }
        bytes = code.finished()
    }

    /// Differing bits of the last byte that lie after the last one of the filter.
    private static func strayBits(_ old: BloomFilter, _ new: BloomFilter) -> UInt8 {
        let used = (Int(old.parameters.bitCount) + 7) % 8 + 1
        guard used < 8, let before = old.bytes.last, let after = new.bytes.last else { return 0 }
        return (before ^ after) & (0xFF << UInt8(used))
    }

    private static func checksum(of filter: BloomFilter) -> [UInt32] {
        var bytes = filter.bytes
        let used = (Int(filter.parameters.bitCount) + 7) % 8 + 1
        if used < 8, let last = bytes.indices.last { bytes[last] &= ~(0xFF << UInt8(used)) }
        let digest = KeyDigest(bytes, murmurSeed: filter.parameters.murmurSeed)
        return [digest.start, digest.step]
    }

    /// Makes the newer prefilter.
    package static func apply(
        _ bytes: [UInt8], to old: BloomFilter
    ) throws(PrefilterDifferenceError) -> BloomFilter {
        var reader = ByteReader(bytes)
        guard let head = reader.take(headByteCount), Array(head.prefix(4)) == mark else {
            throw .noDifference
        }
        guard bytes[4] == version else { throw .unknownVersion(bytes[4]) }
        func number(_ place: Int) -> UInt32 {
            bytes[(headStart + 4 * place)..<(headStart + 4 * place + 4)].reduce(0) { $0 << 8 | UInt32($1) }
        }
        let shape = old.parameters
        guard number(0) == shape.bitCount, number(1) == shape.murmurSeed,
            UInt32(bytes[6]) == shape.hashCount, bytes[7] == 0
        else { throw .ofOtherShape(bitCount: number(0), expected: shape.bitCount) }
        guard checksum(of: old) == [number(3), number(4)] else { throw .otherEdition }
        guard bytes[5] <= mostRemainderBits, number(2) <= shape.bitCount else { throw .damaged }
        var new = old
        var code = BitReader(bytes, from: headByteCount)
        var place = -1
        for _ in 0..<number(2) {
            guard let quotient = code.ones(atMost: Int(shape.bitCount) >> Int(bytes[5])),
                let rest = code.bits(Int(bytes[5]))
            else { throw .damaged }
            place += (quotient << Int(bytes[5])) + Int(rest) + 1
            guard place < Int(shape.bitCount) else { throw .damaged }
            new.bytes[place >> 3] ^= 1 << UInt8(place & 7)
        }
        guard checksum(of: new) == [number(5), number(6)] else { throw .damaged }
        return new
    }

    private static let headStart = 8
}

/// Sizes that are known before a filter is built.
extension PrefilterDifference {
    /// Share of the bits that differ between editions of one shape: those of keys that came or went and of no other.
    ///
    /// - Parameters:
    ///   - kept: Entries of both editions.
    ///   - added: Entries of the newer one alone.
    ///   - removed: Entries of the older one alone.
    package static func flippedShare(
        _ shape: BloomParameters, kept: Double, added: Double, removed: Double
    ) -> Double {
        let perEntry = Double(shape.hashCount) / Double(shape.bitCount)
        return exp(-perEntry * (kept + removed)) * -expm1(-perEntry * added)
            + exp(-perEntry * (kept + added)) * -expm1(-perEntry * removed)
    }

    /// Bytes of a difference in so many of the bits, in the mean.
    package static func byteCount(_ shape: BloomParameters, flippedShare share: Double) -> Double {
        guard share > 0 else { return Double(headByteCount) }
        let each = bitsEach(share: share, remainderBits: remainderBits(share: share))
        return Double(headByteCount) + Double(shape.bitCount) * share * each / 8
    }

    /// Mean bits of a distance with Rice's code, where distances are geometric.
    private static func bitsEach(share: Double, remainderBits: Int) -> Double {
        let reached = exp(pow(2, Double(remainderBits)) * log1p(-min(share, 1 - 1e-12)))
        return Double(remainderBits) + 1 + reached / (1 - reached)
    }

    private static func remainderBits(share: Double) -> Int {
        guard share > 0 else { return 0 }
        return (0...mostRemainderBits).min { left, right in
            bitsEach(share: share, remainderBits: left) < bitsEach(share: share, remainderBits: right)
        } ?? 0
    }
}

/// Why two prefilters have no difference, or one cannot be made of another and a difference.
package enum PrefilterDifferenceError: InputFault, Equatable {
    case otherShape(BloomParameters, than: BloomParameters)
    case noDifference
    case unknownVersion(UInt8)
    case ofOtherShape(bitCount: UInt32, expected: UInt32)
    case otherEdition
    case damaged
}

extension PrefilterDifferenceError: CustomStringConvertible {
    package var description: String {
        switch self {
        case .otherShape(let new, let old):
            "the newer prefilter has \(new.bitCount) bits, \(new.hashCount) hashes and seed \(new.murmurSeed),"
                + " the older one \(old.bitCount), \(old.hashCount) and \(old.murmurSeed); build both with the same"
                + " bit count, hash count and seed"
        case .noDifference: "it is no difference between prefilters: it does not begin with UFPD"
        case .unknownVersion(let version): "it is of version \(version), and this program reads version 1"
        case .ofOtherShape(let bits, let expected):
            "it is for a prefilter of another shape, with \(bits) bits, and this one has \(expected)"
        case .otherEdition: "it was made for another edition than this prefilter; fetch the whole one"
        case .damaged: "it is damaged; fetch it again, or the whole prefilter"
        }
    }
}
