/// Which strings of a URL a device looks up.
///
/// Three generations exist, and the difference decides whether an entry matches at all
/// (apple-url-filter fact sheet, section 4).
package enum MatchingRules: Hashable, Sendable {
    /// iOS and macOS 26: reverse-engineered, fact sheet section 4b. All suffixes of the host down to the
    /// top-level name; with and without `www.`; paths only on the full host; no ports; no lower-casing.
    case iOS26
    /// As in Apple's documentation today, fact sheet section 4a. The same as ``iOS27(_:)`` with the
    /// default configuration.
    case documented
    /// iOS and macOS 27 with the parsing configuration of the app, fact sheet section 4c.
    case iOS27(ParsingConfiguration)
}
