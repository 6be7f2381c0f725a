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
        var isWhole = true
        let bytes = [UInt8](unsafeUninitializedCapacity: text.count / 4 * 3) { bytes, count in
            values.withUnsafeBufferPointer { values in
                isWhole = decode(text, values, into: bytes, &count)
            }
        }
        return isWhole ? bytes : nil
    }

    /// - Returns: Whether the text has nothing but whole groups.
    private static func decode(
        _ text: UnsafeRawBufferPointer, _ values: UnsafeBufferPointer<UInt8>,
        into bytes: UnsafeMutableBufferPointer<UInt8>, _ count: inout Int
    ) -> Bool {
        var written = 0
        var group: UInt32 = 0
        var digits = 0
        var paddings = 0
        var index = 0
        defer { count = written }
        func write(_ group: UInt32, _ byteCount: Int) {
            for place in 0..<byteCount {
                let byte = UInt8(truncatingIfNeeded: group >> UInt32(16 - 8 * place))
                bytes.initializeElement(at: written, to: byte)
                written += 1
            }
        }
        while index < text.count {
            // Nearly all of a text is four digits in a row.
            if digits == 0, paddings == 0, index + 4 <= text.count {
                let first = values[Int(text[index])]
                let second = values[Int(text[index + 1])]
                let third = values[Int(text[index + 2])]
                let fourth = values[Int(text[index + 3])]
                if first | second | third | fourth < blank {
                    write(
                        UInt32(first) << 18 | UInt32(second) << 12 | UInt32(third) << 6 | UInt32(fourth), 3)
                    index += 4
                    continue
                }
            }
            let value = values[Int(text[index])]
            index += 1
            if value < blank, paddings == 0 {
                group = group << 6 | UInt32(value)
            } else if text[index - 1] == padding, digits >= 2 {
                group <<= 6
                paddings += 1
            } else if value == blank {
                continue
            } else {
                return false
            }
            digits += 1
            guard digits == 4 else { continue }
            write(group, 3 - paddings)
            (group, digits) = (0, 0)
        }
        return digits == 0
    }

    private static let padding = UInt8(ascii: "=")
    private static let blank: UInt8 = 64
    private static let alphabet = Array(
        "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/".utf8)

    /// The six bits of each byte, or `blank`, or 255.
    private static let values: [UInt8] = {
        var values = [UInt8](repeating: 255, count: 256)
        for (value, character) in alphabet.enumerated() { values[Int(character)] = UInt8(value) }
        for character in " \t\r\n".utf8 { values[Int(character)] = blank }
        return values
    }()
}
