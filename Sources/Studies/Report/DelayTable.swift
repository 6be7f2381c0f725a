import Experiment
import Wording

/// How long a new entry stays unblocked, over how often the list is published and fetched and how soon apps start.
struct DelayTable {
    static let title = "Until a device blocks a new entry, since it is known: mean, and 95 % of the devices"
    static let note =
        "By closed form, without cached answers and faults. * is this scenario's own. An entry waits for the next"
        + " edition (updates.every), its fetch (filter.prefilterFetchInterval), the next start of the app"
        + " (updates.appRestart, an assumption by default) and the configuration of its database."

    /// The header, then a row for each edition interval and wait for the app; columns are fetch intervals.
    let rows: [[String]]

    /// - Returns: `nil` without any closed form.
    init?(_ freshness: FreshnessResult) {
        guard let delays = freshness.delays, let own = freshness.ownDelay else { return nil }
        let fetches = Set(delays.map(\.fetched)).sorted()
        func marked(_ seconds: Double, _ own: Double) -> String {
            Format.duration(seconds) + (seconds == own ? "*" : "")
        }
        var rows = [["published, apps start"] + fetches.map { "fetched every " + marked($0, own.fetched) }]
        for published in Set(delays.map(\.published)).sorted() {
            for restarted in Set(delays.map(\.restarted)).sorted() {
                let start =
                    restarted > 0
                    ? "after " + marked(restarted, own.restarted)
                    : "at once" + (own.restarted == 0 ? "*" : "")
                rows.append(
                    ["every \(marked(published, own.published)), \(start)"]
                        + fetches.map { fetched in
                            let cell = delays.first {
                                $0.published == published && $0.restarted == restarted
                                    && $0.fetched == fetched
                            }
                            return cell.map { "\(Format.duration($0.mean)), \(Format.duration($0.p95))" }
                                ?? "–"
                        })
            }
        }
        self.rows = rows
    }
}
