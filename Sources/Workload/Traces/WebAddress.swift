/// Turns what a trace has in its URL field into an absolute URL.
enum WebAddress {
    /// Checks and completes a URL; counts what was done or why it cannot be used.
    ///
    /// - Returns: `nil` if the record was dropped.
    static func read(
        _ text: Span<UInt8>, line: Int, _ report: inout ReadReport
    ) throws(InputError) -> String? {
        guard !text.isEmpty, !text.equals(ignoringCase: "-") else {
            try report.drop(.urlMissing, text, line: line)
            return nil
        }
        guard let string = text.string else {
            try report.drop(.notUTF8, text, line: line)
            return nil
        }
        switch form(of: text) {
        case .web:
            return string
        case .hostFirst:
            report.note(.schemeAssumed)
            return "https://" + string
        case .other:
            try report.drop(.notAWebAddress, text, line: line)
            return nil
        }
    }

    private enum Form { case web, hostFirst, other }

    /// A URL without a scheme has to start with a name or address that holds a
    /// dot; `data:`, `blob:`, `about:` and the like never reach the network.
    private static func form(of text: Span<UInt8>) -> Form {
        var hasDot = false
        for index in text.indices {
            let byte = text[index]
            if byte == UInt8(ascii: ":") {
                if text.starts(with: "://", at: index) {
                    return isFetched(text.extracting(0..<index)) && index + 3 < text.count ? .web : .other
                }
                let next = index + 1
                return hasDot && next < text.count && text[next].isDigit ? .hostFirst : .other
            }
            if byte == UInt8(ascii: "/") || byte == UInt8(ascii: "?") || byte == UInt8(ascii: "#") {
                return hasDot && text[0] != UInt8(ascii: ".") ? .hostFirst : .other
            }
            if byte == UInt8(ascii: ".") { hasDot = true }
            guard
                byte.isLetter || byte.isDigit || byte == UInt8(ascii: ".") || byte == UInt8(ascii: "-")
                    || byte == UInt8(ascii: "_") || byte >= 0x80
            else { return .other }
        }
        return hasDot && text[0] != UInt8(ascii: ".") ? .hostFirst : .other
    }

    /// Schemes of requests that a URL filter can see.
    private static func isFetched(_ scheme: Span<UInt8>) -> Bool {
        scheme.equals(ignoringCase: "https") || scheme.equals(ignoringCase: "http")
            || scheme.equals(ignoringCase: "wss") || scheme.equals(ignoringCase: "ws")
            || scheme.equals(ignoringCase: "ftp")
    }

    /// The URL behind a `CONNECT host:port`: what is inside the tunnel is not known.
    static func tunnel(to authority: String) -> String {
        authority.hasSuffix(":443")
            ? "https://\(authority.dropLast(4))/" : "https://\(authority)/"
    }
}
