import AsyncHTTPClient
import Foundation
import LiveStack
import NIOCore
import NIOHTTP1
import NIOSSL
import ObliviousHTTP
import Parties
import PrivacyPass
import PrivateInformationRetrieval
import ServerTestSupport
import TestSupport
import Testing

/// Devices that behave well, over real connections.
struct ConversationTests {
    private let asked = ["blocked7.example", "harmless.example", "blocked99.example"]
    private let expected = [true, false, true]

    @Test func aDeviceTalksToIssuerAndPIRServerDirectly() async throws {
        try await Fixture.withStack { stack async throws in
            var device = try TestDevice(directTo: stack.url)
            try await device.settle(tokens: 2)
            #expect(try await device.look(up: asked) == expected)
            #expect(try await device.look(up: ["blocked0.example"]) == [true])
        }
    }

    @Test func aDeviceTalksThroughRelayAndGatewayOfOneProcess() async throws {
        try await Fixture.withStack { stack async throws in
            let relay = stack.url + ServiceNames.relayPath
            var device = try TestDevice(way: .sealed(to: relay, keys: relay))
            try await device.settle(tokens: 1)
            #expect(try await device.look(up: asked) == expected)
            for party in [Party.gateway, .issuer, .pir] { #expect(stack.cpuSeconds(of: party) > 0) }
        }
    }

    @Test func aDeviceTalksThroughFourServers() async throws {
        let deployment = try await RunningDeployment.start(
            coreCount: 1, configure: { $0 = $0.patient }, load: { Fixture.data })
        var device = try TestDevice(
            way: .sealed(
                to: deployment.relay.url + ServiceNames.relayPath,
                keys: deployment.gateway.url + ServiceNames.gatewayPath))
        try await device.settle(tokens: 1)
        #expect(try await device.look(up: asked) == expected)
        try await deployment.stop()
    }

    @Test func manyDevicesAskAtOnce() async throws {
        try await Fixture.withStack { stack async throws in
            let answers = try await withThrowingTaskGroup(of: [Bool].self) { group in
                for number in 0..<12 {
                    group.addTask {
                        var device = try TestDevice(number: number, directTo: stack.url)
                        try await device.settle(tokens: 1)
                        return try await device.look(up: asked)
                    }
                }
                return try await group.reduce(into: []) { $0.append($1) }
            }
            #expect(answers == Array(repeating: expected, count: 12))
        }
    }

    /// Seven devices have at most seven requests under way, so a line of eight is never full, however long the one
    /// thread is busy without a pause.
    @Test func lookupsAnsweredTogetherLeaveNothingInTheLine() async throws {
        var options = Fixture.options
        options.coreCount = 1
        options.queueLimit = 8
        try await Fixture.withStack(options) { stack async throws in
            try await withThrowingTaskGroup(of: Void.self) { group in
                for number in 0..<7 {
                    group.addTask {
                        var device = try TestDevice(number: number, directTo: stack.url)
                        try await device.settle(tokens: 12)
                        for _ in 0..<12 {
                            let answer = try await device.look(up: asked + asked + asked)
                            #expect(answer == expected + expected + expected)
                        }
                    }
                }
                try await group.waitForAll()
            }
        }
    }

    @Test func thePartiesSayWhereTheirThingsAre() async throws {
        try await Fixture.withStack { stack async throws in
            let directory = try await Wire.get(IssuerDirectory.path, stack.url)
            #expect(directory.status == 200)
            #expect(directory.fields.first(named: "content-type")?.text == IssuerDirectory.mediaType)
            let keys = try await Wire.get(ServiceNames.gatewayPath, stack.url)
            #expect(keys.fields.first(named: "content-type")?.text == "application/ohttp-keys")
            #expect(try OHTTPKeyConfiguration.decodeList(keys.content).count == 1)
            #expect(try await Wire.get("/health", stack.url).content == Array("ok\n".utf8))
            #expect(try await Wire.get("/elsewhere", stack.url).status == 404)
        }
    }

    @Test func whatWasAnsweredIsCounted() async throws {
        try await Fixture.withStack { stack async throws in
            var device = try TestDevice(directTo: stack.url)
            try await device.settle(tokens: 1)
            _ = try await device.look(up: asked)
            #expect(stack.metricsURL == stack.url + "/metrics")
            let page = String(decoding: try await Wire.get("/metrics", stack.url).content, as: UTF8.self)
            for line in [
                "urlfilter_requests_total{party=\"issuer\",endpoint=\"issue\",status=\"200\"} 3",
                "urlfilter_requests_total{party=\"pir\",endpoint=\"queries\",status=\"200\"} 1",
                "urlfilter_request_duration_seconds_count{party=\"pir\",endpoint=\"queries\"} 1",
                "urlfilter_spent_tokens 3", "urlfilter_evaluation_keys 1", "urlfilter_requests_in_flight 0",
                "# TYPE urlfilter_request_duration_seconds histogram",
            ] {
                #expect(page.contains(line + "\n"), "\(line) is not in \(page)")
            }
            let read = try #require(page.firstMatch(of: /\nurlfilter_data_read_time_seconds ([0-9.]+)\n/))
            let age = Date().timeIntervalSince1970 - (Double(read.output.1) ?? 0)
            #expect((-1...600).contains(age))
            for secret in ["user-0", "device-0", "blocked"] { #expect(!page.contains(secret)) }
        }
    }

    @Test func whatIsCountedHasAPortOfItsOwnWhereTheNetworkCanReachTheParties() async throws {
        var options = Fixture.options
        options.metricsPort = 0
        try await Fixture.withStack(options) { stack async throws in
            #expect(try await Wire.get("/metrics", stack.url).status == 404)
            let page = try await Wire.get("", try #require(stack.metricsURL))
            #expect(page.status == 200)
            #expect(String(decoding: page.content, as: UTF8.self).contains("# TYPE urlfilter_requests_total"))
            let elsewhere = stack.metricsURL?.replacing("/metrics", with: "/queries") ?? ""
            #expect(try await Wire.get("", elsewhere).status == 404)
        }
        options.metricsPort = nil
        options.host = "0.0.0.0"
        try await Fixture.withStack(options) { stack async throws in
            let url = stack.url.replacing("0.0.0.0", with: "127.0.0.1")
            #expect(stack.metricsURL == nil)
            #expect(try await Wire.get("/metrics", url).status == 404)
            #expect(try await Wire.get("/health", url).status == 200)
        }
    }

    @Test func metricsOnAPortThatIsTakenAreAnError() async throws {
        try await Fixture.withStack { stack async throws in
            var options = Fixture.options
            options.metricsPort = Int(stack.authority.split(separator: ":")[1])
            let error = await #expect(throws: LiveStackError.self) {
                _ = try await RunningStack.start(options) { Fixture.data }
            }
            #expect(error?.description.contains("127.0.0.1 port \(options.metricsPort ?? 0)") == true)
        }
    }

    @Test func configurationsAreCompressedForThoseWhoTakeIt() async throws {
        let shards = Fixture.data.versions[0].usecase.shards
        let versions = try ["a", "b", "c"].map {
            LiveData.Version(try PIRUsecase(name: $0, shards: shards))
        }
        let data = LiveData(
            versions: Fixture.data.versions + versions, users: Fixture.data.users)
        try await Fixture.withStack(load: { data }) { stack async throws in
            var device = try TestDevice(directTo: stack.url)
            try await device.settle(tokens: 8)
            func ask(_ path: String, accepting coding: String?) async throws -> BinaryHTTPResponse {
                var (request, _) = try device.withClient { try $0.configRequest() }
                request.path = path
                // No usecase named: all of them.
                request.content = []
                if let coding { request.fields.append(BinaryHTTPField("accept-encoding", coding)) }
                return try await Wire.send(request, to: stack.url)
            }
            let plain = try await ask("/config", accepting: nil)
            #expect(plain.status == 200)
            for (coding, isCompressed) in [
                ("gzip", true), ("br;q=1, GZIP;q=0.5", true), ("*", true), ("gzip;q=0", false), ("br", false),
                ("identity", false),
            ] {
                let response = try await ask("/config", accepting: coding)
                let field = response.fields.first(named: "content-encoding")?.text
                #expect(field == (isCompressed ? "gzip" : nil), "\(coding)")
                // The client has decompressed it already; the length is that on the way.
                let length = response.fields.first(named: "content-length")?.text.flatMap { Int($0) } ?? 0
                #expect(isCompressed ? length < plain.content.count : length == plain.content.count)
                let message = try WireCoding.message(WireConfigResponse.self, from: response.content)
                #expect(message.configs.count == 4)
            }
            // Nothing else is.
            let queries = try await ask("/queries", accepting: "gzip")
            #expect(queries.status == 200 && queries.fields.first(named: "content-encoding") == nil)
        }
    }

    /// What devices of 27.3 ask: a configuration without token and pseudonym, and a lookup that brings its key.
    @Test func iOS27_3IsAnswered() async throws {
        try await Fixture.withStack { stack async throws in
            let answer = try await Wire.get("/config", stack.url)
            let message = try WireCoding.message(WireConfigResponse.self, from: answer.content)
            #expect(answer.status == 200 && message.configs.count == 1)
            #expect(message.keyInfo.map(\.timestamp) == [0])
            var device = try TestDevice(directTo: stack.url)
            try await device.settle(tokens: 2)
            var generator = SystemRandomNumberGenerator()
            var (request, pending) = try device.withClient {
                try $0.queriesRequestWithKey(
                    asked.map { Array($0.utf8) }, second: Int64(Date().timeIntervalSince1970),
                    using: &generator)
            }
            // The servers have no key of this one.
            for index in request.fields.indices
            where request.fields[index].name == ServiceNames.userIdentifierField {
                request.fields[index] = BinaryHTTPField(ServiceNames.userIdentifierField, "somebody else")
            }
            let response = try await Wire.send(request, to: stack.url)
            #expect(response.status == 200 && request.content.count > 100_000)
            let read = try device.withClient {
                try $0.read(response.content, to: pending, second: 0, using: &generator)
            }
            guard case .present(let present) = read else {
                Issue.record("\(read)")
                return
            }
            #expect(present == expected)
        }
    }

    @Test func tlsAgreesOnHTTP2() async throws {
        try await TestCertificate.withFiles { files in
            var options = Fixture.options
            options.tls = files
            try await Fixture.withStack(options) { stack async throws in
                #expect(stack.url.hasPrefix("https://"))
                var configuration = HTTPClient.Configuration()
                configuration.tlsConfiguration = .makeClientConfiguration()
                configuration.tlsConfiguration?.certificateVerification = .none
                let client = HTTPClient(eventLoopGroupProvider: .singleton, configuration: configuration)
                let response = try await client.execute(
                    HTTPClientRequest(url: stack.url + ServiceNames.gatewayPath), timeout: Patience.amount)
                #expect(response.version == .http2)
                #expect(response.status == .ok)
                try await client.shutdown()
            }
        }
    }

    @Test func http2NeedsNoTLSForClientsThatKnow() async throws {
        try await Fixture.withStack { stack async throws in
            let connection = try RawConnection(to: stack.authority)
            // Settings; a stream that asks GET /health by the static table of RFC 7541 and one literal.
            var bytes = Array("PRI * HTTP/2.0\r\n\r\nSM\r\n\r\n".utf8)
            bytes += [0, 0, 0, 4, 0, 0, 0, 0, 0]
            let path = Array("/health".utf8)
            let block: [UInt8] = [0x82, 0x86, 0x04, UInt8(path.count)] + path + [0x01, 0x01, 0x78]
            bytes += [0, 0, UInt8(block.count), 1, 5, 0, 0, 0, 1] + block
            await connection.send(bytes)
            let answer = await connection.receive(until: { $0.contains(Array("ok\n".utf8)) })
            #expect(answer.contains(Array("ok\n".utf8)))
            connection.close()
        }
    }
}
