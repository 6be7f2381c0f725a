import Foundation
import ObliviousHTTP
import Parties

/// Requests inside sealed messages that would lead a gateway elsewhere than to its issuer and PIR server.
enum SteeringAttacks: AttackFamily {
    static let attacks = [
        Attack(
            name: "steering",
            summary: "sealed requests whose path, method or host leads a gateway to a third port",
            duration: 0.7, run: steer)
    ]

    /// Nothing is where these lead, and nobody may be asked.
    private static let refusals: Set<Int> = [400, 403, 404, 405, 421]

    private static func steer(_ target: Target) throws {
        let trap = try TrapPort()
        defer { trap.close() }
        // Only a gateway in a process of its own makes URLs of what it is sent.
        try target.withGateway { gateway in
            let sealer = try Sealer(
                port: gateway.port, path: ServiceNames.gatewayPath, until: target.answerDeadline)
            var peer = HTTPPeer(port: gateway.port)
            for request in requests(trap: trap.port, home: target.port) {
                let form = "\(request.method) \(request.authority) \(request.path)"
                guard let (outer, context) = try? sealer.seal(request) else {
                    target.log.problem("\(form): cannot be sealed")
                    continue
                }
                target.log.tried(byteCount: outer.count)
                let before = trap.arrivals
                let answer = peer.exchange(outer, until: target.answerDeadline)
                let status = Sealer.status(of: answer, context)
                if trap.arrivals > before {
                    target.log.answered("trap")
                    target.log.problem("\(form): reached the trap")
                } else {
                    target.log.answered(status, to: form, expected: refusals)
                }
            }
        }
        // What came after the answer has come by the end of the gateway.
        if trap.arrivals > 0 { target.log.problem("the trap was reached \(trap.arrivals) times") }
    }

    private static func requests(trap: UInt16, home: UInt16) -> [BinaryHTTPRequest] {
        let (there, authority) = ("127.0.0.1:\(trap)", "127.0.0.1:\(home)")
        let paths = [
            "@\(there)/x", "\\@\(there)/x", "\\\\\(there)/x", "//\(there)/x", "///\(there)/x",
            "http://\(there)/x", "https://\(there)/x", "http:\(there)", ":@\(there)/x", ":80@\(there)/x",
            ".\(there)/x", "/x/../../\(there)", "/x/../..", "/%2e%2e/%2f\(there)", "/..;/x", "/\\\(there)/x",
            "/x?@\(there)/", "?@\(there)/x", "#@\(there)/x", "/x#@\(there)/", "x", "*", "\(there)",
            "/issue@\(there)", "/issue/../metrics", "/config/../../x", "//config", "/config/", "/CONFIG",
        ]
        var requests = paths.flatMap { path in
            ["GET", "POST"].map {
                BinaryHTTPRequest(method: $0, scheme: "http", authority: authority, path: path)
            }
        }
        for method in ["CONNECT", "TRACE", "OPTIONS", "PUT", "DELETE", "PRI", "get"] {
            requests.append(
                BinaryHTTPRequest(method: method, scheme: "http", authority: authority, path: "//\(there)/x"))
        }
        // The target is another one, in each place where it can be named.
        for host in [there, "@\(there)", "\(authority)@\(there)", "\(authority).\(there)", "\(authority)/"] {
            requests.append(BinaryHTTPRequest(scheme: "http", authority: host, path: "/config"))
            requests.append(
                BinaryHTTPRequest(
                    scheme: "http", authority: "", path: "/config", fields: [BinaryHTTPField("host", host)]))
        }
        requests.append(
            BinaryHTTPRequest(
                scheme: "http", authority: authority, path: "/x", fields: [BinaryHTTPField("host", there)]))
        return requests
    }
}

extension Target {
    /// Runs `body` beside a gateway in a process of its own, in front of the attacked server.
    func withGateway<Result>(_ body: (ServerProcess) throws -> Result) throws -> Result {
        let directory = server.directory.appendingPathComponent(UUID().uuidString)
        try FileManager.default.createDirectory(at: directory, withIntermediateDirectories: true)
        let gateway = try ServerProcess(
            program: program, ["serve", "gateway", "--memory", "--issuer", server.url, "--pir", server.url],
            in: directory)
        defer {
            if gateway.end(within: 5) != 0 { log.problem("SIGTERM did not end the gateway with status 0") }
        }
        return try body(gateway)
    }
}
