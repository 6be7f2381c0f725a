import Experiment
import Foundation
import TestSupport
import Testing
import URLFilter
import Workload

/// The observed days in their week.
@Suite struct WeekTrafficTests {
    private func week(
        _ duration: String, warmUp: String = "0s", browsing: String = ""
    ) async throws -> WeekTraffic? {
        try await run(duration, warmUp: warmUp, browsing: browsing).scenario.week
    }

    private func run(_ duration: String, warmUp: String = "0s", browsing: String = "") async throws
        -> RunResult
    {
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
                  \(browsing)
            replications: { min: 2, max: 2 }
            """)
        let sweep = try small.run(in: "result", "duration=\(duration)", "warmUp=\(warmUp)")
        return try #require(
            await sweep.run(stop: StopSignal(), note: { _ in }, progress: { _ in }))
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
        #expect(both.termDay == nil)
    }

    /// 39 weeks of term, and a tenth of the visits in the other thirteen: 40.3 weeks of a year.
    @Test func theMeanDayOfAYearHasHolidays() async throws {
        let monday = try #require(
            await week("24h", browsing: "termWeeks: 39\n      holidayShare: 10%"))
        #expect(abs(monday.meanDay - 71.0 / 7 / 21 * 40.3 / 52) < 1e-9)
        #expect(abs(try #require(monday.termDay) - 71.0 / 7 / 21) < 1e-9 && abs(monday.busiestDay - 1) < 1e-9)
    }

    /// The day of the week that is asked for has no visits.
    @Test func aDayOnWhichNobodyBrowsesIsRefused() async throws {
        let error = await #expect(throws: PreparationError.self) {
            try await run("24h", browsing: "weekdayOfDayZero: 6")
        }
        #expect(error == .nobodyBrowses && "\(PreparationError.nobodyBrowses)".contains("weekdayOfDayZero"))
        // The Monday after it has some.
        _ = try await run("48h", browsing: "weekdayOfDayZero: 6")
    }

    /// Strings asked for at rates of six orders of magnitude, each with a cache for three days: the lookups of a day are
    /// rate / (1 + rate * 3), and of another day so with its rates.
    @Test(arguments: [0.3, 0.72, 1.0, 1.4])
    func cachesBoundTheLookupsOfAnotherDay(visits: Double) {
        for exponent in [0.0, 0.5, 1, 2] {
            let rates = (1...1_000).map { 50 * pow(Double($0), -exponent) }
            func lookups(_ factor: Double) -> Double {
                rates.reduce(0) { $0 + $1 * factor / (1 + $1 * factor * 3) }
            }
            let day = MeanDay(visits: visits, uncachedShare: lookups(1) / rates.reduce(0, +))
            let truth = lookups(visits) / lookups(1)
            let (low, high) = (min(day.visits, day.cached), max(day.visits, day.cached))
            #expect(low - 1e-12 <= truth && truth <= high + 1e-12, "\(exponent): \(low) \(truth) \(high)")
            #expect(
                low...high ~= day.lookups && day.factor(of: .config) == 1
                    && day.factor(of: .issue) == day.lookups)
        }
    }

    /// Two weeks from a Thursday, 00:00 UTC on: ten requests on each weekday, two on days of the weekend; and one day more.
    @Test func aTraceOfWeeksHasAMeanDay() throws {
        func meanDay(_ days: Int) throws -> Double? {
            let folder = try TemporaryFolder()
            var text = "epoch_seconds,client,url\n"
            for day in 0..<days {
                // 1 January 1970 was a Thursday, so the third and the fourth day are a weekend.
                let count = [2, 3].contains(day % 7) ? 2 : 10
                for number in 0..<count {
                    text +=
                        "\(day * 86_400 + number * 86_399 / (count - 1)),c,https://site\(number).example/\n"
                }
            }
            let (list, _) = try BlockListReader.read(path: folder.write("bad.example\n", to: "list.txt"))
            let traffic = try TuningTraffic(
                try TraceReader(path: folder.write(text, to: "trace.csv")),
                list: BlockListIndex(list), rules: .iOS26)
            return traffic.meanDay
        }
        #expect(try meanDay(6) == nil)
        #expect(abs(try #require(try meanDay(14)) - 1) < 1e-3)
        // 54 requests of a week, on the mean of eight days 64 / 8.
        #expect(abs(try #require(try meanDay(8)) - 54.0 / 7 / 8) < 1e-3)
    }
}
