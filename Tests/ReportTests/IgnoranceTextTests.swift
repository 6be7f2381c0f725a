import Experiment
import Foundation
import Report
import RunMetrics
import Scenarios
import Testing
import Wording

/// What nobody knows on the screen, in the details and on the page, against a result made by hand.
@Suite struct IgnoranceTextTests {
    private func input(_ name: String, _ words: String, _ settledBy: String) throws -> String {
        let input = PlausibleInput(
            name: name, words: words, parts: [],
            law: .between(low: 0.5, high: 1, isLogarithmic: false, unit: .share), now: "100%", nowPlace: 1,
            source: "a survey", settledBy: settledBy)
        return String(decoding: try JSONEncoder().encode(input), as: UTF8.self)
    }

    private func interval(_ low: Double, _ high: Double) -> String {
        """
        { "low": \(low), "high": \(high), "confidence": 0.95, "method": "draws" }
        """
    }

    private func ignorance(note: String? = nil, met: Double = 0.31) throws -> IgnoranceResult {
        let inputs = [
            try input(
                "visits", "how often people open a page", "a day of your proxy log: urlfilter calibrate"),
            try input("coverage", "what part of their browsing the filter sees", "your app's reports"),
        ]
        let lookups = """
            { "name": "lookup.perDeviceDay", "statistic": "rate", "unit": "count", "value": 886, "median": 300,
              "interval": \(interval(74.4, 1_049)), "scale": "logarithm", "points": [300, 500], "centre": 880,
              "model": { "terms": ["1", "visits"], "coefficients": [1, 2], "crossValidation": 0.93,
                "predictionError": 0.1 },
              "parts": [{ "kind": "input", "input": "visits", "share": 0.61 },
                { "kind": "input", "input": "coverage", "share": 0.2 }, { "kind": "web", "share": 0.1 },
                { "kind": "rest", "share": 0.08 }, { "kind": "chance", "share": 0.01 }],
              "known": [{ "inputs": ["visits"], "settledBy": "a day of your proxy log: urlfilter calibrate",
                  "share": 0.61, "interval": \(interval(402, 950)) },
                { "inputs": ["coverage"], "settledBy": "your app's reports", "share": 0.2,
                  "interval": \(interval(90, 1_000)) }],
              "effects": [{ "input": "visits", "ends": [{ "input": "50%", "value": 200 },
                { "input": "100%", "value": 886 }] }] }
            """
        let latency = """
            { "name": "lookup.sent", "statistic": "count", "unit": "count", "value": 100, "median": 100,
              "interval": \(interval(50, 200)), "scale": "logarithm", "points": [300, 500], "centre": 200,
              "parts": [{ "kind": "rest", "share": 1 }], "known": [], "effects": [] },
            { "name": "lookup.latency", "statistic": "p99", "unit": "s", "value": 0.151, "median": 0.16,
              "interval": \(interval(0.1234, 1.05)), "scale": "logarithm", "points": [0.3, 0.5], "centre": 0.2,
              "parts": [{ "kind": "rest", "share": 1 }], "known": [], "effects": [] }
            """
        let isDone = note == nil
        let json = """
            { "plannedPoints": 40, "finishedPoints": \(isDone ? 40 : 12), "devices": 12, "confidence": 0.95,
              "draws": 4000, "inputs": [\(inputs.joined(separator: ", "))], "places": [],
              "metrics": [\(isDone ? [lookups, latency].joined(separator: ", ") : "")],
              "refused": [{ "name": "relay.requests", "statistic": "peakSecond", "reason": "other peaks" }],
              "objectives": [{ "expression": "lookup.latency p99 < 800ms", "met": \(met),
                "threshold": { "input": "coverage", "value": "80%", "failsAbove": true } }],
              "curves": [{ "name": "latency", "low": [0.031, 0.0721, null, 0.1, 0.12],
                "high": [0.09, 0.2, null, 0.9, 1.05] }]
              \(note.map { ", \"note\": \"\($0)\"" } ?? "") }
            """
        return try JSONDecoder().decode(IgnoranceResult.self, from: Data(json.utf8))
    }

    private func result(_ ignorance: IgnoranceResult?) throws -> RunResult {
        var result = try SampleResult.result(points: [SampleResult.point()])
        result.ignorance = ignorance
        return result
    }

    private func screen(_ ignorance: IgnoranceResult?) throws -> String {
        Document(try result(ignorance), more: "more: --details").text(.brief)
    }

    @Test func theScreenHasBothIntervals() throws {
        let text = try screen(ignorance())
        #expect(text.contains("In brackets: what nobody knows (95 %); ± is chance."))
        #expect(text.contains("p99 151 ms (120 to 1 100; ± 1.00)"), "\(text)")
        #expect(!text.contains("chance only"))
    }

    /// A range has two digits, three where its ends are less than a factor of two apart, and none where a figure's three
    /// digits do not move.
    @Test(
        arguments: [
            (13, 3.7, 55, nil, "(3.7 to 55: what nobody knows)"),
            (13, 12.2, 14.5, nil, "(12.2 to 14.5: what nobody knows)"),
            (0, 0, 4, nil, "(0 to 4: what nobody knows)"),
            (1_611_481, 837_123, 1_590_456, nil, "(837 000 to 1 590 000: what nobody knows)"),
            (273, 273.0307, 273.0318, nil, "(nothing that nobody knows moves it)"),
            (273, 273.03, 273.03, 0.00053, "(nothing that nobody knows moves it; ± under 0.5: chance)"),
            (273, 200, 500, 12, "(200 to 500: what nobody knows; ± 12: chance)"),
            (
                2.5e16, 2e16, 4e16, nil,
                "(over 10^15: what nobody knows)"
            ),
        ] as [(Double, Double, Double, Double?, String)])
    func aRangeHasTheDigitsThatItMoves(
        value: Double, low: Double, high: Double, chance: Double?, words: String
    ) throws {
        var metric = try #require(try ignorance().metrics.first)
        metric.value = value
        metric.interval = Interval(low: low, high: high, confidence: 0.95, method: "draws")
        let spread = chance.map {
            Interval(low: value - $0, high: value + $0, confidence: 0.95, method: "replications")
        }
        #expect(Format.doubts(metric, chance: spread) == " " + words)
    }

