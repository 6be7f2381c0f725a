import Foundation
import LiveStack
import ObliviousHTTP
import Parties
import PrivacyPass
import PrivateInformationRetrieval
import ServerTestSupport
import Testing

/// Peers that send what a device would not: each gets the right status, and others are served meanwhile.
struct HostilePeerTests {
    @Test func aTokenIsTakenOnce() async throws {
        try await Neighbourhood.withDevice(tokens: 3) { stack, device async throws in
            _ = try await device.look(up: ["blocked1.example"])
            let again = try #require(device.lastRequest)
            #expect(try await Wire.send(again, to: stack.url).status == 401)
            // At the same time as well: of twenty presentations one passes.
            let (fresh, _) = try device.withClient { try $0.configRequest() }
            let passed = try await withThrowingTaskGroup(of: Int.self) { group in
                for _ in 0..<20 { group.addTask { try await Wire.send(fresh, to: stack.url).status } }
                return try await group.reduce(into: []) { $0.append($1) }
            }
            #expect(passed.filter { $0 == 200 }.count == 1)
            #expect(passed.filter { $0 == 401 }.count == 19)
        }
    }

    @Test func tokensThatNobodySignedAreRefused() async throws {
        try await Neighbourhood.withDevice(tokens: 2) { stack, device async throws in
            var (request, _) = try device.withClient { try $0.configRequest() }
            let place = try #require(request.fields.firstIndex { $0.name == "authorization" })
            let good = try #require(request.fields[place].text)
            for forged in [
                "PrivateToken token=AAAA", "Bearer user-0", "PrivateToken", String(good.dropLast(20)),
                good.replacingOccurrences(of: "token=AA", with: "token=BA"),
                "PrivateToken token=" + String(repeating: "A", count: 472),
            ] {
                request.fields[place] = BinaryHTTPField("authorization", forged)
                #expect(try await Wire.send(request, to: stack.url).status == 401, "\(forged.prefix(30))")
            }
            request.fields.remove(at: place)
            #expect(try await Wire.send(request, to: stack.url).status == 401)
        }
    }

    @Test func tokensOfAnotherIssuerAreRefused() async throws {
        try await Neighbourhood.withDevice(tokens: 0) { stack, _ async throws in
            try await Fixture.withStack { other async throws in
                var device = try TestDevice(directTo: other.url)
                try await device.settle(tokens: 1)
                // Signed as they should be, with a key whose id nobody knows here.
                let (request, _) = try device.withClient { try $0.configRequest() }
                #expect(try await Wire.send(request, to: stack.url).status == 401)
                #expect(try await Wire.send(request, to: other.url).status == 200)
            }
        }
    }

    @Test func tokenRequestsForKeysThatAreGoneAreRefused() async throws {
        try await Neighbourhood.withDevice(tokens: 0) { stack, device async throws in
            let (request, _) = try device.withClient { try $0.issueRequest() }
            func status(_ content: [UInt8], bearer: String? = "Bearer u") async throws -> Int {
                let fields = bearer.map { [BinaryHTTPField("authorization", $0)] } ?? []
                return try await Wire.post(ServiceNames.issuePath, content, fields, stack.url).status
            }
            var stale = request.content
            stale[2] &+= 1
            #expect(try await status(stale) == 422)
            #expect(try await status(Array(request.content.dropLast())) == 422)
            #expect(try await status([]) == 422)
            #expect(try await status(request.content, bearer: nil) == 401)
            #expect(try await status(Array(request.content[..<3]) + Array(repeating: 255, count: 256)) == 422)
        }
    }

    @Test func garbageInsteadOfMessagesIsRefused() async throws {
        try await Neighbourhood.withDevice(tokens: 9) { stack, device async throws in
            let garbage = Array(repeating: UInt8(0xFF), count: 10_000)
            for path in ["/config", "/key", "/queries"] {
                #expect(try await device.spend(on: path, garbage).status == 400)
            }
            // A key that is no key, and queries that are no ciphertexts.
            #expect(try await device.spend(on: "/key", [0x0A, 0x02, 0x0A, 0x00]).status == 400)
            #expect(try await device.spend(on: "/queries", [0x0A, 0x00]).status == 400)
            #expect(try await device.spend(on: "/elsewhere", []).status == 404)
            let report = Array("[\"a\"]".utf8)
            #expect(try await device.spend(on: "/report", report).status == 400)
        }
    }

    @Test func lookupsWithoutAKeyOrWithOneOfOthersAreRefused() async throws {
        try await Neighbourhood.withDevice(tokens: 3) { stack, device async throws in
            var random = SystemRandomNumberGenerator()
            var (request, _) = try device.withClient {
                try $0.queriesRequest([Array("blocked1.example".utf8)], using: &random)
            }
            let place = try #require(request.fields.firstIndex { $0.name == "user-identifier" })
            request.fields[place] = BinaryHTTPField("user-identifier", "nobody")
            let refused = try await Wire.send(request, to: stack.url)
            #expect(refused.status == 400)
            #expect(refused.content == Array("Evaluation key not found".utf8))
        }
    }

