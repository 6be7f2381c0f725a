/// Why a listed URL is let through, with the setting that changes it.
package enum LeakCause: CaseIterable, Sendable {
    /// What decided was older than the entry: the prefilter, the database, or a cached answer.
    case stale
    /// The entry cannot match.
    case unmatchable
    /// The app does not let the filter see the load.
    case notCovered
    /// The app asked, was told `unknown`, and loaded all the same.
    case unknown
    /// The filter sees or holds less than the list says: a host for a path.
    case grain
    /// Nothing could decide, and whatever else there is.
    case failed

    package var words: String {
        switch self {
        case .stale: "because what decided was older than their entry"
        case .unmatchable: "because their entry cannot match"
        case .notCovered: "because their app does not let the filter see them"
        case .unknown: "because their app was told 'unknown' and loaded them"
        case .grain: "because the filter knows less than the list says"
        case .failed: "because no answer came in time"
        }
    }

    /// Path of what changes it first; `nil` where only another list or filter does.
    package var setting: String? {
        switch self {
        case .stale: Schema.filter.path(\.prefilterFetchInterval)
        case .unmatchable, .grain: nil
        case .notCovered: Schema.devices.path(\.coverage)
        case .unknown: Schema.devices.path(\.unknownShare)
        case .failed: Schema.filter.path(\.shouldFailClosed)
        }
    }

    /// The leaks of a point by cause.
    ///
    /// - Parameter value: Of a metric: its mean over the replications, or its rate.
    package static func counts(
        of point: PointResult, _ value: (MetricResult) -> Double?
    ) -> [LeakCause: Double] {
        func count(_ metric: Metric) -> Double { point[metric].flatMap(value) ?? 0 }
        var counts: [LeakCause: Double] = [
            .stale: count(.leakedStale), .unmatchable: count(.leakedUnmatchable),
            .notCovered: count(.leakedUnseen) - count(.leakedUnknown), .unknown: count(.leakedUnknown),
            .grain: count(.leakedByGrain),
        ]
        let all = count(.leaked)
        let rest = all - counts.values.reduce(0, +)
        // Sums of means differ in the last digits.
        counts[.failed] = rest > 1e-9 * all ? rest : 0
        return counts
    }
}
