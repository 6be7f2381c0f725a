import Experiment
import Foundation
import Questions
import RunMetrics
import Scenarios
import TestSupport
import Testing

/// Closed forms over what nobody knows, against the same formulas by hand.
@Suite struct FormulaDesignTests {
    private let inputs = [IgnoranceModelTests.input("a", 1, 4), IgnoranceModelTests.input("b", 1, 2)]

    private func design(points: Int = 40) throws -> FormulaDesign {
        try #require(FormulaDesign(inputs, points: points, seed: 1, confidence: 0.95))
    }

    @Test func aFormulaHasTheIntervalOfItsInput() throws {
        let design = try design()
        let values = design.places.map { 10 * (inputs[0].number(at: $0[0]) ?? 0) }
        let result = design.result([.init(.money, now: 20, values: values)])
        #expect(result.finished && !result.isCutShort && result.devices == 0)
        let found = try #require(result.metrics.first)
        // Even by its logarithm from 1 to 4, and 2 is its middle.
        let (low, high): (Double, Double) = (10 * pow(4, 0.025), 10 * pow(4, 0.975))
        #expect(abs(found.interval.low / low - 1) < 0.02)
        #expect(abs(found.interval.high / high - 1) < 0.02)
        #expect(found.parts.first?.input == "a" && found.share(.chance) == 0)
        let ends: [Double] = try #require(found.effects.first).ends.map(\.value)
        let product: Double = ends.reduce(1, *)
        #expect(abs(product / 400 - 1) < 0.01)
    }

    /// With nothing but chance, the interval is that of chance.
    @Test func chanceIsAPartOfIt() throws {
        let design = try design()
        // So little that chance is nearly all.
        let values = design.places.map { 100 + 1e-6 * $0[1] }
        let chance = Interval(low: 90.2, high: 109.8, confidence: 0.95, method: "t")
        let result = design.result([.init(.money, now: 100, interval: chance, values: values)])
        let found = try #require(result.metrics.first)
        #expect(found.share(.chance) > 0.999)
        let (low, high): (Double, Double) = (100 * exp(-0.098), 100 * exp(0.098))
        #expect(abs(found.interval.low / low - 1) < 0.01)
        #expect(abs(found.interval.high / high - 1) < 0.01)
    }

    /// Effects of a share that is 0 at some points add up to less than none: their ends stay what a share may be.
    @Test func endsAreWhatAShareMayBe() throws {
        let design = try design()
        let share = IgnoranceFigure(name: "a", statistic: "b", unit: .share, support: .share)
        let values = design.places.map { max(0, $0[0] - $0[1]) }
        let found = try #require(design.result([.init(share, now: 0, values: values)]).metrics.first)
        let ends = found.effects.flatMap { $0.ends.map(\.value) }
        #expect(found.scale == .plain && ends.count == 4)
        #expect(ends.min() == 0 && ends.allSatisfy { (0...1).contains($0) })
    }

    @Test func whatMovesNothingIsLeftOut() throws {
        let design = try design()
        let result = design.result([
            .init(.money, now: 7, values: design.places.map { _ in 7 }),
            .init(.gain, now: 7, values: design.places.map { _ in nil }),
        ])
        #expect(result.metrics.isEmpty)
        #expect(FormulaDesign([], points: 40, seed: 1, confidence: 0.95) == nil)
    }

    /// Bounds of one place of a curve are those of the points.
    @Test func aBandIsDrawnFromThePoints() throws {
        let places = try design().places
        let model = IgnoranceModel(inputs, places: places, seed: 1)
        let points = (0..<40).map { 10 * pow(4, (Double($0) + 0.5) / 40 - 0.5) }
        let band = try #require(
            model.band(
                .init(
                    metric: .lookupsPerDeviceDay, estimate: 100, interval: nil, perReplication: [],
                    centre: 10, points: points)))
        // A fortieth of the draws is the least point.
        #expect(points[...1].contains { abs(10 * $0 / band.low - 1) < 1e-9 })
        #expect(points[38...].contains { abs(10 * $0 / band.high - 1) < 1e-9 })
    }
}

