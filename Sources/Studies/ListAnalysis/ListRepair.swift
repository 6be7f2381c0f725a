import Experiment
import URLFilter
import Wording
package import Workload

/// A block list in which every entry that can be mended is mended.
///
/// Entries that another one covers are left out. An entry is written as devices look it up: without scheme, host in
/// lower case and without `www.`, each once. That is done only where it keeps what the entry says: on each system the
/// new entry matches the URLs that the old one matches there, or the old one matches none. What else would become of it
/// is told and left as it is.
package struct ListRepair: Sendable {
    /// Entries that were repaired, or were not, for one reason.
    package struct Group: Codable, Hashable, Sendable {
        package struct Example: Codable, Hashable, Sendable {
            package var line: Int
            package var entry: String
        }

        package var cause: String
        package var count: Int
        /// The first ones.
        package var examples: [Example]
    }

    package struct Summary: Codable, Hashable, Sendable {
        /// Entries in the file that is written.
        package var entries = 0
        package var duplicatesRemoved = 0
        /// Entries that are not needed beside another one, which matches all that they match on every system.
        package var coveredRemoved = 0
        /// Lines that are no entries and are not written.
        package var linesLeftOut = 0
        package var repaired: [Group] = []
        /// Still without a match on some system, or matching something else than meant.
        package var notRepaired: [Group] = []
    }

    private static let exampleCount = 3

    package private(set) var summary = Summary()
    /// Entries of the list that is written, with the line of each in the list that was read.
    private var entries: [(line: Int, text: [UInt8])] = []

    /// - Parameter written: With keys as written.
    package init(_ written: LocatedBlockList) throws {
        let normal = try Self.normalized(written.list)
        var judge = MeaningJudge()
        var seen: Set<[UInt8]> = []
        for position in written.list.indices {
            let line = written.line(of: position)
            var entry = Array(written.list[position])
            let obstacle = judge.obstacle(of: entry)
            if let repaired = normal[position + 1], repaired != entry {
                let cause = obstacle?.description ?? "another spelling of the same"
                if let system = judge.systemThatDiffers(entry, repaired) {
                    add(
                        entry, line,
                        "\(cause), but without it the entry matches other URLs on \(system.title)",
                        to: \.notRepaired)
                } else {
                    add(entry, line, cause, to: \.repaired)
                    entry = repaired
                    if let left = judge.obstacle(of: entry) {
                        add(entry, line, left.description, to: \.notRepaired)
                    }
                }
            } else if let obstacle {
                add(entry, line, obstacle.description, to: \.notRepaired)
            }
            if seen.insert(entry).inserted {
                entries.append((line, entry))
            } else {
                summary.duplicatesRemoved += 1
            }
        }
        try removeCovered()
        summary.entries = entries.count
        summary.linesLeftOut = written.dropped.count
        summary.repaired.sort { $0.count > $1.count }
        summary.notRepaired.sort { $0.count > $1.count }
    }

    /// The entries as the reader normalizes them, by their place in the list from 1 on; without those that it drops.
    private static func normalized(_ list: BlockList) throws -> [Int: [UInt8]] {
        let located = try located(list.map { Array($0) }, keys: .normalized)
        return Dictionary(
            uniqueKeysWithValues: located.list.indices.map {
                (located.line(of: $0), Array(located.list[$0]))
            })
    }

    /// Entries as a list of their own, each in a line.
    private static func located(_ entries: [[UInt8]], keys: KeyPolicy) throws -> LocatedBlockList {
        var lines: [UInt8] = []
        for entry in entries {
            // An entry over several lines, as a quoted one may be, is no entry that can be mended.
            if !entry.contains(0x0A) { lines += entry }
            lines.append(0x0A)
        }
        return try LocatedBlockList(bytes: lines, name: "entries", format: .plain, keys: keys)
    }

    /// Leaves out entries below others, such as hosts below a listed one.
    private mutating func removeCovered() throws {
        let located = try Self.located(entries.map(\.text), keys: .asWritten)
        var search = CoverSearch(BlockListIndex(located.list))
        // Lines count from 1 on.
        let covered = Set(search.covered().map { located.line(of: $0) - 1 })
        entries = entries.indices.filter { !covered.contains($0) }.map { entries[$0] }
        summary.coveredRemoved = covered.count
    }

    private mutating func add(
        _ entry: [UInt8], _ line: Int, _ cause: String, to groups: WritableKeyPath<Summary, [Group]>
    ) {
        let index =
            summary[keyPath: groups].firstIndex { $0.cause == cause } ?? summary[keyPath: groups].count
        if index == summary[keyPath: groups].count {
            summary[keyPath: groups].append(Group(cause: cause, count: 0, examples: []))
        }
        summary[keyPath: groups][index].count += 1
        if summary[keyPath: groups][index].examples.count < Self.exampleCount {
            summary[keyPath: groups][index].examples.append(
                .init(line: line, entry: Printable.text(entry)))
        }
    }

    /// Whether comments and entries of a list stand in lines of their own.
    package static func keepsComments(of report: ReadReport) -> Bool {
        [BlockListFormat.plain, .hosts].contains { $0.description == report.format }
    }

    /// - Parameter comments: The list again, if it has its entries in lines: its comments and empty lines stay where
    ///   they are. `nil`: entries only.
    package func write(comments: ByteSource?, _ write: (String) throws -> Void) throws {
        guard let comments else {
            for entry in entries { try write(String(decoding: entry.text, as: UTF8.self) + "\n") }
            return
        }
        var rest = entries[...]
        var lines = LineReader(comments)
        var report = ReadReport(source: comments.name, isStrict: false)
        while try lines.advance(&report) {
            while let next = rest.first, next.line <= lines.lineNumber {
                try write(String(decoding: next.text, as: UTF8.self) + "\n")
                rest = rest.dropFirst()
            }
            let text = lines.withLine { line in
                line.withUnsafeBufferPointer { String(decoding: $0, as: UTF8.self) }
            }
            let start = text.first { $0 != " " && $0 != "\t" && $0 != "\r" }
            if start == nil || start == "#" { try write(text + "\n") }
        }
    }
}

