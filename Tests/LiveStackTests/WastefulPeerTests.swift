import Foundation
import LiveStack
import Logging
import ObliviousHTTP
import TestSupport
import Testing

/// Peers whose requests are allowed by the letter and cost more than they should.
struct WastefulPeerTests {
    private static func hits(_ limit: StackLimit, _ stack: RunningStack) async throws -> Int {
        let page = String(decoding: try await Wire.get("/metrics", stack.url).content, as: UTF8.self)
        let prefix = "urlfilter_limit_hits_total{limit=\"\(limit.rawValue)\"} "
        let line = page.split(separator: "\n").first { $0.hasPrefix(prefix) }
        return line.flatMap { Int($0.dropFirst(prefix.count)) } ?? -1
    }

    @Test func contentsInTinyChunksEndTheConnection() async throws {
        try await Fixture.withStack { stack async throws in
            let head = "POST /config HTTP/1.1\r\nhost: a\r\ntransfer-encoding: chunked\r\n\r\n"
            let tiny = try RawConnection(to: stack.authority)
            await tiny.send(head + String(repeating: "1\r\nx\r\n", count: 5_000))
            #expect(await tiny.isClosedByPeer())
            tiny.close()
            #expect(try await Self.hits(.parts, stack) == 1)
            // Chunks of a size that somebody has a reason for are taken; there is no token.
            let fair = try RawConnection(to: stack.authority)
            let chunk = "100\r\n" + String(repeating: "x", count: 256) + "\r\n"
            await fair.send(head + String(repeating: chunk, count: 200) + "1\r\nx\r\n0\r\n\r\n")
            #expect(await fair.status() == 401)
            fair.close()
            #expect(try await Self.hits(.parts, stack) == 1)
        }
    }

