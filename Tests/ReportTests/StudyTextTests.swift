import Decoding
import Experiment
import Foundation
import Questions
import Report
import Testing

/// The table of a study and the words about a recovery, from values made by hand.
@Suite struct StudyTextTests {
    private func interval(_ low: Double, _ high: Double) -> String {
        #"{ "low": \#(low), "high": \#(high), "confidence": 0.95, "method": "t" }"#
    }

    private func figure(
        _ metric: String, _ verdict: String, _ before: (Double, String?), _ after: (Double, String?),
        cut: Int?
    ) -> String {
        let intervals = [("baseline", before.1), ("candidate", after.1)].compactMap { name, interval in
            interval.map { #""\#(name)": \#($0), "# }
        }
        return """
            { \(intervals.joined())
              "row": { "metric": "\(metric)", "statistic": "\(metric == "fleet.recovery" ? "max" : "count")",
                "unit": "count", "better": "lower", "baseline": \(before.0), "candidate": \(after.0),
                \(cut.map { #""candidateCut": \#($0),"# } ?? "")
                "difference": \(interval(-1, 1)), "change": \(after.0 - before.0), "pValue": 0.5, "hasSpread": true,
                "verdict": "\(verdict)" } }
            """
    }

    private func study() throws -> StudyComparison {
        let side = """
            { "name": "s", "replications": 6, "finished": true,
              "blocklist": { "file": "l", "format": "plain", "keys": "normalized", "entries": 10, "duplicates": 0,
                "dropped": 0, "changed": 0, "hasTestEntry": false, "unmatchable": [] } }
            """
        let figures = [
            figure("url.leaked", "better", (278, interval(177, 379)), (0, interval(0, 0.615)), cut: nil),
            figure("fleet.recovery", "worse", (30, nil), (6_835, interval(6_673, 6_997)), cut: 2),
        ]
        let json = """
            { "schema": "urlfilter.study/2", "changes": ["filter.fails=true"], "confidence": 0.95,
              "noiseBand": 0.01, "planned": 1,
              "sides": { "baseline": "as it stands", "candidate": "filter.fails=true" }, "entries": [{ "name": "PIR outage", "baseline": \(side), "candidate": \(side),
              "figures": [\(figures.joined(separator: ","))] }] }
            """
        return try JSONDecoder().decode(StudyComparison.self, from: Data(json.utf8))
    }

    @Test func aStudyIsOneTable() throws {
        let lines = Document(try study()).text(.brief).split(separator: "\n").map(String.init)
        let cells = lines.prefix(4).map { line in
            line.components(separatedBy: "  ").map { $0.trimmingCharacters(in: .whitespaces) }.filter {
                !$0.isEmpty
            }
        }
        #expect(
            cells == [
                ["SCENARIO", "let through", "wrongly blocked", "pages broken", "s until healthy"],
                ["PIR outage", "as it stands", "278 ± 101", "–", "–", "30.0"],
                ["filter.fails=true", "< 0.615", "–", "–", "≥ 6835 ± 162"],
                ["change", "better", "–", "–", "worse"],
            ])
        #expect(Set(lines.prefix(4).map(\.count)).count == 1)
        #expect(lines.last == "2 figures compared, 1 better, 1 worse")
    }

    /// A table that is too wide goes on below, with the names again, and loses no cell.
    @Test func aWideStudyIsTwoTables() throws {
        let wide = String(repeating: "x", count: 45)
        var study = try study()
        let narrow = Document(study).text(.brief).split(separator: "\n").first.map(String.init)
        study.sides.candidate = wide
        let lines = Document(study).text(.brief).split(separator: "\n", omittingEmptySubsequences: false)
        let table = lines.prefix(9).map(String.init)
        #expect(table.allSatisfy { $0.count <= 100 } && table[4].isEmpty, "\(table)")
        let heads = [table[0], table[5]].flatMap { $0.components(separatedBy: "  ") }
        let words = Set(heads.map { $0.trimmingCharacters(in: .whitespaces) })
        let all = try #require(narrow).components(separatedBy: "  ")
        #expect(words == Set(all.map { $0.trimmingCharacters(in: .whitespaces) }))
        #expect(table[2].contains(wide) && table[7].contains(wide))
    }

    @Test func aStudyIsADocument() throws {
        let study = try study()
        let text = try JSONText.render(study)
        #expect(text.contains(#""schema" : "urlfilter.study/2""#))
        #expect(try JSONDecoder().decode(StudyComparison.self, from: Data(text.utf8)) == study)
    }

    @Test(
        "a recovery says what was not seen",
        arguments: [
            ([0.0, 0], 0, "at once"), ([20.0, 40], 0, "30.0 ± 20.0 s"),
            ([20.0, 40], 1, "at least 30.0 ± 20.0 s, not seen in 1 of 2 replications"),
        ])
    func recoveries(samples: [Double], censored: Int, text: String) throws {
        let json = """
            { "fault": "outage of pir", "begin": 0, "end": 1, "failureShare": 0.05, "windowSeconds": 300,
              "value": \(samples.reduce(0, +) / 2), "interval": \(interval(10, 50)),
              "perReplication": [\(samples.map { "\($0)" }.joined(separator: ","))], "censored": \(censored) }
            """
        let recovery = try JSONDecoder().decode(RecoveryResult.self, from: Data(json.utf8))
        #expect(recovery.words == text)
    }
}
