package import RunMetrics
package import URLFilter

/// One combination of settings.
package struct PointResult: Codable, Equatable, Sendable {
    package var settings: [String: String]
    /// Values that a point of a sweep does not share with the others.
    package var context: PointContext?
    package var replications: Int
    package var fingerprints: [String]
    package var events: Int
    package var metrics: [MetricResult]
    /// Percentiles that are no metrics of this point, because too few observations lie above them.
    package var thinTails: [ThinTail]
    package var counts: Totals
    /// Harms that were seen, and what makes them; absent without any.
    package var harms: [HarmResult]?
    /// Absent where nothing crossed the relay.
    package var busiestSecond: BusiestSecond?
    /// Quantities of known expectation that make means more precise.
    package var controls: [ControlResult]?
    /// How long each fault was felt; empty without faults.
    package var recoveries: [RecoveryResult]
    /// How the devices followed an update of the list; absent when none was watched.
    package var freshness: FreshnessResult?
    /// Absent where regions have no names.
    package var regions: [RegionResult]?
    /// Which party could read what.
    package var disclosures: [DisclosureResult]
    /// Who reads what in the scenario; absent for another architecture than the URL filter.
    package var privacy: PrivacyLedger?
    package var analytic: [AnalyticResult]
    /// Identities that hold in every replication, whatever it simulates.
    package var identities: [IdentityResult]
    package var objectives: [ObjectiveResult]
    package var warnings: [Warning]
    /// Data of figures; absent where too few lookups have a verdict.
    package var latencyCurve: PercentileCurve?
    /// Data of figures; absent where nothing was observed.
    package var series: SeriesResult?
    /// Arrivals that peaks of a larger fleet are computed from; in samples of a plan only.
    package var arrivals: ArrivalResult?

    package struct Warning: Codable, Equatable, Sendable {
        package var code: WarningCode
        package var message: String
    }
}

/// Sums over all replications of a point.
package struct Totals: Codable, Equatable, Sendable {
    package var urlsChecked = 0
    package var urlsUnparseable = 0
    package var stringsTested = 0
    package var urlsHit = 0
    package var urlsListed = 0
    package var verdicts: [String: Int] = [:]
    package var answeredByCache = 0
    package var policyCauses: [FailureCause: Int] = [:]
    package var leaked = 0
    package var falselyBlocked = 0
    package var unfinished = 0
    package var lookupsSent = 0
    package var lookupsAnswered = 0
    package var lookupsAnsweredLate = 0
    package var lookupsCoalesced = 0
    package var lookupFailures: [FailureCause: Int] = [:]
    /// Neither answered nor failed when the drain ended.
    package var lookupsUnfinished = 0
    /// Keywords really looked up and compared with the list; 0 unless the fidelity is `real`.
    package var realLookupsChecked = 0
    package var realLookupDisagreements = 0
}

/// A closed form beside a simulated figure.
package struct AnalyticResult: Codable, Equatable, Sendable {
    package var name: String
    package var formula: String
    package var unit: Metric.Unit
    package var predicted: Double
    package var simulated: Double
    /// Interval of the simulated figure.
    package var interval: Interval?
}

/// A control variate: what each replication drew and what is expected by closed form.
package struct ControlResult: Codable, Equatable, Sendable {
    package var name: String
    package var expectation: Double
    package var perReplication: [Double]
}

/// How long a fault was felt after its end.
package struct RecoveryResult: Codable, Equatable, Sendable {
    /// Failure in words, for example `outage of pir`.
    package var fault: String
    /// Begin and end, seconds of simulated time; equal for a restart.
    package var begin: Double
    package var end: Double
    /// The share up to which the fleet counts as healthy: at most so many of the verdicts in every window of so many
    /// seconds are the policy's.
    package var failureShare: Double
    package var windowSeconds: Double
    /// Mean seconds from the end until the fleet was healthy and stayed so. A censored replication enters with the
    /// time until which it was not, so the mean is then a lower bound.
    package var value: Double
    package var interval: Interval?
    package var perReplication: [Double]
    /// Replications that were not seen healthy before the next fault or the end of the run.
    package var censored: Int
}

/// An identity that was checked in every replication.
package struct IdentityResult: Codable, Equatable, Sendable {
    package var name: String
    package var formula: String
    /// Replications, resources and endpoints checked.
    package var checks: Int
    /// Checks in which it did not hold: each is a bug of the simulator.
    package var violations: Int
}

/// Time series of a point: per interval the mean over replications.
package struct SeriesResult: Codable, Equatable, Sendable {
    /// Width of an interval, seconds; the first one begins at 0 of the simulated clock.
    package var interval: Double
    package var columns: [Column]

    package struct Column: Codable, Equatable, Sendable {
        /// The metric's whose statistic per interval this is, or whose number of events it counts.
        package var name: String
        package var unit: Metric.Unit
        /// `null` where no replication has a value, such as a latency without lookups.
        package var values: [Double?]
        /// Student's t over replications; absent with fewer than two of them.
        package var low: [Double?]?
        package var high: [Double?]?
    }

    package subscript(metric: Metric) -> Column? { columns.first { $0.name == metric.name } }
}

/// Metrics of one region, over the replications of a point.
package struct RegionResult: Codable, Equatable, Sendable {
    package var name: String
    /// Those of ``RegionMetrics``.
    package var metrics: [MetricResult]

    package subscript(metric: Metric) -> MetricResult? { metrics.first { $0.isOf(metric) } }
}
