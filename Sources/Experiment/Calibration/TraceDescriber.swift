import Foundation
import URLFilter
package import Workload

/// Reads one or several trace files as one trace, in order of time.
package struct TraceDescriber {
    package private(set) var statistics: TraceStatistics
    package private(set) var reports: [ReadReport] = []

    private var buffer = LookupStringBuffer()

    /// Files that may be open at the same time.
    package static let maximumFileCount = 256
    private static let progressInterval = 1 << 16

    package init(_ options: DescriptionOptions) {
        statistics = TraceStatistics(options)
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
            statistics.add(record, lookupStrings: Self.count(record.url, &buffer))
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
