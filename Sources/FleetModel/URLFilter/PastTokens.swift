import EventSimulation
import RandomStreams
import URLFilter

/// The tokens of one device in the weeks before the start: its ``ExchangeMachine`` alone, whose exchanges succeed at once.
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
    /// When each wait is over, nanoseconds from the start of the run; `.max` for one that is not on.
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

/// How often the visits of a group led to lookups, in the days before the start whose pages were made.
struct LookupLaw {
    /// Loads, and those with a hit.
    private var loads = 0
    private var loadsWithHits = 0
    /// Loads with a hit that met caches as they are in the run, and the lookups of those that made some.
    private var asking = 0
    private var bursts = 0
    private var lookups = 0
    /// Lookups of one load: the first ones.
    private var sizes: [Int32] = []
    private static let mostSizes = 4_096

    mutating func add(loads: Int, withHits: Int) {
        self.loads += loads
        loadsWithHits += withHits
    }

    /// - Parameter lookups: Of one load with a hit.
    mutating func add(lookups: Int) {
        asking += 1
        guard lookups > 0 else { return }
        bursts += 1
        self.lookups += lookups
        if sizes.count < Self.mostSizes { sizes.append(Int32(clamping: lookups)) }
    }

    /// Probability that a visit makes lookups.
    private var chance: Double {
        loads > 0 && asking > 0 ? Double(loadsWithHits) / Double(loads) * Double(bursts) / Double(asking) : 0
    }

    /// How much more a device asks than the law says: by its own loads, as far as they are enough to tell. Who visits much
    /// has more in its caches.
    ///
    /// - Parameter sizes: Lookups of its loads with a hit.
    func factor(_ sizes: [Int]) -> Double {
        guard asking > 0 else { return 1 }
        let expected = Double(sizes.count) * Double(lookups) / Double(asking)
        return (Double(sizes.reduce(0, +)) + Self.prior) / (expected + Self.prior)
    }

    /// Lookups of its own that a device needs for being told apart by half. Assumption.
    private static let prior = 4.0

    /// Mean number of one visit.
    var perVisit: Double { bursts > 0 ? chance * Double(lookups) / Double(bursts) : 0 }

    /// Adds the times of the lookups of a session, which are `count` visits spread evenly over `length`.
    ///
    /// - Parameter factor: Of the device; see ``factor(_:)``.
    func draw(
        visits count: Int, times factor: Double, from start: Int64, length: Int64, to times: inout [Int64],
        using stream: inout RandomStream
    ) {
        guard !sizes.isEmpty, let skip = try? GeometricSkip(probability: min(chance * factor, 1)) else {
            return
        }
        var visit = skip.sample(using: &stream)
        while visit < count {
            let time = start + Int64(Double(length) * Double(visit) / Double(count))
            for _ in 0..<sizes[stream.index(below: sizes.count)] { times.append(time) }
            visit += 1 + min(skip.sample(using: &stream), count)
        }
    }
}

extension Int64 {
    fileprivate func multipliedClamped(by factor: Int64) -> Int64 {
        let (product, overflows) = multipliedReportingOverflow(by: factor)
        return overflows ? .max : product
    }
}
