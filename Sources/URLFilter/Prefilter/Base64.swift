/// Base64 (RFC 4648, section 4) as property lists have it: in indented lines.
///
/// Foundation's property lists take more than a second for the data of a large prefilter.
enum Base64 {
    /// Bytes in one line of Apple's property lists, below a dictionary: 68 characters.
    private static let bytesPerLine = 51

    /// Lines of 68 characters, each after a tab and before a line feed.
    static func lines(of bytes: [UInt8]) -> [UInt8] {
        let lineCount = (bytes.count + bytesPerLine - 1) / bytesPerLine
        let length = (bytes.count + 2) / 3 * 4 + 2 * lineCount
        let alphabet = alphabet
        return [UInt8](unsafeUninitializedCapacity: length) { text, count in
            func append(_ byte: UInt8) {
                text.initializeElement(at: count, to: byte)
                count += 1
            }
            for start in stride(from: 0, to: bytes.count, by: bytesPerLine) {
                let end = min(start + bytesPerLine, bytes.count)
                append(UInt8(ascii: "\t"))
                for place in stride(from: start, to: end, by: 3) {
                    let second = place + 1 < end ? Int(bytes[place + 1]) : 0
                    let third = place + 2 < end ? Int(bytes[place + 2]) : 0
                    let group = Int(bytes[place]) << 16 | second << 8 | third
                    append(alphabet[group >> 18])
                    append(alphabet[group >> 12 & 63])
                    append(place + 1 < end ? alphabet[group >> 6 & 63] : padding)
                    append(place + 2 < end ? alphabet[group & 63] : padding)
                }
                append(UInt8(ascii: "\n"))
            }
        }
    }

    /// The bytes of a text with blanks and line breaks anywhere; `nil` if it is anything but whole groups of
    /// four characters with the right padding.
    static func bytes(of text: UnsafeRawBufferPointer) -> [UInt8]? {
        let values = values
        var isWhole = true
        let bytes = [UInt8](unsafeUninitializedCapacity: text.count / 4 * 3) { bytes, count in
            var group: UInt32 = 0
            var digits = 0
            var paddings = 0
            for character in text {
                let value = values[Int(character)]
                if value < 64, paddings == 0 {
                    group = group << 6 | UInt32(value)
                } else if character == padding, digits >= 2 {
                    group <<= 6
                    paddings += 1
                } else if value == blank {
                    continue
                } else {
                    isWhole = false
                    return
                }
                digits += 1
                guard digits == 4 else { continue }
                for place in 0..<(3 - paddings) {
                    let byte = UInt8(truncatingIfNeeded: group >> UInt32(16 - 8 * place))
                    bytes.initializeElement(at: count, to: byte)
                    count += 1
                }
                (group, digits) = (0, 0)
            }
            isWhole = digits == 0
        }
        return isWhole ? bytes : nil
    }

    private static let padding = UInt8(ascii: "=")
    private static let blank: UInt8 = 64
    private static let alphabet = Array(
        "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/".utf8)

    /// For each byte its six bits, or `blank`, or 255.
    private static let values: [UInt8] = {
        var values = [UInt8](repeating: 255, count: 256)
        for (value, character) in alphabet.enumerated() { values[Int(character)] = UInt8(value) }
        for character in " \t\r\n".utf8 { values[Int(character)] = blank }
        return values
    }()
}
