/// Something about a line of the block list that its author should know.
package struct EntryProblem: Hashable, Sendable {
    package enum Kind: Hashable, Sendable {
        case empty
        /// A NUL or another control character. Devices stop hashing at a NUL (article "Device", section "Prefilter").
        case controlCharacter(offset: Int)
        case outerBlank
        case innerBlank(offset: Int)
        case notASCII(offset: Int)
        case schemeIncluded(String)
        /// Only where the configuration keeps the scheme.
        case schemeMissing
        case upperCase(offset: Int)
        case leadingWWW
        case trailingDot
        case wildcard(offset: Int)
        /// A bare top-level name or another name without a dot.
        case singleLabel
        /// iOS 26 looks up paths on the whole host only.
        case pathNotOnSubdomains
        /// An entry that the parsing expression of the filter never produces.
        case notAMatchOfExpression
        /// None of the other reasons explains it.
        case notALookupString
    }

    package let kind: Kind
    /// No URL can match the entry, so it only costs space. Otherwise it matches, but perhaps not what was
    /// meant.
    package let neverMatches: Bool
}

extension EntryProblem {
    /// A ``Kind`` without its place, to count entries by.
    package enum Cause: String, CaseIterable, Codable, CodingKeyRepresentable, Sendable {
        case empty, controlCharacter, blank, notASCII, scheme, schemeMissing, upperCase, www, trailingDot
        case wildcard, expression, other
    }
}

extension EntryProblem.Kind {
    package var cause: EntryProblem.Cause {
        switch self {
        case .empty: .empty
        case .controlCharacter: .controlCharacter
        case .outerBlank, .innerBlank: .blank
        case .notASCII: .notASCII
        case .schemeIncluded: .scheme
        case .schemeMissing: .schemeMissing
        case .upperCase: .upperCase
        case .leadingWWW: .www
        case .trailingDot: .trailingDot
        case .wildcard: .wildcard
        case .notAMatchOfExpression: .expression
        case .singleLabel, .pathNotOnSubdomains, .notALookupString: .other
        }
    }
}

extension EntryProblem.Cause: CustomStringConvertible {
    package var description: String {
        switch self {
        case .empty: "empty"
        case .controlCharacter: "a control character"
        case .blank: "a blank"
        case .notASCII: "not ASCII"
        case .scheme: "a scheme in front"
        case .schemeMissing: "no scheme in front"
        case .upperCase: "upper case"
        case .www: "'www.' in front"
        case .trailingDot: "a dot behind the host"
        case .wildcard: "a wildcard"
        case .expression: "not of the form that the parsing expression gives"
        case .other: "no lookup string of any URL"
        }
    }
}

extension EntryProblem: CustomStringConvertible {
    package var description: String {
        let reason = neverMatches ? "never matches: " : ""
        return reason + text
    }

    private var text: String {
        switch kind {
        case .empty: "the entry is empty"
        case .controlCharacter(let offset):
            "the byte at offset \(offset) is a control character, which no URL has"
        case .outerBlank: "the entry starts or ends with a blank; remove it"
        case .innerBlank(let offset): "the byte at offset \(offset) is a blank; URLs have '%20' there"
        case .notASCII(let offset):
            "the byte at offset \(offset) is not ASCII; write Punycode in the host and '%' codes elsewhere"
        case .schemeIncluded(let scheme): "the entry starts with '\(scheme)://'; leave the scheme out"
        case .schemeMissing: "the entry has no scheme, but this configuration looks up strings with one"
        case .upperCase(let offset):
            neverMatches
                ? "the byte at offset \(offset) is upper case, but URLs are looked up in lower case"
                : "the byte at offset \(offset) is upper case; it matches only URLs written the same way"
        case .leadingWWW: "the entry starts with 'www.', which is dropped from URLs; leave it out"
        case .trailingDot:
            neverMatches
                ? "the host ends with a dot, which is dropped from URLs; leave it out"
                : "the host ends with a dot; it matches only URLs written the same way"
        case .wildcard(let offset):
            "the '*' at offset \(offset) is not a wildcard; it stands for itself only"
        case .singleLabel:
            "the host has no dot; iOS 26 matches every host below it, iOS 27 only the host of that name"
        case .pathNotOnSubdomains:
            "iOS 26 looks up this path on this host with and without 'www.' only, not on its subdomains"
        case .notAMatchOfExpression:
            "the parsing expression never gives this string; entries look like 'name=value name=value'"
        case .notALookupString: "no URL expands to this string under these rules"
        }
    }
}
