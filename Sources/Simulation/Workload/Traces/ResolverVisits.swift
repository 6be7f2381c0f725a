/// Which queries in the log of a resolver are visits: the one rule of all logs of names.
///
/// Who opens a page asks for an address, and asks once for each kind that it can use: IPv4 (`A`), IPv6 (`AAAA`), and
/// what the service says of itself (`HTTPS`). RFC 8305, section 3, and RFC 9460, section 3.1, want them sent at once,
/// so that queries of one client for one name, each for another record, less than ``window`` after the first one are
/// one visit. A record that was asked for in that visit begins another one. Any one of the three is enough: a client on
/// a network with IPv6 alone never asks for `A`.
struct ResolverVisits {
    enum Record: UInt8 {
        case ipv4 = 1
        case ipv6 = 2
        case service = 4

        /// A type by its name or its number (RFC 1035, section 3.2.2; RFC 3596; RFC 9460; RFC 3597 for `TYPE65`), as
        /// logs write it: `A`, `1`, `query[AAAA]`, `type=65`.
        init?(_ text: String) {
            var type = text.uppercased()
            if type.hasPrefix("QUERY["), type.hasSuffix("]") { type = String(type.dropFirst(6).dropLast()) }
            for prefix in ["TYPE=", "TYPE"] where type.hasPrefix(prefix) {
                type = String(type.dropFirst(prefix.count))
                break
            }
            switch type {
            case "A", "1": self = .ipv4
            case "AAAA", "28": self = .ipv6
            case "HTTPS", "65": self = .service
            default: return nil
            }
        }
    }

    private struct Question: Hashable {
        var client: String
        var name: String
    }

    private struct Visit {
        var start: Int64
        var records: UInt8
    }

    /// Longest time between the first and the last query of a visit, nanoseconds (assumption: stub resolvers ask again
    /// after some seconds).
    static let window: Int64 = 2_000_000_000
    /// Visits in memory; those over are forgotten, so that a name may count twice.
    private static let maximumCount = 1 << 16

    private var visits: [Question: Visit] = [:]

    /// Whether a query counts. Notes the reason if not.
    ///
    /// - Parameter type: Nil in a log that has none, whose records all count.
    mutating func counts(
        _ type: String?, of name: String?, by client: String, at time: Int64, _ report: inout ReadReport
    ) -> Bool {
        guard let type else { return true }
        guard let record = Record(type) else {
            report.note(.otherRecordType)
            return false
        }
        var host = (name ?? "").lowercased()
        if host.hasSuffix(".") { host.removeLast() }
        guard begins(record, Question(client: client, name: host), time) else {
            report.note(.sameVisit)
            return false
        }
        return true
    }

    private mutating func begins(_ record: Record, _ question: Question, _ time: Int64) -> Bool {
        if var visit = visits[question] {
            let (distance, overflow) = time.subtractingReportingOverflow(visit.start)
            if !overflow, distance.magnitude < Self.window, visit.records & record.rawValue == 0 {
                visit.records |= record.rawValue
                visits[question] = visit
                return false
            }
        } else if visits.count >= Self.maximumCount {
            visits = visits.filter {
                $0.value.start > time.subtractingReportingOverflow(Self.window).partialValue
            }
            if visits.count >= Self.maximumCount { visits.removeAll(keepingCapacity: true) }
        }
        visits[question] = Visit(start: time, records: record.rawValue)
        return true
    }
}
