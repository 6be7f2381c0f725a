import Foundation
import Statistics
import Testing

/// Peaks of a large population from a small sample of it.
@Suite struct ArrivalIntensityTests {
    private typealias Event = ArrivalIntensity.Event

    /// Devices that have sessions of some events, half a minute from one to the next, at hours of a day.
    private struct Population {
        var numbers: SeededNumbers
        /// Sessions of an hour.
        let hourly: [Double] = (0..<24).map { $0 < 7 ? 0.02 : $0 < 18 ? 0.2 : $0 < 22 ? 0.5 : 0.1 }
        /// When all devices have an event within half a minute, and a second one at once; `nil` for never.
        var storm: Int?

        mutating func poisson(_ mean: Double) -> Int {
            var (count, left) = (0, mean - numbers.exponential())
            while left > 0 {
                count += 1
                left -= numbers.exponential()
            }
            return count
        }

        mutating func day(of devices: Int) -> [Event] {
            var events: [Event] = []
            for device in 0..<devices {
                func add(_ time: Double) {
                    guard time < 86_400 else { return }
                    events.append(Event(second: Int(time), unit: device % 16, amount: 1))
                }
                for (hour, rate) in hourly.enumerated() {
                    for _ in 0..<poisson(rate) {
                        var time = (Double(hour) + numbers.uniform()) * 3_600
                        for _ in 0..<1 + Int(5 * numbers.uniform()) {
                            add(time)
                            if numbers.uniform() < 0.5 { add(time) }
                            time += 30 * numbers.exponential()
                        }
                    }
                }
                if let storm {
                    let time = Double(storm) + 30 * numbers.uniform()
                    add(time)
                    add(time)
                }
            }
            return events
        }
    }

    private static func busiest(_ events: [Event], in width: Int) -> Double {
        var counts: [Int: Int] = [:]
        for event in events { counts[event.second / width, default: 0] += 1 }
        return Double(counts.values.max() ?? 0)
    }

    /// Brute force: the whole population, several days of it.
    @Test(arguments: [nil, 50_001] as [Int?]) func aSampleTellsThePeaksOfAllOfThem(storm: Int?) throws {
        let (sample, all) = (300, 15_000)
        var few = Population(numbers: SeededNumbers(seed: 7), storm: storm)
        let intensity = try #require(
            ArrivalIntensity(
                replications: (0..<5).map { _ in few.day(of: sample) }, unitCount: 16, period: 0..<86_400))
        var many = Population(numbers: SeededNumbers(seed: 8), storm: storm)
        let days = (0..<6).map { _ in many.day(of: all) }
        for width in [1, 60, 300] {
            let law = PeakLaw(intensity, width: width, times: Double(all / sample))
            let truth = days.reduce(0) { $0 + Self.busiest($1, in: width) } / Double(days.count)
            #expect(abs(law.mean / truth - 1) < 0.1, "\(width) s: \(law.mean) for \(truth)")
            // The sum that an earlier version made of the mean and the root was far off for a storm.
            #expect(law.quantile(0.05) < truth && truth < law.quantile(0.95) * 1.05)
        }
        #expect(intensity.peakDoubt(60) < 0.1 && intensity.totalDoubt < 0.05)
    }

    /// Hours without a storm stay whole, one device's burst is none, and a storm has its own blocks.
    @Test func onlyWhatUnitsAgreeOnIsAStorm() throws {
        var population = Population(numbers: SeededNumbers(seed: 3), storm: nil)
        var days = (0..<3).map { _ in population.day(of: 200) }
        let calm = try #require(ArrivalIntensity(replications: days, unitCount: 16, period: 0..<86_400))
        #expect(calm.blocks.count == 24 && calm.blocks.allSatisfy { $0.seconds == 3_600 })
        #expect(abs(calm.total - Double(days.map(\.count).reduce(0, +)) / 3) < 1e-6)
        days[0] += (0..<400).map { Event(second: 40_000 + $0 / 40, unit: 3, amount: 1) }
        let burst = try #require(ArrivalIntensity(replications: days, unitCount: 16, period: 0..<86_400))
        #expect(burst.blocks.count == 24)
        days = days.map { day in
            day + (0..<320).map { Event(second: 60_000 + $0 / 16, unit: $0 % 16, amount: 2) }
        }
        let storm = try #require(ArrivalIntensity(replications: days, unitCount: 16, period: 0..<86_400))
        let busy = storm.blocks.filter { $0.rate > 16 }
        #expect(busy.map(\.seconds).reduce(0, +) == 20 && busy.first?.start == 60_000)
        #expect(storm.rates(60).max() == storm.rates(60)[1_000])
    }

    /// Days whose levels differ by a tenth, beyond what 16 units of 100 events each do.
    @Test func whatDaysHaveInCommonIsApart() throws {
        func day(_ level: Int) -> [Event] {
            (0..<16).flatMap { unit in
                (0..<level + (unit % 2 == 0 ? 10 : -10)).map {
                    Event(second: ($0 * 613 + unit) % 7_200, unit: unit, amount: 1)
                }
            }
        }
        let intensity = try #require(
            ArrivalIntensity(replications: [day(90), day(110)], unitCount: 16, period: 0..<7_200))
        // By hand: units vary by 16 x 100 / 15 each, 16 of them in a day; totals are 1440 and 1760.
        #expect(abs(intensity.unitVariance - 16 * 1_600 / 15) < 1e-9)
        let variance: Double = 2 * 160 * 160
        #expect(abs(intensity.commonVariance - (variance - 16 * 1_600 / 15) / (1_600 * 1_600)) < 1e-12)
    }

    /// A stream and so many of another one are the intensity of all their events, block by block, on any day.
    @Test func streamsAddUpAsTheirEventsDo() throws {
        func events(_ hourly: [Int], day: Int = 0) -> [Event] {
            (0..<16).flatMap { unit in
                hourly.enumerated().flatMap { hour, count in
                    (0..<count).map {
                        Event(
                            second: day * 86_400 + hour * 3_600 + ($0 * 3_600 + unit * 211) / count % 3_600,
                            unit: unit, amount: 1)
                    }
                }
            }
        }
        func intensity(_ events: [Event], day: Int = 0) throws -> ArrivalIntensity {
            let start = day * 86_400
            return try #require(
                ArrivalIntensity(replications: [events], unitCount: 16, period: start..<start + 7_200))
        }
        let (first, second) = (events([60, 100]), events([30, 20]))
        let one = try intensity(first)
        for day in [0, 1] {
            let other = try intensity(events([30, 20], day: day), day: day)
            let sum = one.adding(other, times: 2)
            let all = try intensity(first + second + second)
            #expect(sum.blocks.map(\.start) == all.blocks.map(\.start))
            for (found, expected) in zip(sum.blocks, all.blocks) {
                #expect(abs(found.amount - expected.amount) < 1e-6)
            }
            #expect(abs(sum.total - sum.totals[0]) < 1e-6 && abs(sum.total - all.total) < 1e-6)
            let back = sum.adding(other, times: -2)
            #expect(zip(back.blocks, one.blocks).allSatisfy { abs($0.amount - $1.amount) < 1e-6 })
        }
        #expect(one.adding(one, times: -2).total == 0)
    }

    @Test func nothingHasNoRate() {
        #expect(ArrivalIntensity(replications: [[], []], unitCount: 16, period: 0..<100) == nil)
        #expect(ArrivalIntensity(replications: [[]], unitCount: 16, period: 5..<5) == nil)
        #expect(PeakLaw([]).quantile(0.5) == 0)
    }
}

