import Decoding
import EventSimulation
package import FleetModel
import Statistics

/// One number that a replication yields, with everything that the program knows about it.
///
/// The table of all metrics is ``all``. What stands there is read from every record, estimated, saved, compared,
/// known to objectives and sweeps, and printed in its ``section``.
package struct Metric: Sendable {
    package enum Unit: String, Codable, Sendable {
        case seconds = "s"
        /// A number in 0...1.
        case share = "1"
        case bytes = "B"
        case number = "count"
    }

    package enum Direction: String, Codable, Sendable {
        case lower, higher, neither
    }

    /// Values that a metric can have, whatever is simulated.
    package enum Support: Sendable {
        /// A share from 0 to 1.
        case share
        /// Whole numbers from 0 on.
        case count
        /// Any number from 0 on: times, sizes, and means of counts.
        case amount

        package func contains(_ value: Double) -> Bool {
            switch self {
            case .share: (0...1).contains(value)
            case .count: value >= 0 && value == value.rounded()
            case .amount: value >= 0
            }
        }

        /// The part of an interval that a value can lie in.
        package func clip(_ bounds: ClosedRange<Double>) -> ClosedRange<Double> {
            bounds.clamped(to: 0...(self == .share ? 1 : .infinity))
        }
    }

    /// A percentile of the verdict latencies.
    package struct Tail: Sendable {
        /// Rank of the percentile, in `0...1`.
        package var rank: Double

        package init(rank: Double) {
            self.rank = rank
        }

        /// Observations that have to lie above a rank before the value there is more than the whim of a few.
        package static let leastAbove = 10

        /// Observations that the rank needs.
        package var needed: Int { Int(saturating: (Double(Self.leastAbove) / (1 - rank)).rounded(.up)) }

        package func isThin(_ count: Int) -> Bool {
            (Percentile.rank(rank, count: count).map { count - $0 } ?? 0) < Self.leastAbove
        }
    }

    /// Metrics that stand together in the terminal text, one row each.
    package enum Section: Sendable {
        /// Metrics of what URL checks met on the device.
        case urls
        /// How URL checks ended.
        case verdicts
        /// Counts of what should not happen, for which a 0 is no proof.
        case harms
        case lookups
        /// The stages that the time of an answered lookup went to.
        case stages
    }

    /// The place of a metric in the terminal text.
    struct Row {
        let label: String
        /// `nil` for a metric without a row of its own: it stands in documents, or in a table of the text.
        let section: Section?

        init(_ label: String, in section: Section? = nil) {
            self.label = label
            self.section = section
        }
    }

    /// How the number comes out of a record.
    enum Reading: Sendable {
        /// Absent where the replication has nothing to say, for example a latency without lookups.
        case value(@Sendable (ReplicationRecord, _ deviceCount: Int) -> Double?)
        /// So many of so many trials.
        case share(Count, of: Count)

        typealias Count = @Sendable (ReplicationRecord) -> Int
    }

    /// The metric as a ratio of two sums over the intervals of the series, for batches of a single replication.
    package struct Series: Sendable {
        package var numerator: @Sendable (FleetSeries.Point) -> Double
        package var denominator: @Sendable (FleetSeries.Point) -> Double = { _ in 1 }
    }

    package let name: String
    package let statistic: String
    /// The group of devices that it is about alone; `nil` for all devices.
    package internal(set) var group: String?
    package let unit: Unit
    package let better: Direction
    /// The name for readers; the statistic, where that says enough.
    package let label: String
    package let support: Support
    package let section: Section?
    /// Whether the planned visits are a control variate of it: so nearly in proportion to them that a few replications
    /// show it.
    package internal(set) var followsVisits = false
    /// Its value for several replications is the largest one's, not their mean.
    package internal(set) var isLargest = false
    package internal(set) var series: Series?
    /// `nil` for a metric that is no percentile of observations.
    package internal(set) var tail: Tail?

    /// Rank of a percentile, in `0...1`; `nil` for other metrics.
    package var rank: Double? { tail?.rank }
    /// A number of events, which chance alone makes differ: not a share, and not the largest of several numbers.
    package internal(set) var countsEvents = false
    /// Whether a replication ended before the value was reached, which is then at least what was read; `nil` for
    /// metrics that every replication reaches.
    var cut: (@Sendable (ReplicationRecord) -> Bool)?
    private let reading: Reading

    init(
        _ name: String, _ statistic: String, _ unit: Unit, _ better: Direction = .neither, row: Row? = nil,
        support: Support? = nil, reading: Reading
    ) {
        self.name = name
        self.statistic = statistic
        self.unit = unit
        self.better = better
        self.label = row?.label ?? statistic
        self.support = support ?? (unit == .share ? .share : .amount)
        self.section = row?.section
        self.reading = reading
    }

    /// The metric with another of its traits.
    func with<Value>(_ trait: WritableKeyPath<Metric, Value>, _ value: Value) -> Metric {
        var metric = self
        metric[keyPath: trait] = value
        return metric
    }

    /// Whether the replication says only what the value is at least.
    package func isCut(in record: ReplicationRecord) -> Bool { cut?(record) ?? false }

    /// Seconds from which a figure per day is extrapolated; `nil` if whole days were observed, and for other metrics.
    ///
    /// - Parameter seconds: That were observed.
    package func extrapolated(from seconds: Double) -> Double? {
        guard statistic == "perDay" || self == .lookupsPerDeviceDay else { return nil }
        return Self.stretched(from: seconds)
    }

    /// Seconds that were observed; `nil` for whole days.
    package static func stretched(from seconds: Double) -> Double? {
        let days = seconds / 86_400
        let isWhole = days > 0.99 && (days - days.rounded()).magnitude < 0.01 * days
        return isWhole ? nil : seconds
    }

    /// Name and statistic as an objective writes them.
    package var words: String { name + " " + statistic }

    /// The metric's value in a replication.
    ///
    /// - Returns: `nil` where the replication has nothing to say.
    package func value(_ record: ReplicationRecord, deviceCount: Int) -> Double? {
        switch reading {
        case .value(let read): return read(record, deviceCount)
        case .share(let part, let whole):
            let trials = whole(record)
            return trials > 0 ? Double(part(record)) / Double(trials) : nil
        }
    }

    /// Trials that the metric is a share of, in a replication; `nil` for a metric that counts none.
    package func trials(_ record: ReplicationRecord) -> Int? {
        guard case .share(_, let whole) = reading else { return nil }
        return whole(record)
    }
}

