/// Bytes that may be anything, as text for a terminal.
package enum Printable {
    /// Printable ASCII stays, everything else becomes `\xNN`, so no byte of a file can move the cursor.
    ///
    /// - Parameter limit: Bytes shown; the rest becomes `…`.
    package static func text(_ bytes: some Collection<UInt8>, limit: Int = 80) -> String {
        var text = ""
        for byte in bytes.prefix(limit) {
            if byte >= 0x20 && byte < 0x7F {
                text.unicodeScalars.append(UnicodeScalar(byte))
            } else {
                let digits = String(byte, radix: 16, uppercase: true)
                text += digits.count == 1 ? "\\x0\(digits)" : "\\x\(digits)"
            }
        }
        return bytes.count > limit ? text + "…" : text
    }
}
