/// Hosts and URLs that a list, or a file of exceptions beside it, says not to block.
///
/// A device has no allow list, so that an exception is settled when the entries are made: an entry that it covers is
/// left out. An exception that is narrower than an entry cannot be kept: the entry blocks what it would have opened.
struct ListExceptions {
    private struct Exception {
        var text: [UInt8]
        var line: Int
        /// Only the very same entry, as `$badfilter` says, and nothing below it.
        var isExact: Bool
        /// Whether to tell where it stands: it is a line of the list itself.
        var isInList: Bool
    }

    private var exceptions: [Exception] = []

    var isEmpty: Bool { exceptions.isEmpty }

    /// - Parameter entry: Normalized like an entry.
    mutating func add(_ entry: ArraySlice<UInt8>, line: Int, isExact: Bool = false, isInList: Bool = true) {
        exceptions.append(Exception(text: Array(entry), line: line, isExact: isExact, isInList: isInList))
    }

    /// Takes entries out, and counts both: what is out, and what cannot be.
    func apply(to list: inout BlockList, _ report: inout ReadReport) throws(InputError) {
        let exact = Set(exceptions.filter(\.isExact).map(\.text))
        let covering = Set(exceptions.filter { !$0.isExact }.map(\.text))
        var kept = BlockList()
        var removed: [Int] = []
        for position in list.indices {
            let entry = Array(list[position])
            if exact.contains(entry) || Self.parents(of: entry).contains(where: covering.contains) {
                removed.append(position)
            } else {
                kept.append(entry.span)
            }
        }
        report.remove(entries: removed)
        report.note(.excepted, times: removed.count)
        list = kept
        guard !covering.isEmpty else { return }
        let index = BlockListIndex(kept)
        for exception in exceptions where !exception.isExact {
            let wider = Self.parents(of: exception.text).first { index.firstPosition(of: $0.span) != nil }
            if wider != nil {
                try report.drop(.exceptionNarrower, exception.text.span, line: exception.line)
            } else if exception.isInList {
                report.note(.exceptionKept)
            }
        }
    }

    /// The entry, what is above its path, its host, and what is above that.
    private static func parents(of entry: [UInt8]) -> [[UInt8]] {
        var parents: [[UInt8]] = [entry]
        let hostEnd = entry.firstIndex { $0.endsHost } ?? entry.count
        var end = entry.count
        while end > hostEnd {
            end -= 1
            guard [UInt8(ascii: "/"), UInt8(ascii: "?")].contains(entry[end]) else { continue }
            if end + 1 < entry.count { parents.append(Array(entry[...end])) }
            parents.append(Array(entry[..<end]))
        }
        var host = entry[..<hostEnd]
        while let dot = host.firstIndex(of: UInt8(ascii: ".")) {
            host = host[(dot + 1)...]
            parents.append(Array(host))
        }
        return parents
    }
}