/// Two metrics are the same when they have the same words.
extension Metric: Hashable {
    package static func == (left: Metric, right: Metric) -> Bool {
        left.name == right.name && left.statistic == right.statistic
    }

    package func hash(into hasher: inout Hasher) {
        hasher.combine(name)
        hasher.combine(statistic)
    }
}

extension Metric {
    private static let byWords = Dictionary(uniqueKeysWithValues: all.map { ($0.words, $0) })

    /// - Returns: `nil` for a metric that is neither in ``all`` nor one of a group's.
    package init?(_ name: String, _ statistic: String) {
        let known = Self.byWords[name + " " + statistic] ?? GroupMetrics.metric(name, statistic)
        guard let known else { return nil }
        self = known
    }

    /// The metrics of a section, in the order of ``all``.
    package static func all(in section: Section) -> [Metric] { all.filter { $0.section == section } }

    /// A share of trials.
    static func share(
        _ name: String, _ better: Direction = .neither, row: Row? = nil, _ part: @escaping Reading.Count,
        of whole: @escaping Reading.Count
    ) -> Metric {
        Metric(name, "rate", .share, better, row: row, reading: .share(part, of: whole))
    }

    /// A number of events.
    static func count(
        _ name: String, _ statistic: String = "count", _ better: Direction = .neither, row: Row? = nil,
        _ read: @escaping @Sendable (ReplicationRecord) -> Int?
    ) -> Metric {
        wholeNumber(name, statistic, better, row: row, read).with(\.countsEvents, true)
    }

    /// The largest of several counts.
    static func peak(
        _ name: String, _ statistic: String, _ better: Direction = .neither,
        _ read: @escaping @Sendable (ReplicationRecord) -> Int?
    ) -> Metric {
        wholeNumber(name, statistic, better, read)
    }

    private static func wholeNumber(
        _ name: String, _ statistic: String, _ better: Direction, row: Row? = nil,
        _ read: @escaping @Sendable (ReplicationRecord) -> Int?
    ) -> Metric {
        Metric(
            name, statistic, .number, better, row: row, support: .count,
            reading: .value { record, _ in read(record).map(Double.init) })
    }

    /// A time, a size, or another number that needs nothing but the record.
    static func amount(
        _ name: String, _ statistic: String, _ unit: Unit, _ better: Direction = .neither, row: Row? = nil,
        _ read: @escaping @Sendable (ReplicationRecord) -> Double?
    ) -> Metric {
        Metric(name, statistic, unit, better, row: row, reading: .value { record, _ in read(record) })
    }

    /// The smallest difference that the measurement of a value can tell; 0 where rounding alone limits it.
    ///
    /// A percentile is the upper end of a bucket of a histogram, so it is up to 0.1 % high.
    package func quantum(at value: Double) -> Double { tail == nil ? 0 : 0.001 * value.magnitude }
}

/// The metrics of one replication.
package struct ReplicationMetrics: Sendable {
    private struct Reading: Sendable {
        var value: Double
        var trials: Int?
    }

    private let readings: [Metric: Reading]

    package init(_ record: ReplicationRecord, deviceCount: Int) {
        let metrics = Metric.all(of: record) + record.regions.flatMap { RegionMetrics($0.name).all }
        readings = Dictionary(
            uniqueKeysWithValues: metrics.compactMap { metric in
                metric.value(record, deviceCount: deviceCount).map {
                    (metric, Reading(value: $0, trials: metric.trials(record)))
                }
            })
    }

    /// - Returns: `nil` where the replication has nothing to say.
    package subscript(metric: Metric) -> Double? { readings[metric]?.value }

    /// Trials that the metric is a share of; `nil` for a metric that counts none, and without a value.
    package func trials(_ metric: Metric) -> Int? { readings[metric]?.trials }
}
