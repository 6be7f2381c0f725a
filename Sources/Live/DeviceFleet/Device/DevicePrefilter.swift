package import URLFilter

/// The prefilter of a device and the rules by which it makes lookup strings.
package struct DevicePrefilter: Sendable {
    package let filter: BloomFilter
    package let rules: MatchingRules

    package init(filter: BloomFilter, rules: MatchingRules) {
        self.filter = filter
        self.rules = rules
    }

    /// The lookup strings of a URL that hit, in order: the batch for the PIR server.
    ///
    /// - Parameter buffer: Left with all strings of the URL.
    package func hits(
        of url: [UInt8], using buffer: inout LookupStringBuffer
    ) throws(URLParsingError) -> [[UInt8]] {
        try buffer.expand(url, rules: rules)
        var indices: [Int] = []
        buffer.appendHits(of: filter, to: &indices)
        return indices.map { index in buffer.withString(at: index) { Array($0) } }
    }
}