    @Test func requestsSentFarAheadEndTheConnection() async throws {
        try await Fixture.withStack { stack async throws in
            let request = "GET /health HTTP/1.1\r\nhost: a\r\n\r\n"
            let greedy = try RawConnection(to: stack.authority)
            await greedy.send(String(repeating: request, count: 5_000))
            #expect(await greedy.isClosedByPeer())
            greedy.close()
            #expect(try await Self.hits(.pipeline, stack) == 1)
            // A few are nobody's fault.
            let fair = try RawConnection(to: stack.authority)
            await fair.send(String(repeating: request, count: 20))
            let answers = await fair.receive(until: {
                String(decoding: $0, as: UTF8.self).components(separatedBy: "HTTP/1.1 200").count == 21
            })
            #expect(
                String(decoding: answers, as: UTF8.self).components(separatedBy: "HTTP/1.1 200").count == 21)
            fair.close()
        }
    }

    @Test func contentsInTinyFramesEndTheConnection() async throws {
        try await Fixture.withStack { stack async throws in
            let path = Array("/config".utf8)
            // POST over http to that path, authority "x": the static table of RFC 7541, and two literals.
            let block: [UInt8] = [0x83, 0x86, 0x04, UInt8(path.count)] + path + [0x01, 0x01, 0x78]
            let start =
                Array("PRI * HTTP/2.0\r\n\r\nSM\r\n\r\n".utf8) + [0, 0, 0, 4, 0, 0, 0, 0, 0]
                + [0, 0, UInt8(block.count), 1, 4, 0, 0, 0, 1] + block
            let tiny = try RawConnection(to: stack.authority)
            let frame: [UInt8] = [0, 0, 1, 0, 0, 0, 0, 0, 1, 0x78]
            await tiny.send(start + Array(repeating: frame, count: 5_000).flatMap { $0 })
            #expect(await tiny.isClosedByPeer())
            tiny.close()
            #expect(try await Self.hits(.parts, stack) == 1)
        }
    }

    @Test(arguments: [
        "", "host: a\r\nhost: a\r\n", "host: a/b\r\n", "host: user@a\r\n", "host: [::1\r\n",
        "host: a:80x\r\n", "host: a b\r\n", "host: []\r\n",
    ])
    func requestsWithoutOneValidHostAreRefused(fields: String) async throws {
        try await Fixture.withStack { stack async throws in
            let connection = try RawConnection(to: stack.authority)
            await connection.send("GET /health HTTP/1.1\r\n\(fields)\r\n")
            #expect(await connection.status() == 400)
            #expect(await connection.isClosedByPeer())
            connection.close()
        }
    }

    @Test func validHostsAreTaken() async throws {
        try await Fixture.withStack { stack async throws in
            for host in ["a.example", "a.example:8080", "127.0.0.1", "[::1]:80", "a_b.example", "", "a:"] {
                let connection = try RawConnection(to: stack.authority)
                await connection.send("GET /health HTTP/1.1\r\nhost: \(host)\r\n\r\n")
                #expect(await connection.status() == 200, "\(host)")
                connection.close()
            }
            // What came before is answered first.
            let connection = try RawConnection(to: stack.authority)
            let request = "GET /health HTTP/1.1\r\n"
            await connection.send(request + "host: a\r\n\r\n" + request + "\r\n")
            let answers = String(decoding: await connection.receive(), as: UTF8.self)
            let first = try #require(answers.range(of: "HTTP/1.1 200"))
            let second = try #require(answers.range(of: "HTTP/1.1 400"))
            #expect(first.lowerBound < second.lowerBound)
            connection.close()
        }
    }

    @Test(arguments: [
        "HTTP/1.0\r\n", "HTTP/1.0\r\nconnection: keep-alive\r\n",
        "HTTP/1.1\r\nhost: a\r\nconnection: Close\r\n",
        "HTTP/1.1\r\nhost: a\r\nconnection: x, close\r\n",
    ])
    func lastRequestsOfAConnectionEndIt(head: String) async throws {
        try await Fixture.withStack { stack async throws in
            let connection = try RawConnection(to: stack.authority)
            await connection.send("GET /health \(head)\r\n")
            #expect(await connection.status() == 200)
            #expect(await connection.isClosedByPeer())
            connection.close()
        }
    }

    @Test func connectionsBeyondTheLimitWaitAndAreLoggedOnce() async throws {
        let lines = Lines()
        var options = Fixture.options
        options.limits.connectionCount = 8
        // Nobody is sent away meanwhile, however slow the machine is: free connections would be taken a second time.
        options.limits.crowdedHeadTime = Patience.ceiling
        options.logger = Logger(label: "test") { _ in CapturingHandler(lines: lines) }
        func said(_ text: String) -> Int { lines.all.filter { $0.contains(text) }.count }
        try await Fixture.withStack(options) { stack async throws in
            let silent = try (0..<20).map { _ in try RawConnection(to: stack.authority) }
            #expect(await Patience.until { said("all connections are taken") > 0 })
            #expect(said("all connections are taken") == 1)
            for connection in silent { connection.close() }
            #expect(try await Wire.get("/health", stack.url).status == 200)
            #expect(try await Self.hits(.connections, stack) >= 1)
        }
        #expect(said("connections are free again") >= 1)
    }

    /// The first half may stay silent for long; the others make room for who has something to say.
    @Test func silentPeersLeaveSoonWhenThereAreMany() async throws {
        var options = Fixture.options
        options.limits.connectionCount = 8
        options.limits.crowdedHeadTime = .milliseconds(100)
        try await Fixture.withStack(options) { stack async throws in
            let silent = try (0..<20).map { _ in try RawConnection(to: stack.authority) }
            // On a busy machine who has something to say may be late with it, too.
            let isServed = await Patience.until { (try? await Wire.get("/health", stack.url).status) == 200 }
            #expect(isServed)
            for connection in silent { connection.close() }
        }
    }

    @Test func descriptorsAreSharedOut() {
        let many = DescriptorBudget(limit: 1 << 20, upstreamCount: 2, connectionCount: 20_000)
        #expect(many.connectionCount == 20_000 && many.connectionsPerUpstream == 1_024)
        for limit in [1, 64, 256, 1_024, 4_096] {
            for upstreams in 0...2 {
                let few = DescriptorBudget(
                    limit: limit, upstreamCount: upstreams, connectionCount: 20_000)
                #expect(few.connectionCount > 0 && few.connectionsPerUpstream > 0)
                let taken = few.connectionCount + upstreams * few.connectionsPerUpstream
                #expect(limit < 100 || taken + 64 <= limit)
            }
        }
        #expect(DescriptorBudget(limit: 256, upstreamCount: 0, connectionCount: 9).connectionCount == 9)
    }

    @Test func everyLimitIsCountedAndToldOf() async throws {
        try await Fixture.withStack { stack async throws in
            for limit in StackLimit.allCases { #expect(try await Self.hits(limit, stack) == 0) }
        }
        let table = StackLimit.table(Fixture.options).split(separator: "\n")
        #expect(table.count == StackLimit.allCases.count)
        #expect(table.allSatisfy { $0.count <= 80 })
        #expect(table.contains { $0.contains("questions") && $0.contains(" 64 ") })
    }

    /// The article says of every limit what it protects, and names a row or a test that there is.
    @Test func theThreatModelHasEveryLimit() throws {
        func text(_ path: String) throws -> String {
            try String(contentsOf: SourceTree.root.appending(path: path), encoding: .utf8)
        }
        func swift(_ folder: String) throws -> [String] {
            try FileManager.default.subpathsOfDirectory(atPath: SourceTree.root.appending(path: folder).path)
                .filter { $0.hasSuffix(".swift") }
        }
        let attacks = try swift("Sources/Tools/stack-attacks").map {
            try text("Sources/Tools/stack-attacks/\($0)")
        }
        .joined()
        let tests = Set(try swift("Tests").compactMap { $0.split(separator: "/").last })
        let article = try text("Sources/Programs/urlfilter/Documentation.docc/ThreatModel.md")
        var limits: [String] = []
        for row in article.matches(of: /(?m)^\| `(\w+)` \| [^|]+ \| [^|]+ \| ([^|]+) \|$/) {
            limits.append(String(row.output.1))
            for name in row.output.2.split(separator: ", ").map({ $0.filter { $0 != "`" } }) {
                let parts = name.split(separator: ".", maxSplits: 1)
                #expect(
                    tests.contains("\(name).swift") || attacks.contains("\"\(name)\"")
                        || attacks.contains("\"\(parts[0]).") && attacks.contains("\"\(parts[1])\""),
                    "\(name)")
            }
        }
        #expect(limits == StackLimit.allCases.map(\.rawValue))
    }
}
