/// Account of what a reader did with every line of one file, by reason.
///
/// Nothing disappears silently: whatever is in the file and not in the result,
/// or in the result in another form, is counted here.
///
///     print(report)
///     // lists/hosts.txt (hosts file): 1003 read, 998 accepted
///     //   ignored  4  a comment
///     //   dropped  1  a NUL byte inside; devices stop hashing there
///     //     line 17: evil.exa\x00mple
package struct ReadReport: Equatable, Codable, Sendable {
    /// A line that could not be used.
    package struct Example: Hashable, Codable, Sendable {
        package let file: String
        /// Counted from 1. For a format without lines, the number of the record.
        package let line: Int
        package let reason: Reason
        /// The offending text, escaped, at most ``ReadReport/maximumExampleLength`` bytes of it.
        package let text: String
    }

    package static let maximumExampleCount = 10
    /// Bytes of a line that an example quotes.
    package static let maximumExampleLength = 80

    package internal(set) var source: String
    /// The format the file was read as, in words.
    package internal(set) var format = ""
    /// Marks that the format was recognised by, in words; empty where nobody looked. No part of the JSON
    /// form.
    package internal(set) var marks = ""
    /// Whether the first line that has to be dropped ends the reading with an error.
    package let isStrict: Bool

    /// Lines seen, or records in a format without lines.
    package internal(set) var lineCount = 0
    /// Entries or records in the result.
    package internal(set) var acceptedCount = 0
    package private(set) var counts: [Reason: Int] = [:]
    /// The first lines that were dropped.
    package private(set) var examples: [Example] = []
    /// The place of each line, for a reader that was asked to keep that. No part of the JSON form.
    package internal(set) var places: ListPlaces?

    private enum CodingKeys: CodingKey {
        case source, format, isStrict, lineCount, acceptedCount, counts, examples
    }

    package init(source: String, isStrict: Bool = false) {
        self.source = source
        self.isStrict = isStrict
    }

    package func count(of reason: Reason) -> Int { counts[reason, default: 0] }

    package func count(of effect: Reason.Effect) -> Int {
        counts.reduce(0) { $1.key.effect == effect ? $0 + $1.value : $0 }
    }

    /// Lines whose contents are lost although they looked like data.
    package var droppedCount: Int { count(of: .dropped) }

    /// Counts something that loses nothing: a comment, or a change to a kept entry.
    mutating func note(_ reason: Reason, times: Int = 1) {
        guard times > 0 else { return }
        counts[reason, default: 0] += times
    }

    /// Counts something that is in the result.
    mutating func accept(line: Int) throws(InputError) {
        acceptedCount += 1
        try requirePlace()
        places?.addEntry(line: UInt32(clamping: line))
    }

    /// Takes entries out again that were accepted; positions in rising order.
    mutating func remove(entries positions: [Int]) {
        acceptedCount -= positions.count
        places?.remove(entries: positions)
    }

    /// Counts a line that cannot be used; an error if the reader is strict.
    mutating func drop(_ reason: Reason, _ text: Span<UInt8>, line: Int) throws(InputError) {
        counts[reason, default: 0] += 1
        try requirePlace()
        places?.drop(reason, text, line: UInt32(clamping: line))
        guard isStrict || examples.count < Self.maximumExampleCount else { return }
        let example = Example(file: source, line: line, reason: reason, text: escaped(text))
        if examples.count < Self.maximumExampleCount { examples.append(example) }
        if isStrict { throw .badLine(example) }
    }

    mutating func drop(_ reason: Reason, _ text: String, line: Int) throws(InputError) {
        let bytes = Array(text.utf8.prefix(Self.maximumExampleLength + 1))
        try drop(reason, bytes.span, line: line)
    }

    /// Lost lines that are no error, whatever their share.
    private static let smallLoss = 10
    /// Largest share of a list that may be lost.
    private static let largestLoss = 0.1

    /// Refuses a block list that has no entries, of which more is of no use than of use, or of which much is lost.
    package func requireUse(_ options: BlockListOptions) throws(BlockListError) {
        let total = acceptedCount + count(of: .duplicate) + droppedCount
        let unusable = counts.filter { $0.key.isUnusable }
        // Who names the format of rules knows that there are some that an entry cannot express.
        let lost = counts.filter { $0.key.isLoss && !(options.format == .adblock && $0.key.isForeignRule) }
        if !options.allowsUnusable {
            let count = lost.values.reduce(0, +)
            if unusable.values.reduce(0, +) * 2 > total {
                throw mostlyUnusable(unusable, of: total)
            } else if count > Self.smallLoss, Double(count) > Self.largestLoss * Double(total) {
                throw mostlyUnusable(lost, of: total)
            }
        }
        guard acceptedCount > 0 else { throw .noEntries(file: source) }
    }

    private func mostlyUnusable(_ counts: [Reason: Int], of total: Int) -> BlockListError {
        // The order of the cases decides between equals, so that equal files give equal sentences.
        let most = Reason.allCases.max { counts[$0, default: 0] < counts[$1, default: 0] }
        return .mostlyUnusable(
            file: source, unusable: counts.values.reduce(0, +), of: total, reason: most ?? .notUTF8)
    }

    private func requirePlace() throws(InputError) {
        if let limit = places?.limit, places?.isFull == true {
            throw .tooManyLines(name: source, limit: limit)
        }
    }
}

/// Printable form of bytes that may be anything: printable ASCII as it is, the rest as `\xNN`.
private func escaped(_ text: Span<UInt8>) -> String {
    let shown = min(text.count, ReadReport.maximumExampleLength)
    var result = ""
    for index in 0..<shown {
        let byte = text[index]
        if byte >= ASCII.space && byte < ASCII.delete {
            result.unicodeScalars.append(UnicodeScalar(byte))
        } else {
            result += (byte < 0x10 ? "\\x0" : "\\x") + String(byte, radix: 16, uppercase: true)
        }
    }
    return text.count > shown ? result + "…" : result
}

extension ReadReport.Example: CustomStringConvertible {
    package var description: String { "\(file):\(line): \(reason.sentence): \(text)" }
}

extension ReadReport: CustomStringConvertible {
    /// One line, where nothing was lost; everything otherwise.
    package var brief: String { droppedCount == 0 ? heading : description }

    private var heading: String {
        let kind = format.isEmpty ? "" : " (\(format))"
        return "\(source)\(kind): \(lineCount) read, \(acceptedCount) accepted"
    }

    package var description: String {
        var lines = [heading]
        if !marks.isEmpty { lines.append("  marks  \(marks)") }
        for effect in Reason.Effect.allCases {
            for reason in Reason.allCases where reason.effect == effect {
                guard let count = counts[reason] else { continue }
                lines.append("  \(effect.rawValue)  \(count)  \(reason.sentence)")
            }
        }
        for example in examples { lines.append("    line \(example.line): \(example.text)") }
        return lines.joined(separator: "\n")
    }
}