    @Test func longPseudonymsAndReportsOfManyEntriesAreRefused() async throws {
        try await Neighbourhood.withDevice(tokens: 5) { stack, device async throws in
            var (request, _) = try device.withClient { try $0.configRequest() }
            let place = try #require(request.fields.firstIndex { $0.name == "user-identifier" })
            request.fields[place] = BinaryHTTPField("user-identifier", String(repeating: "x", count: 257))
            #expect(try await Wire.send(request, to: stack.url).status == 400)
            let entries = Array(repeating: "\"\"", count: 10_001)
            for (content, type) in [
                (Array("[\(entries.joined(separator: ","))]".utf8), "application/json"),
                (Array(repeating: [0x0A, 0], count: 10_001).flatMap { $0 }, "application/x-protobuf"),
            ] {
                var (report, _) = try device.withClient { try $0.configRequest() }
                report.path = ServiceNames.reportPath
                report.content = content
                report.fields.append(BinaryHTTPField("content-type", type))
                #expect(try await Wire.send(report, to: stack.url).status == 400)
            }
            let bearer = [BinaryHTTPField("authorization", "Bearer " + String(repeating: "x", count: 4_097))]
            #expect(try await Wire.post(ServiceNames.issuePath, [], bearer, stack.url).status == 401)
        }
    }

    @Test func sealedRequestsForOtherKeysAreRefusedWithAProblem() async throws {
        try await Neighbourhood.withDevice(tokens: 0) { stack, _ async throws in
            let keys = try await Wire.get(ServiceNames.gatewayPath, stack.url).content
            let configuration = try OHTTPKeyConfiguration.decodeList(keys)[0]
            let stranger = try OHTTPKeyPair(keyID: configuration.keyID).configuration
            let inner = try BinaryHTTPRequest(authority: "pir.example", path: "/config").encoded()
            func post(_ content: [UInt8], type: String = OHTTPMediaType.request) async throws
                -> BinaryHTTPResponse
            {
                try await Wire.post(
                    ServiceNames.relayPath, content, [BinaryHTTPField("content-type", type)], stack.url)
            }
            let wrong = try await post(OHTTPClient(configuration: stranger).seal(inner).message)
            #expect(wrong.status == 422)
            #expect(wrong.fields.first(named: "content-type")?.text == "application/problem+json")
            #expect(String(decoding: wrong.content, as: UTF8.self).contains(OHTTPMediaType.keyProblem))
            let client = try OHTTPClient(configuration: configuration)
            let good = try client.seal(inner)
            #expect(try await post(Array(good.message.dropLast())).status == 422)
            #expect(try await post([1, 2, 3]).status == 400)
            #expect(try await post(good.message, type: "text/plain").status == 415)
            // What is inside is refused inside.
            func inside(_ bytes: [UInt8]) async throws -> Int {
                let (message, context) = try client.seal(bytes)
                let outer = try await post(message)
                #expect(outer.status == 200)
                return try BinaryHTTPResponse(decoding: context.open(outer.content)).status
            }
            #expect(try await inside(inner) == 401)
            #expect(try await inside([9, 9, 9]) == 400)
            let elsewhere = BinaryHTTPRequest(authority: "elsewhere.example", path: "/config")
            #expect(try await inside(elsewhere.encoded()) == 403)
            // The same sealed bytes once more.
            #expect(try await post(good.message).status == 200)
            #expect(try await post(good.message).status == 400)
        }
    }

    @Test func contentsThatAreTooLongAreNotReceived() async throws {
        try await Neighbourhood.withDevice(tokens: 0) { stack, _ async throws in
            let announced = try RawConnection(to: stack.authority)
            await announced.send(
                "POST /queries HTTP/1.1\r\nhost: a\r\ncontent-length: \((10 << 20) + 1)\r\n\r\n")
            #expect(await announced.status() == 413)
            #expect(await announced.isClosedByPeer())
            announced.close()
            // Without a length: in pieces until it is enough.
            let chunked = try RawConnection(to: stack.authority)
            await chunked.send("POST /issue HTTP/1.1\r\nhost: a\r\ntransfer-encoding: chunked\r\n\r\n")
            await chunked.send("2000\r\n" + String(repeating: "x", count: 0x2000) + "\r\n")
            #expect(await chunked.status() == 413)
            #expect(await chunked.isClosedByPeer())
            chunked.close()
        }
    }

    @Test func encodedContentsAreRefused() async throws {
        try await Neighbourhood.withDevice(tokens: 0) { stack, _ async throws in
            let bomb = [BinaryHTTPField("content-encoding", "gzip")]
            for path in ["/config", "/queries", ServiceNames.relayPath, ServiceNames.issuePath] {
                #expect(try await Wire.post(path, [0x1F, 0x8B, 8, 0], bomb, stack.url).status == 415)
            }
        }
    }

