import Foundation
import RandomStreams
package import Statistics

/// How often `urlfilter watch` gives a false alarm, and how soon it notices, in worlds whose truth is known.
package enum AlarmValidation {
    package struct Row: Sendable {
        /// The world: how lookups come.
        package let world: String
        package let quantity: String
        /// Promise, or closed form.
        package let reference: Double
        /// Mean windows.
        package let estimate: MeanEstimate
        /// The promise is a least number of windows; another reference is met within ``margin``.
        package let isLeast: Bool
        package let margin: Double

        package var holds: Bool {
            isLeast
                ? estimate.bounds.upperBound >= reference
                : estimate.bounds.upperBound >= reference * (1 - margin)
                    && estimate.bounds.lowerBound <= reference * (1 + margin)
        }
    }

    /// Windows of one side between false alarms that are asked for: few, so that they can be counted.
    package static let asked = 500.0
    /// Runs end there, which makes a mean too small and never too large.
    private static let longest = 10_000
    /// The plan's interval that the worlds are at the upper end of.
    private static let edges = 0.9...1.1
    /// Windows within the plan before a change.
    private static let before = 48

    /// How lookups of a window scatter about their mean.
    enum World: String, CaseIterable {
        case single = "lookups one by one, 400 a window"
        case bursts = "in bursts of 4, 400 a window"
        case common = "one by one, 4 000 a window, and 3 % that all have in common"
        case lasting = "the same, of which nine tenths last to the next window"

        var mean: Double { self == .single || self == .bursts ? 400 : 4_000 }
    }

    /// One stream of windows.
    private struct Windows {
        let world: World
        var random: RandomStream
        var common = 0.0

        mutating func normal() -> Double { random.standardNormal() }

        mutating func next(level: Double) -> Double {
            let mean = world.mean * level
            switch world {
            case .single: return events(mean)
            case .bursts: return 4 * events(mean / 4)
            case .common: return events(mean * exp(0.03 * normal() - 0.000_45))
            case .lasting:
                let kept = 0.9
                common = kept * common + (1 - kept * kept).squareRoot() * normal()
                return events(mean * exp(0.03 * common - 0.000_45))
            }
        }

        /// Nearly a Poisson number: with means of 100 and more the root of one is nearly normal with variance 1/4.
        private mutating func events(_ mean: Double) -> Double {
            let root = mean.squareRoot() + normal() / 2
            return max(0, (root * root).rounded())
        }
    }

    /// - Parameters:
    ///   - runs: Of each row.
    ///   - threads: That may be used; the rows do not depend on it.
    package static func rows(runs: Int, threads: Int) async -> [Row] {
        await OrderedTasks.results(of: questions, threads: threads) { $0.row(runs) }.compactMap(\.self)
    }

    private struct Question: Sendable {
        let row: @Sendable (Int) -> Row?
    }

    private static func random(_ run: Int, _ entity: UInt32) -> RandomStream {
        RandomStream(
            seed: 1, replication: UInt32(truncatingIfNeeded: run), entity: entity,
            purpose: StreamPurpose("alarm validation"))
    }

    private static var questions: [Question] {
        classical
            + World.allCases.flatMap { world in
                [falseAlarms(world)] + [1.25, 1.5].map { delay(world, factor: $0) }
            }
    }

    /// Page's test of normal numbers, whose run lengths are in tables (D. Montgomery, Introduction to Statistical
    /// Quality Control): `k` = 0.5 and `h` = 5 deviations give 465 in control for two sides, so 930 for one, and
    /// 10.4 at one deviation.
    private static var classical: [Question] {
        [("in control", 0.0, 930.0), ("after a shift of 1", 1.0, 10.4)].map { name, shift, reference in
            Question { runs in
                let lengths = (0..<runs).map { run -> Double in
                    var numbers = random(run, 0)
                    var sum = CumulativeSum(gainsBetweenFalseAlarms: exp(5))
                    var length = 0.0
                    while !sum.isRaised, length < Double(Self.longest) {
                        sum.add(
                            CumulativeSum.gain(
                                numbers.standardNormal() + shift, normalAround: 0, shift: 1, deviation: 1))
                        length += 1
                    }
                    return length
                }
                return MeanEstimate(replicationMeans: lengths, confidence: 0.999).map {
                    Row(
                        world: "normal numbers, k = 0.5, h = 5", quantity: "run length " + name,
                        reference: reference, estimate: $0, isLeast: false, margin: 0.02)
                }
            }
        }
    }

    private static func falseAlarms(_ world: World) -> Question {
        Question { runs in
            let lengths = (0..<runs).map { run -> Double in
                var windows = Windows(world: world, random: random(run, 1))
                var stream = PlannedStream(.events, within: edges, windowsBetweenFalseAlarms: asked)
                var length = 0.0
                while stream.side == nil, length < Double(longest) {
                    stream.add(windows.next(level: edges.upperBound), expected: world.mean)
                    length += 1
                }
                return length
            }
            return MeanEstimate(replicationMeans: lengths, confidence: 0.999).map {
                Row(
                    world: world.rawValue, quantity: "windows to a false alarm at the plan's end, at least",
                    reference: asked, estimate: $0, isLeast: true, margin: 0)
            }
        }
    }

    /// - Parameter factor: Of the plan's upper end. The reference is threshold over mean gain, with what is known of
    ///   the scatter.
    private static func delay(_ world: World, factor: Double) -> Question {
        Question { runs in
            let count = 365.0 * 288 * 7
            let delays = (0..<runs).compactMap { run -> Double? in
                var windows = Windows(world: world, random: random(run, 2))
                var stream = PlannedStream(.events, within: edges, windowsBetweenFalseAlarms: count)
                for _ in 0..<before { stream.add(windows.next(level: 1), expected: world.mean) }
                guard stream.side == nil else { return nil }
                var delay = 0.0
                while stream.side == nil, delay < Double(longest) {
                    stream.add(windows.next(level: edges.upperBound * factor), expected: world.mean)
                    delay += 1
                }
                return delay
            }
            let mean = world.mean * edges.upperBound
            let gain = CumulativeSum.gain(
                mean * factor, eventsAround: mean, ratio: PlannedStream.shift, dispersion: world.dispersion)
            return MeanEstimate(replicationMeans: delays, confidence: 0.999).map {
                Row(
                    world: world.rawValue,
                    quantity: "windows until × \(factor) of the plan's end is noticed",
                    reference: max(1, (log(count) / gain).rounded(.up)), estimate: $0, isLeast: false,
                    margin: 1)
            }
        }
    }
}

extension AlarmValidation.World {
    /// Variance of a window over its mean.
    var dispersion: Double {
        switch self {
        case .single: 1
        case .bursts: 4
        case .common, .lasting: 1 + 0.03 * 0.03 * mean
        }
    }
}
