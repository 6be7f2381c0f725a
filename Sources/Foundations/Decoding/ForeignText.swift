/// Text that a peer, a file or an argument may have had a hand in, on its way to a person.
package enum ForeignText {
    /// Characters that move a cursor, colour a terminal or turn the direction of a line become `\uXXXX`, as JSON writes
    /// them.
    ///
    /// Line ends, also those of RFC 4180, and tabs stay. A terminal obeys the controls of C0 and C1 and DEL (ECMA-48);
    /// the marks of the bidirectional algorithm and the separators U+2028 and U+2029 make text look like another.
    /// Inside a string of JSON the result means the same as before.
    package static func printable(_ text: String) -> String {
        guard !isPlain(text) else { return text }
        var result = ""
        result.reserveCapacity(text.utf8.count)
        let scalars = text.unicodeScalars
        for index in scalars.indices {
            let scalar = scalars[index]
            // A return is obeyed in front of a line end, where tables have it.
            let isEnd = scalar == "\r" && scalars[scalars.index(after: index)...].first == "\n"
            guard isControl(scalar), !isEnd else {
                result.unicodeScalars.append(scalar)
                continue
            }
            let digits = String(scalar.value, radix: 16, uppercase: true)
            result += "\\u" + String(repeating: "0", count: 4 - digits.count) + digits
        }
        return result
    }

    /// A cell of a table that programs for spreadsheets read: one that they would take for a formula gets an
    /// apostrophe.
    ///
    /// Numbers stay numbers.
    package static func cell(_ text: String) -> String {
        guard let first = text.unicodeScalars.first, "=+-@\t\r".unicodeScalars.contains(first),
            Double(text) == nil
        else { return text }
        return "'" + text
    }

    /// Words of a peer for a message of one line: their first line, cut, with nothing that a terminal obeys.
    /// A line end would let the peer write a message of its own.
    ///
    /// - Parameter limit: Characters.
    package static func quoted(_ bytes: some Collection<UInt8>, limit: Int = 160) -> String {
        // A character has at most so many bytes in practice, and the cut may fall into one.
        let text = String(decoding: bytes.prefix(limit * 16), as: UTF8.self)
        let line = text.prefix { !$0.isNewline }
        let shown = printable(String(line.prefix(limit)).replacing("\t", with: " "))
        return line.count > limit || line.endIndex < text.endIndex ? shown + "…" : shown
    }

    /// Whether no byte of the text can belong to such a character: one look at most output.
    private static func isPlain(_ text: String) -> Bool {
        text.utf8.allSatisfy { byte in
            byte >= 0x20 && byte < 0x7F || byte == 0x0A || byte == 0x09
                || byte >= 0x80 && byte != 0xC2 && byte != 0xD8 && byte != 0xE2
        }
    }

    package static func isControl(_ scalar: Unicode.Scalar) -> Bool {
        switch scalar.value {
        case 0x09, 0x0A: false
        case 0x00..<0x20, 0x7F...0x9F, 0x061C, 0x200E, 0x200F, 0x2028...0x202E, 0x2066...0x2069: true
        default: false
        }
    }
}
