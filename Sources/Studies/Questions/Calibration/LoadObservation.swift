import Decoding
import FleetModel
import Statistics
import URLFilter
import Workload

/// Figures of the servers from a part of a log that no fit has seen.
package struct HeldOutFigures: Sendable {
    package struct Quantile: Sendable {
        let probability: Double
        let value: Double
        let bounds: ClosedRange<Double>?
    }

    /// Nanoseconds since 1970.
    package let start: Int64
    let seconds: Double
    let intervalSeconds: Double
    let lookups: Int
    /// Seconds of answered lookups at the server.
    let quantiles: [Quantile]
    /// One for each interval.
    let utilizations: [Double]
    /// The server that was observed.
    let place: LoggedPlace

    static let probabilities = [0.5, 0.95, 0.99]

    init(_ part: LogPart) {
        start = part.range.lowerBound
        seconds = part.seconds
        intervalSeconds = Double(nanoseconds: part.interval)
        lookups = part.lookups
        utilizations = part.utilizations
        place = part.place
        let sorted = part.durations.values.sorted()
        quantiles = Self.probabilities.compactMap { probability in
            Percentile.nearestRank(probability, sorted: sorted).map {
                Quantile(
                    probability: probability, value: $0,
                    bounds: QuantileEstimate(sorted: sorted, probability: probability)?.bounds)
            }
        }
    }

    init(_ pages: PrometheusPart) {
        start = pages.start
        seconds = pages.seconds
        intervalSeconds = pages.seconds / Double(max(pages.utilizations.count, 1))
        lookups = Int(pages.lookups)
        utilizations = pages.utilizations
        place = .pir
        quantiles = Self.probabilities.compactMap { probability in
            pages.quantile(probability).map {
                Quantile(probability: probability, value: $0.value, bounds: $0.bounds)
            }
        }
    }
}

/// A log as a whole, before it is known what is to be fitted: from when to when, of which server.
struct LogSurvey {
    private(set) var times: ClosedRange<Int64>?
    private(set) var counts: [LoggedEndpoint: Int] = [:]
    private(set) var hasDuration = true
    private(set) var hasBytes = true
    private(set) var resolution: Int64 = 0
    private(set) var ignoredCount = 0

    init(paths: [String], options: ServerLogOptions) throws {
        let logs = try ServerLogs(paths: paths, options: options)
        while let record = try logs.next() {
            times =
                min(
                    times?.lowerBound ?? record.start, record.start)...max(
                    times?.upperBound ?? record.start, record.start)
            counts[record.endpoint, default: 0] += 1
            if record.duration == nil, record.status < 300 { hasDuration = false }
            if record.bytes == nil, record.status < 300 { hasBytes = false }
        }
        ignoredCount = logs.ignoredCount
        resolution = logs.hasWholeSeconds ? .seconds(1) : 0
    }

    /// The server whose log tells most of the PIR server.
    func place() throws(ObservationProblem) -> LoggedPlace {
        if counts[.queries] != nil { return .pir }
        guard counts[.gateway] != nil || counts[.relay] != nil else { throw .lookupsNotTold }
        guard hasBytes else { throw .gatewayNeedsBytes }
        return counts[.gateway] != nil ? .gateway : .relay
    }

    /// The part to be fitted and the part that is held out, in whole intervals.
    func split(heldOut: Double) throws(ObservationProblem) -> (
        fitted: Range<Int64>, held: Range<Int64>, interval: Int64
    ) {
        let first = times?.lowerBound ?? 0
        return try Self.split(first, length: (times?.upperBound ?? 0) - first + 1, heldOut: heldOut)
    }

