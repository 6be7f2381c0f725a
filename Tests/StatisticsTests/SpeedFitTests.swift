import Foundation
import RandomStreams
import Statistics
import Testing

struct SpeedFitTests {
    /// Service times of 20 ms, made by the textbook's recursion, independently of the simulator.
    private func block(
        spread: Double, time: Double, noise: Double, level: Double = 0, count: Int, start: Double = 0,
        _ numbers: inout SeededNumbers
    ) -> SpeedFit.Block {
        var process = spread * numbers.normal()
        let gap = 0.02
        let kept = exp(-gap / time)
        return SpeedFit.Block(
            (0..<count).map { number in
                if number > 0 {
                    process = kept * process + spread * (1 - kept * kept).squareRoot() * numbers.normal()
                }
                return (
                    start + Double(number) * gap, 0.02 * exp(level + process + noise * numbers.normal())
                )
            })
    }

    /// 400 s of phases that last 2 s: the deviation of an estimate of the spread is about spread x sqrt(time / length).
    @Test func phasesAreFound() throws {
        var numbers = SeededNumbers(seed: 3)
        let fit = try #require(
            SpeedFit([block(spread: 0.06, time: 2, noise: 0.03, count: 20_000, &numbers)]))
        let process = try #require(fit.process)
        #expect(abs(process.spread / 0.06 - 1) < 0.2)
        #expect((1.2...3.3).contains(process.time))
        #expect(abs(fit.noise / 0.03 - 1) < 0.02)
    }

    /// What levels differ by is no phase: it is ``SpeedDrift``'s.
    @Test func levelsOfBlocksAreNoPhases() throws {
        var numbers = SeededNumbers(seed: 4)
        let blocks = (0..<30).map { number in
            block(
                spread: 0.02, time: 0.5, noise: 0.03, level: 0.1 * numbers.normal(), count: 500,
                start: Double(number) * 1_000, &numbers)
        }
        let process = try #require(SpeedFit(blocks)?.process)
        #expect(abs(process.spread / 0.02 - 1) < 0.3 && process.daily == 0)
    }

    /// Two parameters more are believed beyond the 99 % point of chi-squared: of 300 machines without phases, at most
    /// nine may show some (probability of more: 0.1 %).
    @Test func independentTimesShowNoPhases() throws {
        var numbers = SeededNumbers(seed: 5)
        let found = (0..<300).count { _ in
            SpeedFit([block(spread: 0, time: 1, noise: 0.05, count: 200, &numbers)])?.process != nil
        }
        #expect(found <= 9)
    }

    @Test func tooFewTimesSayNothing() {
        var numbers = SeededNumbers(seed: 6)
        #expect(SpeedFit([block(spread: 0.1, time: 1, noise: 0.1, count: 40, &numbers)]) == nil)
        #expect(SpeedFit([]) == nil)
    }
}
