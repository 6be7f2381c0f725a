import Decoding
import Experiment
import Foundation
import Questions
import Report
import RunMetrics
import Scenarios
import Statistics
import Testing

/// Sheets and load tests of a plan over what nobody knows, against the same formulas by hand.
@Suite struct DayPlausibilityTests {
    /// One assumption, from 1 to 4 by its logarithm, and 2 in the scenario: an ordinary day asks so many times as much.
    private let input = PlausibleInput(
        name: "visits", words: "the visits", parts: [],
        law: .between(low: 1, high: 4, isLogarithmic: true, unit: .number), now: "2", nowPlace: 0.5,
        source: "a test", settledBy: "a log")
    private let design: FormulaDesign

    init() throws {
        design = try #require(FormulaDesign([input], points: 40, seed: 1, confidence: 0.95))
    }

    private func known(_ metric: Metric) -> IgnoranceResult {
        design.result([
            .init(IgnoranceFigure(metric), now: 20, values: design.places.map { 10 * pow(4, $0[0]) })
        ])
    }

    /// Sixteen units, each with an event a minute, and in the second of two hours some more.
    private static func events(more: Int = 0) -> [ArrivalIntensity.Event] {
        (0..<16).flatMap { unit in
            let evenly = (0..<120).map { 60 * $0 + unit * 60 / 16 }
            let others = (0..<60 * more).map { 3_600 + 60 / max(more, 1) * $0 + (unit * 7 + 3) % 20 }
            return (evenly + others).map { ArrivalIntensity.Event(second: $0, unit: unit, amount: 1) }
        }
    }

    private static func intensity(more: Int = 0) throws -> ArrivalIntensity {
        try #require(ArrivalIntensity(replications: [events(more: more)], unitCount: 16, period: 0..<7_200))
    }

    /// So large a fleet that its peak is the highest rate.
    private static let times = 1e9

    private func sheet(_ kind: DayKind, more: Int) throws -> DeclarationSheet {
        func rate(_ value: Double) -> ObservedTraffic.Rate { .init(value: value, interval: nil, samples: []) }
        var sheet = DeclarationSheet(
            ObservedTraffic(
                source: "test", devices: 16, observedSeconds: 86_400,
                regions: [
                    .init(
                        name: "all", perDay: rate(5_000_000), peakSecond: rate(100), peakMinute: rate(6_000))
                ], endpoints: [], shards: nil, evaluationKeyBytes: nil, hasTestEntry: nil),
            day: kind, requestCap: nil, responseCap: nil, hosts: [])
        let requests = DayRequests(
            try Self.intensity(more: more), ordinary: try Self.intensity(), times: Self.times)
        sheet.addIgnorance(known(Metric.relays[0].perDay), of: requests, seed: 1)
        return sheet
    }

