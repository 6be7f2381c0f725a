/// Which strings of a URL a device looks up.
///
/// Three generations exist, and the difference decides whether an entry matches at all
/// (article "Device", section "Lookup strings").
package enum MatchingRules: Hashable, Sendable {
    /// iOS and macOS 26: reverse-engineered, article "Device", section "iOS 26". All suffixes of the host down to the
    /// top-level name; with and without `www.`; paths only on the full host; no ports; no lower-casing.
    case iOS26
    /// Rules of Apple's documentation today, article "Device", section "As documented". The same as ``iOS27(_:)`` with
    /// the default configuration.
    case documented
    /// iOS and macOS 27 with the parsing configuration of the app, article "Device", section "iOS 27".
    case iOS27(ParsingConfiguration)
}
