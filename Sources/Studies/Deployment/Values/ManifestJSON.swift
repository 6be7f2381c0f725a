import Decoding

extension ManifestValue: Encodable {
    private struct FieldName: CodingKey {
        let stringValue: String
        var intValue: Int? { nil }

        init(stringValue: String) { self.stringValue = stringValue }
        init?(intValue _: Int) { nil }
    }

    package func encode(to encoder: any Encoder) throws {
        switch self {
        case .text(let text): try text.encode(to: encoder)
        case .integer(let integer): try integer.encode(to: encoder)
        case .number(let number): try number.encode(to: encoder)
        case .flag(let flag): try flag.encode(to: encoder)
        case .list(let list): try list.encode(to: encoder)
        case .fields(let fields):
            var container = encoder.container(keyedBy: FieldName.self)
            for field in fields {
                try container.encode(field.value, forKey: FieldName(stringValue: field.key))
            }
        }
    }

    /// Text that ends with a newline, keys in alphabetical order.
    package var json: String { get throws { try JSONText.render(self) } }
}