    /// A launch adds three events a minute of each device in its second hour, whatever an ordinary day asks.
    @Test(arguments: [(DayKind.ordinary, 0), (.launch, 3)])
    func rowsMoveByTheFormula(kind: DayKind, more: Int) throws {
        let ignorance = try #require(try sheet(kind, more: more).ignorance)
        let added = Double(more)
        let relay = Metric.relays[0]
        // An hour of 16 × 60 ordinary requests, and one of those and the others; in the busier one the peaks are.
        func day(_ times: Double) -> Double { 5_000_000 * (2 * times + added) / (2 + added) }
        func peak(_ times: Double) -> Double { (times + added) / (1 + added) }
        let forms: [(Metric, Double, (Double) -> Double)] = [
            (relay.perDay, 1e-9, day), (relay.peakSecond, 1e-3, { 100 * peak($0) }),
            (relay.peakMinute, 1e-3, { 6_000 * peak($0) }),
        ]
        #expect(ignorance.metrics.count == 3 && ignorance.refused.isEmpty && ignorance.places.isEmpty)
        for (metric, error, form) in forms {
            let found = try #require(ignorance[metric])
            for (place, value) in zip(design.places, found.points) {
                #expect(
                    abs(value / form(pow(4, place[0]) / 2) - 1) < error, "\(metric.statistic) at \(place)")
            }
            // Both ends of the range, and the 95 % of it that the row has.
            let ends = try #require(found.effects.first).ends.map(\.value)
            for (value, times) in [
                (ends[0], 0.5), (ends[1], 2), (found.interval.low, pow(4, 0.025) / 2),
                (found.interval.high, pow(4, 0.975) / 2),
            ] {
                #expect(abs(value / form(times) - 1) < 0.03, "\(metric.statistic) at \(times)")
            }
            #expect(found.parts.first?.input == "visits")
        }
    }

    /// Each kind of day has its range in its own sheet and beside the others.
    @Test func everyRowSaysItsRange() throws {
        let sheets = [try sheet(.ordinary, more: 0), try sheet(.launch, more: 3)]
        let text = SheetText.render(sheets, names: ["ordinary day", "launch day"])
        let rows = text.split(separator: "\n").map { $0.split(separator: " ").joined(separator: " ") }
        // 2.5 to 10 million by the formula, and 4 to 7 for the launch; the ends of 95 % are a little nearer.
        let found = try #require(rows.first { $0.hasPrefix("over what nobody knows") })
        #expect(found.components(separatedBy: " to ").count == 3)
        #expect(rows.count { $0.hasPrefix("over what nobody knows") } == 3)
        #expect(
            rows.count { $0.hasPrefix("what nobody knows: requests through the relay a day may be") } == 2)
        // Without days to tell what another one is like, nothing is declared.
        #expect(!text.contains("stays below what is declared"))
        #expect(rows.joined(separator: " ").contains("requests in the relay's busiest minute may be"))
        let decoded = try JSONDecoder().decode(
            SheetDocument.self, from: Data(JSONText.render(SheetDocument(sheets: sheets)).utf8))
        #expect(decoded.sheets == sheets)
    }

    /// Declared with 1.2 for growth and nothing else, an ordinary day is enough where it has at most that of the scenario.
    @Test func aSheetSaysWhatItIsEnoughFor() throws {
        let rate = ObservedTraffic.Rate(
            value: 100, interval: nil, samples: Array(repeating: 100, count: 999))
        var margin = DeclarationMargin()
        margin.burst = 2
        var sheet = DeclarationSheet(
            ObservedTraffic(
                source: "test", devices: 16, observedSeconds: 86_400,
                regions: [.init(name: "all", perDay: rate, peakSecond: rate, peakMinute: rate)],
                endpoints: [], shards: nil, evaluationKeyBytes: nil, hasTestEntry: nil),
            day: .ordinary, margin: margin, requestCap: nil, responseCap: nil, hosts: [])
        let requests = DayRequests(
            try Self.intensity(), ordinary: try Self.intensity(), times: Self.times)
        sheet.addIgnorance(known(Metric.relays[0].perDay), of: requests, seed: 1)
        // 120 requests and peaks of 240: times 1.2, and all that is plausible.
        let below = design.places.count { pow(4, $0[0]) / 2 <= 1.2 }
        let text = SheetText.render([sheet]).split { $0.isWhitespace }.joined(separator: " ")
        let share = Int((Double(below) / 40 * 100).rounded())
        #expect(
            text.contains(
                "in so much of it: requests \(share) %, busiest second 100 %, busiest minute 100 %"))
    }

    @Test func whatNothingMovesHasNoRange() throws {
        var sheet = try sheet(.ordinary, more: 0)
        sheet.ignorance = nil
        let requests = DayRequests(try Self.intensity(), ordinary: try Self.intensity(), times: 1)
        sheet.addIgnorance(known(.lookupsPerDeviceDay), of: requests, seed: 1)
        #expect(sheet.ignorance == nil)
    }

    private static let plan = """
        schema: urlfilter.load-test/1
        users: 1
        steps:
          - { name: minute, rate: 10, duration: 60s }
        criteria: []
        notes: []

        """

    private func read(_ text: String) throws -> LoadTestPlan {
        try LoadTestPlan(text: Data(text.utf8), path: "p.yaml")
    }

    /// The rate goes with the lookups, of which the scenario has ten times two: 5 to 20 a second.
    @Test(arguments: [0.1, 0.6]) func aLoadTestSaysWhatItsRateIsEnoughFor(risk: Double) throws {
        var plan = try read(Self.plan)
        plan.addIgnorance(known(.lookupsPerDeviceDay), risk: risk)
        let found = try #require(plan.plausible)
        // Each fortieth of the range has one point, and half of them are below its middle.
        #expect(found.points == 40 && found.enough == 20 && found.share == 0.5 && found.risk == risk)
        let rates = design.places.map { 5 * pow(4, $0[0]) }.sorted()
        // Of forty, four or twenty-four may have a higher one.
        #expect(abs(found.rate / rates[risk == 0.1 ? 35 : 15] - 1) < 1e-3)
        #expect(abs(found.low / (5 * pow(4, 0.025)) - 1) < 0.02)
        #expect(abs(found.high / (5 * pow(4, 0.975)) - 1) < 0.02)
        #expect(plan.notes.contains { $0.contains("enough in 20 of 40 draws; a risk of at most") })
        #expect(try read(plan.yaml) == plan)
        let json = Data(try JSONText.render(plan).utf8)
        #expect(try JSONDecoder().decode(LoadTestPlan.self, from: json) == plan)
    }

    @Test func aLoadTestWithoutARangeSaysSo() throws {
        var plan = try read(Self.plan)
        plan.addIgnorance(known(Metric.relays[0].perDay), risk: 0.1)
        #expect(plan.plausible == nil && plan.notes.isEmpty && !plan.yaml.contains("plausible"))
        plan.addIgnorance(
            IgnoranceStudy.nothing("it did not finish", inputs: [input], points: 40), risk: 0.1)
        #expect(plan.plausible == nil)
        #expect(plan.notes == ["what nobody knows is in no rate: it did not finish"])
        let line = "plausible: { low: 5, high: 20, points: 40, enough: 41, risk: 10%, rate: 18 }\n"
        #expect(throws: ScenarioError.self) { try read(Self.plan + line) }
        #expect(try read(Self.plan + line.replacing("41", with: "22")).plausible?.share == 0.55)
    }
}