@Suite struct PeakLawTests {
    /// The largest of n Poisson numbers, from their distribution function: single events have variance and third moment
    /// equal to their mean.
    @Test(arguments: [(20.0, 86_400), (400.0, 1_440), (0.5, 86_400)])
    func singleEventsAreExact(mean: Double, count: Int) {
        var (term, below, expected) = (exp(-mean), 0.0, 0.0)
        for value in 0..<Int(mean + 20 * mean.squareRoot() + 40) {
            below += term
            term *= mean / Double(value + 1)
            // E[max] is the sum over k of P(max > k).
            expected += -expm1(Double(count) * log(min(1, below)))
        }
        let law = PeakLaw([.init(mean: mean, variance: mean, third: mean, count: count)])
        #expect(abs(law.mean - expected) < 1 + 0.01 * expected, "\(law.mean) for \(expected)")
    }

    /// Without variance the largest is the largest mean.
    @Test func aFleetWithoutAnEndHasItsRates() {
        let law = PeakLaw([
            .init(mean: 3, variance: 0, third: 0, count: 5), .init(mean: 7, variance: 0, third: 0, count: 1),
        ])
        #expect(abs(law.mean - 7) < 1e-6 && law.floor == 7)
    }

    /// Clusters of 1 to 9 events: compound Poisson numbers, drawn.
    @Test func clustersAreAsDrawn() {
        var numbers = SeededNumbers(seed: 5)
        let (clusters, windows, days) = (12.0, 2_000, 60)
        func poisson() -> Int {
            var (count, left) = (0, clusters - numbers.exponential())
            while left > 0 {
                count += 1
                left -= numbers.exponential()
            }
            return count
        }
        var sum = 0.0
        for _ in 0..<days {
            var largest = 0
            for _ in 0..<windows {
                largest = max(
                    largest, (0..<poisson()).reduce(0) { n, _ in n + 1 + Int(9 * numbers.uniform()) })
            }
            sum += Double(largest)
        }
        // E[S] = 5, E[S²] = 285 / 9, E[S³] = 2025 / 9.
        let law = PeakLaw([
            .init(mean: clusters * 5, variance: clusters * 285 / 9, third: clusters * 225, count: windows)
        ])
        #expect(abs(law.mean / (sum / Double(days)) - 1) < 0.02, "\(law.mean) for \(sum / Double(days))")
    }
}