/// Whether two entries match the same URLs, on each system on which the first matches any.
///
/// It tries the URLs that tell entries apart: the hosts of both, with and without `www.` and a subdomain, and
/// beginnings and continuations of the rest.
private struct MeaningJudge {
    private var linters = RulesGeneration.systems.map { EntryLinter(rules: $0.rules) }
    private var buffer = LookupStringBuffer()

    /// On the first system that has one.
    mutating func obstacle(of entry: [UInt8]) -> EntryProblem.Cause? {
        for index in linters.indices {
            if let kind = obstacle(of: entry, index) { return kind.cause }
        }
        return nil
    }

    private mutating func obstacle(of entry: [UInt8], _ index: Int) -> EntryProblem.Kind? {
        entry.withUnsafeBufferPointer { linters[index].obstacle(of: $0) }
    }

    mutating func systemThatDiffers(_ old: [UInt8], _ new: [UInt8]) -> RulesGeneration? {
        RulesGeneration.systems.first { system in
            var (isAlive, differs) = (false, false)
            for url in Self.probes(old, new) where (try? buffer.expand(url, rules: system.rules)) != nil {
                let matches = [old, new].map { entry in
                    entry.withUnsafeBufferPointer { buffer.contains($0) }
                }
                isAlive = isAlive || matches[0]
                differs = differs || matches[0] != matches[1]
            }
            return isAlive && differs
        }
    }

    private static func probes(_ old: [UInt8], _ new: [UInt8]) -> [[UInt8]] {
        let ends = Set("/?#".utf8)
        let parts = [old, new].map { entry -> (host: [UInt8], rest: [UInt8]) in
            let host = entry.prefix { !ends.contains($0) }
            // Browsers write hosts in lower case before a filter sees them.
            let seen = host.map { (0x41...0x5A).contains($0) ? $0 | 0x20 : $0 }
            return (seen, Array(entry[host.endIndex...]))
        }
        let hosts = parts.flatMap { part in ["", "www.", "sub."].map { Array($0.utf8) + part.host } }
        let rests = parts.flatMap { part in
            ["", "/", "x", "/x", "?q=1"].map { part.rest + Array($0.utf8) }
        }
        let all = hosts.flatMap { host in
            (rests + [Array("/".utf8), []]).map { Array("https://".utf8) + host + $0 }
        }
        return Array(Set(all))
    }
}
