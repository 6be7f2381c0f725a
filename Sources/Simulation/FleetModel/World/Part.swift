/// A party of the simulated world, by the name that it has in scenarios, results and outputs.
package struct Part: Hashable, Sendable {
    package let name: String

    package init(_ name: String) { self.name = name }

    /// The same role in a region: `europe.pir`.
    ///
    /// - Parameter region: `nil` for the only one, which has no name.
    package init(_ role: Part, region: String?) {
        name = region.map { $0 + "." + role.name } ?? role.name
    }

    /// Name of the region that it stands in; `nil` where there is one without a name.
    package var region: String? {
        name.lastIndex(of: ".").map { String(name[..<$0]) }
    }

    /// The part without its region.
    package var role: Part {
        name.lastIndex(of: ".").map { Part(String(name[name.index(after: $0)...])) } ?? self
    }
}

extension Part: Codable, CodingKeyRepresentable {
    private struct Key: CodingKey {
        let stringValue: String
        var intValue: Int? { nil }

        init(stringValue: String) { self.stringValue = stringValue }
        init?(intValue _: Int) { nil }
    }

    package var codingKey: any CodingKey { Key(stringValue: name) }

    package init?(codingKey: some CodingKey) { self.init(codingKey.stringValue) }

    package init(from decoder: any Decoder) throws {
        self.init(try decoder.singleValueContainer().decode(String.self))
    }

    package func encode(to encoder: any Encoder) throws {
        var container = encoder.singleValueContainer()
        try container.encode(name)
    }
}

extension Part: CustomStringConvertible {
    package var description: String { name }
}
