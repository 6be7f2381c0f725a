import Foundation
import GRDB
import Scenarios
import Statistics

/// Replications of a run that have ended so far, as figures: for whoever watches it. It reads and never writes.
package struct RunGlance: Codable, Equatable, Sendable {
    package struct Metric: Codable, Equatable, Sendable {
        package var name: String
        package var statistic: String
        package var unit: String
        /// One of each replication, in their order.
        package var values: [Double]
        package var mean: Double
        /// Student's t over the replications; absent where they are one, or all the same.
        package var low: Double?
        package var high: Double?
    }

    /// A value of a curve with its interval over the replications.
    package struct Place: Codable, Equatable, Sendable {
        package var x: Double
        package var y: Double
        package var low: Double?
        package var high: Double?
    }

    /// Counts of an interval of the run, means over the replications.
    package struct Interval: Codable, Equatable, Sendable {
        package var start: Double
        package var lookups: Double
        package var failures: Double
        package var leaked: Double
        package var falselyBlocked: Double
    }

    package struct Point: Codable, Equatable, Sendable {
        package var number: Int
        package var replications: Int
        package var metrics: [Metric]
        /// Seconds that people wait, by share of the answers.
        package var latency: [Place]
        package var series: [Interval]
    }

    package var points: [Point]

    /// Points, replications of one, and intervals that are looked at: what a page shows.
    private static let mostPoints = 8
    private static let mostReplications = 400
    private static let mostIntervals = 240
    private static let shares = [0.05, 0.1, 0.25, 0.5, 0.75, 0.9, 0.95, 0.99, 0.995, 0.999]

    /// - Parameters:
    ///   - directory: Of a result.
    ///   - names: Metrics that are wanted.
    /// - Returns: `nil` before the run has begun.
    package init?(directory: String, metrics names: [String]) throws {
        let path = directory + "/results.sqlite"
        guard FileManager.default.fileExists(atPath: path) else { return nil }
        var configuration = Configuration()
        configuration.readonly = true
        configuration.busyMode = .timeout(1)
        do {
            let database = try DatabaseQueue(path: path, configuration: configuration)
            points = try database.read { db in
                guard try db.tableExists("replication"), try db.tableExists("series") else { return [] }
                let numbers = try Int.fetchAll(
                    db, sql: "SELECT DISTINCT point FROM replication ORDER BY point LIMIT ?",
                    arguments: [Self.mostPoints])
                return try numbers.map { try Self.point($0, names, db) }
            }
            try database.close()
        } catch let error as DatabaseError {
            throw ResultFileError.damaged(path, reason: error.message ?? "SQLite cannot read it")
        }
    }

    private static func point(_ number: Int, _ names: [String], _ db: Database) throws -> Point {
        let count = try Int.fetchOne(
            db, sql: "SELECT count(*) FROM replication WHERE point = ?", arguments: [number])
        return Point(
            number: number, replications: count ?? 0, metrics: try metrics(number, names, db),
            latency: try latency(number, db), series: try series(number, db))
    }

    private static func metrics(_ point: Int, _ names: [String], _ db: Database) throws -> [Metric] {
        let marks = names.map { _ in "?" }.joined(separator: ",")
        let rows = try Row.fetchAll(
            db,
            sql: """
                SELECT name, statistic, unit, value FROM metric
                WHERE point = ? AND replication < ? AND name IN (\(marks)) ORDER BY name, statistic, replication
                """, arguments: StatementArguments([point, mostReplications]) + StatementArguments(names))
        var metrics: [Metric] = []
        for row in rows {
            let (name, statistic): (String, String) = (row["name"], row["statistic"])
            if metrics.last?.name != name || metrics.last?.statistic != statistic {
                metrics.append(
                    Metric(name: name, statistic: statistic, unit: row["unit"], values: [], mean: 0))
            }
            metrics[metrics.count - 1].values.append(row["value"])
        }
        return metrics.map { metric in
            var metric = metric
            (metric.mean, metric.low, metric.high) = estimate(metric.values)
            return metric
        }
    }

    private static func estimate(_ values: [Double]) -> (mean: Double, low: Double?, high: Double?) {
        let mean = values.isEmpty ? 0 : values.reduce(0, +) / Double(values.count)
        guard MeanEstimate.haveSpread(values), let estimate = MeanEstimate(replicationMeans: values) else {
            return (mean, nil, nil)
        }
        return (mean, estimate.bounds.lowerBound, estimate.bounds.upperBound)
    }

    /// Percentiles of each replication, which intervals are over.
    private static func latency(_ point: Int, _ db: Database) throws -> [Place] {
        let rows = try Row.fetchCursor(
            db,
            sql: """
                SELECT replication, highestSeconds, count FROM histogram
                WHERE point = ? AND replication < ? AND name = 'lookup.latency' ORDER BY replication, lowestSeconds
                """, arguments: [point, mostReplications])
        var histograms: [Int: [(seconds: Double, count: Int)]] = [:]
        while let row = try rows.next() {
            histograms[row["replication"], default: []].append((row["highestSeconds"], row["count"]))
        }
        return shares.compactMap { share in
            let values = histograms.sorted { $0.key < $1.key }.compactMap { percentile(share, of: $0.value) }
            guard !values.isEmpty, values.count == histograms.count else { return nil }
            let (mean, low, high) = estimate(values)
            return Place(x: share, y: mean, low: low, high: high)
        }
    }

    /// - Returns: `nil` where fewer than ten answers are above it.
    private static func percentile(_ share: Double, of buckets: [(seconds: Double, count: Int)]) -> Double? {
        let all = buckets.reduce(0) { $0 + $1.count }
        guard Double(all) * (1 - share) >= 10 else { return nil }
        var seen = 0
        for bucket in buckets {
            seen += bucket.count
            if Double(seen) >= share * Double(all) { return bucket.seconds }
        }
        return nil
    }

    /// Neighbouring intervals are put together until a page can show them.
    private static func series(_ point: Int, _ db: Database) throws -> [Interval] {
        let rows = try Row.fetchAll(
            db,
            sql: """
                SELECT startSeconds, avg(lookups) AS lookups, avg(failures) AS failures, avg(leaked) AS leaked,
                avg(falselyBlocked) AS falselyBlocked FROM series
                WHERE point = ? AND replication < ? GROUP BY startSeconds ORDER BY startSeconds LIMIT 100000
                """, arguments: [point, mostReplications])
        let width = max(1, (rows.count + mostIntervals - 1) / mostIntervals)
        return stride(from: 0, to: rows.count, by: width).map { begin in
            let part = rows[begin..<min(begin + width, rows.count)]
            func sum(_ column: String) -> Double { part.reduce(0) { $0 + ($1[column] as Double) } }
            return Interval(
                start: rows[begin]["startSeconds"], lookups: sum("lookups"), failures: sum("failures"),
                leaked: sum("leaked"), falselyBlocked: sum("falselyBlocked"))
        }
    }
}
