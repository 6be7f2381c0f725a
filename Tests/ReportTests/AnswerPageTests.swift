import Experiment
import Foundation
import Questions
import Report
import Testing

/// The pages of capacity, compare and a study, read back by an XML parser.
@Suite struct AnswerPageTests {
    private static func interval(_ low: Double, _ high: Double) -> String {
        #"{ "low": \#(low), "high": \#(high), "confidence": 0.95, "method": "t" }"#
    }

    private static func trial(_ size: Int, _ verdict: String, p99: Double, met: Int) -> String {
        """
        { "size": \(size), "verdict": { "\(verdict)": {} }, "replications": 29, "objectives": [
            { "expression": "lookup.latency p99 < 800ms", "metric": "lookup.latency", "statistic": "p99",
              "unit": "s", "limit": 0.8, "observed": \(p99), "interval": \(interval(p99 - 0.01, p99 + 0.01)),
              "passed": \(verdict == "passes"),
              "verdict": "\(verdict == "passes" ? "pass" : "fail")" }],
          "days": { "met": \(met), "missed": \(29 - met), "objectives": [
            { "expression": "lookup.latency p99 < 800ms", "unit": "s", "missed": \(29 - met) }] },
          "utilizations": [{ "service": "pir", "value": 0.25, "peak": \(p99) }] }
        """
    }

    private func capacity(_ name: String = "made") throws -> CapacityResult {
        let json = """
            { "schema": "urlfilter.capacity/1", "scenario": "\(name)", "subject": "devices", "goal": "largest",
              "daysShare": 0.9, "confidence": 0.95, "replicationSeconds": 86400, "firstGuess": 1234,
              "outcome": { "answer": 2000, "next": 3000, "isUndecided": false, "isInterrupted": false, "trials": [
                \(Self.trial(2000, "passes", p99: 0.625, met: 29)),
                \(Self.trial(3000, "fails", p99: 0.875, met: 3))] } }
            """
        return try JSONDecoder().decode(CapacityResult.self, from: Data(json.utf8))
    }

