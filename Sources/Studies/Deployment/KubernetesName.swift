import Foundation

/// A name that Kubernetes takes: a label of RFC 1123 (section 2.1), small letters, digits and hyphens, 63 at most.
package struct KubernetesName: Hashable, Sendable {
    package let text: String

    /// Room for what is put before and behind: `urlfilter-pir-…-1234567890`.
    package static let longest = 40

    /// - Parameters:
    ///   - name: Letters with marks lose them; what is left over becomes a hyphen.
    ///   - taken: Names that others have; a number makes this one another.
    package init(_ name: String, taken: Set<KubernetesName> = []) {
        let plain = name.decomposed.unicodeScalars.map { scalar -> Character in
            let small = Character(scalar).lowercased()
            return small.wholeMatch(of: /[a-z0-9]/) != nil ? Character(small) : "-"
        }
        let words = String(plain).split(separator: "-").joined(separator: "-").prefix(Self.longest)
        let base = words.isEmpty ? "region" : words.last == "-" ? String(words.dropLast()) : String(words)
        var text = base
        var number = 2
        while taken.contains(where: { $0.text == text }) {
            text = "\(base)-\(number)"
            number += 1
        }
        self.text = text
    }
}

extension String {
    /// Letters without their marks, which stand alone after decomposition.
    fileprivate var decomposed: String {
        String(
            String.UnicodeScalarView(
                decomposedStringWithCanonicalMapping.unicodeScalars.filter {
                    $0.properties.generalCategory != .nonspacingMark
                }))
    }
}
