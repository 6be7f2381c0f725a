import Foundation
import Timing

/// Lets everything come and go that a server has to let go of, and watches its memory.
struct Soak {
    /// Growth that a server may show in a part: what the allocator keeps in pieces, assumption, and what is remembered
    /// on purpose of each spent token.
    private static let slackByteCount = 24 << 20
    private static let byteCountPerToken = 100
    private static let tokensPerDevice = 4
    /// Seconds without churn before memory is read.
    private static let rest = 2.0
    private static let longestBegin = 60.0
    /// Parts after the first one, at most. A server's memory rises to its level in steps, which may fall into any part;
    /// memory that leaks rises in each.
    private static let mostParts = 3

    let program: String
    let directory: URL
    let seconds: Double
    let seed: UInt64

    struct Result {
        /// Seconds since the begin, and resident bytes.
        var curve: [(seconds: Double, byteCount: Int)] = []
        var first = 0
        var last = 0
        var slack = 0
        var counts: [String: Int] = [:]
        var problems: [String] = []

        var passed: Bool { problems.isEmpty && last <= first + slack }

        var text: String {
            let rows = curve.map { "  \(String(format: "%7.0f s", $0.seconds))  \(Text.bytes($0.byteCount))" }
            return """
                memory of the server under churn
                \(rows.joined(separator: "\n"))
                came and went: \(Text.counts(counts))
                at rest before the last part \(Text.bytes(first)), at the end \(Text.bytes(last)); allowed \
                \(Text.bytes(first + slack))
                \(problems.joined(separator: "\n"))\(passed ? "PASS" : "FAIL")
                """
        }
    }

    func run() async throws -> Result {
        let traffic = try HonestTraffic()
        let list = try traffic.writeList(in: directory)
        let server = try ServerProcess(
            program: program, ["serve", "all", "--list", list, "--memory"], in: directory)
        defer { _ = server.end(within: 10) }
        var result = Result()
        let log = AttackLog()
        let begin = ContinuousClock.now
        let first = min(Self.longestBegin, max(seconds / 10, min(seconds / 3, 8)))
        await churn(server, log, for: first, since: begin, &result)
        result.last = server.residentByteCount ?? 0
        for _ in 0..<Self.mostParts {
            result.first = result.last
            await churn(server, log, for: seconds - first, since: begin, &result)
            result.last = server.residentByteCount ?? .max
            result.counts = log.current.answers
            result.slack =
                Self.slackByteCount + Self.byteCountPerToken * Self.tokensPerDevice
                * (result.counts["devices"] ?? 0)
            if result.last <= result.first + result.slack || !server.isAlive { break }
        }
        result.problems = log.current.problems
        if !server.isAlive { result.problems.append("the server has died: \(server.lastWords)") }
        return result
    }

    private func churn(
        _ server: ServerProcess, _ log: AttackLog, for seconds: Double, since begin: Deadline,
        _ result: inout Result
    ) async {
        let target = Target(
            server: server, program: program, log: log,
            deadline: .now.advanced(by: .seconds(seconds - Self.rest)),
            seed: seed, niceness: 5)
        let kinds: [@Sendable (Target) -> Void] = [
            Self.leave, Self.cut, Self.reset, Self.seal, Self.settle, Self.reload,
        ]
        let over = Task.detached {
            await withCheckedContinuation { continuation in
                Thread.detachNewThread {
                    target.together(kinds.count) { kinds[$0](target) }
                    continuation.resume()
                }
            }
        }
        let points = 6
        for point in 1...points {
            let moment = target.deadline.advanced(
                by: .seconds(-seconds * Double(points - point) / Double(points)))
            try? await Task.sleep(until: moment, clock: .continuous)
            result.curve.append(((ContinuousClock.now - begin).seconds, server.residentByteCount ?? 0))
        }
        await over.value
        try? await Task.sleep(for: .seconds(Self.rest))
    }

    /// Connections that are made and left.
    @Sendable private static func leave(_ target: Target) {
        every(2, target, "connections") { _ = target.connect() }
    }

    /// Connections that are cut with a stream open, or in the middle of a content.
    @Sendable private static func cut(_ target: Target) {
        every(5, target, "cut connections") {
            let half = HTTP2Frame.preface + HTTP2Frame.head(.post, "/queries", stream: 1).bytes
            target.connect()?.send(
                half + HTTP2Frame(kind: .data, stream: 1, payload: Array(repeating: 7, count: 4_000)).bytes,
                until: target.deadline)
            target.connect()?.send(
                "POST /queries HTTP/1.1\r\nhost: a\r\ncontent-length: 9000\r\n\r\nx", until: target.deadline)
        }
    }

    /// Streams that are reset with a part of their content sent.
    @Sendable private static func reset(_ target: Target) {
        every(20, target, "50 reset streams") {
            guard let connection = target.connect() else { return }
            connection.send(HTTP2Frame.preface, until: target.deadline)
            for number in 0..<50 {
                let stream = UInt32(2 * number + 1)
                connection.send(
                    HTTP2Frame.head(.post, "/queries", stream: stream).bytes
                        + HTTP2Frame(kind: .data, stream: stream, payload: Array(repeating: 7, count: 400))
                        .bytes
                        + HTTP2Frame(kind: .resetStream, stream: stream, payload: [0, 0, 0, 8]).bytes,
                    until: target.deadline)
            }
            target.wait(until: .now.advanced(by: .milliseconds(5)))
        }
    }

    /// Sealed requests that do not open.
    @Sendable private static func seal(_ target: Target) {
        guard
            let sealer = try? Sealer(
                port: target.port, path: "/relay", until: .now.advanced(by: .seconds(5)))
        else { return target.log.problem("no key of the gateway") }
        var peer = HTTPPeer(port: target.port)
        var turn = 0
        every(5, target, "sealed garbage") {
            turn += 1
            guard let bytes = try? sealer.garbage(target.randomBytes(93, connection: 0, turn: turn)) else {
                return
            }
            _ = peer.exchange(bytes, until: target.answerDeadline)
        }
    }

    /// Devices that come with tokens and an evaluation key; twenty of them in turn.
    @Sendable private static func settle(_ target: Target) {
        var number = 0
        every(50, target, "devices") {
            number += 1
            var device = AttackDevice(target, pseudonym: "device-\(number % 20)")
            do {
                try device.settle(tokens: 1)
                _ = device.send(try device.configRequest())
            } catch {
                if !target.isOver { target.log.answered("device failed") }
            }
        }
    }

    @Sendable private static func reload(_ target: Target) {
        every(1_000, target, "reloads") { target.server.reload() }
    }

    private static func every(_ milliseconds: Int, _ target: Target, _ name: String, _ body: () -> Void) {
        while !target.isOver {
            let next = ContinuousClock.now.advanced(by: .milliseconds(milliseconds))
            body()
            target.log.tried()
            target.log.answered(name)
            target.wait(until: next)
        }
    }
}
