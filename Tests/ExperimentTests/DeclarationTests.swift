import EventSimulation
import Experiment
import FleetModel
import Foundation
import Questions
import Scenarios
import Testing

/// What is declared against the days that are simulated.
@Suite struct DeclarationTests {
    /// Five devices and a hundred seconds stand for a fleet and a day, so that there can be three hundred of them.
    private static func days() async throws -> ObservedTraffic {
        let small = try SmallScenario(
            """
            fidelity: calibrated
            start: steady
            duration: 100s
            history: 0s
            devices: [{ name: all, count: 5, browsing: { lookups: { perDay: 50000 } } }]
            updates: { every: never }
            replications: { min: 300, max: 300 }
            """)
        let result = try await Runner.run(try small.prepare(), threads: 2).result
        return try ObservedTraffic(result, result.points[0])
    }

    /// Three percent a month are 42.6 % a year; of a growth that is not known, what 99.9 % of it stays below.
    @Test func aFleetThatGrowsDeclaresAYearOfIt() throws {
        #expect(DeclarationMargin(growth: nil) == DeclarationMargin())
        let known = DeclarationMargin(growth: .always(0.03))
        #expect(abs(known.growth - 0.425_761) < 1e-6 && known.months == 12)
        let law = try #require(GrowthLaw(least: 0.03, most: 0.08))
        #expect(abs(DeclarationMargin(growth: law).growth - (pow(1.079_95, 12) - 1)) < 1e-9)
        let rate = ObservedTraffic.Rate(
            value: 1_000, interval: nil, samples: (0..<1_000).map { Double($0) + 500 })
        let traffic = ObservedTraffic(
            source: "", devices: 1, observedSeconds: 86_400,
            regions: [.init(name: "all", perDay: rate, peakSecond: rate, peakMinute: rate)], endpoints: [],
            shards: nil, evaluationKeyBytes: nil, hasTestEntry: nil)
        let sheet = DeclarationSheet(traffic, margin: known, requestCap: nil, responseCap: nil, hosts: [])
        let declared = try #require(sheet.recommendations.first?.perDay)
        let quantile = try #require(declared.quantile)
        #expect(declared.value == (quantile * pow(1.03, 12)).rounded(.up) && quantile > 1_490)
    }

    /// Sixty declarations, each of five days, held against the other days.
    @Test func aDayIsAboveTheDeclarationAsOftenAsStatedAndAboveTheMeanOnEveryOther() async throws {
        let traffic = try await Self.days()
        let all = try #require(traffic.regions.last)
        #expect(all.peakSecond.samples.count == 300)
        var margin = DeclarationMargin()
        (margin.quantile, margin.growth, margin.burst) = (0.9, 0, 1)
        for path in [\ObservedTraffic.Region.peakSecond, \.peakMinute, \.perDay] {
            let days = all[keyPath: path].samples
            var (above, aboveMean, compared) = (0, 0, 0)
            for first in stride(from: 0, to: days.count, by: 5) {
                let seen = Array(days[first..<(first + 5)])
                var region = all
                region[keyPath: path] = .init(
                    value: seen.reduce(0, +) / 5, interval: nil, samples: seen)
                var part = traffic
                part.regions = [region]
                let sheet = DeclarationSheet(
                    part, margin: margin, requestCap: nil, responseCap: nil, hosts: [])
                let place = [\.peakSecond, \.peakMinute, \.perDay].firstIndex(of: path) ?? 0
                let numbers = sheet.recommendations[0]
                let declared = [numbers.peakSecond, numbers.peakMinute, numbers.perDay][place]
                guard let value = declared.value else { continue }
                for day in days[..<first] + days[(first + 5)...] {
                    compared += 1
                    if day > value { above += 1 }
                    if day > declared.mean { aboveMean += 1 }
                }
            }
            // Whole numbers, rounded up, are above a little less often than stated.
            let share = Double(above) / Double(compared)
            let old = Double(aboveMean) / Double(compared)
            #expect(compared > 15_000)
            #expect((0.03...0.12).contains(share), "\(path): \(share) of days above the 90 % quantile")
            #expect((0.35...0.6).contains(old), "\(path): \(old) of days above the mean")
        }
    }

    @Test(arguments: [
        ("start=steady", DayKind.ordinary), ("start=cold", .launch),
        ("devices[pupils].rollOut=10s", .launch),
        ("faults=[{ kind: restart, service: pir, at: 20s }]", .restart),
        ("faults=[{ kind: outage, service: pir, at: 20s, for: 1s }]", .ordinary),
    ])
    func theSettingsSayWhatKindOfDayItIs(setting: String, day: DayKind) throws {
        let record = ReplicationRecord(replication: 0, observedSeconds: 60, seriesInterval: .seconds(10))
        let result = try buildResult([record], setting)
        #expect(DayKind(result, result.points[0]) == day)
        var varied = try buildResult([record])
        let sides = setting.split(separator: "=", maxSplits: 1).map(String.init)
        varied.points[0].settings = [sides[0]: sides[1]]
        #expect(DayKind(varied, varied.points[0]) == day)
    }

    @Test func aStarSetsEveryElement() throws {
        let two = minimal + "  - { name: offices, count: 3 }\n"
        let scenario = try resolve(two, "devices[*].continent=EU", "devices[offices].continent=NA")
        #expect(scenario.devices.map(\.continent) == [.europe, .northAmerica])
        #expect(complaint(minimal, "devices[*].continents=EU")?.contains("did you mean 'continent'?") == true)
    }
}
