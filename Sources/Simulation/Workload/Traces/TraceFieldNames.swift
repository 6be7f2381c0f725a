/// Purpose of a field of a record.
package enum TraceRole: String, CaseIterable, Sendable {
    case time, client, url, page
    /// Parts of a URL, where the log does not have it whole.
    case host, path, query, scheme, port, method
    /// The name that a resolver is asked for, and the type of the record.
    case name, recordType

    /// Those that a user may name.
    package static let named: [TraceRole] = [
        .url, .host, .path, .query, .scheme, .port, .method, .time, .client, .page,
    ]

    /// Names that tables, JSON traces and logs use, the best first, in lower case. Those with dots are of the Elastic
    /// Common Schema, of Zeek and of Caddy; `qh`, `qt` and `t` are AdGuard Home's.
    var usualNames: [String] {
        switch self {
        case .time:
            [
                "epoch_seconds", "epoch_ms", "epoch", "@timestamp", "timestamp", "time_iso8601", "time_local",
                "msec", "time_usec", "time", "ts", "date", "datetime", "starteddatetime", "time_ms", "t_ms",
                "visit_time", "visittime", "last_visit_time", "lastvisittime", "visit_date",
                "last_visit_date", "startutc", "t",
            ]
        case .client:
            [
                "client", "client_id", "user", "user_id", "userid", "user.name", "device_id", "panelist_id",
                "source.ip", "client.ip", "source.address", "client_ip", "id.orig_h", "remote_addr", "ip",
                "src", "host_ip", "request.remote_ip", "request.client_ip", "clienthost", "remote_ip",
            ]
        case .url:
            [
                "url", "url.full", "full_url", "request_url", "href", "uri", "url.original", "request",
                "requesturl", "request.url",
            ]
        case .page:
            [
                "page", "page_id", "pageref", "page_url", "frame_url", "referrer", "referer",
                "http.request.referrer", "http_referer", "http_referrer",
            ]
        case .host:
            [
                "host", "http_host", "url.domain", "vhost", "server_name", "hostname", "request.host",
                "requesthost", "destination.domain", "domain", "domain_name", "fqdn",
            ]
        case .path: ["request_uri", "path", "url.path", "uri_path", "request.uri", "requestpath"]
        case .query: ["query_string", "args", "url.query", "uri_query"]
        case .scheme: ["scheme", "url.scheme", "request_scheme", "requestscheme"]
        case .port: ["port", "url.port", "server_port", "id.resp_p"]
        case .method: ["method", "request_method", "http.request.method", "request.method", "requestmethod"]
        case .name: ["query", "qh", "qname", "domain", "dns.question.name", "question.name"]
        case .recordType: ["query_type", "qtype_name", "qt", "qtype", "dns.question.type", "question.type"]
        }
    }

    /// Search engines put the fields of a document below this name.
    static let wrapper = Array("_source.".utf8)

    private static let known = Set(allCases.flatMap { $0.usualNames.map { Array($0.utf8) } })

    /// Whether a field of JSON has a usual name.
    static func isKnown(_ field: [UInt8]) -> Bool { known.contains(name(of: field)) }

    /// The name of a field as ``usualNames`` has it.
    static func name(of field: [UInt8]) -> [UInt8] {
        let name = field.map(\.lowercased)
        return name.starts(with: wrapper) ? Array(name.dropFirst(wrapper.count)) : name
    }

    /// The names to look for: the one the user gave, or the usual ones.
    func names(in columns: TraceColumns) -> [String] {
        if let name = columns[self] { return [name.lowercased()] }
        // Who names a host does not mean the URL of another column, and the other way round.
        if self == .url, columns[.host] != nil { return [] }
        if self == .name, columns[.host] != nil || columns[.url] != nil { return [] }
        return usualNames
    }

    /// Whether the user named the field.
    func isNamed(in columns: TraceColumns) -> Bool { columns[self] != nil }
}

/// The columns of a table, or the fields of a JSON object, by what they hold. A role without a name is recognised by
/// usual names.
package struct TraceColumns: Hashable, Sendable {
    private var names: [TraceRole: String] = [:]
    /// `nil`: by the column's name (`…_ms`, `…_seconds`), else by the size of
    /// the first number. A time in ISO 8601 needs no unit.
    package var timeUnit: TimeUnit?
    /// A table has no time column: rows come one millisecond apart, from 1970 on.
    package var isUntimed = false

    package subscript(role: TraceRole) -> String? {
        get { names[role] }
        set { names[role] = newValue }
    }

    package init(
        time: String? = nil, client: String? = nil, url: String? = nil, page: String? = nil,
        timeUnit: TimeUnit? = nil
    ) {
        (names[.time], names[.client], names[.url], names[.page]) = (time, client, url, page)
        self.timeUnit = timeUnit
    }
}
