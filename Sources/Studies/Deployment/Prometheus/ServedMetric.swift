/// Metrics of `urlfilter serve`, as its page has them; a test compares them with its sources.
package enum ServedMetric: String, CaseIterable, Sendable {
    case requests = "urlfilter_requests_total"
    case duration = "urlfilter_request_duration_seconds"
    case inFlight = "urlfilter_requests_in_flight"
    case queuedWork = "urlfilter_queued_work_seconds"
    case queue = "urlfilter_queue_length"
    case limitHits = "urlfilter_limit_hits_total"
    case keys = "urlfilter_evaluation_keys"
    case keyBytes = "urlfilter_evaluation_key_bytes"
    case dataRead = "urlfilter_data_read_time_seconds"
    case processCPU = "process_cpu_seconds_total"

    /// Upper bounds of ``duration``, seconds.
    package static let bounds = [
        0.000_1, 0.000_2, 0.000_5, 0.001, 0.002, 0.005, 0.01, 0.02, 0.05, 0.1, 0.2, 0.5, 1, 2, 3, 5, 10,
    ]

    var name: String { rawValue }
}

/// A series of a metric by its labels, for a query.
struct Selector {
    var metric: String
    /// Label, relation and value.
    var labels: [(String, Relation, String)]

    enum Relation: String {
        case equal = "="
        case matching = "=~"
        case unequal = "!="
        case notMatching = "!~"
    }

    init(_ metric: String, _ labels: [(String, Relation, String)] = []) {
        self.metric = metric
        self.labels = labels
    }

    init(_ metric: ServedMetric, suffix: String = "", _ labels: [(String, Relation, String)] = []) {
        self.init(metric.name + suffix, labels)
    }

    var text: String {
        let conditions = labels.map { "\($0)\($1.rawValue)\"\(Self.escaped($2))\"" }
        return conditions.isEmpty ? metric : "\(metric){\(conditions.joined(separator: ","))}"
    }

    /// Increase a second over a window such as `5m`, summed.
    func rate(_ window: String, by labels: String = "region") -> String {
        "sum by (\(labels)) (rate(\(text)[\(window)]))"
    }

    private static func escaped(_ text: String) -> String {
        text.replacing("\\", with: "\\\\").replacing("\"", with: "\\\"").replacing("\n", with: "\\n")
    }
}
