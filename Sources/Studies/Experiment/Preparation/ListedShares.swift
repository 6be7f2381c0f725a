package import Scenarios
package import URLFilter
package import Workload

/// How much of a trace a block list names, counted.
package struct ListedShares: Codable, Equatable, Sendable {
    /// Entries of the list.
    package let entries: Int
    /// Listed shares of all requests, and of the different URLs and the different hosts among them. A host counts
    /// when one of its requests is listed.
    package let requests: Double
    package let urls: Double
    package let hosts: Double
    /// Share of the page views whose document is listed.
    package let pages: Double
    /// Listed share of the requests that are no documents.
    package let objects: Double

    /// - Returns: `nil` for a trace without records.
    package init?(_ statistics: TraceStatistics, entries: Int) {
        let (all, views) = (statistics.summary.recordCount, statistics.visits.pages.total)
        guard all > 0 else { return nil }
        func share(_ part: Int, of whole: Int) -> Double {
            whole > 0 ? min(1, max(0, Double(part) / Double(whole))) : 0
        }
        let listed = statistics.listed
        self.entries = entries
        requests = share(listed.requests, of: all)
        urls = share(listed.urls.distinctCount, of: statistics.urls.distinctCount)
        hosts = share(listed.hosts.distinctCount, of: statistics.hosts.distinctCount)
        pages = share(statistics.visits.listedViews, of: views)
        objects = share(listed.requests - statistics.visits.listedViews, of: all - views)
    }

    /// Counts in a trace of a scenario.
    ///
    /// - Throws: ``PreparationError/traceEmpty(_:)``.
    package init(of trace: TraceSettings, index: BlockListIndex, isStrict: Bool) throws {
        let reader = try TraceFiles.open(trace, isStrict: isStrict)
        var statistics = TraceStatistics(DescriptionOptions())
        var urls = ListedURLs(index)
        while let record = try reader.next() {
            statistics.add(
                record, lookupStrings: nil, listing: RecordListing(record) { urls.contains($0) })
        }
        statistics.finish()
        guard let shares = ListedShares(statistics, entries: index.list.count) else {
            throw PreparationError.traceEmpty(trace.file)
        }
        self = shares
    }

    /// Traffic settings with which a synthetic web is listed as often.
    package var traffic: ListedTraffic { ListedTraffic(visitShare: pages, objectShare: objects) }
}

/// Looks URLs up in a block list, as a device with an exact prefilter would.
package struct ListedURLs: Sendable {
    package let index: BlockListIndex
    private let rules: MatchingRules
    private var buffer = LookupStringBuffer()

    package init(_ index: BlockListIndex, rules: MatchingRules = .iOS27(ParsingConfiguration())) {
        self.index = index
        self.rules = rules
    }

    /// - Returns: `false` for a URL that no device can look up.
    package mutating func contains(_ url: String) -> Bool { entries(matching: url)?.isEmpty == false }

    /// Places in the list of the entries that block a URL.
    ///
    /// - Returns: `nil` for a URL that no device can look up.
    package mutating func entries(matching url: String) -> [Int]? {
        guard (try? buffer.expand(url, rules: rules)) != nil else { return nil }
        return (0..<buffer.count).compactMap { place in
            buffer.withString(at: place) { index.firstPosition(of: $0.span) }
        }
    }
}
