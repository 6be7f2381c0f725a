/// Changes that an app may make to the lookup strings since iOS 27.
///
/// Names and defaults are those of `NEURLFilterManager.ParsingConfiguration` (article "Device", section "iOS 27";
/// Apple's pages of the same names). An excluded domain, path, query or fragment is replaced by the two characters `%*`
/// if the URL has one; an excluded scheme or a stripped `www.` leaves nothing behind.
///
///     var configuration = ParsingConfiguration()
///     configuration.path.excluded = true
///     // https://www.example.com/a/b/c?id=123#fragment: … example.com/%*?id=123#fragment …
package struct ParsingConfiguration: Hashable, Sendable {
    /// Drop `https://`. When `false`, every lookup string starts with the scheme (assumption: Apple shows
    /// no example with a scheme).
    package var excludeScheme = true
    package var domain = DomainOptions()
    package var path = PathOptions()
    package var query = QueryOptions()
    /// Replace the fragment by `%*`.
    package var excludeFragment = false
    /// Leave out every string that lacks a component of the URL.
    ///
    /// Assumption, from the name and the overview page, because Apple's sentence about it is a copy of the
    /// one about fragments: per domain only the forms with full path, query and fragment remain. The domain
    /// hierarchy is still walked.
    package var excludeIntermediates = false
    /// Whether case counts. If not, the URL is lower-cased before it is taken apart (assumption about how; that
    /// matching ignores case is documented), so a data-set entry must be lower case.
    package var caseSensitive = false
    /// An expression in place of all other options, which are ignored if it is set.
    package var urlParsingRegularExpression: ParsingExpression?

    package init() {}

    package struct DomainOptions: Hashable, Sendable {
        /// Replace the domain by `%*`; the other domain options are then ignored. Assumption: the port goes
        /// with the domain.
        package var excluded = false
        /// Drop one leading `www.`.
        package var stripWWW = true
        /// Keep only so many labels, from the right: 2 makes `www.sub.example.com` `example.com`. 0 keeps all.
        package var levels: UInt = 0
        /// Look up the parents with at least two labels too.
        package var enumerateHierarchy = true

        package init() {}
    }

    package struct PathOptions: Hashable, Sendable {
        /// Replace the path by `%*`, as if that were its only segment; the other path options are then
        /// ignored. Assumption: the path `/` has nothing to replace.
        package var excluded = false
        /// Keep only so many segments, from the left: 2 makes `/a/b/c/d` `/a/b`. 0 keeps all.
        package var segments: UInt = 0
        /// Look up all beginnings of the path too. Assumption: when `false`, the bare domain remains.
        package var enumerateHierarchy = true

        package init() {}
    }

    package struct QueryOptions: Hashable, Sendable {
        /// Replace the query by `%*`; ``parameters`` is then ignored.
        package var excluded = false
        /// Keep only these items, in this order: `["id", "external"]` makes `?external&id=123&type=abc`
        /// `?id=123&external`. `nil` keeps the query as it is. Assumptions: an item that occurs twice is
        /// kept twice; if nothing remains, the URL counts as one without a query.
        package var parameters: [String]?

        package init() {}
    }
}
