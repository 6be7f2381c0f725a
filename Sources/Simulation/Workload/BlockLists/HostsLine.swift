/// One line of a hosts file: an address, then names, then perhaps a comment.
enum HostsLine {
    /// Puts the names of a line whose address is a sink into the list.
    static func read(_ line: Span<UInt8>, number: Int, into sink: inout EntrySink) throws(InputError) {
        let end = line.firstIndex(of: UInt8(ascii: "#")) ?? line.count
        let content = line.extracting(0..<end)
        guard let address = content.word(from: 0) else {
            sink.report.note(end < line.count ? .comment : .emptyLine)
            return
        }
        guard isSink(content.extracting(address)) else {
            try sink.report.drop(.notASinkAddress, line, line: number)
            return
        }
        var position = address.upperBound
        var nameCount = 0
        while let name = content.word(from: position) {
            position = name.upperBound
            nameCount += 1
            if isLocal(content.extracting(name)) {
                sink.report.note(.localName)
            } else {
                try sink.add(content.extracting(name), line: number)
            }
        }
        if nameCount == 0 { try sink.report.drop(.noHost, line, line: number) }
    }

    /// Whether the text is an IPv4 address, or has the letters of an IPv6 address.
    static func isAddress(_ text: Span<UInt8>) -> Bool {
        var colons = 0
        var dots = 0
        var onlyDigits = true
        for index in text.indices {
            let byte = text[index]
            if byte == UInt8(ascii: ":") {
                colons += 1
            } else if byte == UInt8(ascii: ".") {
                dots += 1
            } else if !byte.isDigit {
                onlyDigits = false
                if byte == UInt8(ascii: "%") && colons >= 2 { return true }
                if byte.hexadecimalValue == nil { return false }
            }
        }
        return colons >= 2 || (dots == 3 && colons == 0 && onlyDigits)
    }

    /// The addresses that hosts files send unwanted names to.
    static func isSink(_ address: Span<UInt8>) -> Bool {
        (address.starts(with: "127.") && isAddress(address))
            || address.equals(ignoringCase: "0.0.0.0") || address.equals(ignoringCase: "0")
            || address.equals(ignoringCase: "::1") || address.equals(ignoringCase: "::")
            || address.equals(ignoringCase: "255.255.255.255") || address.starts(with: "fe80::1%lo")
            || address.starts(with: "ff0") || address.starts(with: "fe00::")
    }

    /// The names that a machine's own hosts file has, in the lists too, and sinks that are named as themselves. Another
    /// address in the place of a name is an entry: what URLs with that address begin with.
    private static func isLocal(_ name: Span<UInt8>) -> Bool {
        name.equals(ignoringCase: "localhost") || name.equals(ignoringCase: "localhost.localdomain")
            || name.equals(ignoringCase: "local") || name.equals(ignoringCase: "broadcasthost")
            || name.starts(with: "ip6-") || name.equals(ignoringCase: "localhost4")
            || name.equals(ignoringCase: "localhost6") || name.equals(ignoringCase: "localhost6.localdomain6")
            || name.equals(ignoringCase: "localhost4.localdomain4")
            || isAddress(name) && isSink(name)
    }
}
