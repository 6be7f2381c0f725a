import Testing
import URLFilter

/// What a device asks for when, event by event. `DevicePolicyTests` has whole scripts.
struct ExchangeMachineTests {
    private static let second: Nanoseconds = 1_000_000_000
    private static let rules = ExchangeRules(
        constants: DeviceConstants(), generation: GenerationRules(), configurationRefetch: 6 * 3600 * second,
        retryPause: 30 * second, retryCeiling: 900 * second)

    /// The machine with what its caller keeps.
    private struct Subject {
        var machine: ExchangeMachine
        var tokens: Int
        var lookups = 0
        var now: Nanoseconds = 0

        @discardableResult
        mutating func callAsFunction(_ event: ExchangeEvent, expired: Int = 0) -> ExchangeSteps {
            if case .ended(.issue, .success, tokenKey: _) = event { tokens += 1 }
            let steps = machine.handle(
                event, at: now, ExchangeHoldings(tokens: tokens, expired: expired, lookups: lookups),
                by: rules)
            tokens -= steps.discarded + (steps.setUp == nil ? 0 : 1) + (steps.lookups == .begin ? 1 : 0)
            return steps
        }

        mutating func end(_ endpoint: Endpoint, keyUploadNeeded: Bool = false) -> ExchangeSteps {
            self(
                .ended(endpoint, .success(keyUploadNeeded: keyUploadNeeded), tokenKey: machine.tokenKeyNumber)
            )
        }

        mutating func fail(_ endpoint: Endpoint, _ status: Int, tokenKey: UInt8? = nil) -> ExchangeSteps {
            self(.ended(endpoint, .failure(status: status), tokenKey: tokenKey ?? machine.tokenKeyNumber))
        }
    }

    /// Active, with a stock of tokens.
    private static func active(tokens: Int) -> Subject {
        Subject(machine: ExchangeMachine(activeWithKeyOf: 0), tokens: tokens)
    }

    @Test func aMillionOfThemFitIntoThirtyTwoMegabytes() {
        #expect(MemoryLayout<ExchangeMachine>.stride <= 32)
        #expect(Self.rules.fullStock == 10)
    }

    @Test func aNewDeviceGoesStepByStepToAnActiveFilter() {
        var device = Subject(machine: ExchangeMachine(), tokens: 0)
        #expect(device(.setUpNeeded).fetch == .directory)
        #expect(device(.setUpNeeded).fetch == nil, "one is under way")
        #expect(device.end(.directory).fetch == .tokenKey)
        #expect(device.end(.tokenKey).issues == 4)
        let first = device.end(.issue)
        #expect(first.setUp == .config && first.waits == ExchangeWait.Set(.refill))
        #expect(device.end(.issue).setUp == nil)
        #expect(!device.machine.isActive)
        #expect(device.end(.config, keyUploadNeeded: true).setUp == .key)
        let last = device.end(.key)
        #expect(device.machine.isActive && last.waits.contains(.refetch) && last.waits.contains(.renewal))
        // Two of four were spent, and two are still under way.
        #expect(device(.over(.refill)).issues == 8)
    }

    @Test func lateRefusalsOfAnOldTokenKeyDoNotSpoilTheNewOne() {
        var device = Self.active(tokens: 0)
        let old = device.machine.tokenKeyNumber
        #expect(device(.lookUpNeeded).issues == 4)
        device.lookups = 1
        #expect(device.fail(.issue, 422).forgetsTokenKey)
        #expect(!device.fail(.issue, 422).forgetsTokenKey, "it is forgotten already")
        #expect(device(.tokensNeeded(upTo: 4)).fetch == .directory)
        _ = device.end(.directory)
        _ = device.end(.tokenKey)
        #expect(!device.fail(.issue, 422, tokenKey: old).forgetsTokenKey)
        #expect(device.fail(.issue, 422).forgetsTokenKey)
    }

    @Test func lookupsFailWhenTheLastOrderedTokenDoesNotCome() {
        var device = Self.active(tokens: 0)
        _ = device(.lookUpNeeded)
        device.lookups = 1
        for _ in 0..<3 { #expect(device.fail(.issue, 503).lookups == .none) }
        #expect(device.fail(.issue, 503).lookups == .fail)
    }

    @Test func tokensThatAreTooOldAreNotSpent() {
        var device = Self.active(tokens: 6)
        let steps = device(.lookUpNeeded, expired: 6)
        #expect(steps.discarded == 6 && steps.lookups == .none && steps.issues == 4)
        #expect(device.tokens == 0)
    }

    @Test func aKeyMadeMeanwhileIsNotRenewedForTheOldOnesSake() {
        var device = Self.active(tokens: 10)
        device.now = Self.rules.keyPeriod - 1
        #expect(device(.over(.renewal)).setUp == nil)
        device.now += 1
        #expect(device(.over(.renewal)).setUp == .key)
        _ = device.end(.key)
        device.now += Self.rules.keyPeriod - 1
        #expect(device(.over(.renewal)).setUp == nil)
    }

    @Test func pausesDoubleUpToTheCeilingAndHalfOfThemIsRandom() {
        var device = Self.active(tokens: 100)
        _ = device(.setUpNeeded)
        var longest: [Nanoseconds] = []
        for _ in 0..<300 {
            #expect(device.fail(.config, 503).waits.contains(.retry))
            let pause = device.machine.pause(before: .retry, by: Self.rules, uniform: 0)
            longest.append(pause * 2 / Self.second)
            device.tokens = 100
            #expect(device(.over(.retry)).setUp == .config)
        }
        #expect(longest.prefix(7) == [30, 60, 120, 240, 480, 900, 900])
        #expect(longest.last == 900)
        _ = device.end(.config)
        _ = device(.setUpNeeded)
        _ = device.fail(.config, 0)
        #expect(device.machine.pause(before: .retry, by: Self.rules, uniform: 0) == 15 * Self.second)
    }

    @Test func nothingIsAskedAtOnceAfterALookupThatFailed() {
        for status in [0, 400, 401, 410, 413, 503] {
            var device = Self.active(tokens: 9)
            let steps = device.fail(.queries, status)
            #expect(steps.setUp == nil && steps.fetch == nil && steps.issues == 0 && steps.waits.isEmpty)
            #expect(steps.lookups == .none)
        }
    }
}
