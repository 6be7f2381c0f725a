/// The bytes that hexadecimal digits stand for; white space is ignored.
package func bytes(hex: String) -> [UInt8] {
    let text = hex.filter { !$0.isWhitespace }
    let digits = text.compactMap(\.hexDigitValue)
    precondition(digits.count == text.count && digits.count.isMultiple(of: 2), "'\(hex)' is not hexadecimal")
    return stride(from: 0, to: digits.count, by: 2).map { UInt8(digits[$0] << 4 | digits[$0 + 1]) }
}

package func hex(_ bytes: some Sequence<UInt8>) -> String {
    bytes.map { ($0 < 16 ? "0" : "") + String($0, radix: 16) }.joined()
}

/// Bytes that a vector file gives in hexadecimal.
package struct Hex: Decodable, Hashable, Sendable {
    package let bytes: [UInt8]

    package init(from decoder: any Decoder) throws {
        bytes = TestSupport.bytes(hex: try decoder.singleValueContainer().decode(String.self))
    }
}
