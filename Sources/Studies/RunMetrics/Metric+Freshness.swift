import FleetModel

/// How devices follow an update of the list.
extension Metric {
    /// Visits to entries that no device blocks yet, and to removed ones that still block, because prefilter, database
    /// or a cached answer are older; of all devices. Absent where the list does not change.
    package static let exposed = perDay("freshness.exposed", \.stale)
    package static let overblocked = perDay("freshness.overblocked", \.staleBlocks)

    private static func perDay(
        _ name: String, _ count: any KeyPath<URLCounts, Int> & Sendable
    ) -> Metric {
        amount(name, "perDay", .number, .lower) { record in
            guard record.urlFilter.freshness != nil, record.observedSeconds > 0 else { return nil }
            return Double(record.urls[keyPath: count]) / record.observedSeconds * 86_400
        }
    }

    private static let followedPercents = [50.0, 90, 99]

    /// Times until devices block a new entry, with the share of them that does then.
    package static let freshnessToBlock: [(share: Double, metric: Metric)] = zip(followedPercents, freshness)
        .map { ($0 / 100, $1) }

    /// Times until shares of the devices follow an update of the list. A share that was not reached enters with the
    /// time for which the devices were watched, which is then the least that the value can be.
    package static let freshness: [Metric] = {
        let changes: [(String, @Sendable (FreshnessSeries.Point) -> Double)] = [
            ("block", { $0.blocks }), ("allow", { $0.allows }),
        ]
        return changes.flatMap { change, follows in
            followedPercents.map { percent in
                let reached: @Sendable (FreshnessSeries) -> Double? = {
                    $0.seconds(untilShare: percent / 100, of: follows)
                }
                return amount(
                    "freshness.\(change)", "p" + PercentileCurve.label(percent), .seconds, .lower
                ) { $0.urlFilter.freshness.map { reached($0) ?? $0.watchedSeconds } }
                .with(\.cut) { $0.urlFilter.freshness.map { reached($0) == nil } ?? false }
            }
        }
    }()
}
