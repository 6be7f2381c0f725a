import Foundation
import Statistics
import Testing

struct SpeedDriftTests {
    /// Levels at these minutes.
    private func drift(_ levels: [(minute: Double, level: Double)]) -> SpeedDrift {
        SpeedDrift(levels.map { .init(time: 60 * $0.minute, level: $0.level) })
    }

    @Test func withoutStepsItIsThatOfTheKeptRuns() {
        for known in [drift([]), drift([(0, -4)])] {
            #expect(known.deviation == SpeedDrift.kept && known.measuredShare == 0 && known.day == 0)
        }
    }

    /// By hand: four steps of 0.02 and six of the kept 0.06 make (4 x 0.0004 + 6 x 0.0036) / 10 = 0.00232.
    @Test func fewStepsShareWithTheKeptRuns() {
        let levels = [0, 0.02, 0, 0.02, 0].enumerated().map { (minute: Double($0), level: $1 - 4) }
        let known = drift(levels.reversed())
        #expect(abs(known.deviation - 0.00232.squareRoot()) < 1e-12)
        #expect(known.measuredShare == 0.4 && known.calibrations == 5 && known.days == 1)
    }

    @Test func enoughStepsStandAlone() {
        let levels = (0...12).map { (minute: Double($0), level: $0 % 2 == 0 ? -4 : -3.98) }
        let known = drift(levels)
        #expect(abs(known.run - 0.02) < 1e-12 && known.measuredShare == 1)
    }

    /// Eleven days of eleven calibrations each, which swing by 0.02; days swing by 0.1: what a day adds is
    /// 0.1^2 - 0.02^2 by hand, less what the last and the first calibration of neighbours share.
    @Test func daysAddTheirOwn() {
        var levels: [(minute: Double, level: Double)] = []
        for day in 0..<11 {
            for number in 0..<11 {
                let level = (day % 2 == 0 ? 0 : 0.1) + (number % 2 == 0 ? 0 : 0.02)
                levels.append((minute: Double(1_440 * day + number), level: level))
            }
        }
        let known = drift(levels)
        #expect(known.days == 11 && abs(known.run - 0.02) < 1e-12)
        #expect(abs(known.day - (0.01 - 0.0004).squareRoot()) < 1e-12)
        #expect(abs(known.deviation - 0.1) < 1e-12)
    }
}
