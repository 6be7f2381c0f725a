import Foundation

/// A value of a property list or of a JSON document that somebody else wrote.
indirect enum PropertyValue: Hashable {
    case boolean(Bool)
    case integer(Int)
    case string(String)
    case array([PropertyValue])
    case dictionary([String: PropertyValue])
    /// A date, data, or a number that is not whole: nothing that a filter has.
    case other

    /// Foundation's parser recurses without a limit and takes time by the square of the elements; no profile needs
    /// more.
    private static let maximumTagCount = 20_000
    private static let maximumDepth = 32

    /// - Returns: `nil` unless it is an XML property list with a dictionary at its top.
    init?(propertyList: Data) {
        guard Self.isHarmless(propertyList),
            let root = try? PropertyListSerialization.propertyList(from: propertyList, format: nil),
            case .dictionary(let values) = PropertyValue(root)
        else { return nil }
        self = .dictionary(values)
    }

    /// - Returns: `nil` unless it is a JSON object.
    init?(json: Data) {
        guard let root = try? JSONSerialization.jsonObject(with: json),
            case .dictionary(let values) = PropertyValue(root)
        else { return nil }
        self = .dictionary(values)
    }

    private init(_ value: Any) {
        switch value {
        case let text as String: self = .string(text)
        case let values as [Any]: self = .array(values.map(PropertyValue.init))
        case let values as [String: Any]: self = .dictionary(values.mapValues(PropertyValue.init))
        case let number as NSNumber:
            // Objective-C type codes: Booleans are characters, and Swift would turn them into 0 and 1.
            switch UInt8(bitPattern: number.objCType.pointee) {
            case UInt8(ascii: "c"), UInt8(ascii: "B"): self = .boolean(number.boolValue)
            default: self = Int(exactly: number).map(PropertyValue.integer) ?? .other
            }
        default: self = .other
        }
    }

    private static func isHarmless(_ list: Data) -> Bool {
        guard
            list.first(where: { ![0x20, 0x09, 0x0A, 0x0D, 0xEF, 0xBB, 0xBF].contains($0) })
                == UInt8(ascii: "<")
        else { return false }
        var (tags, depth, rest) = (0, 0, list[...])
        while let tag = rest.firstIndex(of: UInt8(ascii: "<")) {
            rest = rest[(tag + 1)...]
            tags += 1
            if rest.starts(with: "dict>".utf8) || rest.starts(with: "array>".utf8) { depth += 1 }
            if rest.starts(with: "/dict>".utf8) || rest.starts(with: "/array>".utf8) { depth -= 1 }
            guard tags <= maximumTagCount, depth <= maximumDepth else { return false }
        }
        return true
    }
}

/// A dictionary of a document, and where it stands in it.
struct PropertyNode {
    private let values: [String: PropertyValue]
    private let place: String

    init(_ value: PropertyValue?, _ place: String = "") {
        if case .dictionary(let values) = value { self.values = values } else { values = [:] }
        self.place = place
    }

    subscript(key: String) -> PropertyValue? { values[key] }

    func path(_ key: String) -> String { place.isEmpty ? key : "\(place).\(key)" }

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
