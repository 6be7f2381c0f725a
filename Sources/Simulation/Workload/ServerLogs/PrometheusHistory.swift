import Decoding
package import Foundation

/// Counters of our servers from Prometheus' HTTP API, as the pages that one server would have shown.
///
/// Counters of several servers are added up, and one that begins anew goes on from where it was, as `increase()` does.
package enum PrometheusHistory {
    /// Counters that ``PrometheusPage`` is made of.
    static let names = [
        "urlfilter_requests_total", "urlfilter_request_duration_seconds_sum",
        "urlfilter_party_cpu_seconds_total",
    ]
    /// Points of a series in one answer, at most: what Prometheus allows.
    package static let mostPoints = 11_000

    /// The path and query that asks for them.
    ///
    /// - Parameters:
    ///   - select: Further matchers, such as `job="urlfilter"`; may be empty.
    ///   - start: Unix seconds.
    package static func query(select: String, from start: Int64, to end: Int64, step: Int64) -> String {
        let more = select.isEmpty ? "" : "," + select
        let expression = "{__name__=~\"\(names.joined(separator: "|"))\"\(more)}"
        let safe = CharacterSet.alphanumerics.union(CharacterSet(charactersIn: "-._~"))
        let text = expression.addingPercentEncoding(withAllowedCharacters: safe) ?? expression
        return "/api/v1/query_range?query=\(text)&start=\(start)&end=\(end)&step=\(step)"
    }

    /// - Parameter source: For complaints.
    /// - Returns: In order of time; empty where no server is known.
    package static func pages(_ answer: Data, source: String) throws(PrometheusHistoryError)
        -> [PrometheusPage]
    {
        let document: Answer
        do {
            document = try JSONReader.read(Answer.self, from: answer)
        } catch {
            throw .notAnAnswer(source)
        }
        guard document.status == "success", let data = document.data else {
            throw .refused(source, document.error ?? "no reason is given")
        }
        guard data.resultType == "matrix" else { throw .notAnAnswer(source) }
        var sums: [Int64: [Counter: Double]] = [:]
        var growths: [Counter: [(time: Int64, amount: Double)]] = [:]
        for series in data.result {
            let counter = Counter(series.metric)
            growths[counter, default: []] += growth(of: series.values)
        }
        let times = Set(data.result.flatMap { $0.values.map(\.time) }).sorted()
        for (counter, steps) in growths {
            let steps = steps.sorted { $0.time < $1.time }
            var (sum, next) = (0.0, 0)
            for time in times {
                while next < steps.count, steps[next].time <= time {
                    sum += steps[next].amount
                    next += 1
                }
                sums[time, default: [:]][counter] = sum
            }
        }
        return times.map { time in
            var page = PrometheusPage(time: time)
            for (counter, sum) in sums[time] ?? [:] {
                page.add(PrometheusSample(name: counter.name, labels: counter.labels, value: sum))
            }
            return page
        }
    }

    /// Amounts by which a counter grew; what it had at first is of the time before.
    private static func growth(of points: [Point]) -> [(time: Int64, amount: Double)] {
        zip(points, points.dropFirst()).map { before, after in
            (after.time, after.value >= before.value ? after.value - before.value : after.value)
        }
    }

    /// A counter of all servers that have it.
    private struct Counter: Hashable {
        let name: Substring
        let labels: [Substring: String]

        init(_ metric: [String: String]) {
            name = metric["__name__", default: ""][...]
            let kept = [
                "party", "endpoint", "path", "handler", "route", "uri", "status", "code", "status_code",
            ]
            labels = Dictionary(
                uniqueKeysWithValues: kept.compactMap { key in metric[key].map { (key[...], $0) } })
        }
    }

    private struct Answer: Decodable {
        struct Matrix: Decodable {
            var resultType: String
            var result: [Series]
        }

        var status: String
        var data: Matrix?
        var error: String?
    }

    private struct Series: Decodable {
        var metric: [String: String]
        var values: [Point]
    }

    /// `[1435781430.781, "12"]`.
    private struct Point: Decodable {
        /// Nanoseconds since 1970.
        var time: Int64
        var value: Double

        /// Times whose nanoseconds have room in 64 bits.
        private static let seconds = 0.0...9e9

        init(from decoder: any Decoder) throws {
            var list = try decoder.unkeyedContainer()
            let seconds = try list.decode(Double.self)
            let text = try list.decode(String.self)
            guard let number = Double(text), number.isFinite, number >= 0, Self.seconds ~= seconds else {
                throw DecodingError.dataCorruptedError(in: list, debugDescription: "'\(text)' is no counter")
            }
            time = Int64(saturating: (seconds * 1_000).rounded()) * 1_000_000
            value = number
        }
    }
}

/// Why an answer of Prometheus cannot be used, and what to do.
package enum PrometheusHistoryError: InputFault, Equatable, CustomStringConvertible {
    case notAnAnswer(String)
    case refused(String, String)

    package var description: String {
        switch self {
        case .notAnAnswer(let source):
            "\(source): no answer of Prometheus' HTTP API with counters over time; give its address without a path,"
                + " such as http://127.0.0.1:9090, or our own page that ends in /metrics"
        case .refused(let source, let reason): "\(source): Prometheus refuses the question: \(reason)"
        }
    }
}

extension PrometheusPage {
    /// The time and counters by which one page is later than another.
    package struct Growth: Sendable {
        /// Nanoseconds since 1970.
        package var times: Range<Int64>
        package var answered: [LoggedEndpoint: Double] = [:]
        package var refused: [LoggedEndpoint: Double] = [:]
        package var seconds: [LoggedEndpoint: Double] = [:]
        package var cpuSeconds: Double?
    }

    /// - Parameter page: An earlier one. Counters that begin anew since count from 0.
    package func growth(since page: PrometheusPage) -> Growth {
        func growth(_ before: Double?, _ after: Double) -> Double {
            after >= before ?? 0 ? after - (before ?? 0) : after
        }
        func growths(
            _ before: [LoggedEndpoint: Double], _ after: [LoggedEndpoint: Double]
        ) -> [LoggedEndpoint: Double] {
            Dictionary(uniqueKeysWithValues: after.map { ($0.key, growth(before[$0.key], $0.value)) })
        }
        return Growth(
            times: page.time..<max(page.time, time), answered: growths(page.answered, answered),
            refused: growths(page.refused, refused), seconds: growths(page.seconds, seconds),
            cpuSeconds: cpuSeconds.map { growth(page.cpuSeconds, $0) })
    }
}
