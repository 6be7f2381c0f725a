import Foundation
import ObliviousHTTP
import Parties

/// A relay that has recorded everything, and sends it again: at once, after a restart, and after a crash.
enum ReplayAttacks: AttackFamily {
    private static let tokensPerDay = 20

    static let attacks = [
        Attack(
            name: "replay.recorded",
            summary: "sealed token requests sent again, also to a server that was restarted or killed",
            run: run)
    ]

    private static func run(_ target: Target) throws {
        let directory = target.server.directory.appendingPathComponent("replayed")
        try FileManager.default.createDirectory(at: directory, withIntermediateDirectories: true)
        let list = directory.appendingPathComponent("list.txt")
        try Data("listed.example\n".utf8).write(to: list)
        func start() throws -> ServerProcess {
            try ServerProcess(
                program: target.program,
                [
                    "serve", "all", "--list", list.path, "--state", "state.sqlite",
                    "--tokens-per-user-per-day",
                    "\(tokensPerDay)",
                ], in: directory)
        }
        var recorded: [[UInt8]] = []
        func replay(to server: ServerProcess, _ when: String, expected: Set<Int>) {
            for message in recorded {
                var peer = HTTPPeer(port: server.port)
                target.log.tried(byteCount: message.count)
                target.log.answered(
                    peer.exchange(message, until: deadline)?.status, to: "a recorded request \(when)",
                    expected: expected)
            }
        }
        // Servers that start take longer than a short attack.
        var deadline: Deadline { .now.advanced(by: .seconds(10)) }
        var server = try start()
        let there = Target(
            server: server, program: target.program, log: target.log, deadline: deadline, seed: target.seed,
            niceness: target.niceness)
        var device = AttackDevice(there, pseudonym: "victim")
        try device.fetchTokens(0)
        let sealer = try Sealer(port: server.port, path: ServiceNames.relayPath, until: deadline)
        for _ in 0..<5 {
            let message = try sealer.seal(device.tokenRequest()).outer
            var peer = HTTPPeer(port: server.port)
            guard peer.exchange(message, until: deadline)?.status == 200 else {
                return target.log.problem("a token request was not answered")
            }
            recorded.append(message)
        }
        replay(to: server, "at once", expected: [400])
        // The same request in another seal, which only who made it can do: it takes nothing from the day either.
        let again = try device.tokenRequest()
        for _ in 0..<tokensPerDay / 2 { _ = device.send(again) }
        do {
            try device.fetchTokens(tokensPerDay - recorded.count - 1)
        } catch {
            target.log.problem("the user's day was spent by copies: \(error)")
        }
        _ = server.end(within: 5)
        server = try start()
        replay(to: server, "after a restart", expected: [400])
        server.crash()
        server = try start()
        replay(to: server, "after a crash", expected: [422])
        _ = server.end(within: 5)
    }
}
