package import FleetModel

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
        /// From 0 to 1.
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
    }

    /// Metrics that stand together in the terminal text, one row each.
    package enum Section: Sendable {
        /// What URL checks met on the device.
        case urls
        /// How URL checks ended.
        case verdicts
        /// Counts of what should not happen, for which a 0 is no proof.
        case harms
        case lookups
        /// Where the time of an answered lookup went.
        case stages
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
    struct Series: Sendable {
        var numerator: @Sendable (FleetSeries.Point) -> Double
        var denominator: @Sendable (FleetSeries.Point) -> Double = { _ in 1 }
    }

    package let name: String
    package let statistic: String
    package let unit: Unit
    package let better: Direction
    /// For readers; the statistic, where that says enough.
    package let label: String
    package let support: Support
    /// `nil` for a metric without a row of its own: it stands in documents, or in a table of the text.
    package let section: Section?
    /// Whether the planned visits are a control variate of it.
    let growsWithTraffic: Bool
    let series: Series?
    private let reading: Reading

    init(
        _ name: String, _ statistic: String, _ unit: Unit, _ better: Direction = .neither,
        label: String? = nil,
        support: Support? = nil, section: Section? = nil, growsWithTraffic: Bool = false,
        series: Series? = nil, reading: Reading
    ) {
        self.name = name
        self.statistic = statistic
        self.unit = unit
        self.better = better
        self.label = label ?? statistic
        self.support = support ?? (unit == .share ? .share : .amount)
        self.section = section
        self.growsWithTraffic = growsWithTraffic
        self.series = series
        self.reading = reading
    }

    /// As an objective writes it.
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

    /// What the metric is a share of, in a replication; `nil` for a metric that counts no trials.
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

    /// - Returns: `nil` for a metric that is not in ``all``.
    package init?(_ name: String, _ statistic: String) {
        guard let known = Self.byWords[name + " " + statistic] else { return nil }
        self = known
    }

    /// The metrics of a section, in the order of ``all``.
    package static func all(in section: Section) -> [Metric] { all.filter { $0.section == section } }

    /// A share of trials.
    static func share(
        _ name: String, _ better: Direction = .neither, label: String? = nil, section: Section? = nil,
        _ part: @escaping Reading.Count, of whole: @escaping Reading.Count
    ) -> Metric {
        Metric(
            name, "rate", .share, better, label: label, section: section, reading: .share(part, of: whole))
    }

    /// A whole number.
    static func count(
        _ name: String, _ statistic: String = "count", _ better: Direction = .neither, label: String? = nil,
        section: Section? = nil, growsWithTraffic: Bool = false, series: Series? = nil,
        _ read: @escaping @Sendable (ReplicationRecord) -> Int?
    ) -> Metric {
        Metric(
            name, statistic, .number, better, label: label, support: .count, section: section,
            growsWithTraffic: growsWithTraffic, series: series,
            reading: .value { record, _ in read(record).map(Double.init) })
    }

    /// A time, a size, or another number that needs nothing but the record.
    static func amount(
        _ name: String, _ statistic: String, _ unit: Unit, _ better: Direction = .neither,
        label: String? = nil, section: Section? = nil, growsWithTraffic: Bool = false, series: Series? = nil,
        _ read: @escaping @Sendable (ReplicationRecord) -> Double?
    ) -> Metric {
        Metric(
            name, statistic, unit, better, label: label, section: section,
            growsWithTraffic: growsWithTraffic, series: series, reading: .value { record, _ in read(record) })
    }
}

/// The metrics of one replication.
package struct ReplicationMetrics: Sendable {
    private let values: [Metric: Double]

    package init(_ record: ReplicationRecord, deviceCount: Int) {
        let metrics = Metric.all + record.regions.flatMap { RegionMetrics($0.name).all }
        values = Dictionary(
            uniqueKeysWithValues: metrics.compactMap { metric in
                metric.value(record, deviceCount: deviceCount).map { (metric, $0) }
            })
    }

    /// - Returns: `nil` where the replication has nothing to say.
    package subscript(metric: Metric) -> Double? { values[metric] }
}
