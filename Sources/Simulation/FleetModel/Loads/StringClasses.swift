import URLFilter
import Workload

/// How many lookup strings URLs of one structure have, and of which kind.
struct StringCounts: Sendable {
    /// Strings made of the host alone, so that all URLs of the host have them.
    var host: Int32 = 0
    /// Strings with text of the path or of an unchanging query.
    var path: Int32 = 0
    /// Strings with the token that is new on every load.
    var token: Int32 = 0
}

/// String counts by the structure of host and URL, found by expanding examples.
///
/// How many strings a URL expands to, and which of them are made of the host alone, depends on its structure and
/// not on its text, under all rules that look neither for names in the query nor for a pattern.
struct StringClasses: Sendable {
    private let rules: MatchingRules
    private var classes: [Structure: Int] = [:]
    /// `URLShape.codeCount` per class, by code.
    private(set) var counts: [StringCounts] = []
    private var buffer = LookupStringBuffer()
    private var other = LookupStringBuffer()

    private struct Structure: Hashable {
        var labels: Int
        var hasWWW: Bool
    }

    init(_ rules: MatchingRules) { self.rules = rules }

    /// Whether the rules are of the kind that this type can count: the strings of the host alone are the same for
    /// all URLs of a host.
    static func apply(to rules: MatchingRules) -> Bool {
        if case .iOS27(let configuration) = rules {
            guard configuration.urlParsingRegularExpression == nil, configuration.query.parameters == nil
            else { return false }
        }
        let classes = StringClasses(rules)
        return ["example.test", "www.example.test", "cdn.shop.example.test"].allSatisfy { host in
            let bare = classes.hostStrings(host, URLShape(segments: 0, tail: .none))
            return (0...4).allSatisfy { segments in
                URLShape.Tail.allCases.allSatisfy { tail in
                    classes.hostStrings(host, URLShape(segments: segments, tail: tail)) == bare
                }
            }
        }
    }

    /// Position of URLs of this structure in ``counts``.
    ///
    /// - Parameter shape: `URLShape.code`.
    static func place(_ hostClass: Int, _ shape: UInt8) -> Int { hostClass * URLShape.codeCount + Int(shape) }

    /// The class of a host; `nil` for an address or a host with a port, whose URLs have to be tested one by one.
    mutating func hostClass(of host: [UInt8]) -> Int? {
        let labels = host.split(separator: UInt8(ascii: "."), omittingEmptySubsequences: false)
        guard let last = labels.last?.first, !(0x30...0x39).contains(last),
            !labels.contains(where: \.isEmpty),
            host.allSatisfy({ $0 < 0x80 && $0 != UInt8(ascii: ":") && $0 != UInt8(ascii: "[") })
        else { return nil }
        let structure = Structure(
            labels: labels.count, hasWWW: labels[0].elementsEqual("www".utf8) && labels.count > 1)
        if let known = classes[structure] { return known }
        let number = classes.count
        classes[structure] = number
        let name = (structure.hasWWW ? ["www"] : []) + Array(repeating: "name", count: structure.labels)
        let example = name.prefix(structure.labels).joined(separator: ".")
        for segments in 0...URLShape.maximumSegments {
            for tail in URLShape.Tail.allCases {
                counts.append(count(example, URLShape(segments: segments, tail: tail)))
            }
        }
        return number
    }

    private mutating func count(_ host: String, _ shape: URLShape) -> StringCounts {
        var result = StringCounts()
        guard (try? buffer.expand(Self.url(host, shape, text: "a", token: "a"), rules: rules)) != nil,
            (try? other.expand(Self.url(host, shape, text: "b", token: "b"), rules: rules)) != nil
        else { return result }
        for index in 0..<buffer.count {
            if buffer.isEqual(to: other, at: index) { result.host += 1 } else { result.path += 1 }
        }
        guard shape.tail == .token,
            (try? other.expand(Self.url(host, shape, text: "a", token: "b"), rules: rules)) != nil
        else { return result }
        for index in 0..<buffer.count where !buffer.isEqual(to: other, at: index) { result.token += 1 }
        result.path -= result.token
        return result
    }

    private func hostStrings(_ host: String, _ shape: URLShape) -> Set<String> {
        var (one, two) = (LookupStringBuffer(), LookupStringBuffer())
        guard (try? one.expand(Self.url(host, shape, text: "a", token: "a"), rules: rules)) != nil,
            (try? two.expand(Self.url(host, shape, text: "b", token: "b"), rules: rules)) != nil
        else { return [] }
        return Set(one.strings).intersection(two.strings)
    }

    private static func url(_ host: String, _ shape: URLShape, text: String, token: String) -> String {
        let path = "/" + (0..<shape.segments).map { "\(text)\($0)" }.joined(separator: "/")
        switch shape.tail {
        case .none: return "https://\(host)\(path)"
        case .query: return "https://\(host)\(path)?q=\(text)"
        case .token: return "https://\(host)\(path)?q=\(text)&_=\(token)"
        }
    }
}
