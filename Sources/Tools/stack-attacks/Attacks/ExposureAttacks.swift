import ObliviousHTTP
import Parties

/// Requests for what is the operator's business: how many requests of which kind there are.
enum ExposureAttacks: AttackFamily {
    static let attacks = [
        Attack(
            name: "exposure.sealed",
            summary: "GET /metrics and /health sealed, through a gateway that runs beside the other parties",
            duration: 0.7, run: sealed),
        Attack(
            name: "exposure.direct",
            summary: "GET /metrics as a proxy on this machine would pass it on for somebody else",
            duration: 0.7, run: direct),
    ]

    private static func sealed(_ target: Target) throws {
        let authorities = [
            "127.0.0.1:\(target.port)", ServiceNames.pirAuthority, ServiceNames.issuerAuthority,
        ]
        func ask(at port: UInt16, _ relayPath: String) throws {
            let sealer = try Sealer(port: port, path: relayPath, until: target.answerDeadline)
            var peer = HTTPPeer(port: port)
            for authority in authorities {
                for path in ["/metrics", "/metrics?x", "/metrics/", "//metrics", "/x/../metrics", "/health"] {
                    for method in ["GET", "POST", "HEAD"] {
                        let (outer, context) = try sealer.seal(
                            BinaryHTTPRequest(
                                method: method, scheme: "http", authority: authority, path: path))
                        target.log.tried(byteCount: outer.count)
                        let answer = peer.exchange(outer, until: target.answerDeadline)
                        target.log.answered(
                            Sealer.status(of: answer, context), to: "sealed \(method) \(authority) \(path)",
                            expected: [400, 403, 404, 405, 421])
                    }
                }
            }
        }
        try ask(at: target.port, ServiceNames.relayPath)
        try target.withGateway { try ask(at: $0.port, ServiceNames.gatewayPath) }
    }

    private static func direct(_ target: Target) throws {
        let home = "127.0.0.1:\(target.port)"
        let heads = [
            "host: pir.example.com", "host: metrics", "host: 127.0.0.1.example.com", "host: 192.0.2.1",
            "host: \(home)\r\nforwarded: for=192.0.2.1", "host: \(home)\r\nx-forwarded-for: 192.0.2.1",
            "host: \(home)\r\nvia: 1.1 proxy", "host: \(home)\r\nx-real-ip: 192.0.2.1",
            "host: \(home)\r\nx-forwarded-host: pir.example.com",
        ]
        for head in heads {
            var peer = HTTPPeer(port: target.port)
            let request = Array("GET /metrics HTTP/1.1\r\n\(head)\r\n\r\n".utf8)
            target.log.tried(byteCount: request.count)
            let answer = peer.exchange(request, until: target.answerDeadline)
            target.log.answered(
                answer?.status, to: "GET /metrics with \(head.split(separator: "\r\n").last ?? "")",
                expected: [400, 403, 404, 421])
        }
    }
}
