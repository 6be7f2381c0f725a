import Foundation

/// A URL in ASCII: Punycode in the host (UTS 46, non-transitional), percent-encoding elsewhere.
///
/// Apple documents that devices encode URLs so before they look them up, and asks for data sets in the same form. Lists
/// and URLs go through this one function, so that they cannot disagree.
package enum ASCIIForm {
    package static func of(url: String) throws(URLParsingError) -> String {
        guard let encoded = URL(string: url)?.absoluteString, encoded.utf8.allSatisfy({ $0 < 0x80 }) else {
            throw .notConvertible
        }
        return encoded
    }

    /// An entry has no scheme.
    ///
    /// - Returns: `nil` for text that no URL can be made of.
    package static func of(entry: String) -> String? {
        let scheme = "https://"
        guard let encoded = try? of(url: scheme + entry), encoded.hasPrefix(scheme) else { return nil }
        return String(encoded.dropFirst(scheme.count))
    }
}
