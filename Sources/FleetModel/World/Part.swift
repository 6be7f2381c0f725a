/// A party of the simulated world, by the name that it has in scenarios, results and outputs.
package struct Part: Hashable, Sendable {
    package let name: String

    package init(_ name: String) { self.name = name }
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
