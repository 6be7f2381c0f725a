/// Strings that are looked for anywhere in an address, as a rule list does whose rules are parts of URLs.
///
/// Looking takes one look-up for each byte of an address, and a comparison for each string that begins as it does
/// there.
package struct SubstringIndex: Sendable {
    private let strings: [[UInt8]]
    /// Places of the strings by their first ``width`` bytes.
    private let places: [UInt32: [Int]]
    private let width: Int

    package var count: Int { strings.count }

    /// - Parameter strings: In lower case; an empty one is in no address.
    package init(_ strings: some Sequence<[UInt8]>) {
        let strings = strings.filter { !$0.isEmpty }
        let width = min(strings.lazy.map(\.count).min() ?? 4, 4)
        self.strings = strings
        self.width = width
        places = Dictionary(grouping: strings.indices) { Self.word(strings[$0][..<width]) }
    }

    /// The first of the strings, by its place in the list, that an address has.
    ///
    /// - Parameter url: Upper and lower case are the same.
    package func first(in url: some Sequence<UInt8>) -> [UInt8]? {
        let text = url.map { $0 &- UInt8(ascii: "A") < 26 ? $0 | 0x20 : $0 }
        guard !strings.isEmpty, text.count >= width else { return nil }
        var found: Int?
        for start in 0...(text.count - width) {
            for place in places[Self.word(text[start..<(start + width)])] ?? []
            where place < found ?? .max && text[start...].starts(with: strings[place]) { found = place }
        }
        return found.map { strings[$0] }
    }

    private static func word(_ bytes: ArraySlice<UInt8>) -> UInt32 {
        bytes.reduce(0) { $0 << 8 | UInt32($1) }
    }
}
