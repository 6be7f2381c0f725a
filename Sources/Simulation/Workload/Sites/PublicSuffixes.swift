import Decoding
import Foundation
import URLFilter

/// The names under which anybody can register a site: `com`, `co.uk`, and those of operators, such as `github.io`.
///
///     PublicSuffixes.builtIn.site(of: "www.example.co.uk")     // "example.co.uk"
///     PublicSuffixes.builtIn.isSuffix("github.io")             // true
///
/// The rules are the Public Suffix List, its ICANN and its private section; a name that no rule knows counts as a
/// suffix by its last label. Rules are kept as 64-bit hashes of the reversed name, so that a host is looked up in one
/// pass.
package struct PublicSuffixes: Sendable {
    /// Meaning of a rule for the name that it is kept under.
    private struct Rule: OptionSet {
        let rawValue: UInt8
        /// The name is a suffix.
        static let name = Rule(rawValue: 1)
        /// Each name right below it is one: `*.ck`.
        static let below = Rule(rawValue: 2)
        /// The name is none although it is below such a one: `!www.ck`.
        static let exception = Rule(rawValue: 4)
    }

    private var rules: [UInt64: Rule.RawValue] = [:]
    /// Version of the list that the rules are from, if it names one.
    package private(set) var version: String?

    /// Version 2026-10-22, in the program itself.
    package static let builtIn = {
        do {
            return try PublicSuffixes(Array(PackageResources.public_suffix_list_dat), name: "built-in list")
        } catch {
            preconditionFailure("the built-in list of public suffixes cannot be read: \(error)")
        }
    }()

    /// Largest file, in bytes; the list has some 340 000.
    package static let maximumByteCount = 8 << 20

    package init(path: String) throws {
        try self.init(Array(try InputBytes.read(path, limit: Self.maximumByteCount)), name: path)
    }

    /// - Parameter bytes: One rule in a line, comments behind `//`.
    package init(_ bytes: [UInt8], name: String) throws(PublicSuffixError) {
        for (number, line) in bytes.split(separator: ASCII.lineFeed, omittingEmptySubsequences: false)
            .enumerated()
        {
            let text = String(decoding: line, as: UTF8.self)
            if text.hasPrefix("//") {
                version =
                    version ?? text.firstMatch(of: /[Vv](?:ERSION|ersion):? ([0-9-]+)/).map { String($0.1) }
                continue
            }
            guard line.allSatisfy({ $0 >= ASCII.space && $0 != ASCII.delete || $0.isBlank }) else {
                throw .notARule(text, place: "\(name):\(number + 1)")
            }
            guard let word = text.split(whereSeparator: \.isWhitespace).first else { continue }
            try add(String(word), "\(name):\(number + 1)")
        }
        guard !rules.isEmpty else { throw .noRules(name) }
    }

    private mutating func add(_ rule: String, _ place: String) throws(PublicSuffixError) {
        var (text, kind) = (rule, Rule.name)
        if text.hasPrefix("!") {
            (text, kind) = (String(text.dropFirst()), .exception)
        } else if text.hasPrefix("*.") {
            (text, kind) = (String(text.dropFirst(2)), .below)
        }
        let isASCII = text.utf8.allSatisfy { $0 < 0x80 }
        guard let name = isASCII ? text.lowercased() : ASCIIForm.of(entry: text),
            (try? EntryForm(Array(name.utf8).span))?.rest.isEmpty == true
        else { throw .notARule(rule, place: place) }
        rules[Self.hash(Array(name.utf8)), default: 0] |= kind.rawValue
    }

    package func isSuffix(_ host: String) -> Bool { isSuffix(Array(host.utf8)) }

    /// - Parameter host: In ASCII, without a port.
    package func isSuffix(_ host: some BidirectionalCollection<UInt8>) -> Bool {
        !host.isEmpty && suffixStart(of: host) == host.startIndex
    }

    /// Whether no rule knows the last label, so that only the last resort makes it a suffix.
    package func isUnknown(_ label: [UInt8]) -> Bool { rules[Self.hash(label)] == nil }

    /// The registrable domain of a host: its suffix and one label more; the host itself where it is a suffix.
    package func site(of host: String) -> String {
        let bytes = Array(host.utf8)
        return String(decoding: bytes[siteStart(of: bytes)...], as: UTF8.self)
    }

    /// The beginning of the registrable domain of a host.
    func siteStart<Host: BidirectionalCollection<UInt8>>(of host: Host) -> Host.Index {
        let suffix = suffixStart(of: host)
        guard suffix > host.startIndex else { return host.startIndex }
        let dot = host[..<suffix].dropLast().lastIndex(of: UInt8(ascii: "."))
        return dot.map { host.index(after: $0) } ?? host.startIndex
    }

    /// The beginning of the longest suffix that a rule gives, or else of the last label.
    private func suffixStart<Host: BidirectionalCollection<UInt8>>(of host: Host) -> Host.Index {
        var hash = Self.emptyHash
        var index = host.endIndex
        var (start, labelStart): (Host.Index?, Host.Index) = (nil, host.endIndex)
        var isBelow = false
        while true {
            let isAtDot = index > host.startIndex && host[host.index(before: index)] == UInt8(ascii: ".")
            if index == host.startIndex || isAtDot, index < host.endIndex {
                let rule = Rule(rawValue: rules[hash] ?? 0)
                if rule.contains(.exception) { return labelStart }
                if start == nil || isBelow || rule.contains(.name) { start = index }
                isBelow = rule.contains(.below)
                labelStart = index
            }
            guard index > host.startIndex else { return start ?? host.startIndex }
            index = host.index(before: index)
            hash = Self.add(host[index].lowercased, to: hash)
        }
    }

    private static let emptyHash: UInt64 = 0xCBF2_9CE4_8422_2325

    private static func add(_ byte: UInt8, to hash: UInt64) -> UInt64 {
        (hash ^ UInt64(byte)) &* 0x0000_0100_0000_01B3
    }

    /// Hash of the name from its end to its start, without a dot in front.
    private static func hash(_ name: [UInt8]) -> UInt64 {
        name.reversed().reduce(emptyHash) { add($1, to: $0) }
    }
}

/// Why a file is no list of public suffixes.
package enum PublicSuffixError: InputFault, Equatable {
    case notARule(String, place: String)
    case noRules(String)
}

extension PublicSuffixError: CustomStringConvertible {
    package var description: String {
        switch self {
        case .notARule(let rule, let place):
            "\(place): '\(rule.prefix(80).unicodeScalars.map { $0.escaped(asASCII: true) }.joined())' is no rule of a "
                + "public suffix list; write for example 'co.uk', '*.ck' or '!www.ck'"
        case .noRules(let name): "\(name): the list of public suffixes has no rules"
        }
    }
}