    /// A time may be told in minutes, and its range names units, too.
    @Test func aRangeOfTimesHasUnits() throws {
        var metric = try #require(try ignorance().metrics.last)
        metric.value = 30
        metric.interval = Interval(low: 20, high: 90, confidence: 0.95, method: "draws")
        #expect(metric.unit == .seconds && Format.doubts(metric).contains("s: what nobody knows)"))
        metric.value = 10_000
        metric.interval = Interval(low: 7_200, high: 172_800, confidence: 0.95, method: "draws")
        #expect(Format.doubts(metric) == " (2.00 h to 2.00 d: what nobody knows)")
    }

    /// Ranges lean away from a value at the end of its own: the reader is told which one that is.
    @Test func aFigureBeyondItsRangeSaysWhy() throws {
        var known = try ignorance()
        #expect(!(try screen(known)).contains("lies above what is plausible"))
        known.metrics[0].value = 2_000
        let text = try screen(known).split(separator: "\n").map { $0.trimmingCharacters(in: .whitespaces) }
            .joined(separator: " ")
        #expect(
            text.contains(
                "The figure lies above what is plausible: the scenario has at an end of its range: how often people"
                    + " open a page (100%), what part of their browsing the filter sees (100%)."), "\(text)")
        known.metrics[0].value = 10
        #expect(try screen(known).contains("lies below what is"))
    }

    @Test func theScreenSaysWhatMakesItAndWhatSettlesIt() throws {
        let text = try screen(ignorance()).split(separator: "\n").map {
            $0.trimmingCharacters(in: .whitespaces)
        }
        .joined(separator: " ")
        #expect(
            text.contains(
                "Most of what nobody knows of lookups a device-day: how often people open a page (61 %), what part of"
                    + " their browsing the filter sees (20 %)."), "\(text)")
        #expect(
            text.contains(
                "A day of your proxy log would narrow lookups a device-day to 400 to 950: urlfilter calibrate"
            ),
            "\(text)")
    }

    @Test func anObjectiveSaysHowSureItIs() throws {
        let text = try screen(ignorance())
        #expect(
            text.contains(
                "met in 31 % of what is plausible; fails above 80%: what part of their browsing the filter sees"
            ),
            "\(text)")
        #expect(try !screen(ignorance(met: 0.97)).contains("of what is plausible;"))
    }

    @Test func theScreenHasTwentyFourLines() throws {
        for ignorance in [try ignorance(), try ignorance(note: "it did not finish"), nil] {
            let lines = try screen(ignorance).split(separator: "\n", omittingEmptySubsequences: false)
                .dropLast()
            #expect(lines.count <= 24)
            #expect(lines.allSatisfy { $0.count <= 100 })
        }
    }

    @Test func aDesignThatDidNotFinishIsChanceOnly() throws {
        let text = try screen(ignorance(note: "the design did not finish, 12 of 40 points"))
        #expect(text.contains("chance only"))
        #expect(text.contains("the design did not finish, 12 of 40 points"))
        #expect(!text.contains("In brackets"))
        let details = try Document(result(ignorance(note: "it did not finish"))).text(.full)
        #expect(details.contains("! What nobody knows is in no figure here: it did not finish."))
    }

    @Test func theDetailsHaveEachPart() throws {
        let text = try Document(result(ignorance())).text(.full)
        #expect(text.contains("WHAT NOBODY KNOWS"))
        #expect(text.contains("which sites your people visit, and the day"))
        #expect(text.contains("other peaks"))
        #expect(text.contains("how often people open a page"))
    }

    /// The interval of chance inside that of what nobody knows, in the drawing and in its data.
    @Test func curvesAreFans() throws {
        let page = ReportPage.render(try result(ignorance()), manifest: nil)
        #expect(page.contains("class=\"k0\"") && page.contains("class=\"b0\""))
        #expect(page.contains("Inner band: chance; outer band: what nobody knows."))
        for end in ["0.031", "0.0721", "1.05"] { #expect(page.contains("value=\"\(end)\""), "\(end)") }
        // 2.5 lookups (2 to 3) of a day that may be half or twice: the logarithms add as squares.
        let ends = [2.5 * exp(-hypot(log(2), log(2.5 / 2))), 2.5 * exp(hypot(log(2), log(3 / 2.5)))]
        for end in ends {
            let values = page.matches(of: /value="([0-9.]+)"/).compactMap { Double($0.output.1) }
            #expect(values.contains { abs($0 / end - 1) < 1e-9 }, "\(end)")
        }
        // With chance alone there is one band.
        let chance = ReportPage.render(try result(nil), manifest: nil)
        #expect(!chance.contains("class=\"k0\"") && !chance.contains("outer band"))
    }

    @Test func thePageHasASectionWithATornado() throws {
        let page = ReportPage.render(try result(ignorance()), manifest: nil)
        #expect(page.contains("<h2>What we know</h2>"))
        #expect(page.contains("what each assumption makes of it"))
        #expect(!ReportPage.render(try result(nil), manifest: nil).contains("What we know"))
        #expect(ParsedPage(page).text.contains("how often people open a page"))
    }
}
