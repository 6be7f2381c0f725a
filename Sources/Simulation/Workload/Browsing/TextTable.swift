/// Many short texts in one buffer: hosts by popularity, or block-list entries.
///
/// A million hosts take 22 MB here and three times that as strings.
package struct TextTable: Sendable {
    private static let maximumBytes = Int(UInt32.max)

    private var bytes: [UInt8] = []
    private var ends: [UInt32] = []
    /// Name of the table in messages.
    private let name: String

    package init(name: String) {
        self.name = name
    }

    package init(name: String, _ texts: some Sequence<String>) throws(BrowsingError) {
        self.init(name: name)
        for text in texts { try append(text.utf8) }
    }

    package var count: Int { ends.count }
    package var isEmpty: Bool { ends.isEmpty }

    /// - Parameter text: Not empty, without blanks and control characters.
    package mutating func append(_ text: some Collection<UInt8>) throws(BrowsingError) {
        try append(ArraySlice(Array(text)))
    }

    /// Like the generic one; a list has a million texts.
    package mutating func append(_ text: ArraySlice<UInt8>) throws(BrowsingError) {
        guard !text.isEmpty else {
            throw .unusableText(table: name, index: count, problem: "is empty; leave the line out")
        }
        guard !text.contains(where: { $0 <= 0x20 || $0 == 0x7F }) else {
            throw .unusableText(
                table: name, index: count, problem: "holds a blank or a control character; a URL cannot")
        }
        guard bytes.count + text.count <= Self.maximumBytes else {
            throw .tooMuchText(table: name, maximumBytes: Self.maximumBytes)
        }
        bytes.append(contentsOf: text)
        ends.append(UInt32(bytes.count))
    }

    /// Checks that every text is a host and nothing more.
    package func requireHosts() throws(BrowsingError) {
        for index in 0..<count {
            let text = self[index]
            guard text.count <= 253 else {
                throw .unusableText(
                    table: name, index: index, problem: "has \(text.count) bytes; a host has at most 253")
            }
            let isHost = text.allSatisfy { byte in
                byte < 0x80 && byte != UInt8(ascii: "/") && byte != UInt8(ascii: "?")
                    && byte != UInt8(ascii: "#") && byte != UInt8(ascii: "\\") && byte != UInt8(ascii: "@")
            }
            guard isHost else {
                throw .unusableText(
                    table: name, index: index, problem: "is not a bare host in ASCII (Punycode)")
            }
        }
    }

    package subscript(_ index: Int) -> ArraySlice<UInt8> {
        bytes[(index == 0 ? 0 : Int(ends[index - 1]))..<Int(ends[index])]
    }
}
