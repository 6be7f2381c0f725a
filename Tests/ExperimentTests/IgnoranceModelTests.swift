import Experiment
import Foundation
import RunMetrics
import Scenarios
import Statistics
import Testing

/// Draws of what nobody knows against closed forms.
@Suite struct IgnoranceModelTests {
    static func input(
        _ name: String, _ low: Double, _ high: Double, now place: Double = 0.5, settledBy: String = "a log"
    ) -> PlausibleInput {
        PlausibleInput(
            name: name, words: "the \(name)", parts: [],
            law: .between(low: low, high: high, isLogarithmic: true, unit: .number),
            now: "\(low * pow(high / low, place))", nowPlace: place, source: "a test", settledBy: settledBy)
    }

    private let inputs = [
        input("a", 1, 4), input("b", 1, 2), input("c", 1, 3, settledBy: "a measurement"), input("d", 1, 9),
    ]
    private let places = LatinDesign.points(count: 40, dimensions: 4, seed: 1)

    private func finding(
        interval: Interval? = nil, webs: [Double] = [],
        centre: Double = 10, _ value: ([Double]) -> Double
    ) -> IgnoranceModel.Finding? {
        IgnoranceModel(inputs, places: places, seed: 1).finding(
            .init(
                metric: .lookupsPerDeviceDay, estimate: 100, interval: interval, perReplication: webs,
                centre: centre,
                points: places.map(value)))
    }

    /// A product of two inputs, each even by its logarithm; the run has ten times the level of the design.
    private static func product(_ place: [Double]) -> Double {
        10 * pow(4, place[0] - 0.5) * pow(2, place[1] - 0.5)
    }

    @Test func aProductHasItsSharesAndItsInterval() throws {
        let found = try #require(finding(Self.product)).result
        #expect(found.scale == .logarithm)
        // Variances of the logarithms are as the squares of log 4 and log 2: 4 to 1.
        let shares = Dictionary(uniqueKeysWithValues: found.parts.map { ($0.input ?? "", $0.share) })
        #expect(abs((shares["a"] ?? 0) - 0.8) < 0.01)
        #expect(abs((shares["b"] ?? 0) - 0.2) < 0.01)
        #expect(abs(found.parts.reduce(0) { $0 + $1.share } - 1) < 1e-9)
        #expect(abs(found.median / 100 - 1) < 0.03)
        // The sum x + y with x even over ±log 2 and y over ±log 2 / 2: beyond the end by t, t² / (2 · 2 log 2 · log 2).
        let tail = (2 * 0.025 * 2 * log(2) * log(2)).squareRoot()
        let end = exp(1.5 * log(2) - tail)
        #expect(abs(found.interval.high / (100 * end) - 1) < 0.03)
        #expect(abs(found.interval.low * end / 100 - 1) < 0.03)
        #expect((found.model?.crossValidation ?? 0) > 0.99)
    }

    @Test func knowledgeLeavesWhatItDoesNotSettle() throws {
        let found = try #require(finding(Self.product)).result
        let first = try #require(found.known.first { $0.inputs == ["a"] })
        // What b leaves: 95 % of an even law over ±log 2 / 2.
        #expect(abs(first.interval.high / (100 * pow(2, 0.475)) - 1) < 0.02)
        #expect(abs(first.share - 0.8) < 0.01)
        let both = try #require(found.known.first { $0.inputs == ["a", "b"] })
        #expect(both.settledBy == "a log")
        #expect(both.interval.high / both.interval.low < 1.02)
        #expect(found.known.first == both)
    }

    @Test func theEndsOfARangeAreThoseOfTheMetric() throws {
        let found = try #require(finding(Self.product)).result
        let effect = try #require(found.effects.first)
        #expect(effect.input == "a")
        #expect(abs(effect.ends[0].value / 50 - 1) < 0.02)
        #expect(abs(effect.ends[1].value / 200 - 1) < 0.02)
        #expect(effect.ends.map(\.input) == ["1", "4"])
    }

