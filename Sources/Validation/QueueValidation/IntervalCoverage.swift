import Foundation
import RandomStreams
package import Statistics

/// How often a kind of interval contains the truth, in runs of a model whose truth is known.
package struct IntervalCoverage: Sendable {
    package struct Row: Sendable {
        /// The kind of interval.
        package let interval: String
        /// Model that it was tried on.
        package let model: String
        /// Coverage that the interval claims.
        package let nominal: Double
        /// Share of the runs whose interval contained the truth, at 99.9 %.
        package let covered: ProportionEstimate

        /// Intervals of few or skewed samples may cover this much less than they claim; those that cover more are
        /// wider than need be, which is no error.
        package static let tolerance = 0.02

        package var holds: Bool { covered.bounds.upperBound >= nominal - Self.tolerance }
    }

    package let interval: String
    package let model: String
    private let covers: @Sendable (inout Numbers) -> Bool?

    private static let nominal = 0.95

    private init(_ interval: String, _ model: String, _ covers: @escaping @Sendable (inout Numbers) -> Bool?)
    {
        self.interval = interval
        self.model = model
        self.covers = covers
    }

    /// - Parameter runs: More than 0; 10 000 tell the coverage to 0.7 percentage points.
    /// - Returns: `nil` when a run has no interval.
    package func row(runs: Int) -> Row? {
        var numbers = Numbers(seed: UInt64(runs))
        var covered = 0
        for _ in 0..<runs {
            guard let isCovered = covers(&numbers) else { return nil }
            if isCovered { covered += 1 }
        }
        return ProportionEstimate(successes: covered, trials: runs, confidence: 0.999).map {
            Row(interval: interval, model: model, nominal: Self.nominal, covered: $0)
        }
    }

    /// Rows of all kinds, in their order.
    ///
    /// - Parameter threads: That may be used; the rows do not depend on it.
    package static func rows(runs: Int, threads: Int) async -> [Row] {
        await OrderedTasks.results(of: all, threads: threads) { $0.row(runs: runs) }.compactMap(\.self)
    }

    private static let trace = Trace()

    /// Every kind of interval that a result shows.
    package static let all: [IntervalCoverage] = [
        IntervalCoverage("Student's t", "10 replications of M/M/1, mean wait") { numbers in
            let means = (0..<10).map { _ in numbers.meanWait() }
            return MeanEstimate(replicationMeans: means)?.bounds.contains(1)
        },
        IntervalCoverage("Student's prediction", "one more of 10 replications of M/M/1, mean wait") {
            numbers in
            let means = (0..<10).map { _ in numbers.meanWait() }
            return MeanEstimate(replicationMeans: means)?.prediction.contains(numbers.meanWait())
        },
        IntervalCoverage("Student's t, sequential", "± 10 %, from 5 replications of M/M/1") { numbers in
            let rule = SequentialPrecision(target: 0.1, maximumReplications: 10_000)
            var samples: [Double] = []
            while true {
                switch rule.decision(after: samples) {
                case .precise(let estimate), .budgetUsed(let estimate): return estimate.bounds.contains(1)
                // One by one, as replications end.
                case .replicate: samples.append(numbers.meanWait())
                case nil: return nil
                }
            }
        },
        IntervalCoverage("Student's t, controlled", "10 replications, correlation 0.9") { numbers in
            let control = (0..<10).map { _ in numbers.normal() }
            let samples = control.map { 5 + $0 + 0.5 * numbers.normal() }
            return ControlledMean(samples: samples, controls: [.init(samples: control, expectation: 0)])?
                .estimate.bounds.contains(5)
        },
        IntervalCoverage("batches", "20 batches of one run, ratio") { numbers in
            let below = (0..<400).map { _ in 5 + numbers.exponential() }
            let above = below.map { 0.3 * $0 + 0.2 * numbers.normal() }
            return BatchRatio(numerators: above, denominators: below)?.estimate.bounds.contains(0.3)
        },
        IntervalCoverage("count", "3 replications, 1.5 independent events each") { numbers in
            let counts = (0..<3).map { _ in numbers.poisson(1.5) }
            return ReplicatedCount(counts, independentCount: 3)?.bounds.contains(1.5)
        },
        IntervalCoverage("count", "10 replications, 3 bursts of 4 events each") { numbers in
            let counts = (0..<10).map { _ in 4 * numbers.poisson(3) }
            return ReplicatedCount(counts, independentCount: 10)?.bounds.contains(12)
        },
        IntervalCoverage("share", "5 replications of 200 trials, 1 %") { numbers in
            let shares = (0..<5).map { _ in Double((0..<200).count { _ in numbers.uniform() < 0.01 }) / 200 }
            return ReplicatedShare(shares, of: Array(repeating: 200, count: 5), independentCount: 5)?
                .bounds.contains(0.01)
        },
        IntervalCoverage("share", "10 replications of 200 trials, each with a chance of its own") { numbers in
            let shares = (0..<10).map { _ in
                let chance = 0.1 + 0.1 * numbers.uniform()
                return Double((0..<200).count { _ in numbers.uniform() < chance }) / 200
            }
            return ReplicatedShare(shares, of: Array(repeating: 200, count: 10), independentCount: 10)?
                .bounds.contains(0.15)
        },
        IntervalCoverage("share", "10 replications, each with a web of its own, skewed") { numbers in
            // A coefficient of variation of 50 % and more, since one web in thirty has a popular host that is hit.
            let shares = (0..<10).map { _ in numbers.webHitRate() }
            let trials = Array(repeating: 1_000_000, count: 10)
            return ReplicatedShare(shares, of: trials, independentCount: 10)?.bounds.contains(Numbers.webMean)
        },
        IntervalCoverage("share over hash seeds", "one trace of 40 hosts, another seed of the prefilter") {
            numbers in
            trace.range.map { $0.bounds.contains(trace.share { numbers.uniform() < Trace.chance }) }
        },
        IntervalCoverage("share of bad days", "5 days of one machine, 38 % of them bad") { numbers in
            let bad = (0..<5).count { _ in numbers.uniform() < 0.38 }
            return ProportionEstimate(successes: bad, trials: 5)?.bounds.contains(0.38)
        },
        IntervalCoverage("share", "16 days of one machine, 38 % of them bad") { numbers in
            let shares = (0..<16).map { _ in numbers.uniform() < 0.38 ? 0.001 * numbers.exponential() : 0 }
            let trials = Array(repeating: 1_000_000, count: 16)
            return ReplicatedShare(shares, of: trials, independentCount: 16)?.bounds.contains(0.00038)
        },
        IntervalCoverage("percentile", "p95, 10 replications of 1 000 exponential times") { numbers in
            let tails = (0..<10).map { _ in
                let times = (0..<1_000).map { _ in numbers.exponential() }.sorted()
                return Percentile.nearestRank(0.95, sorted: times) ?? 0
            }
            return MeanEstimate(replicationMeans: tails)?.bounds.contains(-log(0.05))
        },
        IntervalCoverage("paired difference", "10 pairs, shift of 0.5") { numbers in
            let before = (0..<10).map { _ in 10 + 3 * numbers.normal() }
            let after = before.map { $0 + 0.5 + 0.2 * numbers.normal() }
            return PairedDifference(baseline: before, candidate: after)?.difference.bounds.contains(0.5)
        },
        IntervalCoverage("Welch's difference", "5 against 12, spreads of 1 and 3") { numbers in
            let before = (0..<5).map { _ in numbers.normal() }
            let after = (0..<12).map { _ in 1 + 3 * numbers.normal() }
            return WelchDifference(baseline: before, candidate: after).map {
                ($0.difference - $0.halfWidth...$0.difference + $0.halfWidth).contains(1)
            }
        },
    ]
}

