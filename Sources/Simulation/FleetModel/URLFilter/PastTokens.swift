import EventSimulation
import RandomStreams
import URLFilter

/// The tokens of one device in the weeks before the start: its ``ExchangeMachine`` alone, whose exchanges succeed at
/// once.
///
/// How many tokens an idle device has and orders follows from weeks of use, so nothing shorter makes a steady start
/// steady.
struct PastTokens {
    /// How long before the start it begins: twice the life of a token, so that nothing is left of what it begins with.
    static let length = SimulatedDuration.hours(14 * 24)
    /// Without days that differ, a stock settles sooner.
    static let evenLength = SimulatedDuration.hours(3 * 24)
    /// Days before that, of whose use the machine knows the mean: four half-lives of its memory.
    static let meanDays = 28
    /// A device whose configuration is fetched again and again settles as soon.
    private static let mostRefetches: Int64 = 10_000

    private(set) var machine: ExchangeMachine
    let device: Int
    private let rules: ExchangeRules
    private var stream: RandomStream
    private var lookupsWaiting = 0
    /// Time when each wait is over, nanoseconds from the start of the run; `.max` for one that is not on.
    private(set) var refetch: Int64
    private(set) var renewal: Int64
    private(set) var background = Int64.max
    private(set) var refill = Int64.max

    static func begin(_ length: SimulatedDuration, _ rules: ExchangeRules) -> Int64 {
        -min(length.nanoseconds, max(rules.configurationRefetch, 1).multipliedClamped(by: mostRefetches))
    }

    /// - Parameters:
    ///   - refetch: First fetch of the configuration after the start; `renewal`: of the evaluation key.
    ///   - background: First background refill after `begin`.
    ///   - dailyUse: Mean tokens a day before `begin`.
    init(
        device: Int, from begin: Int64, refetch: Int64, renewal: Int64, background: Int64, dailyUse: Double,
        _ rules: ExchangeRules, stream: RandomStream
    ) {
        func first(_ time: Int64, _ period: Int64) -> Int64 {
            time - (time - begin) / max(period, 1) * max(period, 1)
        }
        self.device = device
        self.rules = rules
        self.stream = stream
        self.refetch = first(refetch, rules.configurationRefetch)
        self.renewal = first(renewal, rules.keyPeriod)
        machine = ExchangeMachine(activeWithKeyOf: self.renewal - rules.keyPeriod)
        machine.assume(dailyUse: dailyUse, at: begin, by: rules)
        if rules.generation.tokens.background != nil { self.background = begin + background }
    }

    /// Runs up to the start of the run.
    ///
    /// - Parameters:
    ///   - lookups: Their times, sorted.
    ///   - tokens: The device has none in it.
    mutating func run(from begin: Int64, lookups: [Int64], _ tokens: inout TokenStocks) {
        tokens.add(rules.fullStock, to: device, at: SimulatedTime(nanoseconds: begin).wholeSeconds)
        var next = 0
        while true {
            let lookup = next < lookups.count ? lookups[next] : .max
            let time = min(min(lookup, refetch), min(renewal, background), refill)
            guard time < 0 else { return }
            if time == lookup {
                next += 1
                tell(.lookUpNeeded, time, &tokens)
            } else if time == refill {
                refill = .max
                tell(.over(.refill), time, &tokens)
            } else if time == background {
                background = .max
                tell(.over(.background), time, &tokens)
            } else if time == refetch {
                refetch = .max
                tell(.over(.refetch), time, &tokens)
            } else {
                renewal = .max
                tell(.over(.renewal), time, &tokens)
            }
        }
    }

    private mutating func tell(_ event: ExchangeEvent, _ time: Int64, _ tokens: inout TokenStocks) {
        let oldest = SimulatedTime(nanoseconds: rules.oldestToken(at: time)).wholeSeconds
        let holdings = ExchangeHoldings(
            tokens: tokens.count(of: device), expired: tokens.count(of: device, olderThan: oldest),
            lookups: lookupsWaiting)
        let steps = machine.handle(event, at: time, holdings, by: rules)
        tokens.removeOldest(steps.discarded, of: device)
        if steps.waits.contains(.refill) { refill = time + pause(.refill) }
        if steps.waits.contains(.background) { background = time + pause(.background) }
        if steps.lookups == .begin { tokens.removeOldest(1, of: device) }
        if case .lookUpNeeded = event {
            if steps.lookups == .none { lookupsWaiting += 1 }
        } else if steps.lookups == .begin {
            lookupsWaiting -= 1
        }
        if let endpoint = steps.setUp {
            if rules.needsToken(endpoint) { tokens.removeOldest(1, of: device) }
            tell(.ended(endpoint, .success(keyUploadNeeded: false), tokenKey: 0), time, &tokens)
        }
        if steps.waits.contains(.refetch) { refetch = time + pause(.refetch) }
        if steps.waits.contains(.renewal) { renewal = time + pause(.renewal) }
        issue(Int(steps.issues), time, &tokens)
    }

    private mutating func issue(_ count: Int, _ time: Int64, _ tokens: inout TokenStocks) {
        let second = SimulatedTime(nanoseconds: time).wholeSeconds
        var left = count
        while left > 0, lookupsWaiting > 0 || machine.isSettingUp {
            tokens.add(1, to: device, at: second)
            left -= 1
            tell(.ended(.issue, .success(keyUploadNeeded: false), tokenKey: 0), time, &tokens)
        }
        tokens.add(left, to: device, at: second)
        machine.takeIn(tokens: left)
    }

    private mutating func pause(_ wait: ExchangeWait) -> Int64 {
        machine.pause(before: wait, by: rules, uniform: wait.isRandom ? stream.uniform() : 0)
    }
}

extension Int64 {
    fileprivate func multipliedClamped(by factor: Int64) -> Int64 {
        let (product, overflows) = multipliedReportingOverflow(by: factor)
        return overflows ? .max : product
    }
}
