package import Experiment
import RunMetrics
package import Scenarios
import Statistics

/// Whether a filter should fail open or closed, by what faults cost with either: harms weighted with what the operator
/// says that they are worth.
///
/// Both sides of a fault see the same users, so differences are taken replication by replication. In all: each fault
/// once, with the sums of a replication's faults, which share its users.
package struct FaultDecision: Codable, Equatable, Sendable {
    package enum Policy: String, Codable, Sendable {
        case open, closed
        /// No difference in any replication.
        case either
    }

    /// A mean over the replications; the interval is absent where all of them agree.
    package struct Figure: Codable, Equatable, Sendable {
        package var value: Double
        package var interval: Interval?

        init(_ values: [Double], confidence: Double) {
            value = values.mean ?? 0
            guard MeanEstimate.haveSpread(values),
                let estimate = MeanEstimate(replicationMeans: values, confidence: confidence)
            else { return }
            interval = Interval(
                low: estimate.bounds.lowerBound, high: estimate.bounds.upperBound, confidence: confidence,
                method: "Student's t over \(values.count) pairs")
        }

        package var low: Double { interval?.low ?? value }
        package var high: Double { interval?.high ?? value }
        /// The sign is known.
        package var isSure: Bool { low > 0 || high < 0 || value == 0 }

        /// The same above 0.
        package var magnitude: Figure {
            guard value < 0 else { return self }
            var figure = self
            figure.value = -value
            figure.interval?.low = -high
            figure.interval?.high = -low
            return figure
        }
    }

    /// One fault, or all of them once.
    package struct Row: Codable, Equatable, Sendable {
        package var name: String
        /// Listed URLs that get through open and not closed.
        package var leaked: Figure
        /// Pages that break closed and not open.
        package var broken: Figure
        /// Broken pages for each listed URL: open is better if one of those is worth less than so many. Absent where
        /// open lets nothing more through.
        package var pagesPerURL: Double?
        /// Absent without weights, as all that follows.
        package var money: Money?
    }

    /// Harm in the currency of the prices.
    package struct Money: Codable, Equatable, Sendable {
        /// All harm of a fault, that which both policies have, too.
        package var open: Double
        package var closed: Double
        /// The harm of open less that of closed.
        package var difference: Figure
        package var choice: Policy
        /// The most that the choice may cost more than the other one: the end of the interval on the other side of 0.
        package var regret: Double
    }

    package var rows: [Row]
    package var whole: Row
    package var place: FaultPlace
    package var time: FaultTime
    package var currency: String
    /// The worth of a broken page, and of a listed URL that gets through are worth.
    package var brokenPage: Double
    package var exposedVisit: Double
    /// Settings that nobody has given, without which there is no money.
    package var missing: [String]
    package var confidence: Double

    /// The harms of each fault, replication by replication.
    private struct Samples {
        var name: String
        var leaked: (open: [Double], closed: [Double])
        var broken: (open: [Double], closed: [Double])
    }

    /// - Parameter pairs: Of each fault that ended, with what fails open as the baseline.
    /// - Returns: `nil` without a pair.
    package init?(
        _ pairs: [StudyComparison.Pair], place: FaultPlace, time: FaultTime, prices: Prices,
        confidence: Double
    ) {
        guard !pairs.isEmpty else { return nil }
        self.place = place
        self.time = time
        self.confidence = confidence
        currency = prices.currency
        (brokenPage, exposedVisit) = (prices.brokenPage, prices.exposedVisit)
        let unsaid = prices.unsaidHarms
        missing = ["brokenPage", "exposedVisit"].filter(unsaid.contains).map { "prices.\($0)" }
        let samples = pairs.map(Self.samples)
        let weights = missing.isEmpty ? (page: brokenPage, visit: exposedVisit) : nil
        rows = samples.map { Self.row($0, weights, confidence) }
        whole = Self.row(Self.sum(samples), weights, confidence)
    }

    /// The largest regret of a policy over the faults, and the fault: what it costs more there than the other one.
    package func worst(_ policy: Policy) -> (name: String, money: Double)? {
        rows.compactMap { row in
            row.money.map { (row.name, policy == .open ? $0.difference.value : -$0.difference.value) }
        }.max { $0.1 < $1.1 }.flatMap { $0.1 > 0 ? $0 : nil }
    }

    private static func samples(_ pair: StudyComparison.Pair) -> Samples {
        func values(_ metric: Metric) -> (open: [Double], closed: [Double]) {
            let open = pair.baseline.points.first?[metric]?.perReplication ?? []
            let closed = pair.candidate.points.first?[metric]?.perReplication ?? []
            let both = zip(open, closed).compactMap { pair in
                pair.0.flatMap { open in pair.1.map { (open, $0) } }
            }
            return (both.map(\.0), both.map(\.1))
        }
        return Samples(name: pair.name, leaked: values(.leaked), broken: values(.brokenPages))
    }

    private static func sum(_ samples: [Samples]) -> Samples {
        func sums(_ values: [[Double]]) -> [Double] {
            (0..<(values.map(\.count).min() ?? 0)).map { place in values.reduce(0) { $0 + $1[place] } }
        }
        return Samples(
            name: "each of them once",
            leaked: (sums(samples.map(\.leaked.open)), sums(samples.map(\.leaked.closed))),
            broken: (sums(samples.map(\.broken.open)), sums(samples.map(\.broken.closed))))
    }

    private static func row(
        _ samples: Samples, _ weights: (page: Double, visit: Double)?, _ confidence: Double
    ) -> Row {
        func less(_ left: [Double], _ right: [Double]) -> [Double] { zip(left, right).map { $0 - $1 } }
        let leaked = Figure(less(samples.leaked.open, samples.leaked.closed), confidence: confidence)
        let broken = Figure(less(samples.broken.closed, samples.broken.open), confidence: confidence)
        var row = Row(
            name: samples.name, leaked: leaked, broken: broken,
            pagesPerURL: leaked.value > 0 ? broken.value / leaked.value : nil)
        guard let weights else { return row }
        func harm(_ leaked: [Double], _ broken: [Double]) -> [Double] {
            zip(leaked, broken).map { $0 * weights.visit + $1 * weights.page }
        }
        let open = harm(samples.leaked.open, samples.broken.open)
        let closed = harm(samples.leaked.closed, samples.broken.closed)
        let difference = Figure(less(open, closed), confidence: confidence)
        let choice: Policy = difference.value == 0 ? .either : difference.value < 0 ? .open : .closed
        row.money = Money(
            open: open.mean ?? 0, closed: closed.mean ?? 0, difference: difference, choice: choice,
            regret: choice == .either ? 0 : max(0, choice == .open ? difference.high : -difference.low))
        return row
    }
}
