import Decoding
import RandomStreams

/// Properties of a world that stay, drawn from its seed.
package struct WorldSettings: Sendable {
    package static let deviceLimit = 4
    package static let tokensPerDevice = 24
    /// Tokens that a device has when the world begins.
    static let firstTokens = 8
    /// Bytes of evaluation keys where they are not to be dropped.
    static let wideKeyRoom = 1 << 30
    /// Half a minute before a midnight, Unix seconds.
    private static let secondBeforeMidnight: Int64 = 1_800_057_600 - 30

    let deviceCount: Int
    let threadCount: Int
    let queueLimit: Int
    let jobSeconds: Double
    let diskSeconds: Double
    let networkSeconds: Double
    let lossProbability: Double
    let repeatProbability: Double
    let tokensPerUserPerDay: Int?
    let keyRoom: Int
    let keyCache: Int
    let gatewayKeyLife: Double
    let startSecond: Int64

    init(seed: UInt64) {
        var random = SplitMix64(seed)
        func pick<Value>(_ values: [Value]) -> Value { values[random.index(below: values.count)] }
        deviceCount = 1 + random.index(below: Self.deviceLimit)
        threadCount = pick([1, 1, 2, 3])
        queueLimit = pick([2, 4, 16])
        jobSeconds = pick([0.005, 0.02, 0.2])
        diskSeconds = pick([0.001, 0.01, 0.1])
        networkSeconds = pick([0.005, 0.05, 0.5])
        lossProbability = pick([0, 0.02, 0.2])
        repeatProbability = pick([0, 0.05, 0.3])
        tokensPerUserPerDay = pick([nil, 2, 4])
        keyRoom = pick([Self.wideKeyRoom, Self.wideKeyRoom, 3_000])
        keyCache = pick([1 << 20, 2_000])
        gatewayKeyLife = pick([10, 60, 86_400])
        startSecond = pick([Self.secondBeforeMidnight, 1_800_000_000])
    }
}

/// Something that happens in a world at a time of its own. Each has its own random numbers, so that a script from which
/// some are left out goes on as it was.
package struct WorldEvent: Sendable, CustomStringConvertible {
    enum Question: String, CaseIterable, Sendable {
        /// The next step of a device that wants to look something up.
        case next
        case token, configuration, key, lookup, report, publicConfiguration, gatewayKeys
    }

    enum Kind: Sendable {
        case ask(device: Int, Question, isSealed: Bool)
        /// So many lookups or uploads of keys at once.
        case burst(device: Int, Question, count: Int)
        /// An earlier message is sent again, so many back.
        case replay(back: Int)
        case crash(downSeconds: Double)
        case restart(downSeconds: Double)
        /// The operator has another list, and perhaps other tiers.
        case reload(edition: Int, tierCount: Int)
        case fullDisk(seconds: Double)
        case slowDisk(seconds: Double)
        case clockStep(seconds: Int64)
    }

    package let number: Int
    let second: Double
    let kind: Kind
    let seed: UInt64

    package var description: String {
        let text =
            switch kind {
            case .ask(let device, let question, let isSealed):
                "device \(device) asks: \(question.rawValue)\(isSealed ? ", sealed" : "")"
            case .burst(let device, let question, let count):
                "device \(device) asks \(count) times at once: \(question.rawValue)"
            case .replay(let back): "message \(back) before the last is sent again"
            case .crash(let seconds): "crash, \(Self.text(seconds)) down"
            case .restart(let seconds): "restart, \(Self.text(seconds)) down"
            case .reload(let edition, let tiers): "reload: edition \(edition), \(tiers) tiers"
            case .fullDisk(let seconds): "disk full for \(Self.text(seconds))"
            case .slowDisk(let seconds): "disk slow for \(Self.text(seconds))"
            case .clockStep(let seconds): "clock set by \(seconds) s"
            }
        return "\(number): at \(Self.text(second)) \(text)"
    }

    private static func text(_ seconds: Double) -> String {
        "\(Double(Int(saturating: seconds * 1e3)) / 1e3) s"
    }
}

