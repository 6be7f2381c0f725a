/// The text form of bytes in Privacy Pass headers and directories (RFC 4648, section 5).
///
/// RFC 9577 wants the padding written. A reader that knows it meets writers who leave it
/// out, as those of tokens may (their length needs none), can say so.
package enum Base64URL {
    package enum Padding: Sendable {
        /// `=` up to a multiple of four characters, no more and no fewer.
        case required
        /// Exact padding or none at all.
        case optional
    }

    private static let alphabet = Array(
        "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789-_".utf8)

    private static let values: [UInt8: UInt32] = Dictionary(
        uniqueKeysWithValues: zip(alphabet, 0...))

    private static let pad = UInt8(ascii: "=")

    /// The text of `bytes`, padded.
    package static func encode(_ bytes: [UInt8]) -> String {
        var text: [UInt8] = []
        text.reserveCapacity((bytes.count + 2) / 3 * 4)
        for start in stride(from: 0, to: bytes.count, by: 3) {
            let group = bytes[start..<min(start + 3, bytes.count)]
            let bits = group.reduce(UInt32(0)) { $0 << 8 | UInt32($1) } << UInt32(8 * (3 - group.count))
            for digit in 0...group.count {
                text.append(alphabet[Int(bits >> UInt32(18 - 6 * digit) & 0x3F)])
            }
            text.append(contentsOf: repeatElement(pad, count: 3 - group.count))
        }
        return String(decoding: text, as: UTF8.self)
    }

    /// The bytes of `text`, or `nil` when it has a foreign character, the wrong padding, or
    /// bits set that no byte uses. So every byte string has one text, or two where padding is optional.
    package static func decode(_ text: some StringProtocol, padding: Padding = .required) -> [UInt8]? {
        var digits = Array(text.utf8)
        let padded = digits.count
        while digits.last == pad, padded - digits.count < 2 { digits.removeLast() }
        let isExact = padded.isMultiple(of: 4)
        let isBare = padded == digits.count && padding == .optional
        guard isExact || isBare, digits.count % 4 != 1 else { return nil }

        var bytes: [UInt8] = []
        bytes.reserveCapacity(digits.count / 4 * 3 + 2)
        var bits: UInt32 = 0
        var bitCount = 0
        for digit in digits {
            guard let value = values[digit] else { return nil }
            bits = bits << 6 | value
            bitCount += 6
            if bitCount >= 8 {
                bitCount -= 8
                bytes.append(UInt8(truncatingIfNeeded: bits >> UInt32(bitCount)))
                bits &= (1 << UInt32(bitCount)) - 1
            }
        }
        return bits == 0 ? bytes : nil
    }
}
