import Foundation

/// A regular expression whose named groups replace the lookup strings of a URL.
///
/// The rules of `setURLParsingRegularExpression(_:)` (article "Device", section "iOS 27"): a pattern
/// without a named group is an error, names are ASCII letters and digits, matching ignores case, and the
/// result is one string, `name=value name=value`, in the order of the groups.
///
/// Assumptions where Apple is silent: the expression is applied to the whole URL with its scheme, after
/// lower-casing; a group that took no part in the match is left out; a URL that does not match has no
/// lookup string and is allowed.
package struct ParsingExpression: Hashable, Sendable {
    package let pattern: String
    /// Names in the order of the pattern.
    package let groupNames: [String]
    private let expression: NSRegularExpression

    package init(_ pattern: String) throws(ParsingExpressionError) {
        do {
            expression = try NSRegularExpression(pattern: pattern, options: .caseInsensitive)
        } catch {
            throw .malformed(pattern: pattern)
        }
        let names = Self.groupNames(in: pattern)
        guard !names.isEmpty else { throw .noNamedGroup(pattern: pattern) }
        self.pattern = pattern
        groupNames = names
    }

    /// The lookup string of a URL; `nil` if the expression does not match or no group took part.
    ///
    /// - Complexity: What the pattern makes of it: a pattern that backtracks heavily is slow on long URLs.
    func lookupString(of url: String) -> String? {
        let everything = NSRange(url.startIndex..., in: url)
        guard let match = expression.firstMatch(in: url, range: everything) else { return nil }
        let pairs = groupNames.compactMap { name -> String? in
            guard let range = Range(match.range(withName: name), in: url) else { return nil }
            return "\(name)=\(url[range])"
        }
        return pairs.isEmpty ? nil : pairs.joined(separator: " ")
    }

    /// Finds `(?<name>`, leaving out look-behind, escaped brackets and brackets in a character class.
    private static func groupNames(in pattern: String) -> [String] {
        var names: [String] = []
        var rest = Substring(pattern)
        var classDepth = 0
        while let character = rest.first {
            if rest.hasPrefix("\\Q") {
                rest = rest.range(of: "\\E").map { rest[$0.upperBound...] } ?? ""
                continue
            }
            if character == "\\" {
                rest = rest.dropFirst(2)
                continue
            }
            if character == "[" { classDepth += 1 }
            if character == "]", classDepth > 0 { classDepth -= 1 }
            if classDepth == 0, rest.hasPrefix("(?<") {
                let name = rest.dropFirst(3).prefix { $0.isASCII && ($0.isLetter || $0.isNumber) }
                if !name.isEmpty, rest.dropFirst(3 + name.count).first == ">" { names.append(String(name)) }
            }
            rest = rest.dropFirst()
        }
        return names
    }

    package static func == (one: Self, other: Self) -> Bool { one.pattern == other.pattern }

    package func hash(into hasher: inout Hasher) { hasher.combine(pattern) }
}

/// Why a text cannot be the parsing expression of a filter.
package enum ParsingExpressionError: Error, Equatable {
    case malformed(pattern: String)
    case noNamedGroup(pattern: String)
}

extension ParsingExpressionError: CustomStringConvertible {
    package var description: String {
        switch self {
        case .malformed(let pattern):
            "urlParsingRegularExpression is '\(pattern)', which is not a regular expression"
        case .noNamedGroup(let pattern):
            "urlParsingRegularExpression is '\(pattern)', which has no named group; write for example "
                + "'https?://(?<host>[^/]+)'"
        }
    }
}
