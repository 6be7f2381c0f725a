/// A value of a property list or of a JSON document that somebody else wrote.
indirect enum PropertyValue: Hashable {
    case boolean(Bool)
    case integer(Int)
    /// A number with a fraction, or one that is too large.
    case real(Double)
    case string(String)
    case data, date
    /// `null` of JSON.
    case null
    case array([PropertyValue])
    case dictionary([String: PropertyValue])

    /// The type in words, as a complaint names it.
    var kind: String {
        switch self {
        case .boolean: "true or false"
        case .integer: "a whole number"
        case .real: "a number with a fraction"
        case .string: "text"
        case .data: "data"
        case .date: "a date"
        case .null: "null"
        case .array: "an array"
        case .dictionary: "a dictionary"
        }
    }
}

/// Why a document cannot be read.
package struct PropertyFault: Error, Hashable, CustomStringConvertible {
    /// Counted from 1; `nil` for a document without lines.
    package let line: Int?
    package let message: String

    package var description: String { line.map { "line \($0): \(message)" } ?? message }
}

/// A key that a dictionary of a document has more than once.
struct RepeatedKey: Hashable {
    var path: String
    var line: Int?
}

/// Bounds what a document may hold, and keeps what is there twice.
struct PropertyCollector {
    static let maximumDepth = 32
    private static let maximumCount = 100_000
    private static let maximumRepeated = 20

    private(set) var repeated: [RepeatedKey] = []
    private var count = 0

    /// Counts a value.
    ///
    /// - Returns: What is too much, in words.
    mutating func excess(depth: Int) -> String? {
        count += 1
        if depth > Self.maximumDepth { return "the document is nested more than \(Self.maximumDepth) deep" }
        return count > Self.maximumCount ? "the document has more than \(Self.maximumCount) values" : nil
    }

    /// Apple's readers keep one value of a key that is there twice, and do not say which.
    mutating func note(_ key: RepeatedKey) { repeated.append(key) }

    /// Whether one more key that is there twice is kept.
    var hasRoom: Bool { repeated.count < Self.maximumRepeated }

    static func path(_ path: String, _ key: String) -> String { path.isEmpty ? key : "\(path).\(key)" }
}

/// A dictionary of a document, and where it stands in it.
struct PropertyNode {
    let values: [String: PropertyValue]
    let place: String

    init(_ value: PropertyValue?, _ place: String = "") {
        if case .dictionary(let values) = value { self.values = values } else { values = [:] }
        self.place = place
    }

    subscript(key: String) -> PropertyValue? { values[key] }

    func path(_ key: String) -> String { PropertyCollector.path(place, key) }

    func text(_ key: String) -> String? {
        if case .string(let text) = values[key] { text } else { nil }
    }

    func integer(_ key: String) -> Int? {
        if case .integer(let number) = values[key] { number } else { nil }
    }

    func boolean(_ key: String) -> Bool? {
        if case .boolean(let value) = values[key] { value } else { nil }
    }

    /// - Returns: `nil` if there is no dictionary.
    func node(_ key: String) -> PropertyNode? {
        if case .dictionary? = values[key] { PropertyNode(values[key], path(key)) } else { nil }
    }

    /// Texts of an array, without what is not text.
    func texts(_ key: String) -> [String] {
        guard case .array(let elements) = values[key] else { return [] }
        return elements.compactMap { if case .string(let text) = $0 { text } else { nil } }
    }
}
