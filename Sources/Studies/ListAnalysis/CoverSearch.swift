import Experiment
import URLFilter
package import Workload

/// Entries that match every URL that another entry matches, which is not needed beside them.
package struct CoverSearch: Sendable {
    private let index: BlockListIndex
    private var buffer = LookupStringBuffer()

    /// - Parameter index: Of the list with all entries.
    package init(_ index: BlockListIndex) { self.index = index }

    /// The place of an entry that covers another one; `nil` if that is needed under one of the rules.
    ///
    /// - Parameter rules: Under which it matches something.
    mutating func cover(of entry: [UInt8], at position: Int, under rules: [MatchingRules]) -> Int? {
        var cover: Int?
        for rules in rules {
            guard let found = self.cover(of: entry, at: position, rules) else { return nil }
            cover = cover ?? found
        }
        return cover
    }

    /// Places of all entries that no system needs, since another entry matches all that they match there; Apple's test
    /// entries stay.
    package mutating func covered() -> [Int] {
        var linters = RulesGeneration.systems.map { EntryLinter(rules: $0.rules) }
        return index.list.indices.filter { position in
            let entry = Array(index.list[position])
            guard !TestEntry.forms.contains(where: { $0.utf8.elementsEqual(entry) }) else { return false }
            let usable = linters.indices.filter { number in
                !linters[number].problems(in: entry).contains { $0.neverMatches }
            }
            return cover(of: entry, at: position, under: usable.map { RulesGeneration.systems[$0].rules })
                != nil
        }
    }

    /// The first lookup string of the entry's own URL that is another entry.
    ///
    /// A URL that matches the entry has that string among its own, too, with two exceptions that are left out:
    /// the default port, which other URLs need not have, and a `www.` that the entry does not have.
    private mutating func cover(of entry: [UInt8], at position: Int, _ rules: MatchingRules) -> Int? {
        guard (try? buffer.expand(Array("https://".utf8) + entry, rules: rules)) != nil else {
            return nil
        }
        let hasWWW = entry.starts(with: "www.".utf8)
        let hasPort = Self.containsPort(entry[...])
        for number in 0..<buffer.count {
            let found = buffer.withString(at: number) { string -> Int? in
                if !hasWWW, string.starts(with: "www.".utf8) { return nil }
                guard let other = index.firstPosition(of: string.span), other != position else {
                    return nil
                }
                if !hasPort, Self.containsPort(ArraySlice(string)) { return nil }
                // With and without a slash at the end they cover one another: the first one stays.
                if Self.isSameButForSlash(ArraySlice(string), entry[...]), other > position { return nil }
                return other
            }
            if let found { return found }
        }
        return nil
    }

    private static func containsPort(_ string: ArraySlice<UInt8>) -> Bool {
        string.prefix { $0 != UInt8(ascii: "/") && $0 != UInt8(ascii: "?") && $0 != UInt8(ascii: "#") }
            .contains(UInt8(ascii: ":"))
    }

    private static func isSameButForSlash(_ left: ArraySlice<UInt8>, _ right: ArraySlice<UInt8>)
        -> Bool
    {
        let slash = UInt8(ascii: "/")
        let shorter = left.count < right.count ? left : right
        let longer = left.count < right.count ? right : left
        return longer.count == shorter.count + 1 && longer.last == slash
            && longer.dropLast().elementsEqual(shorter)
    }
}