/// Figures of a scenario by closed form, over what nobody knows.
@Suite struct ScenarioForecastTests {
    private let small: SmallScenario
    private let file: ScenarioFile

    init() throws {
        small = try SmallScenario(
            """
            fidelity: calibrated
            duration: 1d
            filter: { prefilterFetchInterval: 24h }
            updates: { every: 12h, churn: category, appRestart: 0s }
            devices: [{ name: all, count: 20, browsing: { profile: adult } }]
            """)
        file = try ScenarioFile(path: small.folder.path + "/scenario.yaml")
    }

    private func request(_ known: [String] = [], chanceOnly: Bool = false) -> IgnoranceStudy.Request {
        IgnoranceStudy.Request(known: known, points: 40, chanceOnly: chanceOnly)
    }

    /// Hours from the moment in which an entry is known: half an edition, then the later of fetch and configuration,
    /// each even over its period.
    private static func delay(refetch: Double) -> Double {
        let (short, long) = (min(refetch, 24), max(refetch, 24))
        return 6 + long / 2 + short * short / (6 * long)
    }

    @Test func theDelayIsTheFormulaAtEachPoint() throws {
        let forecast = try ScenarioForecast(file, request())
        let known = try #require(forecast.ignorance)
        let input = try #require(known.inputs.firstIndex { $0.name == "refetch" })
        let delay = try #require(known[.blockingMean])
        #expect(abs((forecast.delay?.mean ?? 0) / 3_600 / Self.delay(refetch: 6) - 1) < 0.002)
        for (place, value) in zip(known.places, delay.points) {
            let hours = try #require(known.inputs[input].number(at: place[input])) / 3_600
            #expect(abs(value / 3_600 / Self.delay(refetch: hours) - 1) < 0.002, "\(hours) h")
        }
        // Nothing else has a part in it, and apps take a prefilter at once here.
        #expect(delay.parts.first?.input == "refetch" && !known.inputs.contains { $0.name == "restart" })
        let ends = try #require(delay.effects.first { $0.input == "refetch" }).ends.map { $0.value / 3_600 }
        #expect(abs(ends[0] / Self.delay(refetch: 1) - 1) < 0.05)
        #expect(abs(ends[1] / Self.delay(refetch: 24) - 1) < 0.05)
        #expect(delay.interval.low / 3_600 > 0.97 * Self.delay(refetch: 1))
        #expect(delay.interval.high / 3_600 < 1.05 * Self.delay(refetch: 24))
    }

    /// Visits are in proportion to the scale that is drawn, but for those above the most of a day.
    @Test func visitsFollowTheirHabit() throws {
        let forecast = try ScenarioForecast(file, request())
        let known = try #require(forecast.ignorance)
        let visits = try #require(known[.visits])
        let input = try #require(known.inputs.firstIndex { $0.name == "visits" })
        let now = try #require(forecast.visitsPerDeviceDay)
        #expect(visits.value == now)
        for (place, value) in zip(known.places, visits.points) {
            let scale = try #require(known.inputs[input].number(at: place[input]))
            #expect(abs(value / (now * scale) - 1) < 0.12, "\(scale)")
        }
        #expect(visits.parts.first?.input == "visits")
    }

    @Test func nothingIsLeftWhereAllIsKnown() throws {
        let all = try ScenarioResolver.resolve(file).plausible.map(\.name)
        let forecast = try ScenarioForecast(file, request(all))
        #expect(forecast.ignorance == nil && forecast.delay != nil)
        let chance = try ScenarioForecast(file, request(chanceOnly: true))
        #expect(chance == forecast)
        // What is known does not move: visits stay, the delay does not.
        let rest = try ScenarioForecast(file, request(["refetch"])).ignorance
        #expect(rest?[.blockingMean] == nil && rest?[.visits] != nil)
        #expect(throws: ScenarioError.self) { try ScenarioForecast(file, request(["nonsense"])) }
    }
}
