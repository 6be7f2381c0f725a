import Decoding

/// Purpose of a request in a server's log.
package enum LoggedEndpoint: String, CaseIterable, Codable, Sendable {
    case queries, key, config, issue, directory, tokenKey
    /// Requests that the gateway opens, and that the relay passes on.
    case gateway, relay

    /// The endpoint by the last part of a path, or by the name that `urlfilter serve` gives it; `nil` for anything
    /// else.
    init?(path: String) {
        let path = path.prefix { $0 != "?" && $0 != "#" }
        let name = path.split(separator: "/").last.map { $0.lowercased() } ?? ""
        switch name {
        case "queries": self = .queries
        case "key": self = .key
        case "config": self = .config
        case "issue": self = .issue
        case "directory", "private-token-issuer-directory": self = .directory
        case "token-key", "tokenkey", "token-key-for-user-token": self = .tokenKey
        case "gateway", "ohttp-gateway": self = .gateway
        case "relay": self = .relay
        default: return nil
        }
    }

    /// Which server has it in its log.
    package var place: LoggedPlace {
        switch self {
        case .queries, .key, .config: .pir
        case .issue, .directory, .tokenKey: .issuer
        case .gateway: .gateway
        case .relay: .relay
        }
    }
}

package enum LoggedPlace: String, CaseIterable, Codable, Sendable {
    case relay, gateway, issuer, pir
}

/// One request of a server's log.
package struct ServerLogRecord: Hashable, Sendable {
    /// The time at which it began, nanoseconds since 1970.
    package var start: Int64
    /// Nanoseconds until its answer was sent; `nil` if the log has no such column.
    package var duration: Int64?
    package var endpoint: LoggedEndpoint
    /// Status of the answer, in `100...599`.
    package var status: Int
    /// Bytes of the answer.
    package var bytes: Int?
    /// Digest of the device's pseudonym.
    package var device: UInt64?

    package var end: Int64 { start + (duration ?? 0) }
}

/// Purpose of a column of a log.
package enum ServerLogRole: String, CaseIterable, Codable, Sendable {
    case time, endpoint, status, bytes, duration, device

    /// Names in headers and JSON objects, the best first, in lower case.
    var usualNames: [String] {
        switch self {
        case .time:
            Self.startNames + [
                "time", "timestamp", "ts", "@timestamp", "time_local", "time_iso8601", "date", "end", "msec",
            ]
        case .endpoint:
            ["endpoint", "path", "uri", "request_uri", "url", "route", "handler", "request", "target"]
        case .status: ["status", "status_code", "code", "response_code"]
        case .bytes: ["bytes", "body_bytes_sent", "bytes_sent", "response_bytes", "size", "length"]
        case .duration:
            [
                "duration_ms", "duration_us", "duration_ns", "duration_s", "duration_seconds",
                "request_time",
                "response_time_ms", "latency_ms", "elapsed_ms", "upstream_response_time", "duration",
                "response_time", "latency", "elapsed",
            ]
        case .device: ["device", "device_id", "pseudonym", "client", "user", "remote_user"]
        }
    }

    /// Times under these names are those at which a request began; others, at which the line was written.
    static let startNames = ["start", "started", "start_time", "starteddatetime", "request_start"]
}

/// Facts that the log does not tell about itself.
package struct ServerLogOptions: Sendable {
    /// Columns by name, where the usual names do not do.
    package var columns: [ServerLogRole: String] = [:]
    /// Unit of durations that have none of their own.
    package var durationUnit: TimeUnit?
    /// Whether times are those of a request's beginning; `nil`: by the column's name, else those of its end.
    package var timeIsStart: Bool?

    package init() {}
}

/// Why a log of a server cannot be used, where, and what to do.
package struct ServerLogError: InputFault, Equatable, CustomStringConvertible {
    package enum Problem: Equatable, Sendable {
        case unknownFormat
        case columnMissing(wanted: [String], header: [String])
        case malformed(String)
        case fieldMissing
        case notATime(String)
        case notANumber(String, allowed: String)
        case notAStatus(String)
        case noUnit(String)
        case timeGoesBack(seconds: Double, after: Int)
        case tooLong(seconds: Double)
        case empty(ignored: Int)
    }

    package let file: String
    /// Counted from 1; 0 for the file as a whole.
    package let line: Int
    /// Its name in the file, or what it is for.
    package let column: String
    package let problem: Problem

    package init(file: String, line: Int = 0, column: String = "", _ problem: Problem) {
        self.file = file
        self.line = line
        self.column = column
        self.problem = problem
    }

    package var description: String {
        let place = file + (line > 0 ? ":\(line)" : "") + (column.isEmpty ? "" : ": column '\(column)'")
        return "\(place): \(sentence)"
    }

    private var sentence: String {
        switch problem {
        case .unknownFormat:
            "not recognised as combined log, table with a header, JSON lines or Prometheus text"
        case .columnMissing(let wanted, let header):
            "there is none; looked for \(wanted.prefix(8).joined(separator: ", ")), the file has "
                + "\(header.joined(separator: ", ")); name it with --column \(column)=NAME"
        case .malformed(let what): "\(what); repair or remove the line"
        case .fieldMissing: "is empty or missing in this line; repair or remove the line"
        case .notATime(let text):
            "'\(text)' is no time; write ISO 8601 or a number of seconds since 1970, or name the right column with "
                + "--column time=NAME"
        case .notANumber(let text, let allowed):
            "'\(text)' is not \(allowed); name the right column with --column ROLE=NAME"
        case .notAStatus(let text):
            "'\(text)' is no HTTP status, which is in 100...599; are two columns exchanged? Name the right one with "
                + "--column status=NAME"
        case .noUnit(let text):
            "'\(text)' has no unit; give --duration-unit s, ms, us or ns"
        case .timeGoesBack(let seconds, let after):
            "the time goes back by \(String(seconds)) s after line \(after); sort the lines by time, or name the right "
                + "column with --column time=NAME"
        case .tooLong(let seconds):
            "a request took \(String(seconds)) s, and no device waits longer than an hour; is the unit right? "
                + "Give --duration-unit"
        case .empty(let ignored):
            "no request to an endpoint of the filter"
                + (ignored > 0
                    ? " among \(ignored) lines; is --column endpoint=NAME right?" : "; it is empty")
        }
    }
}
