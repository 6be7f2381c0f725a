import FleetModel
package import RunMetrics
package import URLFilter

/// A thing that users suffer, each a metric of its own.
package enum Harm: String, CaseIterable, Codable, Sendable {
    case leaked, falselyBlocked, brokenPages

    package var metric: Metric {
        switch self {
        case .leaked: .leaked
        case .falselyBlocked: .falselyBlocked
        case .brokenPages: .brokenPages
        }
    }
}

/// Why URLs are let through or blocked against the list, and why pages break.
package enum HarmCause: String, CaseIterable, Codable, Sendable {
    /// The deciding data were older than the entry, or than its removal: the prefilter, the database, or a cached
    /// answer.
    case stale
    /// The entry cannot match.
    case unmatchable
    /// The app does not let the filter see the load.
    case notCovered
    /// The app asked, was told `unknown`, and loaded all the same.
    case unknown
    /// The filter sees or holds less than the list says: a host for a path.
    case grain
    /// A part of the URL looks like an entry.
    case wildcard
    /// Nothing could decide, so that the fail mode did.
    case undecided
    /// The device waited for an answer until it gave up.
    case late
    /// The servers of a mechanism were full.
    case unserved
}

/// A harm of a point and its causes.
package struct HarmResult: Codable, Equatable, Sendable {
    package struct Cause: Codable, Equatable, Sendable {
        package var cause: HarmCause
        /// Why nothing could decide; absent for other causes.
        package var failure: FailureCause?
        /// Mean over the replications.
        package var count: Double
        /// The part of the harm, in `0...1`.
        package var share: Double
        /// The same in the unit of headlines; absent where nothing was observed.
        package var perThousandDeviceDays: Double?
        /// Path of what changes it first; absent where only another list or filter does.
        package var setting: String?
        package var remedy: HarmRemedy?

        package var origin: HarmOrigin { .init(cause: cause, failure: failure) }
    }

    package var harm: Harm
    /// The largest first; their counts add up to the harm.
    package var causes: [Cause]
}

/// A value of the setting of a cause, and what it would do, all else unchanged.
package struct HarmRemedy: Codable, Equatable, Sendable {
    /// The price beside it.
    package enum Cost: String, Codable, Sendable {
        /// So many times as many downloads of the prefilter.
        case downloads
        /// URLs that are not on the list and would be blocked, in the unit of headlines.
        case wrongBlocks
        /// URLs on the list that would be let through, in the unit of headlines.
        case leaks
    }

    /// Text as `--set` takes it.
    package var value: String
    /// Harm of this cause that is left, in the unit of headlines, by closed form.
    package var leaves: Double
    package var cost: Cost
    package var amount: Double
}

/// The origin of a part of a harm.
package struct HarmOrigin: Hashable {
    package let cause: HarmCause
    package var failure: FailureCause?

    /// Equal counts are in one order in every run.
    package var order: String { cause.rawValue + (failure?.rawValue ?? "") }
}

extension ReplicationRecord {
    /// A harm by what it comes from; the counts add up to it.
    func origins(of harm: Harm) -> [HarmOrigin: Int] {
        func undecided(_ failures: [FailureCause: Int]) -> [HarmOrigin: Int] {
            Dictionary(
                uniqueKeysWithValues: failures.map {
                    (HarmOrigin(cause: .undecided, failure: $0.key), $0.value)
                })
        }
        func others(_ counts: KeyValuePairs<HarmCause, Int>) -> [HarmOrigin: Int] {
            Dictionary(uniqueKeysWithValues: counts.map { (HarmOrigin(cause: $0.key), $0.value) })
        }
        switch harm {
        case .leaked:
            let unknown = urls.notAsked?.listedUnknown ?? 0
            return undecided(urls.policyLeaks).merging(
                others([
                    .stale: urls.stale, .unmatchable: urls.unmatchable ?? 0, .unknown: unknown,
                    .notCovered: (urls.notAsked?.listed ?? 0) - unknown, .grain: urls.leakedByGrain ?? 0,
                ]), uniquingKeysWith: +)
        case .falselyBlocked:
            return undecided(urls.policyBlocks).merging(
                others([
                    .stale: urls.staleBlocks, .grain: urls.blockedByGrain ?? 0,
                    .wildcard: urls.blockedByWildcard ?? 0,
                ]), uniquingKeysWith: +)
        case .brokenPages:
            return Dictionary(
                uniqueKeysWithValues: breaks.map { (HarmOrigin(cause: HarmCause($0.key)), $0.value) })
        }
    }

    func count(_ harm: Harm) -> Int {
        switch harm {
        case .leaked: urls.leaked
        case .falselyBlocked: urls.falselyBlocked
        case .brokenPages: brokenPages
        }
    }
}

extension HarmCause {
    fileprivate init(_ cause: PageBreak) {
        self =
            switch cause {
            case .stale: .stale
            case .grain: .grain
            case .wildcard: .wildcard
            case .policy: .undecided
            case .late: .late
            case .unserved: .unserved
            }
    }
}
