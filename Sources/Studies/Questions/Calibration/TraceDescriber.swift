package import Experiment
import Foundation
import URLFilter
package import Workload

/// Reads one or several trace files as one trace, in order of time.
package struct TraceDescriber {
    package private(set) var statistics: TraceStatistics
    package private(set) var reports: [ReadReport] = []

    private var buffer = LookupStringBuffer()
    private var listed: ListedURLs?

    /// Files that may be open at the same time.
    package static let maximumFileCount = 256
    private static let progressInterval = 1 << 16

    /// - Parameter list: What shall be counted of it; `nil` for nothing.
    package init(_ options: DescriptionOptions, list: BlockListIndex? = nil) {
        statistics = TraceStatistics(options)
        listed = list.map { ListedURLs($0) }
    }

    /// `nil` without a list, and for a trace without records.
    package var listedShares: ListedShares? {
        listed.flatMap { ListedShares(statistics, entries: $0.index.list.count) }
    }

    /// - Parameter progress: Told the number of records so far.
    package mutating func read(
        _ paths: [String], options: TraceOptions, progress: (Int) -> Void
    ) throws {
        let readers = try paths.map { try TraceReader(path: $0, options: options) }
        var waiting = try readers.map { try $0.next() }
        var count = 0
        // A handful of files: looking at all of them for each record is cheap.
        while let next = Self.earliest(waiting) {
            guard let record = waiting[next] else { break }
            let strings = Self.count(record.url, &buffer)
            let listing = listed == nil ? nil : RecordListing(record) { listed?.contains($0) == true }
            statistics.add(record, lookupStrings: strings, listing: listing)
            waiting[next] = try readers[next].next()
            count += 1
            if count.isMultiple(of: Self.progressInterval) { progress(count) }
        }
        statistics.finish()
        reports += readers.map(\.report)
    }

    private static func earliest(_ waiting: [TraceRecord?]) -> Int? {
        var best: (index: Int, time: Int64)?
        for (index, record) in waiting.enumerated() {
            guard let record, record.time < best?.time ?? .max || best == nil else { continue }
            best = (index, record.time)
        }
        return best?.index
    }

    /// Lookup strings by the rules of iOS 27; `nil` for a URL that no device can look up.
    static func count(_ url: String, _ buffer: inout LookupStringBuffer) -> Int? {
        (try? buffer.expand(url, rules: rules)).map { buffer.count }
    }

    private static let rules = MatchingRules.iOS27(ParsingConfiguration())
}
