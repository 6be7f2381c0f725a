import FleetModel
package import RunMetrics

/// Settings that a sweep varied, and what that did to its metrics.
package struct SweepSummary: Codable, Equatable, Sendable {
    /// Metrics of what users feel, what servers pay, and what goes wrong; those of objectives are added.
    package static let headline: [Metric] = [
        .hits, .leaked, .falselyBlocked, .lookupsPer1000URLs, .failedLookups, .latencyMean,
        .latency(percentile: 99), StationMetrics(.gateway).utilization, StationMetrics(.pir).utilization,
    ]

    /// Design of the sweep, in words.
    package var design: String
    package var settings: [Varied]
    /// Points of the whole design, finished or not.
    package var plannedPoints: Int
    /// The number of the point of each row of the design.
    package var rows: [Int]
    /// One per headline metric; empty until every point is finished.
    package var sensitivity: [MetricSensitivity]

    package struct Varied: Codable, Equatable, Sendable {
        package var path: String
        /// Values as `--vary` takes them.
        package var values: String
        /// Values were rounded to whole numbers.
        package var isWhole: Bool
    }
}

/// Values of a point's ``RunResult`` that are its own.
package struct PointContext: Codable, Equatable, Sendable {
    /// Place in the order of the design, from 0.
    package var number: Int
    /// `false` when it was interrupted before its last replication.
    package var finished: Bool
    package var devices: Int
    /// Seconds of simulated time.
    package var duration: Double
    package var warmUp: Double
    package var warmUpMethod: String
    package var failurePolicy: String
    package var blocklistEntries: Int
    package var filter: RunResult.FilterSummary
    package var profile: RunResult.ProfileSummary?
}

/// How one metric follows the varied settings.
package struct MetricSensitivity: Codable, Equatable, Sendable {
    package var name: String
    package var statistic: String
    package var unit: Metric.Unit
    /// Sobol indices; absent unless the design is one for sensitivity and the metric varies.
    package var shares: [Share]?
    /// Share of the variance over the design that is chance of the replications and not of any setting. It counts
    /// as interaction in what each setting has in all. Absent with a single replication.
    package var noise: Double?
    package var metamodel: MetamodelSummary?
    /// Why something is absent.
    package var note: String?

    /// Share of one setting in the metric's variance over the design.
    package struct Share: Codable, Equatable, Sendable {
        package var path: String
        /// Share of this setting alone.
        package var first: Estimate
        /// Share of everything this setting takes part in.
        package var total: Estimate
    }

    package struct Estimate: Codable, Equatable, Sendable {
        package var value: Double
        package var interval: Interval
    }
}

/// A polynomial in the varied settings, each on a scale from 0 to 1.
package struct MetamodelSummary: Codable, Equatable, Sendable {
    /// 1 or 2.
    package var degree: Int
    package var points: Int
    package var terms: [Term]
    /// Share of the variance that it explains at the points it was fitted to.
    package var determination: Double
    /// The same at points left out of the fit one by one.
    package var crossValidation: Double
    /// Root of the mean squared error at points left out, in the metric's unit.
    package var predictionError: Double

    package struct Term: Codable, Equatable, Sendable {
        /// `1`, a path, or two paths with `·` between them.
        package var name: String
        package var coefficient: Double
        package var standardError: Double
    }
}

extension RunResult {
    /// One result of the results of the points; that of the point itself if the plan varies nothing.
    ///
    /// - Parameter results: By number; points that nothing is known of are missing, or hold no replication.
    static func sweep(_ plan: SweepPlan, _ results: [Int: RunResult]) -> RunResult? {
        if plan.settings.isEmpty { return results[0] }
        let known = results.filter { !$0.value.points.isEmpty }.sorted { $0.key < $1.key }
        guard var whole = known.first?.value else { return nil }
        whole.points = known.compactMap { number, result in
            guard var point = result.points.first else { return nil }
            point.settings = plan.assignments(of: plan.points[number])
            point.context = PointContext(
                number: number, finished: result.finished, devices: result.scenario.devices,
                duration: result.scenario.duration, warmUp: result.scenario.warmUp,
                warmUpMethod: result.scenario.warmUpMethod,
                failurePolicy: result.scenario.failurePolicy,
                blocklistEntries: result.blocklist.entries, filter: result.filter,
                profile: result.profile)
            return point
        }
        whole.finished = known.count == plan.points.count && known.allSatisfy(\.value.finished)
        whole.sweep = SweepSummary(
            design: plan.design.text,
            settings: plan.settings.map { .init(path: $0.path, values: $0.text, isWhole: $0.isWhole) },
            plannedPoints: plan.points.count, rows: plan.rows,
            sensitivity: whole.finished ? Sensitivity(plan).metrics(of: whole.points) : [])
        return whole
    }
}
