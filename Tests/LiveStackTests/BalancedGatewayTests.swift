import EventSimulation
import Foundation
import LiveStack
import ObliviousHTTP
import Parties
import ServerTestSupport
import TestSupport
import Testing

/// A gateway with several PIR servers behind it.
struct BalancedGatewayTests {
    /// Issuer and PIR servers in one process each, with a tap before each of them that sees which requests come.
    private static func withServers(
        _ count: Int, _ balancing: Balancing,
        _ body: (_ gateway: String, _ taps: [TapProxy]) async throws -> Void
    ) async throws {
        let issuing = try await RunningStack.start(LiveStackOptions.patient([.issuer], coreCount: 1)) {
            .withoutDatabase
        }
        var servers: [RunningStack] = []
        for _ in 0..<count {
            var options = LiveStackOptions.patient([.pir], coreCount: 1)
            options.upstreams = .init(issuer: issuing.url)
            servers.append(try await RunningStack.start(options) { Fixture.data })
        }
        let taps = try servers.map { try TapProxy(to: $0.authority) }
        var options = LiveStackOptions.patient([.gateway], coreCount: 1)
        options.upstreams = .init(issuer: issuing.url, instances: taps.map(\.url), balancing: balancing)
        let gateway = try await RunningStack.start(options) { .withoutDatabase }
        try await body(gateway.url + ServiceNames.gatewayPath, taps)
        try await gateway.stop()
        for tap in taps { tap.close() }
        for server in servers + [issuing] { try await server.stop() }
    }

    private static func device(_ number: Int, _ gateway: String) throws -> TestDevice {
        try TestDevice(number: number, way: .sealed(to: gateway, keys: gateway))
    }

    /// How often the text of a request line was seen.
    private static func count(_ path: String, _ tap: TapProxy) -> Int {
        String(decoding: tap.seen.received, as: Unicode.ASCII.self).components(separatedBy: "POST \(path) ")
            .count - 1
    }

    @Test func aUserIsAlwaysWithTheSameServer() async throws {
        try await Self.withServers(2, .stickyByUser) { gateway, taps async throws in
            for number in 0..<6 {
                let before = taps.map { Self.count("/queries", $0) }
                var device = try Self.device(number, gateway)
                try await device.settle(tokens: 3)
                for _ in 0..<3 {
                    #expect(try await device.look(up: ["blocked1.example", "a.example"]) == [true, false])
                }
                let more = zip(taps, before).map { Self.count("/queries", $0) - $1 }
                #expect(more.sorted() == [0, 3], "\(more)")
            }
            // Each key was uploaded once.
            #expect(taps.reduce(0) { $0 + Self.count("/key", $1) } == 6)
            #expect(taps.allSatisfy { Self.count("/key", $0) > 0 })
        }
    }

    @Test func everyServerGetsTheKeyWhereNobodyIsAtHome() async throws {
        try await Self.withServers(2, .roundRobin) { gateway, taps async throws in
            var device = try Self.device(1, gateway)
            try await device.settle(tokens: 4)
            for _ in 0..<4 {
                #expect(try await device.look(up: ["blocked1.example", "a.example"]) == [true, false])
            }
            #expect(taps.map { Self.count("/queries", $0) } == [2, 2])
            #expect(taps.map { Self.count("/key", $0) } == [1, 1])
        }
    }

    @Test func requestsGoRoundWithoutRegardToTheUser() async throws {
        try await Self.withServers(2, .roundRobin) { gateway, taps async throws in
            var device = try Self.device(1, gateway)
            for _ in 0..<10 { _ = try await device.send(Self.nonsense) }
            #expect(taps.map { Self.count("/queries", $0) } == [5, 5])
        }
    }

    /// A request that a PIR server refuses at once, since it has no token.
    private static let nonsense = BinaryHTTPRequest(
        method: "POST", authority: ServiceNames.pirAuthority, path: "/queries",
        fields: [BinaryHTTPField(ServiceNames.userIdentifierField, "someone")], content: [])

    @Test func aServerThatIsGoneIsLeftOutAndComesBack() async throws {
        let issuer = try await RunningStack.start(LiveStackOptions.patient([.issuer], coreCount: 1)) {
            .withoutDatabase
        }
        func start(port: Int = 0) async throws -> RunningStack {
            var options = LiveStackOptions.patient([.pir], coreCount: 1)
            options.port = port
            options.upstreams = .init(issuer: issuer.url)
            return try await RunningStack.start(options) { Fixture.data }
        }
        let (first, second) = (try await start(), try await start())
        var options = LiveStackOptions.patient([.gateway], coreCount: 1)
        options.upstreams = .init(
            issuer: issuer.url, instances: [first.url, second.url], balancing: .roundRobin)
        let gateway = try await RunningStack.start(options) { .withoutDatabase }
        var device = try Self.device(1, gateway.url + ServiceNames.gatewayPath)
        #expect(try await device.send(Self.nonsense).status == 401)
        try await second.stop()
        // The other one answers all of them.
        for _ in 0..<10 { #expect(try await device.send(Self.nonsense).status == 401) }
        try await first.stop()
        #expect(try await device.send(Self.nonsense).status == 502)
        let port = try #require(Int(second.url.split(separator: ":").last ?? ""))
        let again = try await start(port: port)
        // It is looked for again after a second; nothing is said of how soon after.
        let isBack = try await Patience.until { try await device.send(Self.nonsense).status == 401 }
        #expect(isBack)
        try await gateway.stop()
        try await again.stop()
        try await issuer.stop()
    }
}
