/// Where the readers of all formats put entries: applies the ``KeyPolicy``, and counts.
struct EntrySink {
    var report: ReadReport
    private var list = BlockList()
    private let policy: KeyPolicy
    private let removesScheme: Bool

    init(source: String, options: BlockListOptions) {
        report = ReadReport(source: source, isStrict: options.isStrict)
        report.places = options.placeLimit.map(ListPlaces.init)
        policy = options.policy
        removesScheme = options.removesScheme ?? (options.policy == .normalized)
    }

    /// Takes one entry without blanks at its ends; not empty.
    mutating func add(_ entry: Span<UInt8>, line: Int) throws(InputError) {
        let contents = EntryContents(entry)
        if contents.hasNUL { return try report.drop(.nulByte, entry, line: line) }
        if !contents.isASCII && entry.string == nil { return try report.drop(.notUTF8, entry, line: line) }
        var start = 0
        let scheme = schemeLength(entry)
        if scheme > 0 {
            if removesScheme { start = scheme }
            report.note(removesScheme ? .schemeRemoved : .schemeKept)
        }
        switch policy {
        case .asWritten:
            guard start < entry.count else { return try report.drop(.noHost, entry, line: line) }
            if !contents.isASCII { report.note(.notASCIIKept) }
            if scheme == 0, contents.hasBlank || contents.hasControl { report.note(.notAKeyKept) }
            list.append(entry.extracting(start..<entry.count))
            try report.accept(line: line)
        case .normalized:
            if let reason = contents.reasonAgainstKey { return try report.drop(reason, entry, line: line) }
            try addNormalized(entry, from: start, line: line)
        }
    }

    consuming func finish(removingDuplicates: Bool) -> (list: BlockList, report: ReadReport) {
        if removingDuplicates {
            let (unique, duplicateCount) = list.removingDuplicates()
            list = unique
            report.note(.duplicate, times: duplicateCount)
            report.acceptedCount -= duplicateCount
        }
        return (list, report)
    }

    private mutating func addNormalized(_ entry: Span<UInt8>, from first: Int, line: Int) throws(InputError) {
        var start = first
        if entry.starts(with: "*.", at: start) || entry.starts(with: ".", at: start) {
            report.note(.wildcardPrefixRemoved)
            start += entry[start] == UInt8(ascii: "*") ? 2 : 1
        }
        var hostEnd = start
        var hasDotBehindWWW = false
        var hasCapital = false
        while hostEnd < entry.count, !entry[hostEnd].endsHost {
            if entry[hostEnd] == UInt8(ascii: "*") { return try report.drop(.wildcard, entry, line: line) }
            if hostEnd >= start + 4, entry[hostEnd] == UInt8(ascii: ".") { hasDotBehindWWW = true }
            if entry[hostEnd].isUppercase { hasCapital = true }
            hostEnd += 1
        }
        guard hostEnd > start else { return try report.drop(.noHost, entry, line: line) }
        if hasCapital { report.note(.hostLowercased) }
        // `www.com` is a name of its own: without `www.` it would stand for all of `com`.
        if hasDotBehindWWW, entry.extracting(start..<start + 4).equals(ignoringCase: "www.") {
            report.note(.wwwRemoved)
            start += 4
        }
        var end = entry.count
        if end == hostEnd + 1, entry[hostEnd] == UInt8(ascii: "/") {
            report.note(.trailingSlashRemoved)
            end = hostEnd
        }
        list.append(entry.extracting(start..<end), lowercasingFirst: hostEnd - start)
        try report.accept(line: line)
    }

    /// Length of a leading `scheme://`, or 0.
    private func schemeLength(_ entry: Span<UInt8>) -> Int {
        guard entry[0].isLetter else { return 0 }
        var index = 1
        while index < entry.count {
            let byte = entry[index]
            if byte == UInt8(ascii: ":") { return entry.starts(with: "://", at: index) ? index + 3 : 0 }
            guard byte.isLetter || byte.isDigit || byte == UInt8(ascii: "+") || byte == UInt8(ascii: "-")
            else { return 0 }
            index += 1
        }
        return 0
    }
}

/// Which kinds of bytes an entry has, found in one pass.
private struct EntryContents {
    var isASCII = true
    var hasNUL = false
    var hasBlank = false
    var hasControl = false

    init(_ entry: Span<UInt8>) {
        for index in entry.indices {
            let byte = entry[index]
            if byte > ASCII.space && byte < ASCII.delete { continue }
            if byte >= 0x80 {
                isASCII = false
            } else if byte == 0 {
                hasNUL = true
            } else if byte.isBlank {
                hasBlank = true
            } else {
                hasControl = true
            }
        }
    }

    /// Why no lookup string of a device can look like this.
    var reasonAgainstKey: ReadReport.Reason? {
        if hasBlank { return .blankInside }
        if hasControl { return .controlCharacter }
        return isASCII ? nil : .notASCII
    }
}

extension UInt8 {
    /// Whether a host name stops before this byte.
    fileprivate var endsHost: Bool {
        self == UInt8(ascii: "/") || self == UInt8(ascii: "?") || self == UInt8(ascii: "#")
    }
}
