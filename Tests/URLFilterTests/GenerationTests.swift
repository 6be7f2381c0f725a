import Foundation
import Testing
import URLFilter

/// What devices of iOS 27 and 27.3 ask for when, by the tables of article "Device".
struct GenerationTests {
    private static let second: Nanoseconds = 1_000_000_000
    private static let hour = 3_600 * second

    private static func rules(_ os: OSGeneration) -> ExchangeRules {
        ExchangeRules(
            constants: DeviceConstants(), generation: os.rules, configurationRefetch: 6 * hour,
            retryPause: 30 * second, retryCeiling: 900 * second)
    }

    private static func holdings(_ tokens: Int, lookups: Int = 0, expired: Int = 0) -> ExchangeHoldings {
        ExchangeHoldings(tokens: tokens, expired: expired, lookups: lookups)
    }

    @Test func anEmptyStockOrdersTenForEveryTenLookups() {
        let rules = Self.rules(.iOS27)
        var machine = ExchangeMachine(activeWithKeyOf: 0)
        var orders: [Int] = []
        for waiting in 0..<21 {
            let steps = machine.handle(.lookUpNeeded, at: 0, Self.holdings(0, lookups: waiting), by: rules)
            orders.append(Int(steps.issues))
        }
        #expect(orders.indices.filter { orders[$0] > 0 } == [0, 10, 20])
        #expect(Set(orders) == [0, 10])
    }

    @Test func aRefillIsOfTenWhateverTheStock() {
        let rules = Self.rules(.iOS27)
        var machine = ExchangeMachine(activeWithKeyOf: 0)
        #expect(machine.handle(.lookUpNeeded, at: 0, Self.holdings(6), by: rules).waits.isEmpty)
        let low = machine.handle(.lookUpNeeded, at: 0, Self.holdings(5), by: rules)
        #expect(low.waits == ExchangeWait.Set(.refill))
        #expect(machine.pause(before: .refill, by: rules, uniform: 0) == 0)
        #expect(machine.pause(before: .refill, by: rules, uniform: 0.5) == Self.hour)
        let again = machine.handle(.lookUpNeeded, at: 0, Self.holdings(4), by: rules)
        #expect(again.waits.isEmpty, "one is pending")
        #expect(machine.handle(.over(.refill), at: 0, Self.holdings(3), by: rules).issues == 10)
        var other = machine
        #expect(other.handle(.over(.refill), at: 0, Self.holdings(5), by: rules).issues == 0)
    }

    /// One token every 50 min, 28.8 a day. The mean after w weeks is 28.8 (1 - 2^-w), and a quarter of it is for six
    /// hours.
    @Test func theBackgroundRefillLearnsTheDailyUse() {
        let rules = Self.rules(.iOS27)
        var machine = ExchangeMachine(activeWithKeyOf: 0)
        machine.assume(dailyUse: 0, at: 0, by: rules)
        func order(at now: Nanoseconds) -> Int {
            var copy = machine
            return Int(copy.handle(.over(.background), at: now, Self.holdings(100), by: rules).issues)
        }
        #expect(order(at: 0) == 1, "the floor")
        let week = 7 * 24 * Self.hour
        var orders: [Int] = []
        for use in 1...2_020 {
            let now = Nanoseconds(use) * 50 * 60 * Self.second
            if Nanoseconds(orders.count + 1) * week <= now { orders.append(order(at: now)) }
            _ = machine.handle(.lookUpNeeded, at: now, Self.holdings(100), by: rules)
        }
        #expect(orders == (1...10).map { Int((7.2 * (1 - exp2(-Double($0)))).rounded()) })
        #expect(orders == [4, 5, 6, 7, 7, 7, 7, 7, 7, 7])
        machine.assume(dailyUse: 100_000, at: 0, by: rules)
        #expect(order(at: 0) == 512, "the cap")
    }

    @Test func theBackgroundRefillWaitsUntilTheDeviceIsIdle() {
        let rules = Self.rules(.iOS27)
        var machine = ExchangeMachine(activeWithKeyOf: 0)
        _ = machine.handle(.lookUpNeeded, at: Self.hour, Self.holdings(9), by: rules)
        let inUse = machine.handle(
            .over(.background), at: Self.hour + 60 * Self.second, Self.holdings(8), by: rules)
        #expect(inUse.issues == 0 && inUse.waits == ExchangeWait.Set(.background))
        #expect(machine.pause(before: .background, by: rules, uniform: 0.9) == Self.hour / 2)
        let idle = machine.handle(
            .over(.background), at: 2 * Self.hour, Self.holdings(8, expired: 3), by: rules)
        #expect(idle.issues == 1 && idle.discarded == 3)
        #expect(machine.pause(before: .background, by: rules, uniform: 0) == 6 * Self.hour)
        #expect(machine.pause(before: .background, by: rules, uniform: 0.5) == 13 * Self.hour / 2)
    }

    @Test func iOS27_3SetsUpWithTheFirstKeyAndWithoutATokenForTheConfiguration() {
        let rules = Self.rules(.iOS27_3)
        var machine = ExchangeMachine()
        #expect(!rules.needsToken(.config) && rules.needsToken(.key) && rules.needsToken(.queries))
        #expect(machine.handle(.setUpNeeded, at: 0, Self.holdings(0), by: rules).setUp == .config)
        func ended(_ endpoint: Endpoint, _ tokens: Int) -> ExchangeSteps {
            machine.handle(
                .ended(endpoint, .success(keyUploadNeeded: false), tokenKey: 0), at: 0,
                Self.holdings(tokens), by: rules)
        }
        #expect(ended(.config, 0).fetch == .directory)
        let first = ended(.directory, 0)
        #expect(first.fetch == nil && first.issues == 10)
        #expect(ended(.issue, 1).setUp == .key)
        #expect(machine.sendsKey(by: rules, uniform: 0.99), "the servers have none yet")
        let last = ended(.key, 0)
        #expect(machine.isActive && last.waits.contains(.background) && last.waits.contains(.refetch))
        #expect(!machine.sendsKey(by: rules, uniform: 0.1) && machine.sendsKey(by: rules, uniform: 0.09))
    }

    @Test func iOS27_3MendsALostKeyAtOnce() {
        let rules = Self.rules(.iOS27_3)
        var machine = ExchangeMachine(activeWithKeyOf: 0)
        let steps = machine.handle(
            .ended(.queries, .failure(status: 400), tokenKey: 0), at: 0, Self.holdings(9), by: rules)
        #expect(steps.setUp == .key)
        #expect(machine.sendsKey(by: rules, uniform: 0.99))
        _ = machine.handle(
            .ended(.key, .success(keyUploadNeeded: false), tokenKey: 0), at: 0, Self.holdings(8), by: rules)
        #expect(!machine.sendsKey(by: rules, uniform: 0.99))
        #expect(!machine.sendsKey(by: Self.rules(.iOS27), uniform: 0))
    }
}
