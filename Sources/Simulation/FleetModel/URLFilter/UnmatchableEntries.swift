import Dispatch
import Synchronization
package import URLFilter
package import Workload

/// The entries of a block list that no URL can match under some rules, and the URLs that their owner meant.
///
/// Found in one pass over the list on all cores, at about the cost of expanding one URL for each entry. The entries
/// that match cost no memory.
package struct UnmatchableEntries: Sendable {
    /// Entries that have one thing in common.
    package struct Group: Equatable, Sendable {
        package fileprivate(set) var count = 0
        /// The first of them in the list.
        package fileprivate(set) var examples: [[UInt8]] = []
    }

    private static let exampleCount = 3
    private static let pieceSize = 4096

    /// Groups by the first reason that keeps an entry from matching.
    package private(set) var groups: [EntryProblem.Cause: Group] = [:]
    private let meant: BlockListIndex
    /// Places in the list of the entries behind `meant`.
    private var positions: [UInt32] = []

    package var count: Int { groups.values.reduce(0) { $0 + $1.count } }

    package init(_ list: BlockList, rules: MatchingRules) {
        let starts = Array(stride(from: 0, to: list.count, by: Self.pieceSize))
        let found = Mutex<[Int: Piece]>([:])
        DispatchQueue.concurrentPerform(iterations: starts.count) { number in
            let piece = Piece(list, starts[number]..<min(starts[number] + Self.pieceSize, list.count), rules)
            found.withLock { $0[number] = piece }
        }
        var meant = BlockList()
        let pieces = found.withLock { $0 }
        for number in starts.indices {
            guard let piece = pieces[number] else { continue }
            for (cause, group) in piece.groups {
                groups[cause, default: Group()].count += group.count
                let missing = Self.exampleCount - groups[cause, default: Group()].examples.count
                groups[cause]?.examples += group.examples.prefix(missing)
            }
            piece.meant.forEachEntry { meant.append($0) }
            positions += piece.positions
        }
        self.meant = BlockListIndex(meant)
    }

    /// The entry with which the owner of the list plainly meant to block a URL: it is the URL or its host, but for
    /// upper and lower case, a scheme, `www.` in front or a slash behind.
    ///
    /// - Returns: Its place in the list.
    package func meaning(_ url: UnsafeBufferPointer<UInt8>) -> Int? {
        guard !positions.isEmpty else { return nil }
        let plain = plainAddress(url)
        if let found = meant.firstPosition(of: plain.span) { return Int(positions[found]) }
        guard let end = plain.firstIndex(where: isBehindHost) else { return nil }
        let host = plain[..<end]
        return meant.firstPosition(of: host.span).map { Int(positions[$0]) }
    }

    private struct Piece: Sendable {
        var groups: [EntryProblem.Cause: Group] = [:]
        /// The entries in the form in which URLs are compared with them.
        var meant = BlockList()
        var positions: [UInt32] = []

        init(_ list: BlockList, _ range: Range<Int>, _ rules: MatchingRules) {
            var linter = EntryLinter(rules: rules)
            for position in range {
                list.withEntry(at: position) { entry in
                    entry.withUnsafeBufferPointer { entry in
                        guard let cause = linter.obstacle(of: entry)?.cause else { return }
                        groups[cause, default: Group()].count += 1
                        if groups[cause, default: Group()].examples.count < exampleCount {
                            groups[cause]?.examples.append(Array(entry))
                        }
                        meant.append(plainAddress(entry).span)
                        positions.append(UInt32(position))
                    }
                }
            }
        }
    }
}

/// An address in lower case without scheme, `www.` in front and slash behind.
private func plainAddress(_ address: UnsafeBufferPointer<UInt8>) -> [UInt8] {
    var plain = address.map { $0 &- UInt8(ascii: "A") < 26 ? $0 | 0x20 : $0 }
    let slash = UInt8(ascii: "/")
    if let colon = plain.firstIndex(where: { $0 == UInt8(ascii: ":") || isBehindHost($0) }),
        plain[colon...].starts(with: "://".utf8)
    {
        plain.removeFirst(colon + 3)
    }
    if plain.starts(with: "www.".utf8) { plain.removeFirst(4) }
    if plain.last == slash { plain.removeLast() }
    return plain
}

private func isBehindHost(_ byte: UInt8) -> Bool {
    byte == UInt8(ascii: "/") || byte == UInt8(ascii: "?") || byte == UInt8(ascii: "#")
}