/// Page loads of hosts that differ in popularity: the strings of a host are in all its URLs.
private struct Trace {
    static let chance = 0.01
    private let weights: [Double]
    private let strings: [[UInt32]]
    let range: StrayShare?

    init() {
        var strings: [[UInt32]] = []
        var weights: [Double] = []
        var next: UInt32 = 0
        for host in 0..<40 {
            let shared = [next, next + 1, next + 2]
            next += 3
            for _ in 0..<10 {
                strings.append(shared + [next, next + 1])
                next += 2
                weights.append(1_000 / Double(host + 1))
            }
        }
        self.strings = strings
        self.weights = weights
        range = StrayShare(
            weights: weights, strings: strings, isListed: weights.indices.map { $0 % 100 == 7 },
            chance: Self.chance)
    }

    /// - Parameter isHit: Drawn for one string after the other.
    func share(isHit: () -> Bool) -> Double {
        let hits = (0..<Int((strings.last?.last ?? 0) + 1)).map { _ in isHit() }
        let hit = weights.indices.filter { url in
            url % 100 == 7 || strings[url].contains { hits[Int($0)] }
        }
        return hit.reduce(0) { $0 + weights[$1] } / weights.reduce(0, +)
    }
}

/// Random numbers of the laws that the models need.
private struct Numbers {
    private var bits: SplitMix64

    init(seed: UInt64) { bits = SplitMix64(seed) }

    mutating func uniform() -> Double { bits.uniform() }

    mutating func exponential() -> Double { -log(bits.uniform()) }

    /// Box and Muller.
    mutating func normal() -> Double { (2 * exponential()).squareRoot() * cos(2 * .pi * uniform()) }

    /// Events in `mean` units of time at a rate of 1.
    mutating func poisson(_ mean: Double) -> Double {
        var (time, events) = (exponential(), 0.0)
        while time < mean {
            events += 1
            time += exponential()
        }
        return events
    }

    /// Hits per check in one web: the popular hosts decide, and few webs have one that is hit.
    mutating func webHitRate() -> Double {
        let usual = 0.01 * exp(0.25 * normal())
        return uniform() < 0.03 ? usual * (2 + exponential()) : usual
    }

    /// The mean of ``webHitRate()``: a lognormal mean, and in 3 % of the webs three times that.
    static let webMean = 0.01 * exp(0.25 * 0.25 / 2) * (1 + 0.03 * 2)

    /// Mean wait of 500 customers of M/M/1 at load 0.5, started in equilibrium; the truth is 1 service time.
    mutating func meanWait() -> Double {
        let load = 0.5
        var wait = uniform() < load ? exponential() / (1 - load) : 0
        var total = 0.0
        for _ in 0..<500 {
            total += wait
            wait = max(0, wait + exponential() - exponential() / load)
        }
        return total / 500
    }
}