    @Test func aPairOfInputsIsAPartOfItsOwn() throws {
        let root = 3.0.squareRoot()
        let found = try #require(
            finding { place in
                let (a, b) = (root * (2 * place[0] - 1), root * (2 * place[1] - 1))
                return 10 * exp(0.6 * a + 0.4 * b + 0.3 * a * b)
            }
        ).result
        #expect(abs(found.share(.pairs) - 0.09 / 0.61) < 0.04)
        #expect(abs(found.share(.input) - 0.52 / 0.61) < 0.05)
    }

    @Test func noiseHasNoModelAndKeepsItsSpread() throws {
        var state = 0.0
        let found = try #require(
            finding { _ in
                state = (state + 0.618_033_988_75).truncatingRemainder(dividingBy: 1)
                return 10 * exp(state - 0.5)
            }
        ).result
        #expect(found.model == nil)
        #expect(found.known.isEmpty && found.effects.isEmpty)
        #expect(abs(found.share(.rest) - 1) < 1e-9)
        #expect(abs(found.interval.high / (100 * exp(0.475)) - 1) < 0.05)
        #expect(abs(found.interval.low / (100 * exp(-0.475)) - 1) < 0.05)
    }

    @Test func websAndChanceAreParts() throws {
        // Four webs with a deviation of log 2 · √(4/3); a standard error of 0.1.
        let webs = [50.0, 200, 50, 200].map { $0 }
        let found = try #require(
            finding(
                interval: Interval(low: 80.4, high: 119.6, confidence: 0.95, method: "t"), webs: webs,
                Self.product)
        ).result
        let parts: [(IgnoranceMetric.Part.Kind, Double)] = [
            (.input, (pow(log(4), 2) + pow(log(2), 2)) / 12), (.web, pow(log(2), 2) * 4 / 3), (.chance, 0.01),
        ]
        let whole = parts.reduce(0) { $0 + $1.1 }
        for (kind, variance) in parts {
            #expect(abs(found.share(kind) - variance / whole) < 0.01, "\(kind)")
        }
    }

    @Test func zerosAreTakenAsTheyAre() throws {
        let found = try #require(finding { 20 * $0[3] - 5 < 0 ? 0 : 20 * $0[3] - 5 }).result
        #expect(found.scale == .plain)
        // No number of lookups is below 0.
        #expect(found.interval.low >= 0)
        #expect(found.parts.first?.input == "d")
    }

    @Test func sharesStayShares() throws {
        let found = IgnoranceModel(inputs, places: places, seed: 1).finding(
            .init(
                metric: .hits, estimate: 0.9, interval: nil, perReplication: [], centre: 0.9,
                points: places.map { 1 / (1 + exp(-(log(9) + 4 * ($0[2] - 0.5)))) }))
        let result = try #require(found).result
        #expect(result.scale == .logit)
        #expect(result.interval.high < 1)
        #expect(abs(result.interval.high - 1 / (1 + exp(-(log(9) + 1.9)))) < 0.005)
    }

    @Test func aChoiceIsKnownAsOne() throws {
        let choice = PlausibleInput(
            name: "os", words: "systems", parts: [],
            law: .choice([.init("old", weight: 3, "old ones"), .init("new", weight: 1, "new ones")]),
            now: "new", nowPlace: nil, source: "a test", settledBy: "your inventory")
        let places = LatinDesign.points(count: 40, dimensions: 1, seed: 4)
        let found = IgnoranceModel([choice], places: places, seed: 4).finding(
            .init(
                metric: .lookupsPerDeviceDay, estimate: 30, interval: nil, perReplication: [], centre: 30,
                points: places.map { $0[0] < 0.75 ? 10 : 30 }))
        let result = try #require(found).result
        #expect(abs(result.interval.low / 10 - 1) < 0.01)
        #expect(abs(result.interval.high / 30 - 1) < 0.01)
        #expect(abs(result.median / 10 - 1) < 0.01)
        #expect(result.effects.first?.ends.map(\.input) == ["old", "new"])
    }

    @Test func theSameSeedDrawsTheSame() throws {
        #expect(finding(Self.product)?.result == finding(Self.product)?.result)
    }
}
