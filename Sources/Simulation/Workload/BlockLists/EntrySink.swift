import URLFilter

/// The end to which the readers of all formats bring entries: applies the ``KeyPolicy``, and counts.
struct EntrySink {
    var report: ReadReport
    private var list = BlockList()
    private let policy: KeyPolicy
    private let removesScheme: Bool
    private var exceptions = ListExceptions()

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
            if scheme == 0, contents.hasBlank || contents.hasControl {
                report.note(.notAKeyKept)
            } else if contents.isASCII, (try? EntryForm(entry.extracting(start..<entry.count))) == nil,
                scheme == 0 || removesScheme
            {
                report.note(.notAnEntryKept)
            }
            list.append(entry.extracting(start..<entry.count))
            try report.accept(line: line)
        case .normalized:
            if let reason = contents.reasonAgainstKey { return try report.drop(reason, entry, line: line) }
            let rest = entry.extracting(start..<entry.count)
            guard contents.isASCII else {
                guard let text = rest.string.flatMap(ASCIIForm.of) else {
                    return try report.drop(.notASCII, entry, line: line)
                }
                report.note(.encodedAsASCII)
                return try addNormalized(Array(text.utf8).span, line: line, original: entry)
            }
            try addNormalized(rest, line: line, original: entry)
        }
    }

    /// Adds an entry that the list says not to block; it is settled when all lines are read.
    mutating func except(_ entry: Span<UInt8>, line: Int, isExact: Bool = false) {
        do throws(EntryForm.Fault) {
            let (range, hostLength) = try Self.normalized(entry) { _ in }
            var bytes = entry.extracting(range).withUnsafeBufferPointer { Array($0) }
            for index in 0..<hostLength { bytes[index] = bytes[index].lowercased }
            exceptions.add(bytes[...], line: line, isExact: isExact)
        } catch {
            report.note(.exceptionKept)
        }
    }

    /// - Parameter allowed: Entries of another list that are exceptions from this one.
    consuming func finish(
        removingDuplicates: Bool, allowed: BlockList? = nil
    ) throws(InputError) -> (list: BlockList, report: ReadReport) {
        for entry in allowed ?? BlockList() { exceptions.add(entry, line: 0, isInList: false) }
        if !exceptions.isEmpty {
            var (kept, told) = (list, report)
            try exceptions.apply(to: &kept, &told)
            (list, report) = (kept, told)
        }
        if removingDuplicates {
            let (unique, duplicateCount) = list.removingDuplicates()
            list = unique
            report.note(.duplicate, times: duplicateCount)
            report.acceptedCount -= duplicateCount
        }
        return (list, report)
    }

    /// - Parameter original: What the line has, for an example.
    private mutating func addNormalized(
        _ entry: Span<UInt8>, line: Int, original: Span<UInt8>
    ) throws(InputError) {
        let isTestEntry = TestEntry.forms.contains { entry.equals($0) }
        if isTestEntry {
            list.append(entry)
            return try report.accept(line: line)
        }
        do throws(EntryForm.Fault) {
            let (range, hostLength) = try Self.normalized(entry) { report.note($0) }
            list.append(entry.extracting(range), lowercasingFirst: hostLength)
        } catch {
            return try report.drop(error.reason, original, line: line)
        }
        try report.accept(line: line)
    }

    /// Returns the part of the entry that devices look up, and how much of its start has to become lower
    /// case.
    private static func normalized(
        _ entry: Span<UInt8>, _ note: (ReadReport.Reason) -> Void
    ) throws(EntryForm.Fault) -> (range: Range<Int>, hostLength: Int) {
        var (start, end) = (0, entry.count)
        if entry.starts(with: "*.") || entry.starts(with: ".") {
            note(.wildcardPrefixRemoved)
            start = entry[0] == UInt8(ascii: "*") ? 2 : 1
        }
        if end - start > 2, entry.starts(with: "/*", at: end - 2) {
            note(.wildcardSuffixRemoved)
            end -= 1
        }
        guard start < end else { throw .init(.noHost) }
        let form = try EntryForm(entry.extracting(start..<end))
        if entry[end - 1] == UInt8(ascii: "*"), !form.rest.isEmpty { throw .init(.wildcard) }
        let host = start + form.host.lowerBound..<start + form.host.upperBound
        let restStart = start + form.rest.lowerBound
        for index in host where entry[index].isUppercase {
            note(.hostLowercased)
            break
        }
        if end == restStart + 1, entry[restStart] == UInt8(ascii: "/") {
            note(.trailingSlashRemoved)
            end = restStart
        }
        // `www.com` is a name of its own: without `www.` it would stand for all of `com`.
        if host.count > 4,
            entry.extracting(host.lowerBound..<host.lowerBound + 4).equals(ignoringCase: "www."),
            entry.extracting(host.lowerBound + 4..<host.upperBound).firstIndex(of: UInt8(ascii: ".")) != nil
        {
            note(.wwwRemoved)
            start += 4
        }
        return (start..<end, host.upperBound - start)
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
        return hasControl ? .controlCharacter : nil
    }
}
