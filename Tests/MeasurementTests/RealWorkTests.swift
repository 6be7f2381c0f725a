import FleetModel
import Measurement
import Parties
import Testing
import URLFilter

/// The real protocol code from end to end, without the fleet around it.
struct RealWorkTests {
    @Test func aNewDeviceReachesItsFirstAnswerByAllEndpoints() throws {
        let work = try Lists.real()
        #expect(try work.ask(.directory).ending.status == 200)
        #expect(try work.ask(.tokenKey).ending.status == 200)
        for _ in 0..<3 { #expect(try work.ask(.issue).ending.status == 200) }
        let config = try work.ask(.config).ending
        #expect(config.status == 200 && config.keyUploadNeeded)
        #expect(try work.ask(.key).ending.status == 200)
        let lookup = try work.ask(.queries, keys: [7, 1_000]).ending
        #expect(lookup.status == 200 && lookup.present == [true, false])
    }

    @Test func everyEntryIsFoundAndNothingElse() throws {
        let work = try Lists.real()
        try work.startSteadily(device: 0, tokens: 20)
        for first in stride(from: UInt64(0), to: 200, by: 10) {
            let lookup = try work.ask(.queries, keys: Array(first..<(first + 10))).ending
            #expect(lookup.present == Array(repeating: first < 100, count: 10))
        }
    }

    /// The request does tell the shard: protobuf leaves an index of 0 out, and the shard is no secret.
    @Test func noSizeTellsWhetherAKeywordIsListed() throws {
        let work = try Lists.real()
        try work.startSteadily(device: 0, tokens: 24)
        let listed = try (0..<12).map { try work.ask(.queries, keys: [$0]) }
        let absent = try (0..<12).map { try work.ask(.queries, keys: [1_000 + $0]) }
        #expect(listed.allSatisfy { $0.ending.present == [true] })
        #expect(absent.allSatisfy { $0.ending.present == [false] })
        #expect(Set(listed.map(\.request)) == Set(absent.map(\.request)))
        #expect(Set((listed + absent).map(\.request)).count == 2, "one size per shard")
        #expect(Set((listed + absent).map(\.response)).count == 1)
    }

    @Test func devicesDoNotShareTokensOrKeys() throws {
        let work = try Lists.real(devices: 2)
        try work.startSteadily(device: 0, tokens: 2)
        #expect(throws: DeviceClientError.noToken) { try work.ask(.config, device: 1) }
        try work.startSteadily(device: 1, tokens: 2)
        #expect(try work.ask(.queries, device: 1, keys: [5]).ending.present == [true])
        #expect(try work.ask(.queries, device: 0, keys: [5]).ending.present == [true])
    }

    @Test func aReportNamesItsEntriesAndSpendsAToken() throws {
        let work = try Lists.real()
        try work.startSteadily(device: 0, tokens: 2)
        let one = try work.ask(.report, keys: [7])
        let two = try work.ask(.report, keys: [7, 8])
        #expect(one.ending.status == 200 && two.ending.status == 200)
        #expect(two.request > one.request)
        #expect(throws: DeviceClientError.noToken) { try work.ask(.report, keys: [7]) }
    }

    @Test func afterARestartOfPIRTheKeyIsMissingUntilItIsUploadedAgain() throws {
        let work = try Lists.real()
        try work.startSteadily(device: 0, tokens: 5)
        try work.restart(.pir)
        #expect(try work.ask(.queries, keys: [5]).ending.status == 400)
        #expect(try work.ask(.config).ending.keyUploadNeeded)
        #expect(try work.ask(.key, second: 60).ending.status == 200)
        #expect(try work.ask(.queries, keys: [5]).ending.present == [true])
        #expect(try !work.ask(.config).ending.keyUploadNeeded)
    }

    @Test func afterARestartOfTheIssuerTokensAndRequestsAreRefused() throws {
        let work = try Lists.real()
        try work.startSteadily(device: 0, tokens: 2)
        for _ in 0..<3 {
            try work.restart(.issuer)
            #expect(try work.ask(.issue).ending.status == 422)
        }
        #expect(try work.ask(.queries, keys: [5]).ending.status == 401)
        #expect(try work.ask(.config).ending.status == 401)
        work.forgetTokenKey(device: 0)
        for endpoint in [Endpoint.directory, .tokenKey, .issue] {
            #expect(try work.ask(endpoint).ending.status == 200)
        }
        #expect(try work.ask(.queries, keys: [5]).ending.present == [true])
    }

    @Test func aKeyThatLeftTheDirectoryMeanwhileIsNoEndOfTheRun() throws {
        let work = try Lists.real()
        try work.ask(.directory)
        try work.restart(.issuer)
        #expect(try work.ask(.tokenKey).ending.status == 0)
        try work.ask(.directory)
        #expect(try work.ask(.tokenKey).ending.status == 200)
    }

    @Test func theDailyBudgetIsThatOfTheUserAndTheDay() throws {
        let work = try Lists.real(devices: 2, tokensPerUserPerDay: 2)
        // Ten tokens from before the clock started cost nothing.
        try work.startSteadily(device: 0, tokens: 10)
        try work.startSteadily(device: 1, tokens: 10)
        let statuses = try [(0, 10), (0, 20), (0, 30), (1, 40), (0, 86_399), (0, 86_400)].map {
            try work.ask(.issue, device: $0.0, second: Int64($0.1)).ending.status
        }
        #expect(statuses == [200, 200, 429, 200, 429, 200])
    }

    @Test func aRefusedRequestForATokenCostsNoBudget() throws {
        let work = try Lists.real(tokensPerUserPerDay: 1)
        try work.startSteadily(device: 0, tokens: 0)
        try work.restart(.issuer)
        for _ in 0..<3 { #expect(try work.ask(.issue, second: 1).ending.status == 422) }
        work.forgetTokenKey(device: 0)
        try work.ask(.directory)
        try work.ask(.tokenKey)
        #expect(try work.ask(.issue, second: 1).ending.status == 200)
        #expect(try work.ask(.issue, second: 1).ending.status == 429)
    }

    @Test func anAnswerFromBeforeAKeyChangeIsStillRead() throws {
        let work = try Lists.real()
        try work.startSteadily(device: 0, tokens: 3)
        _ = try work.deviceBegins(1, request: RealWork.request(.queries, keys: [5, 1_000]))
        _ = try work.gatewayOpens(1)
        _ = try work.serviceAnswers(1)
        #expect(try work.ask(.key, second: 5).ending.status == 200)
        _ = try work.gatewaySeals(1)
        #expect(Ending(.queries, work.deviceEnds(1).outcome).present == [true, false])
    }

    @Test func anAnswerComputedWithTheNewKeyCannotBeReadWithTheOld() throws {
        let work = try Lists.real()
        try work.startSteadily(device: 0, tokens: 3)
        _ = try work.deviceBegins(1, request: RealWork.request(.queries, keys: [5]))
        #expect(try work.ask(.key, second: 5).ending.status == 200)
        _ = try work.gatewayOpens(1)
        _ = try work.serviceAnswers(1)
        _ = try work.gatewaySeals(1)
        #expect(Ending(.queries, work.deviceEnds(1).outcome).status == 0)
        #expect(try work.ask(.queries, keys: [5]).ending.present == [true])
    }

    @Test func aKeyWhoseUploadWasNeverConfirmedIsReplaced() throws {
        let work = try Lists.real()
        try work.startSteadily(device: 0, tokens: 5)
        _ = try work.deviceBegins(1, request: RealWork.request(.key, second: 5))
        _ = try work.gatewayOpens(1)
        _ = try work.serviceAnswers(1)
        work.abandon(1)
        // The server has a key that the device does not use.
        #expect(try work.ask(.queries, keys: [5]).ending.status == 0)
        #expect(try work.ask(.config).ending.keyUploadNeeded)
        #expect(try work.ask(.key, second: 50).ending.status == 200)
        #expect(try work.ask(.queries, keys: [5]).ending.present == [true])
    }

    @Test func anUnknownKeyIsAnErrorOfTheCaller() throws {
        let work = try RealWork(
            usecase: Lists.usecase, deviceCount: 1, tokensPerUserPerDay: nil, seed: 1, replication: 0,
            keyword: { _ in nil })
        #expect(throws: RealWorkError.unknownKey(3)) { try work.ask(.queries, keys: [3]) }
    }
}