    @Test func theCapacityPageShowsTheLimitTheAnswerAndEverySize() throws {
        let page = ParsedPage(
            Document(try capacity("a<b>")).page(arguments: ["urlfilter", "capacity", "a b.yaml"]))
        #expect(page.isWellFormed, "\(page.complaint)")
        let text = page.text
        for part in [
            "a<b>: how many devices?", "✓ So plan for at most 2 000 with these servers.", "29 of 29",
            "3 000 misses lookup.latency p99 < 800ms", "urlfilter capacity 'a b.yaml'",
        ] { #expect(text.contains(part), "\(part)") }
        // Two panels, of days and of the objective, for wide and for narrow screens, each with its limit.
        #expect(page.all("line").count { $0.attributes["class"] == "limit" } == 4)
        let numbers = Set(page.figureNumbers.joined())
        #expect(numbers.isSuperset(of: [2000, 3000, 0.625, 0.875, 0.615, 0.885, 0.8, 29, 3, 0.25]))
        #expect(page.all("script").count == 1)
    }

    private static func row(
        _ metric: String, _ values: (Double, Double), _ bounds: (Double, Double), _ verdict: String?,
        candidateCut: Int? = nil
    ) -> String {
        let relative =
            values.0 == 0
            ? ""
            : """
            "relativeChange": \(values.1 / values.0 - 1),
            "relative": \(interval(bounds.0 / values.0, bounds.1 / values.0)),
            """
        return """
            { "metric": "\(metric)", "statistic": "count", "unit": "count", "better": "lower",
              "baseline": \(values.0), "candidate": \(values.1), "difference": \(interval(bounds.0, bounds.1)),
              "change": \(values.1 - values.0), \(relative) "pValue": 0.001, "hasSpread": true
              \(candidateCut.map { #", "candidateCut": \#($0)"# } ?? "")
              \(verdict.map { #", "verdict": "\#($0)""# } ?? "") }
            """
    }

    private static let list = """
        { "file": "l", "format": "plain", "keys": "normalized", "entries": 10, "duplicates": 0, "dropped": 0,
          "changed": 0, "hasTestEntry": false, "unmatchable": [] }
        """

    private func comparison(_ rows: [String]) throws -> Comparison {
        let side = { (name: String) in
            #"{ "name": "\#(name)", "replications": 6, "finished": true, "blocklist": \#(Self.list) }"#
        }
        let json = """
            { "schema": "urlfilter.compare/2", "baseline": \(side("before")), "candidate": \(side("after<i>")),
              "pairs": 6, "confidence": 0.95, "noiseBand": 0.01, "workloadDiffers": [],
              "settings": [{ "path": "filter.shouldFailClosed", "baseline": "false", "candidate": "true" }],
              "rows": [\(rows.joined(separator: ","))] }
            """
        return try JSONDecoder().decode(Comparison.self, from: Data(json.utf8))
    }

    @Test func theComparisonPageShowsEachChangeWithItsInterval() throws {
        let rows = [
            Self.row("url.leaked", (400, 100), (-350, -250), "better"),
            Self.row("page.broken", (0, 64), (32, 96), "worse"),
            Self.row("url.falselyBlocked", (10, 80), (60, 80), "worse"),
            Self.row("url.checked", (8, 9), (-1, 3), nil),
        ]
        let page = ParsedPage(
            Document(try comparison(rows)).page(arguments: ["urlfilter", "compare", "a", "b"]))
        #expect(page.isWellFormed, "\(page.complaint)")
        #expect(page.all("i").isEmpty && page.text.contains("before → after<i>"))
        #expect(page.text.contains("A TRADE: of 3 figures 2 worse, 1 better."))
        let tiles = page.all("li").filter { $0.parents.contains("ul") && $0.attributes["class"] == "fail" }
        #expect(tiles.map(\.text).count == 2)
        // Green is what got better, and only that.
        #expect(page.all("li").count { $0.attributes["class"] == "pass" } == 1)
        let numbers = Set(page.figureNumbers.joined())
        #expect(numbers.isSuperset(of: [400, 100, -350, -250, -0.75, 64, 32, 96, 9]))
        // Seven times as much lies beyond the chart.
        #expect(page.all("text").count { $0.text == "▸" } == 2)
        #expect(page.text.contains("filter.shouldFailClosed"))
    }

    /// Nobody knows how two runs differ in what neither reached: text and page show the least and no change.
    @Test func whatNoRunReachedHasNoChange() throws {
        let neither = """
            { "metric": "freshness.block", "statistic": "p99", "unit": "s", "better": "lower", "baseline": 32400,
              "candidate": 86400, "baselineCut": 6, "candidateCut": 6, "hasSpread": false, "verdict": "not reached" }
            """
        let later = """
            { "metric": "freshness.block", "statistic": "p90", "unit": "s", "better": "lower", "baseline": 3600,
              "candidate": 7200, "candidateCut": 3, "difference": \(Self.interval(3000, 4200)), "change": 3600,
              "relativeChange": 1, "relative": \(Self.interval(0.8, 1.2)), "pValue": 0.001, "hasSpread": true,
              "verdict": "worse" }
            """
        let found = try comparison([neither, later])
        let note = "≥: the runs end before the value is reached"
        for text in [Document(found).text(.brief), Document(found).text(.full)] {
            let lines = text.split(separator: "\n").map { line in
                line.split(separator: " ").joined(separator: " ")
            }
            #expect(
                lines.contains { $0.hasSuffix("≥ 9.00 h ≥ 1.00 d unknown not reached in either") }, "\(text)")
            #expect(
                lines.contains { $0.hasSuffix("1.00 h ≥ 2.00 h ≥ +100 % [+80.0, +120] worse") }, "\(text)")
            #expect(text.contains(note))
        }
        #expect(Document(found).text(.brief).contains("1 worse, 1 not reached."))
        let page = ParsedPage(Document(found).page(arguments: ["urlfilter", "compare", "a", "b"]))
        #expect(page.isWellFormed, "\(page.complaint)")
        #expect(page.text.contains("not reached in either") && page.text.contains(note))
        #expect(page.text.contains("≥ +100 %") && page.text.contains("unknown"))
        let only = Document(try comparison([neither])).text(.brief)
        #expect(only.contains("CANNOT TELL") && only.contains("So the runs are too short to tell"))
    }

    @Test func thePageOfAStudyHasBothSidesOfEachScenario() throws {
        let row = Self.row("url.leaked", (400, 100), (-350, -250), "better", candidateCut: 2)
        let side = #"{ "name": "s", "replications": 6, "finished": true, "blocklist": \#(Self.list) }"#
        let json = """
            { "schema": "urlfilter.study/2", "changes": ["a=b"], "confidence": 0.95, "noiseBand": 0.01, "planned": 1,
              "sides": { "baseline": "as it stands", "candidate": "a=b" },
              "entries": [{ "name": "PIR outage", "baseline": \(side), "candidate": \(side), "figures": [
                { "row": \(row), "baseline": \(Self.interval(300, 500)) }] }] }
            """
        let study = try JSONDecoder().decode(StudyComparison.self, from: Data(json.utf8))
        let page = ParsedPage(Document(study).page(arguments: ["urlfilter", "compare", "folder"]))
        #expect(page.isWellFormed, "\(page.complaint)")
        #expect(page.text.contains("1 figure compared, 1 better, 0 worse"))
        #expect(page.all("text").contains { $0.text.hasPrefix("≥") })
        #expect(Set(page.figureNumbers.joined()).isSuperset(of: [400, 100, 300, 500]))
    }
}
