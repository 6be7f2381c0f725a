import DeviceFleet
import ObliviousHTTP
import Parties
import PrivacyPass
import TestSupport
import Testing
import URLFilter

/// One device against the parties, directly and sealed.
struct LiveDeviceTests {
    @Test(arguments: [false, true])
    func aNewDeviceFindsWhatIsListedAndNothingElse(sealed: Bool) async throws {
        let stack = try StackDouble()
        let channel: any ExchangeChannel =
            sealed
            ? try await ObliviousChannel(
                stack, resource: StackDouble.gatewayURL, keys: StackDouble.gatewayURL)
            : DirectChannel(stack)
        let device = await TestList.device(channel)
        try await device.prepare()
        let keywords = ["blocked3.example", "harmless.example", "blocked59.example"].map { Array($0.utf8) }
        #expect(try await device.lookUp(keywords) == [true, false, true])
        #expect(stack.calls("/config") == 1)
        #expect(stack.calls("/key") == 1)
    }

    @Test func lookupsNeedASetUpFirst() async throws {
        let device = await TestList.device(DirectChannel(try StackDouble()))
        await #expect(throws: DeviceError.self) { try await device.lookUp([Array("a.example".utf8)]) }
    }

    @Test func everyRequestToTheServiceSpendsOneToken() async throws {
        let stack = try StackDouble()
        let device = await TestList.device(DirectChannel(stack))
        try await device.prepare(tokens: 0)
        // Four when none is left: two went to configuration and key.
        #expect(stack.calls("/issue") == 4)
        for _ in 0..<2 { _ = try await device.lookUp([Array("blocked1.example".utf8)]) }
        #expect(stack.calls("/issue") == 4)
        _ = try await device.lookUp([Array("blocked1.example".utf8)])
        #expect(stack.calls("/issue") == 8)
    }

    @Test func moreLookupsAtOnceThanTokensAllGetOne() async throws {
        let stack = try StackDouble()
        let device = await TestList.device(DirectChannel(stack))
        try await device.prepare(tokens: 0)
        let present = try await withThrowingTaskGroup(of: [Bool].self) { group in
            for number in 0..<30 {
                group.addTask { try await device.lookUp([Array("blocked\(number).example".utf8)]) }
            }
            return try await group.reduce(into: []) { $0 += $1 }
        }
        #expect(present == Array(repeating: true, count: 30))
    }

    @Test func aLowStockIsRefilled() async throws {
        let stack = try StackDouble()
        let device = await TestList.device(
            DirectChannel(stack),
            {
                $0.generation.tokens.refillDelay = 0
                $0.generation.tokens.refillSpread = 0
            })
        try await device.prepare(tokens: 5)
        _ = try await device.lookUp([Array("blocked1.example".utf8)])
        #expect(await Patience.until { stack.calls("/issue") >= 11 })
        // Ten in stock at some time after the first and at the latest after the third was spent.
        #expect((11...13).contains(stack.calls("/issue")))
    }

    @Test func aWithdrawnConfigurationIsReplacedAtTheNextFetch() async throws {
        let isFirst = Flag()
        let stack = try StackDouble(before: { request in
            guard request.path == "/queries", isFirst.take() else { return nil }
            return BinaryHTTPResponse(status: 410)
        })
        let device = await TestList.device(DirectChannel(stack))
        try await device.prepare()
        let keyword = Array("blocked1.example".utf8)
        do {
            _ = try await device.lookUp([keyword])
            Issue.record("the configuration is gone")
        } catch let error as DeviceError {
            #expect(error.status == 410)
        }
        #expect(stack.calls("/config") == 1 && stack.calls("/queries") == 1)
        try await device.refresh()
        #expect(try await device.lookUp([keyword]) == [true])
        #expect(stack.calls("/config") == 2)
    }

    @Test func aLostEvaluationKeyIsNoticedAtTheNextConfiguration() async throws {
        let stack = try StackDouble()
        let device = await TestList.device(DirectChannel(stack))
        try await device.prepare()
        await stack.restartPIR()
        let keyword = Array("blocked1.example".utf8)
        do {
            _ = try await device.lookUp([keyword])
            Issue.record("the service has no key")
        } catch let error as DeviceError {
            #expect(error.status == 400)
        }
        try await device.refresh()
        #expect(stack.calls("/key") == 2)
        #expect(try await device.lookUp([keyword]) == [true])
    }

    @Test func afterARestartOfTheIssuerTheOldTokensAreUsedUpFirst() async throws {
        let stack = try StackDouble()
        let device = await TestList.device(DirectChannel(stack))
        try await device.prepare(tokens: 0)
        try await stack.restartIssuer()
        var statuses: [Int?] = []
        for _ in 0..<4 {
            do {
                _ = try await device.lookUp([Array("blocked1.example".utf8)])
                statuses.append(200)
            } catch let error as DeviceError {
                statuses.append(error.status)
            }
        }
        #expect(statuses == [401, 401, 422, 200])
    }

    @Test func aGatewayWithANewKeyCostsOneMoreExchange() async throws {
        let stack = try StackDouble()
        let channel = try await ObliviousChannel(
            stack, resource: StackDouble.gatewayURL, keys: StackDouble.gatewayURL)
        let device = await TestList.device(channel)
        try await device.prepare()
        try stack.replaceGatewayKey()
        #expect(try await device.lookUp([Array("blocked1.example".utf8)]) == [true])
    }

    @Test func theRefusalOfARelayIsNotThatOfTheService() async throws {
        let stack = try StackDouble(outer: { method, url, reply in
            if method == "POST", url == StackDouble.gatewayURL, reply.body.count > 100_000 { return }
            if method == "POST", url == StackDouble.gatewayURL { reply.status = 413 }
        })
        let channel = try await ObliviousChannel(
            stack, resource: StackDouble.gatewayURL, keys: StackDouble.gatewayURL)
        let device = await TestList.device(channel)
        do {
            try await device.prepare()
            Issue.record("the relay refuses everything")
        } catch let error as DeviceError {
            #expect(error.kind == "directory: gateway or relay: status 413")
        }
    }

    @Test func everyExchangeIsObservedWithItsSizes() async throws {
        let records = RecordLog()
        let device = await TestList.device(DirectChannel(try StackDouble()), observer: records.append)
        try await device.prepare(tokens: 0)
        _ = try await device.lookUp([Array("blocked1.example".utf8)])
        let steps = records.all.map(\.step)
        #expect(steps.count { $0 == .issue } == 4)
        #expect(Set(steps) == Set(Endpoint.ofLookups))
        let issue = try #require(records.all.first { $0.step == .issue })
        // RFC 9578: token request and token response of type 2.
        #expect(issue.sentBytes == 259 && issue.receivedBytes == 256)
        #expect(records.all.allSatisfy { $0.failure == nil })
    }
}
