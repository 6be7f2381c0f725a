import RandomStreams

/// Damages good inputs in the ways in which decoders go wrong: bits, lengths, ends, repetitions, mixtures.
struct Mutator {
    /// Numbers that programs stumble over.
    private static let numbers: [UInt64] = [
        0, 1, 2, 0x7F, 0x80, 0xFF, 0x100, 0x7FFF, 0x8000, 0xFFFF, 0x1_0000, 0x7FFF_FFFF, 0x8000_0000,
        0xFFFF_FFFF, 0x1_0000_0000, 0x3FFF_FFFF_FFFF_FFFF, 0x7FFF_FFFF_FFFF_FFFF, 0x8000_0000_0000_0000, .max,
    ]

    /// The same as people write them, and what is no number.
    private static let numerals = [
        "0", "-1", "00", "1e999", "-0.0", "9223372036854775807", "9223372036854775808",
        "18446744073709551616", "4294967296", "0x10", "NaN", "1.", ".5", "1e-400",
        "99999999999999999999999999999999999999999",
    ].map { Array($0.utf8) }

    /// Longest case, in bytes: repetitions must not grow without end.
    private static let limit = 1 << 20

    let seeds: [[UInt8]]
    let words: [[UInt8]]
    let grammar: (any Grammar.Type)?

    func damaged(using stream: inout RandomStream) -> [UInt8] {
        var bytes = seeds[stream.index(below: seeds.count)]
        if let grammar, stream.once(in: 2) {
            let other = seeds[stream.index(below: seeds.count)]
            if let varied = grammar.varied(bytes, other, &stream) {
                bytes = varied
                // Mostly left alone: what is well-formed gets deepest.
                if stream.once(in: 8) { damage(&bytes, &stream) }
                return bytes
            }
        }
        // One damage mostly, for one is found by no other's check.
        repeat { damage(&bytes, &stream) } while stream.index(below: 3) == 0
        return bytes
    }

    private func damage(_ bytes: inout [UInt8], _ stream: inout RandomStream) {
        let place = stream.index(below: bytes.count + 1)
        let end = min(bytes.count, place + 1 + stream.index(below: stream.index(below: 4) == 0 ? 200 : 8))
        switch stream.index(below: 13) {
        case 0: if place < bytes.count { bytes[place] ^= 1 << UInt8(stream.index(below: 8)) }
        case 1: if place < bytes.count { bytes[place] = UInt8(truncatingIfNeeded: stream.next()) }
        case 2: bytes.removeSubrange(place...)
        case 3: bytes.removeSubrange(place..<end)
        case 4: repeatPart(place..<end, of: &bytes, &stream)
        case 5:
            bytes.insert(
                contentsOf: (0..<end - place).map { _ in UInt8(truncatingIfNeeded: stream.next()) }, at: place
            )
        case 6:
            // The end of another seed.
            let other = seeds[stream.index(below: seeds.count)]
            bytes.replaceSubrange(place..., with: other[stream.index(below: other.count + 1)...])
        case 7, 8: overwriteNumber(at: place, in: &bytes, &stream)
        case 9: overwriteVarint(at: place, in: &bytes, &stream)
        case 10: overwriteNumeral(near: place, in: &bytes, &stream)
        case 11: insertWord(at: place, in: &bytes, &stream)
        default: swapParts(place..<end, of: &bytes, &stream)
        }
    }

    private func repeatPart(_ part: Range<Int>, of bytes: inout [UInt8], _ stream: inout RandomStream) {
        let count = stream.index(below: 20) == 0 ? 1 << stream.index(below: 12) : 1
        guard bytes.count + part.count * count <= Self.limit else { return }
        let copy = bytes[part]
        bytes.insert(contentsOf: repeatElement(copy, count: count).joined(), at: part.lowerBound)
    }

    /// A number of 1, 2, 4 or 8 bytes, either end first: lengths and counts of binary formats.
    private func overwriteNumber(at place: Int, in bytes: inout [UInt8], _ stream: inout RandomStream) {
        let width = 1 << stream.index(below: 4)
        guard place + width <= bytes.count else { return }
        let number = Self.numbers[stream.index(below: Self.numbers.count)]
        let isBigEndian = stream.index(below: 2) == 0
        for index in 0..<width {
            let shift = 8 * (isBigEndian ? width - 1 - index : index)
            bytes[place + index] = UInt8(truncatingIfNeeded: number >> UInt64(shift))
        }
    }

    /// A number of protobuf, or of RFC 9000, in place of one byte: lengths get longer than what is there.
    private func overwriteVarint(at place: Int, in bytes: inout [UInt8], _ stream: inout RandomStream) {
        guard place < bytes.count else { return }
        var rest = Self.numbers[stream.index(below: Self.numbers.count)]
        var varint: [UInt8] = []
        if stream.index(below: 2) == 0 {
            while rest >= 0x80 {
                varint.append(UInt8(truncatingIfNeeded: rest) | 0x80)
                rest >>= 7
            }
            varint.append(UInt8(rest))
        } else {
            varint = (0..<8).map { UInt8(truncatingIfNeeded: rest >> UInt64(56 - 8 * $0)) }
            varint[0] |= 0xC0
        }
        bytes.replaceSubrange(place...place, with: varint)
    }

    /// Another number in place of the digits that come next.
    private func overwriteNumeral(near place: Int, in bytes: inout [UInt8], _ stream: inout RandomStream) {
        let digits = UInt8(ascii: "0")...UInt8(ascii: "9")
        guard let start = bytes[place...].firstIndex(where: digits.contains) else { return }
        let end = bytes[start...].firstIndex { !digits.contains($0) } ?? bytes.count
        bytes.replaceSubrange(start..<end, with: Self.numerals[stream.index(below: Self.numerals.count)])
    }

    private func insertWord(at place: Int, in bytes: inout [UInt8], _ stream: inout RandomStream) {
        guard !words.isEmpty else { return }
        bytes.insert(contentsOf: words[stream.index(below: words.count)], at: place)
    }

    private func swapParts(_ part: Range<Int>, of bytes: inout [UInt8], _ stream: inout RandomStream) {
        let copy = Array(bytes[part])
        bytes.removeSubrange(part)
        bytes.insert(contentsOf: copy, at: stream.index(below: bytes.count + 1))
    }
}
