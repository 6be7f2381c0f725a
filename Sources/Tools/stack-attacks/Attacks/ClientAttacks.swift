import Foundation

/// Services that mean harm to who asks them: `urlfilter pir query --against` has to end with a message, and to write
/// nothing that a terminal obeys.
enum ClientAttacks: AttackFamily {
    /// Longer than any of them needs; the exchange has a deadline of its own.
    private static let patience = 40.0
    private static let escape: UInt8 = 0x1B

    static let attacks = [
        service("endless", "a content without an end") { peer in
            guard write("HTTP/1.1 200 OK\r\n\r\n", to: peer) else { return }
            while write(String(repeating: "x", count: 1 << 16), to: peer) {}
        },
        service("endless-head", "a head without an end") { peer in
            guard write("HTTP/1.1 200 OK\r\n", to: peer) else { return }
            while write("x: \(String(repeating: "x", count: 4_000))\r\n", to: peer) {}
        },
        service("escapes", "a refusal that would rename the terminal") { peer in
            let text = "\u{1B}]0;owned\u{7}\u{1B}[2J\u{202E}\r\n"
            _ = write(
                "HTTP/1.1 500 \u{1B}[31m\r\ncontent-type: text/plain\r\ncontent-length: \(text.utf8.count)\r\n\r\n"
                    + text, to: peer)
        },
        service("status", "a status that there is none") { peer in
            _ = write("HTTP/1.1 999 \u{1B}[2J\r\ncontent-length: 0\r\n\r\n", to: peer)
        },
        service("redirects", "a redirection to itself") { peer in
            _ = write("HTTP/1.1 307 T\r\nlocation: /\r\ncontent-length: 0\r\n\r\n", to: peer)
        },
        service("garbage", "random bytes") { peer in
            var random = SystemRandomNumberGenerator()
            let bytes = (0..<100_000).map { _ in UInt8.random(in: .min ... .max, using: &random) }
            _ = bytes.withUnsafeBytes { send(peer, $0.baseAddress, $0.count, 0) }
        },
        service("silence", "nothing, and then the end") { _ in Thread.sleep(forTimeInterval: 0.2) },
    ]

    private static func write(_ text: String, to peer: Int32) -> Bool {
        let bytes = Array(text.utf8)
        return send(peer, bytes, bytes.count, 0) == bytes.count
    }

    private static func service(
        _ name: String, _ summary: String, _ answer: @escaping @Sendable (Int32) -> Void
    ) -> Attack {
        Attack(name: "client.\(name)", summary: "a service that answers with \(summary)", duration: 0.5) {
            target in
            for way in ["direct", "gateway"] {
                let port = try TrapPort(answer: answer)
                defer { port.close() }
                ask(target, "http://127.0.0.1:\(port.port)", way)
            }
        }
    }

    private static func ask(_ target: Target, _ url: String, _ way: String) {
        let process = Process()
        let output = Pipe()
        process.executableURL = URL(fileURLWithPath: "/bin/bash")
        process.arguments = [
            "-c", "ulimit -v 4000000; exec timeout \(Int(patience)) \"$0\" \"$@\"", target.program, "pir",
            "query", "--against",
            url, "--through", way, "listed.example",
        ]
        process.standardInput = FileHandle.nullDevice
        process.standardOutput = output
        process.standardError = output
        target.log.tried()
        guard (try? process.run()) != nil else { return target.log.problem("the client did not start") }
        let text = output.fileHandleForReading.readDataToEndOfFile()
        process.waitUntilExit()
        let status =
            process.terminationReason == .exit ? process.terminationStatus : -process.terminationStatus
        target.log.answered("exit \(status)")
        if status != 1 { target.log.problem("the client ended with \(status); it must be 1") }
        if text.isEmpty { target.log.problem("the client said nothing") }
        if text.count > 10_000 { target.log.problem("the client wrote \(text.count) bytes") }
        if text.contains(escape) { target.log.problem("the client wrote an escape sequence") }
    }
}