    @Test func slowPeersAreLeftBehind() async throws {
        var options = Fixture.options
        options.limits.headTime = .milliseconds(100)
        try await Fixture.withStack(options) { stack async throws in
            let silent = try RawConnection(to: stack.authority)
            #expect(await silent.isClosedByPeer())
            silent.close()
            let slowHead = try RawConnection(to: stack.authority)
            await slowHead.send("GET /health HTTP/1.1\r\nhost")
            #expect(await slowHead.isClosedByPeer())
            slowHead.close()
        }
        options = Fixture.options
        options.limits.contentTime = .milliseconds(100)
        try await Fixture.withStack(options) { stack async throws in
            let slowContent = try RawConnection(to: stack.authority)
            await slowContent.send("POST /config HTTP/1.1\r\nhost: a\r\ncontent-length: 10\r\n\r\nabc")
            let status = await slowContent.status()
            #expect(status == 408 || status == nil)
            #expect(await slowContent.isClosedByPeer())
            slowContent.close()
        }
    }

    @Test func slowPeersOfHTTP2AreLeftBehindAsWell() async throws {
        var options = Fixture.options
        options.limits.headTime = .milliseconds(500)
        options.limits.contentTime = .milliseconds(100)
        options.limits.idleTime = .milliseconds(100)
        try await Fixture.withStack(options) { stack async throws in
            let preface = Array("PRI * HTTP/2.0\r\n\r\nSM\r\n\r\n".utf8) + [0, 0, 0, 4, 0, 0, 0, 0, 0]
            let silent = try RawConnection(to: stack.authority)
            await silent.send(preface)
            #expect(await silent.isClosedByPeer())
            silent.close()
            // A head that announces content (END_HEADERS without END_STREAM), and then nothing.
            let slow = try RawConnection(to: stack.authority)
            let path = Array("/config".utf8)
            let block: [UInt8] = [0x83, 0x86, 0x04, UInt8(path.count)] + path + [0x01, 0x01, 0x78]
            await slow.send(preface + [0, 0, UInt8(block.count), 1, 4, 0, 0, 0, 1] + block)
            #expect(await slow.isClosedByPeer())
            slow.close()
        }
    }

    @Test func floodsOfFieldsAreRefused() async throws {
        try await Neighbourhood.withDevice(tokens: 0) { stack, _ async throws in
            for flood in [
                String(repeating: "a: b\r\n", count: 2_000),
                "a: " + String(repeating: "b", count: 100_000) + "\r\n",
            ] {
                let connection = try RawConnection(to: stack.authority)
                await connection.send("GET /health HTTP/1.1\r\nhost: a\r\n" + flood + "\r\n")
                let status = await connection.status()
                #expect(status == 431 || status == 400 || status == nil)
                #expect(await connection.isClosedByPeer())
                connection.close()
            }
        }
    }

    @Test func truncatedContentsReachNobody() async throws {
        try await Neighbourhood.withDevice(tokens: 1) { stack, device async throws in
            let (request, _) = try device.withClient { try $0.configRequest() }
            let fields = request.fields.map { "\($0.name): \($0.text ?? "")\r\n" }.joined()
            let cut = try RawConnection(to: stack.authority)
            await cut.send("POST /config HTTP/1.1\r\nhost: a\r\n\(fields)content-length: 1000\r\n\r\nabc")
            cut.close()
            // Its token was not spent by that.
            var status = 0
            for _ in 0..<20 where status != 200 {
                status = try await Wire.send(request, to: stack.url).status
            }
            #expect(status == 200)
        }
    }

    /// The one thread does not go on from its first lookup to the next before somebody was refused.
    @Test func thoseWhoFindTheQueueFullMayComeAgain() async throws {
        let isRefused = Latch()
        var options = LiveStackOptions.patient(coreCount: 1)
        options.queueLimit = 1
        options.groupObserver = { _ in isRefused.wait() }
        try await Fixture.withStack(options) { stack async throws in
            var device = try TestDevice(directTo: stack.url)
            try await device.settle(tokens: 16)
            var requests: [BinaryHTTPRequest] = []
            var random = SystemRandomNumberGenerator()
            for _ in 0..<12 {
                requests.append(
                    try device.withClient {
                        try $0.queriesRequest([Array("blocked1.example".utf8)], using: &random)
                    }.0)
            }
            let responses = try await withThrowingTaskGroup(of: (Int, BinaryHTTPResponse).self) { group in
                for (number, request) in requests.enumerated() {
                    group.addTask {
                        let response = try await Wire.send(request, to: stack.url)
                        if response.status == 503 { isRefused.open() }
                        return (number, response)
                    }
                }
                return try await group.reduce(into: []) { $0.append($1) }
            }
            #expect(Set(responses.map(\.1.status)) == [200, 503])
            for (number, response) in responses {
                let isRefused = response.status == 503
                if isRefused { #expect(response.fields.first(named: "retry-after")?.text == "1") }
                // Who found no room still has the token, once.
                let again = try await Wire.send(requests[number], to: stack.url).status
                #expect(again == (isRefused ? 200 : 401))
                #expect(try await Wire.send(requests[number], to: stack.url).status == 401)
            }
        }
    }
}
