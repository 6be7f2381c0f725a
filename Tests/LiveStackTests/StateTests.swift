import Foundation
import LiveStack
import NIOCore
import ObliviousHTTP
import Parties
import PrivacyPass
import Synchronization
import TestSupport
import Testing

/// What outlives a process, and what changes while it runs.
struct StateTests {
    @Test func nothingAcknowledgedIsLostWhenTheProcessIsKilled() async throws {
        try await Fixture.withStateFile { path in
            var options = Fixture.options
            options.statePath = path
            var spent: BinaryHTTPRequest?
            let copy = path + "-as-killed"
            var device = try await Fixture.withStack(options) { stack async throws in
                let relay = stack.url + ServiceNames.relayPath
                var device = try TestDevice(way: .sealed(to: relay, keys: relay))
                try await device.settle(tokens: 4)
                _ = try await device.look(up: ["blocked1.example"])
                spent = device.lastRequest
                // The files as they are while the server runs: what a killed process leaves.
                for suffix in ["", "-wal"] {
                    try FileManager.default.copyItem(atPath: path + suffix, toPath: copy + suffix)
                }
                return device
            }
            options.statePath = copy
            try await Fixture.withStack(options) { stack async throws in
                #expect(try await Wire.send(try #require(spent), to: stack.url).status == 401)
                device.moves(to: stack.url + ServiceNames.relayPath)
                // What was opened with the gateway's key is lost, so the key is gone too.
                let recorded = try #require(device.lastMessage)
                #expect(try await Self.carry(recorded, to: stack.url) == 422)
                await #expect(throws: Refused(status: 422, text: "outer")) {
                    try await device.look(up: ["blocked2.example"])
                }
                // With tokens and an evaluation key from before.
                device.forgetGatewayKey()
                #expect(try await device.look(up: ["blocked2.example", "b.example"]) == [true, false])
                guard
                    case .keyUploadNeeded(let isNeeded) = try await device.exchange({ try $0.configRequest() }
                    )
                else { return }
                #expect(!isNeeded)
            }
        }
    }

    /// A relay sends again what it has recorded: at once, after the server was restarted, and after its key's life.
    @Test func recordedRequestsStayDead() async throws {
        try await Fixture.withStateFile { path in
            var options = Fixture.options
            options.statePath = path
            options.tokensPerUserPerDay = 4
            var recorded: [[UInt8]] = []
            var device = try await Fixture.withStack(options) { stack async throws in
                let relay = stack.url + ServiceNames.relayPath
                var device = try TestDevice(way: .sealed(to: relay, keys: relay))
                try await device.exchange { $0.directoryRequest() }
                try await device.exchange { $0.tokenKeyRequest() }
                for _ in 0..<2 {
                    try await device.fetchTokens(1)
                    recorded.append(try #require(device.lastMessage))
                }
                for message in recorded { #expect(try await Self.carry(message, to: stack.url) == 400) }
                return device
            }
            // Ended in good order: the device goes on with the key that it has, and the memory is kept.
            try await Fixture.withStack(options) { stack async throws in
                device.moves(to: stack.url + ServiceNames.relayPath)
                try await device.fetchTokens(1)
                recorded.append(try #require(device.lastMessage))
                for message in recorded { #expect(try await Self.carry(message, to: stack.url) == 400) }
                // Nothing of this was taken from the user's day.
                try await device.fetchTokens(1)
                await #expect(throws: Refused.self) { try await device.fetchTokens(1) }
            }
            options.gatewayKeyLife = .milliseconds(1)
            try await Fixture.withStack(options) { stack async throws in
                for message in recorded {
                    // Ages are kept in whole seconds, so a key may still open for its milliseconds.
                    let isUnknown = try await Patience.until {
                        try await Self.carry(message, to: stack.url) == 422
                    }
                    #expect(isUnknown)
                }
            }
        }
    }

    /// What a user asked for and did not get counts once, whoever asks again.
    @Test func aRepeatedTokenRequestTakesNothingFromTheDay() async throws {
        var options = Fixture.options
        options.tokensPerUserPerDay = 2
        try await Fixture.withStack(options) { stack async throws in
            var device = try TestDevice(directTo: stack.url)
            try await device.exchange { $0.directoryRequest() }
            try await device.exchange { $0.tokenKeyRequest() }
            try await device.fetchTokens(1)
            let recorded = try #require(device.lastRequest)
            let answers = [
                try await Wire.send(recorded, to: stack.url), try await Wire.send(recorded, to: stack.url),
                try await Wire.send(recorded, to: stack.url),
            ]
            #expect(answers.map(\.status) == [200, 200, 429])
            #expect(answers[0].content == answers[1].content)
            try await device.fetchTokens(1)
            await #expect(throws: Refused.self) { try await device.fetchTokens(1) }
        }
    }

    /// - Returns: The outer status.
    private static func carry(_ message: [UInt8], to url: String) async throws -> Int {
        try await Wire.post(
            ServiceNames.relayPath, message, [BinaryHTTPField("content-type", OHTTPMediaType.request)], url
        ).status
    }

    @Test func aStateFileBelongsToOneServer() async throws {
        try await Fixture.withStateFile { path in
            var options = Fixture.options
            options.statePath = path
            try await Fixture.withStack(options) { _ async throws in
                _ = await #expect(throws: LiveStackError.self) {
                    _ = try await RunningStack.start(options) { Fixture.data }
                }
            }
        }
    }

    @Test func withoutAFileARestartForgetsEverything() async throws {
        var device = try await Fixture.withStack { stack async throws in
            var device = try TestDevice(directTo: stack.url)
            try await device.settle(tokens: 1)
            return device
        }
        try await Fixture.withStack { stack async throws in
            device.moves(to: stack.url)
            await #expect(throws: Refused.self) { try await device.look(up: ["blocked1.example"]) }
        }
    }

    /// The request is refused for a field that is looked at after the token.
    @Test(arguments: [ServiceNames.userIdentifierField, "user-agent"])
    func theTokenOfARefusedRequestStaysSpentOverARestart(missing: String) async throws {
        try await Fixture.withStateFile { path in
            var options = Fixture.options
            options.statePath = path
            var refused: BinaryHTTPRequest?
            for status in [400, 401] {
                try await Fixture.withStack(options) { stack async throws in
                    if refused == nil {
                        var device = try TestDevice(directTo: stack.url)
                        try await device.settle(tokens: 1)
                        refused = try device.withClient { try $0.configRequest().0 }
                        refused?.fields.removeAll { $0.name == missing }
                    }
                    let request = try #require(refused)
                    #expect(try await Wire.send(request, to: stack.url).status == status)
                }
            }
        }
    }

    @Test func theDaysTokensAreCountedOverARestart() async throws {
        try await Fixture.withStateFile { path in
            var options = Fixture.options
            options.statePath = path
            options.tokensPerUserPerDay = 3
            for expected in [nil, 429] as [Int?] {
                try await Fixture.withStack(options) { stack async throws in
                    var device = try TestDevice(directTo: stack.url)
                    try await device.exchange { $0.directoryRequest() }
                    try await device.exchange { $0.tokenKeyRequest() }
                    var refused: Int?
                    do {
                        try await device.fetchTokens(2)
                    } catch let error as Refused {
                        refused = error.status
                    }
                    #expect(refused == expected)
                }
            }
        }
    }

    @Test func oldConfigurationsAreServedForAWhile() async throws {
        let entries = Mutex(Fixture.entries)
        let load: @Sendable () throws -> LiveData = { try Fixture.data(entries: entries.withLock { $0 }) }
        try await Fixture.withStack(load: load) { stack async throws in
            var device = try TestDevice(directTo: stack.url)
            try await device.settle(tokens: 3)
            // Ten times the entries need larger tables, and so another configuration.
            entries.withLock { $0 = (0..<3_000).map { "second\($0).example" } }
            try stack.reload()
            #expect(try await device.look(up: ["blocked1.example", "second1.example"]) == [true, false])
            entries.withLock { $0 = (0..<8_000).map { "third\($0).example" } }
            try stack.reload()
            await #expect(throws: Refused(status: 410, text: Self.gone)) {
                try await device.look(up: ["blocked1.example"])
            }
            var other = try TestDevice(number: 1, directTo: stack.url)
            try await other.settle(tokens: 1)
            #expect(try await other.look(up: ["blocked1.example", "third5.example"]) == [false, true])
        }
    }

    @Test func oldConfigurationsAreServedAfterARestartAsWell() async throws {
        let second = try Fixture.data(entries: (0..<3_000).map { "second\($0).example" })
        let third = try Fixture.data(entries: (0..<8_000).map { "third\($0).example" })
        try await Fixture.withStateFile { path in
            var options = Fixture.options
            options.statePath = path
            var device = try await Fixture.withStack(options) { stack async throws in
                var device = try TestDevice(directTo: stack.url)
                try await device.settle(tokens: 8)
                return device
            }
            // More than once, for the copy outlives the process that read it.
            for _ in 0..<2 {
                try await Fixture.withStack(options, load: { second }) { stack async throws in
                    device.moves(to: stack.url)
                    let asked = ["blocked1.example", "second1.example"]
                    #expect(try await device.look(up: asked) == [true, false])
                    var other = try TestDevice(number: 1, directTo: stack.url, data: second)
                    try await other.settle(tokens: 1)
                    #expect(try await other.look(up: asked) == [false, true])
                }
            }
            try await Fixture.withStack(options, load: { third }) { stack async throws in
                device.moves(to: stack.url)
                await #expect(throws: Refused(status: 410, text: Self.gone)) {
                    try await device.look(up: ["blocked1.example"])
                }
            }
            let copies = try FileManager.default.contentsOfDirectory(atPath: path + "-versions")
            #expect(copies.count == 2)
        }
    }

    @Test func aCopyThatWasChangedIsNotServed() async throws {
        let second = try Fixture.data(entries: (0..<3_000).map { "second\($0).example" })
        try await Fixture.withStateFile { path in
            var options = Fixture.options
            options.statePath = path
            var device = try await Fixture.withStack(options) { stack async throws in
                var device = try TestDevice(directTo: stack.url)
                try await device.settle(tokens: 1)
                return device
            }
            let copies = URL(fileURLWithPath: path + "-versions")
            for name in try FileManager.default.contentsOfDirectory(atPath: copies.path) {
                let file = copies.appendingPathComponent(name).appendingPathComponent("0.bin")
                var bytes = try Data(contentsOf: file)
                bytes[bytes.count / 2] ^= 1
                try bytes.write(to: file)
            }
            try await Fixture.withStack(options, load: { second }) { stack async throws in
                device.moves(to: stack.url)
                await #expect(throws: Refused(status: 410, text: Self.gone)) {
                    try await device.look(up: ["blocked1.example"])
                }
            }
        }
    }

    private static let gone =
        "usecase '\(PIRDatabase.usecaseName)' has no such configuration any more; ask for the current one"

    @Test func noRequestIsDroppedByAReload() async throws {
        try await Fixture.withStack { stack async throws in
            try await withThrowingTaskGroup(of: Void.self) { group in
                for number in 0..<4 {
                    group.addTask {
                        var device = try TestDevice(number: number, directTo: stack.url)
                        try await device.settle(tokens: 5)
                        for _ in 0..<5 {
                            #expect(try await device.look(up: ["blocked1.example"]) == [true])
                        }
                    }
                }
                for _ in 0..<5 { try stack.reload() }
                try await group.waitForAll()
            }
        }
    }

    @Test func requestsUnderWayAreFinishedBeforeAStop() async throws {
        let stack = try await RunningStack.start(Fixture.options) { Fixture.data }
        let directory = try await Wire.get(IssuerDirectory.path, stack.url).content
        var device = try TestDevice(directTo: stack.url)
        try await device.settle(tokens: 1)
        let keywords = (0..<60).map { "blocked\($0).example" }
        let asking = device
        async let present = { () async throws -> [Bool] in
            var device = asking
            return try await device.look(up: keywords)
        }()
        // The request is under way when its token is spent.
        let isUnderWay = try await Patience.until {
            String(decoding: try await Wire.get("/metrics", stack.url).content, as: UTF8.self)
                .contains("urlfilter_spent_tokens 3\n")
        }
        #expect(isUnderWay)
        try await stack.stop()
        #expect(try await present == Array(repeating: true, count: 60))
        // Nobody listens any more. What connects all the same is another test's stack that has got the port by now, or a
        // program that was started with a copy of the socket: the first answers with other keys, the second never.
        if (try? RawConnection(to: stack.authority)) != nil {
            let answer = try? await Wire.get(IssuerDirectory.path, stack.url, within: .seconds(5))
            #expect(answer?.content != directory)
        }
    }

    @Test func reportsAreStoredWithoutWhoSentThem() async throws {
        try await Fixture.withStateFile { path in
            let directory = URL(fileURLWithPath: path).deletingLastPathComponent().path
            let data = LiveData(
                versions: Fixture.data.versions, users: Fixture.data.users, reportDirectory: directory)
            try await Fixture.withStack(load: { data }) { stack async throws in
                var device = try TestDevice(directTo: stack.url)
                try await device.settle(tokens: 3)
                // Field 1, a string of three bytes: the protobuf form.
                for (content, type) in [
                    ([0x0A, 3, 0x61, 0x22, 0x62], "x"), (Array("[\"c\"]".utf8), "application/json"),
                ] {
                    var (request, _) = try device.withClient { try $0.configRequest() }
                    request.path = ServiceNames.reportPath
                    request.content = content
                    request.fields.append(BinaryHTTPField("content-type", type))
                    #expect(try await Wire.send(request, to: stack.url).status == 200)
                }
            }
            let files = try FileManager.default.contentsOfDirectory(atPath: directory)
                .filter { $0.hasSuffix(".txtpb") }
            let texts = try files.map { try String(contentsOfFile: directory + "/" + $0, encoding: .utf8) }
            #expect(texts.count == 2)
            #expect(texts.contains { $0.contains("report {\n  urls: \"a\\\"b\"\n}") })
            #expect(texts.contains { $0.contains("report {\n  urls: \"c\"\n}") })
            #expect(!texts.joined().contains("device-0"))
        }
    }
}
