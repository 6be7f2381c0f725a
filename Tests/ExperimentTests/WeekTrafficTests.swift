import Experiment
import Foundation
import Testing

/// The observed days in their week.
@Suite struct WeekTrafficTests {
    private func week(_ duration: String, warmUp: String = "0s") async throws -> WeekTraffic? {
        let small = try SmallScenario(
            """
            fidelity: calibrated
            devices:
              - name: homes
                count: 2
                browsing:
                  profile: adult
                  visitsPerDay: [12]
                  activeDayShare: 1
                  weekdayWeights: [2, 1, 1, 1, 1, 1, 0]
            replications: { min: 2, max: 2 }
            """)
        let sweep = try small.run(in: "result", "duration=\(duration)", "warmUp=\(warmUp)")
        let result = try #require(
            await sweep.run(stop: StopSignal(), note: { _ in }, progress: { _ in }))
        return result.scenario.week
    }

    /// By hand: the mean used day has 7/6 of weight, so Monday has round(12 * 2 / (7/6)) = 21 visits, others
    /// round(10.29) = 10, Sunday none: 71 in the week.
    @Test func theMeanDayIsThatOfTheWeek() async throws {
        let monday = try #require(await week("24h"))
        #expect(abs(monday.meanDay - 71.0 / 7 / 21) < 1e-9 && abs(monday.busiestDay - 1) < 1e-9)
        let tuesday = try #require(await week("48h", warmUp: "24h"))
        #expect(abs(tuesday.meanDay - 71.0 / 7 / 10) < 1e-9 && abs(tuesday.busiestDay - 2.1) < 1e-9)
        // A day and a half: 21 and half of 10.
        let both = try #require(await week("36h"))
        #expect(abs(both.busiestDay - 21 / ((21 + 5) / 1.5)) < 1e-9)
    }
}
