/// What a field of a record is for.
enum TraceRole: String, CaseIterable {
    case time
    case client
    case url
    case page

    /// Names that tables and JSON traces use, the best first, in lower case.
    var usualNames: [String] {
        switch self {
        case .time:
            [
                "epoch_seconds", "epoch_ms", "epoch", "timestamp", "time", "ts", "@timestamp", "date",
                "datetime",
                "starteddatetime", "time_ms", "t_ms", "t",
            ]
        case .client:
            [
                "client", "client_id", "user", "user_id", "userid", "device_id", "panelist_id", "client_ip",
                "ip",
                "remote_addr", "src", "host_ip",
            ]
        case .url:
            ["url", "uri", "request_url", "href", "request"]
        case .page:
            ["page", "page_id", "pageref", "page_url", "frame_url", "referrer", "referer"]
        }
    }

    /// The names to look for: the one the user gave, or the usual ones.
    func names(in columns: TraceColumns) -> [String] {
        let given =
            switch self {
            case .time: columns.time
            case .client: columns.client
            case .url: columns.url
            case .page: columns.page
            }
        return given.map { [$0.lowercased()] } ?? usualNames
    }

    /// Whether the user named the field.
    func isNamed(in columns: TraceColumns) -> Bool {
        names(in: columns) != usualNames
    }
}
