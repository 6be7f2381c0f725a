import Decoding
import Foundation

/// A JSON document as it is written, so that a complaint can name the key and what was found.
enum JSONValue: Decodable, Hashable {
    case null
    case boolean(Bool)
    case integer(Int)
    case number(Double)
    case string(String)
    case array([JSONValue])
    case object([String: JSONValue])

    init(from decoder: any Decoder) throws {
        let container = try decoder.singleValueContainer()
        if container.decodeNil() {
            self = .null
        } else if let value = try? container.decode(Bool.self) {
            self = .boolean(value)
        } else if let value = try? container.decode(Int.self) {
            self = .integer(value)
        } else if let value = try? container.decode(Double.self) {
            self = .number(value)
        } else if let value = try? container.decode(String.self) {
            self = .string(value)
        } else if let value = try? container.decode([JSONValue].self) {
            self = .array(value)
        } else {
            self = .object(try container.decode([String: JSONValue].self))
        }
    }

    /// The value in words, for an error.
    var shown: String {
        switch self {
        case .null: "null"
        case .boolean(let value): "\(value)"
        case .integer(let value): "\(value)"
        case .number(let value): "\(value)"
        case .string(let value): "'\(value.prefix(80))'"
        case .array: "an array"
        case .object: "an object"
        }
    }
}

/// Reads the members of one JSON object, keeping its path for errors and noting which keys were asked for.
struct JSONObjectReader {
    private let members: [String: JSONValue]
    /// Dotted path with a trailing dot; empty at the top.
    private let prefix: String
    private var known: Set<String> = []

    init(_ members: [String: JSONValue], prefix: String = "") {
        self.members = members
        self.prefix = prefix
    }

    /// Keys of the object that nobody asked for, in alphabetical order.
    var unknownKeys: [UnknownKey] {
        let missing = known.filter { members[$0] == nil }.sorted()
        return members.keys.filter { !known.contains($0) }.sorted().map {
            UnknownKey(path: prefix + $0, meant: Spelling.meant(by: $0, among: missing))
        }
    }

    /// Keys of the object, in alphabetical order.
    var keys: [String] { members.keys.sorted() }

    func path(_ key: String) -> String { prefix + key }

    /// The value of a key; nil if it is absent or null.
    mutating func value(_ key: String) -> JSONValue? {
        known.insert(key)
        return members[key].flatMap { $0 == .null ? nil : $0 }
    }

    /// Whether the key is there, be it with null.
    mutating func has(_ key: String) -> Bool {
        known.insert(key)
        return members[key] != nil
    }

    mutating func string(_ key: String) throws(ProcessConfigurationError) -> String? {
        switch value(key) {
        case nil: return nil
        case .string(let text): return text
        case .some(let other): throw wrongType(key, other, "a string")
        }
    }

    mutating func requiredString(_ key: String) throws(ProcessConfigurationError) -> String {
        guard let text = try string(key) else { throw ProcessConfigurationError(path(key), .missing) }
        return text
    }

    mutating func integer(_ key: String) throws(ProcessConfigurationError) -> Int? {
        switch value(key) {
        case nil: return nil
        case .integer(let number): return number
        case .some(let other): throw wrongType(key, other, "a whole number")
        }
    }

    mutating func double(_ key: String) throws(ProcessConfigurationError) -> Double? {
        switch value(key) {
        case nil: return nil
        case .integer(let number): return Double(number)
        case .number(let number): return number
        case .some(let other): throw wrongType(key, other, "a number")
        }
    }

    mutating func boolean(_ key: String) throws(ProcessConfigurationError) -> Bool? {
        switch value(key) {
        case nil: return nil
        case .boolean(let flag): return flag
        case .some(let other): throw wrongType(key, other, "true or false")
        }
    }

    mutating func object(_ key: String) throws(ProcessConfigurationError) -> JSONObjectReader? {
        switch value(key) {
        case nil: return nil
        case .object(let members): return JSONObjectReader(members, prefix: path(key) + ".")
        case .some(let other): throw wrongType(key, other, "an object")
        }
    }

    func wrongType(_ key: String, _ found: JSONValue, _ expected: String) -> ProcessConfigurationError {
        ProcessConfigurationError(path(key), .wrongType(found: found.shown, expected: expected))
    }
}

/// A key of a configuration that nothing reads.
package struct UnknownKey: Hashable, Sendable {
    /// Dotted, with the objects around it.
    package let path: String
    /// The key that is missing beside it and is probably meant.
    package let meant: String?
}

extension UnknownKey: CustomStringConvertible {
    /// To stand behind the path.
    package var advice: String { meant.map { "; did you mean \($0)?" } ?? "" }

    package var description: String { "key '\(path)' means nothing here; it is ignored\(advice)" }
}
