import Testing
import Workload

/// What in a resolver's log is a visit, by one set of queries in the form of each log.
@Suite struct ResolverVisitTests {
    struct Query: Sendable {
        var second: Int
        var client: String
        var name: String
        var type: String
    }

    /// Clients .5 and .7 have both protocols, .6 has IPv6 alone. By hand: x at 0 (three records, one visit), x of .6 at 0,
    /// x again at 10 (two records), x at 11 (a record that was in the visit begins another one), y at 20 and 22 (two seconds
    /// are two visits): six visits, four queries of a visit that is counted, one for no address.
    static let queries = [
        Query(second: 0, client: "192.0.2.5", name: "x.example", type: "A"),
        Query(second: 0, client: "192.0.2.5", name: "x.example", type: "AAAA"),
        Query(second: 0, client: "192.0.2.6", name: "x.example", type: "AAAA"),
        Query(second: 0, client: "192.0.2.6", name: "x.example", type: "HTTPS"),
        Query(second: 1, client: "192.0.2.5", name: "X.example", type: "HTTPS"),
        Query(second: 5, client: "192.0.2.5", name: "y.example", type: "TXT"),
        Query(second: 10, client: "192.0.2.5", name: "x.example", type: "HTTPS"),
        Query(second: 10, client: "192.0.2.5", name: "x.example", type: "A"),
        Query(second: 11, client: "192.0.2.5", name: "x.example", type: "A"),
        Query(second: 20, client: "192.0.2.7", name: "y.example", type: "AAAA"),
        Query(second: 22, client: "192.0.2.7", name: "y.example", type: "A"),
    ]

    static let forms: [(String, @Sendable ([Query]) -> String)] = [
        (
            "dnsmasq",
            { queries in
                queries.map { query in
                    let type = query.type == "HTTPS" ? "type=65" : query.type
                    return
                        "Jun  1 00:00:\(padded(query.second)) dnsmasq[1]: query[\(type)] \(query.name) from \(query.client)"
                }.joined(separator: "\n")
            }
        ),
        (
            "AdGuard Home",
            { queries in
                queries.map {
                    #"{"T":"2023-06-01T00:00:\#(padded($0.second))Z","QH":"\#($0.name)","QT":"\#($0.type)","IP":"\#($0.client)"}"#
                }.joined(separator: "\n")
            }
        ),
        (
            "NextDNS",
            { queries in
                "timestamp,domain,query_type,client_ip\n"
                    + queries.map {
                        "2023-06-01T00:00:\(padded($0.second))Z,\($0.name),\($0.type),\($0.client)"
                    }.joined(separator: "\n")
            }
        ),
        (
            "table with numbers",
            { queries in
                let numbers = ["A": 1, "AAAA": 28, "HTTPS": 65, "TXT": 16]
                return "timestamp,qname,qtype,client\n"
                    + queries.map {
                        "2023-06-01T00:00:\(padded($0.second))Z,\($0.name),\(numbers[$0.type] ?? 0),\($0.client)"
                    }.joined(separator: "\n")
            }
        ),
        (
            "Zeek",
            { queries in
                "#fields\tts\tuid\tid.orig_h\tquery\tqtype_name\n"
                    + queries.map {
                        "\(1_685_577_600 + $0.second).0\tC\t\($0.client)\t\($0.name)\t\($0.type)"
                    }.joined(separator: "\n")
            }
        ),
    ]

    static func padded(_ number: Int) -> String { number < 10 ? "0\(number)" : "\(number)" }

    /// Found by fuzzing: the best column is not UTF-8 in this row, and the second best is not there.
    @Test func aRowMayEndBeforeTheSecondColumnOfClients() throws {
        let text = Array("timestamp,url,client,client_ip\n2023-06-01T00:00:00Z,https://a.example/,".utf8)
        let reader = try TraceReader(ByteSource(bytes: text + [0xFF, 0x0A], name: "log"))
        #expect(try reader.next() == nil && reader.report.count(of: .clientMissing) == 1)
    }

    @Test(arguments: forms.indices) func eachLogHasTheSameVisits(form: Int) throws {
        let reader = try TraceReader(
            ByteSource(bytes: Array((Self.forms[form].1(Self.queries) + "\n").utf8), name: "log"))
        var visits: [String] = []
        while let record = try reader.next() { visits.append("\(record.client) \(record.url.lowercased())") }
        let (x, y) = ("https://x.example/", "https://y.example/")
        #expect(
            visits == [
                "192.0.2.5 \(x)", "192.0.2.6 \(x)", "192.0.2.5 \(x)", "192.0.2.5 \(x)", "192.0.2.7 \(y)",
                "192.0.2.7 \(y)",
            ], "\(Self.forms[form].0)")
        #expect(reader.report.count(of: .sameVisit) == 4 && reader.report.count(of: .otherRecordType) == 1)
    }
}