/// All that happens in a world.
package struct WorldScript: Sendable {
    static let seconds = 60.0

    package let seed: UInt64
    let settings: WorldSettings
    package var events: [WorldEvent]

    /// - Parameter seed: All of the world.
    package init(seed: UInt64) {
        self.seed = seed
        settings = WorldSettings(seed: seed)
        var random = SplitMix64(SplitMix64.finalize(seed))
        let count = 20 + random.index(below: 50)
        let times = (0..<count).map { _ in random.uniform() * Self.seconds }.sorted()
        let devices = settings.deviceCount
        let swarm = Swarm(&random, seed: seed)
        events = times.enumerated().map { number, second in
            WorldEvent(
                number: number, second: second, kind: swarm.kind(devices: devices, &random),
                seed: random.next())
        }
    }

    /// The same world with these events only.
    package func keeping(_ numbers: Set<Int>) -> WorldScript {
        var script = self
        script.events = events.filter { numbers.contains($0.number) }
        return script
    }
}

/// How often each kind of event happens in a world, drawn anew for each: what all have at once hides what only some of
/// it leads to (Groce et al., Swarm Testing, 2012).
private struct Swarm {
    private static let faultCount = 6

    private let questions: [Double]
    private let faults: [Double]
    private let faultShare: Double
    private let replayShare: Double
    private let burstShare: Double
    private let sealedShare: Double
    /// Uploads in a quarter of the worlds: of keys that come at once, several are in one transaction.
    private let burst: WorldEvent.Question
    /// Latest message that is sent again, counted from the last.
    private let replayRange: Int

    init(_ random: inout SplitMix64, seed: UInt64) {
        // Not of the same numbers, so that the other worlds are what they were before there were such bursts.
        burst = SplitMix64.finalize(seed &+ 1).isMultiple(of: 4) ? .key : .lookup
        func weights(_ count: Int) -> [Double] {
            (0..<count).map { _ in random.uniform() < 0.4 ? 0 : random.uniform() }
        }
        // What comes next has its place in every world.
        questions = [0.5 + random.uniform()] + weights(WorldEvent.Question.allCases.count - 1)
        faults = weights(Self.faultCount)
        faultShare = random.uniform() < 0.2 ? 0 : 0.5 * random.uniform()
        replayShare = random.uniform() < 0.3 ? 0 : 0.5 * random.uniform()
        burstShare = random.uniform() < 0.5 ? 0 : 0.3 * random.uniform()
        sealedShare = random.uniform() < 0.4 ? 0 : random.uniform()
        replayRange = random.uniform() < 0.5 ? 1 : 12
    }

    func kind(devices: Int, _ random: inout SplitMix64) -> WorldEvent.Kind {
        if random.uniform() < faultShare, let fault = fault(&random) { return fault }
        if random.uniform() < replayShare { return .replay(back: random.index(below: replayRange)) }
        let device = random.index(below: devices)
        if random.uniform() < burstShare {
            return .burst(device: device, burst, count: 2 + random.index(below: 6))
        }
        let question = WorldEvent.Question.allCases[Self.draw(questions, &random) ?? 0]
        return .ask(device: device, question, isSealed: random.uniform() < sealedShare)
    }

    private func fault(_ random: inout SplitMix64) -> WorldEvent.Kind? {
        let seconds = 0.1 + 3 * random.uniform()
        return switch Self.draw(faults, &random) {
        case 0: .crash(downSeconds: seconds)
        case 1: .restart(downSeconds: seconds)
        case 2: .reload(edition: random.index(below: 4), tierCount: 1 + random.index(below: 2))
        case 3: .fullDisk(seconds: 2 * seconds)
        case 4: .slowDisk(seconds: 3 * seconds)
        case 5: .clockStep(seconds: [-86_400, -3_600, -20, 20, 3_600, 86_400][random.index(below: 6)])
        default: nil
        }
    }

    /// - Returns: A place by its weight; `nil` if all are 0.
    private static func draw(_ weights: [Double], _ random: inout SplitMix64) -> Int? {
        var left = random.uniform() * weights.reduce(0, +)
        for (place, weight) in weights.enumerated() {
            left -= weight
            if left < 0 { return place }
        }
        return nil
    }
}
