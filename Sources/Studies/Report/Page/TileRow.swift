import Experiment
import RunMetrics
import Wording

/// The main numbers side by side above everything else. Of several points: from the smallest to the largest.
struct TileRow {
    let points: PagePoints

    func write(to page: inout Markup) { Tile.write(([verdict] + numbers).compactMap(\.self), to: &page) }

    private var verdict: Tile? {
        let all = points.result.points.flatMap(\.objectives)
        guard !all.isEmpty else { return nil }
        let met = all.count { $0.verdict == .pass }
        let missed = all.contains { $0.verdict == .fail }
        return Tile(
            value: "\(missed ? "✗" : met == all.count ? "✓" : "?") \(met) of \(all.count)",
            words: points.isSingle
                ? "objectives met" : "objective checks met at \(points.result.points.count) points",
            style: missed ? "fail" : met == all.count && points.result.finished ? "pass" : "open")
    }

    private static let metrics: [(metric: Metric, words: String)] = [
        (.latency(percentile: 50), "median wait for a lookup"),
        (.latency(percentile: 99), "99 % of waits are shorter"),
        (.leaked, "listed URLs let through \(DeviceDayRate.words)"),
        (.falselyBlocked, "URLs blocked wrongly \(DeviceDayRate.words)"),
        (.brokenPages, "pages broken \(DeviceDayRate.words)"),
        (.lookupsSent, "lookups \(DeviceDayRate.words)"),
    ]

    private var numbers: [Tile?] {
        let all = points.result.points
        let tiles = Self.metrics.map { metric, words in
            tile(all.compactMap { $0[metric]?.headline.value }, metric.unit, words)
        }
        let healthy = all.flatMap(\.recoveries).map(\.value).max().map {
            Tile(
                value: $0 > 0 ? Format.duration($0) : "at once",
                words: "healthy again, after the fault that was felt longest")
        }
        let busiest = all.compactMap { point in
            Metric.stations.compactMap { station in
                point[station.utilization].map { ($0.value, PrivacyWords.name(station.part)) }
            }.max { $0.0 < $1.0 }
        }
        let names = busiest.map(\.1).uniqued().joined(separator: ", ")
        return tiles + [healthy, tile(busiest.map(\.0), .share, "busy: \(names), the busiest part")]
    }

    private func tile(_ values: [Double], _ unit: Metric.Unit, _ words: String) -> Tile? {
        guard let low = values.min(), let high = values.max() else { return nil }
        let ends = [low, high].map { Format.bare($0, unit) }.uniqued()
        return Tile(value: ends.joined(separator: " – ") + Format.suffix(unit), words: words)
    }
}