    static func split(
        _ first: Int64, length: Int64, heldOut: Double
    ) throws(ObservationProblem) -> (fitted: Range<Int64>, held: Range<Int64>, interval: Int64) {
        guard length >= .minutes(1) else { throw .tooShort(seconds: (Double(length) * 1e-7).rounded() / 100) }
        guard length <= .days(400) else {
            throw .tooLong(days: (Double(length) / Double(Int64.days(1))).rounded())
        }
        let interval: Int64 =
            length >= .hours(4) ? .hours(1) : length >= .minutes(20) ? .minutes(1) : .seconds(10)
        // From one day to the next all hours are met, in both parts.
        let day = Int64.days(1)
        let step = length >= 2 * day ? day : interval
        let held = min(
            max(Int64(saturating: (Double(length) * heldOut / Double(step)).rounded()), 1), length / step - 1)
        let whole = length / interval * interval
        let cut = first + whole - held * step
        return (first..<cut, cut..<(first + whole), interval)
    }
}

/// Pages of Prometheus over time as one part of a log.
struct PrometheusPart {
    let start: Int64
    let seconds: Double
    let lookups: Double
    /// Busy share of the cores, from page to page; empty without CPU times.
    let utilizations: [Double]
    let perSecond: [Double]
    let hours: [(hour: Int, lookups: Double, seconds: Double)]
    private let first: PrometheusPage
    private let last: PrometheusPage
    /// CPU seconds in each gap between pages, or without CPU times the seconds of its lookups; and those that the
    /// profile would take for its requests.
    let work: [(seconds: Double, expected: Double)]

    /// - Parameter pages: At least two of one run of a server, in order of time.
    init(_ pages: ArraySlice<PrometheusPage>, cores: Int, profile: CostProfile) throws(ObservationProblem) {
        guard pages.count >= 2, let first = pages.first, let last = pages.last else {
            throw .tooFew("pages of Prometheus", found: pages.count, needed: 2)
        }
        (self.first, self.last) = (first, last)
        start = first.time
        seconds = max(Double(nanoseconds: last.time - first.time), 1e-9)
        lookups = (last.answered[.queries] ?? 0) - (first.answered[.queries] ?? 0)
        var (shares, rates): ([Double], [Double]) = ([], [])
        var hours: [(hour: Int, lookups: Double, seconds: Double)] = []
        var work: [(seconds: Double, expected: Double)] = []
        for (before, after) in zip(pages, pages.dropFirst()) {
            let length = max(Double(nanoseconds: after.time - before.time), 1e-9)
            var expected = 0.0
            for endpoint in Endpoint.allCases {
                guard let logged = LoggedEndpoint(rawValue: endpoint.rawValue), logged.place == .pir else {
                    continue
                }
                let count = (after.answered[logged] ?? 0) - (before.answered[logged] ?? 0)
                guard count >= 0 else { throw .countersRestart(time: "page \(pages.startIndex)") }
                expected += Double(nanoseconds: count * (profile[endpoint]?.serviceMean ?? 0))
            }
            let count = (after.answered[.queries] ?? 0) - (before.answered[.queries] ?? 0)
            rates.append(count / length)
            hours.append((Int(before.time / .hours(1) % 24), count, length))
            if let from = before.cpuSeconds, let to = after.cpuSeconds, to >= from {
                shares.append((to - from) / length / Double(cores))
                work.append((to - from, expected))
            } else if let from = before.seconds[.queries], let to = after.seconds[.queries], to >= from {
                work.append((to - from, expected))
            }
        }
        utilizations = shares
        perSecond = rates
        self.hours = hours
        self.work = work
    }

    /// Between the bounds of a bucket, in proportion; the bounds hold it for certain.
    func quantile(_ probability: Double) -> (value: Double, bounds: ClosedRange<Double>)? {
        guard let after = last.buckets[.queries] else { return nil }
        let before = first.buckets[.queries] ?? [:]
        let counts = after.map { ($0.key, $0.value - (before[$0.key] ?? 0)) }.sorted { $0.0 < $1.0 }
        guard let total = counts.last?.1, total > 0 else { return nil }
        var (low, below) = (0.0, 0.0)
        for (bound, count) in counts {
            if count >= probability * total, bound.isFinite {
                let share = count > below ? (probability * total - below) / (count - below) : 1
                return (low + share * (bound - low), low...bound)
            }
            (low, below) = (bound.isFinite ? bound : low, count)
        }
        return nil
    }
}
