import URLFilter

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
        if isWrittenByHand(text), let browser = try? BrowserURL(string), browser.isChanged {
            report.note(.browserForm)
            return browser.text
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

    /// Whether a browser may send another URL than the text: cheap, so that most URLs of a log cost one look.
    private static func isWrittenByHand(_ text: Span<UInt8>) -> Bool {
        let schemes: [StaticString] = ["http:", "https:"]
        guard
            let scheme = schemes.first(where: {
                text.count > $0.utf8CodeUnitCount
                    && text.extracting(0..<$0.utf8CodeUnitCount).equals(ignoringCase: $0)
            })
        else { return false }
        let start = scheme.utf8CodeUnitCount
        guard text.starts(with: "//", at: start), start + 2 < text.count,
            text[start + 2] != UInt8(ascii: "/"),
            text.firstIndex(of: UInt8(ascii: "\\")) == nil
        else { return true }
        if text.firstIndex(of: "/.", from: start + 2) != nil
            || text.firstIndex(of: "%2e", from: start + 2) != nil
            || text.firstIndex(of: "%2E", from: start + 2) != nil
        {
            return true
        }
        var end = start + 2
        while end < text.count, !text[end].endsHost { end += 1 }
        let authority = text.extracting(start + 2..<end)
        if authority.firstIndex(of: UInt8(ascii: "%")) != nil { return true }
        // A number as the last label makes a host an address, whatever its form.
        let hostEnd = authority.firstIndex(of: UInt8(ascii: ":")) ?? authority.count
        let host = authority.extracting(0..<hostEnd)
        guard let last = host.lastIndex(of: UInt8(ascii: ".")) else {
            return !host.isEmpty && host[0].isDigit
        }
        return last + 1 < host.count && host[last + 1].isDigit && !EntryForm.isIPv4(host)
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
    static func tunnel(to authority: String, _ report: inout ReadReport) -> String {
        report.note(.pathUnknown)
        return authority.hasSuffix(":443")
            ? "https://\(authority.dropLast(4))/" : "https://\(authority)/"
    }
}
