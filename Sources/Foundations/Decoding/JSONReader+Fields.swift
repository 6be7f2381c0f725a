package import Foundation

extension JSONReader {
    /// Finds a field that nobody reads, such as one that is misspelt.
    ///
    /// - Parameter document: Read from the data; what it does not write again it has not read.
    /// - Returns: Path of the first such field, such as `coldStart.factr`; `nil` if all are read. A field that is
    ///   `null` counts as absent.
    package static func unreadField(in data: Data, of document: some Codable) throws -> String? {
        let written = try read(JSONFields.self, from: JSONEncoder().encode(document))
        return try read(JSONFields.self, from: data).first(beyond: written)
    }
}

/// The names of a document without its values.
private indirect enum JSONFields: Decodable {
    case object([String: JSONFields])
    case value

    init(from decoder: any Decoder) throws {
        // Anything but an object is a value here, lists included.
        let object = try? decoder.singleValueContainer().decode([String: JSONFields?].self)
        self = object.map { .object($0.compactMapValues(\.self)) } ?? .value
    }

    func first(beyond other: JSONFields) -> String? {
        guard case .object(let fields) = self, case .object(let known) = other else { return nil }
        for (name, field) in fields.sorted(by: { $0.key < $1.key }) {
            guard let same = known[name] else { return name }
            if let inner = field.first(beyond: same) { return "\(name).\(inner)" }
        }
        return nil
    }
}
