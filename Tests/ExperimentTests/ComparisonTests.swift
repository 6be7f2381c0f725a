import Experiment
import Foundation
import Questions
import RunMetrics
import TestSupport
import Testing

/// Comparisons of results made by hand.
@Suite struct ComparisonTests {
    private static func metric(
        _ values: [Double?], _ name: String = "lookup.latency", _ statistic: String = "p99",
        _ better: Metric.Direction = .lower, cut: Int? = nil
    ) -> String {
        let samples = values.map { $0.map { "\($0)" } ?? "null" }.joined(separator: ",")
        return """
            {"name": "\(name)", "statistic": "\(statistic)", "unit": "s", "better": "\(better.rawValue)",
             "value": 0, \(cut.map { "\"cut\": \($0)," } ?? "") "method": "none",
             "samples": \(values.count { $0 != nil }), "perReplication": [\(samples)]}
            """
    }

    /// A result as its JSON says it, with nothing but what a comparison looks at.
    private static func result(
        _ metrics: [String], seed: UInt64 = 1, devices: Int = 10, replications: Int = 3,
        settings: [String: String] = [:], objectives: [String] = []
    ) throws -> RunResult {
        let judged = objectives.map {
            #"{"expression": "", "metric": "lookup.latency", "statistic": "\#($0)", "unit": "s", "limit": 1, "verdict": "cannot tell", "passed": true}"#
        }
        let list = settings.sorted { $0.key < $1.key }.map {
            #"{"path": "\#($0.key)", "value": "\#($0.value)", "isDerived": false}"#
        }
        return try RunResult.decode(
            Data(
                """
                {"schema": "urlfilter.result/2", "finished": true,
                 "scenario": {"name": "made", "seed": \(seed), "fidelity": "calibrated", "devices": \(devices),
                   "duration": 60, "warmUp": 0, "warmUpMethod": "fixed", "drain": 0,
                   "failurePolicy": "fail open", "architecture": "urlFilter", "varied": ["the loads"], "heldFixed": ["the list"],
                   "settings": [\(list.joined(separator: ","))]},
                 "blocklist": {"file": "l", "format": "f", "entries": 1, "duplicates": 0, "dropped": 0,
                   "changed": 0, "keys": "normalized", "hasTestEntry": false, "unmatchable": []},
                 "traces": [], "modelled": [],
                 "filter": {"bitCount": 8, "hashCount": 1, "murmurSeed": 0, "byteCount": 1, "fillRatio": 0,
                   "predictedStringRate": 0, "probes": 1,
                   "countedStringRate": {"low": 0, "high": 0, "confidence": 0.95, "method": "m"}},
                 "points": [{"settings": {}, "replications": \(replications), "fingerprints": [], "events": 0,
                   "thinTails": [], "recoveries": [], "disclosures": [], "identities": [],
                   "metrics": [\(metrics.joined(separator: ","))], "analytic": [],
                   "objectives": [\(judged.joined(separator: ","))], "warnings": [],
                   "counts": {"urlsChecked": 0, "urlsUnparseable": 0, "stringsTested": 0, "urlsHit": 0,
                     "urlsListed": 0, "verdicts": {}, "answeredByCache": 0, "policyCauses": {}, "leaked": 0,
                     "falselyBlocked": 0, "unfinished": 0, "lookupsSent": 0, "lookupsAnswered": 0,
                     "lookupsAnsweredLate": 0, "lookupsCoalesced": 0, "lookupFailures": {},
                     "lookupsUnfinished": 0, "realLookupsChecked": 0, "realLookupDisagreements": 0}}]}
                """.utf8))
    }

    private static func compare(
        _ before: [Double?], _ after: [Double?], noise: Double = 0.01, seeds: (UInt64, UInt64) = (1, 1)
    ) throws -> Comparison {
        try Comparison(
            result([metric(before)], seed: seeds.0, replications: before.count),
            result([metric(after)], seed: seeds.1, replications: after.count),
            names: ("a", "b"), noiseBand: noise)
    }

    @Test func aSmallShiftOfNoisyPairsIsSeenOnlyWithTheSameSeeds() throws {
        let before: [Double?] = [1, 5, 9, 2, 7, 4]
        let after = before.map { $0.map { $0 * 1.1 } }
        let paired = try Self.compare(before, after)
        let row = try #require(paired.rows.first)
        #expect(paired.pairs == 6 && row.verdict == .worse)
        #expect(try #require(row.relativeChange) > 0.0999 && #require(row.relativeChange) < 0.1001)
        let unpaired = try Self.compare(before, after, seeds: (1, 2))
        #expect(unpaired.pairs == nil && unpaired.rows.first?.verdict == .noDifferenceSeen)
        #expect(unpaired.regressions == 0 && paired.regressions == 1)
    }

    @Test(
        "verdicts",
        arguments: [
            // What all pairs agree in is sure from six pairs on, and is there anything at all by the histogram's buckets?
            ([1.0, 1, 1], [1.2, 1.2, 1.2], Comparison.Verdict.tooFewReplications),
            ([1.0, 1], [0.8, 0.8], .tooFewReplications),
            ([1.0, 1, 1, 1, 1, 1], [1.2, 1.2, 1.2, 1.2, 1.2, 1.2], .worse),
            ([1.0, 1, 1, 1, 1, 1], [0.8, 0.8, 0.8, 0.8, 0.8, 0.8], .better),
            ([1.0, 1, 1, 1, 1, 1], [1.005, 1.005, 1.005, 1.005, 1.005, 1.005], .withinNoiseBand),
            ([1.0, 1], [1.0004, 1.0004], .noDifferenceSeen),
            ([1.0, 1, 1], [1, 1, 1], .noDifferenceSeen),
            ([1.0, 2, 3], [1.5, 1.4, 3.3], .noDifferenceSeen),
            // Its whole interval is inside the noise band.
            ([1.0, 2, 3], [1.004, 1.995, 3.002], .noDifference),
        ])
    func verdicts(before: [Double], after: [Double], verdict: Comparison.Verdict) throws {
        #expect(try Self.compare(before, after).rows.first?.verdict == verdict)
    }

    /// One difference of p = 0.04 alone is significant at 5 %; among six of its kind it is not, and more pairs would tell.
    @Test func manyPrimaryMetricsRaiseTheBar() throws {
        let before = [10.0, 11, 12, 13, 14], after = [10.9, 11.2, 13.1, 13.3, 14.9]
        let names = ["mean", "p50", "p90", "p95", "p99", "max"]
        let one = try Self.compare(before, after)
        let pValue = try #require(one.rows.first?.pValue)
        #expect(pValue > 0.05 / 6 && pValue < 0.05 && one.rows.first?.verdict == .worse)
        func compared(objectives: [String]) throws -> Comparison {
            try Comparison(
                Self.result(
                    names.map { Self.metric(before, "lookup.latency", $0) }, replications: 5,
                    objectives: objectives),
                Self.result(names.map { Self.metric(after, "lookup.latency", $0) }, replications: 5),
                names: ("a", "b"), noiseBand: 0.01)
        }
        let many = try compared(objectives: names)
        #expect(many.rows.count == 6 && many.rows.allSatisfy { $0.verdict == .tooFewReplications })
        #expect(many.rows.allSatisfy { row in row.adjustedPValue == row.pValue.map { min(1, 6 * $0) } })
        #expect(many.rows.allSatisfy { $0.moreReplications.map { (1...6).contains($0) } == true })
        // The interval that is shown agrees: it contains 0.
        #expect(many.rows.compactMap(\.difference).count { $0.low < 0 && $0.high > 0 } == 6)
        // What no objective names neither raises the bar nor gets a verdict.
        let few = try compared(objectives: ["mean", "p50"])
        #expect(few.rows.map { $0.verdict != nil } == [true, true, false, false, false, false])
        #expect(few.rows.compactMap(\.adjustedPValue).allSatisfy { $0 == 2 * pValue })
        // Without objectives the wait of half and of 99 of 100 decides.
        let usual = try compared(objectives: [])
        #expect(usual.rows.filter { $0.verdict != nil }.map(\.statistic) == ["p50", "p99"])
    }

    /// Listed URLs let through where none was before, among all usual figures.
    @Test(arguments: [3, 10])
    func anOverwhelmingChangeIsSeen(replications: Int) throws {
        let none = [Double](repeating: 0, count: replications)
        // A mean of 46 252 ± 9 609, of three or ten replications.
        let range = replications == 3 ? 7_736.0 : 42_100
        let many = (0..<replications).map { 46_252 + range * (Double($0) / Double(replications - 1) - 0.5) }
        func result(_ leaked: [Double]) throws -> RunResult {
            let flat = [Double](repeating: 0.1, count: replications)
            return try Self.result(
                [
                    Self.metric(flat), Self.metric(flat, "lookup.latency", "p50"),
                    Self.metric(leaked, "url.leaked", "count"), Self.metric(none, "page.broken", "count"),
                    Self.metric(none, "url.falselyBlocked", "count"),
                    Self.metric(flat, "lookup.perDeviceDay", "rate"),
                    Self.metric(flat, "pir.utilization", "mean"),
                ], replications: replications)
        }
        let comparison = try Comparison(result(none), result(many), names: ("a", "b"), noiseBand: 0.01)
        let leaked = try #require(comparison.rows.first { $0.metric == "url.leaked" })
        #expect(comparison.rows.count == 7 && leaked.verdict == .worse)
        #expect(try #require(leaked.difference).low > 0)
        // Deterministic, too.
        let same = try Comparison(
            result(none), result([Double](repeating: 46_252, count: replications)), names: ("a", "b"),
            noiseBand: 0.01)
        #expect(same.rows.first { $0.metric == "url.leaked" }?.verdict == .worse)
    }

    /// Half the width of Student's interval, t = 4.303 for three pairs, does not depend on where it is cut.
    @Test func nothingFallsByMoreThanAllOfIt() throws {
        let row = try #require(try Self.compare([2, 10, 3], [0.5, 0.5, 0.5]).rows.first)
        let relative = try #require(row.relative)
        #expect(relative.low == -1 && relative.high > 1 && row.difference?.low == -5)
        let halfWidth = 4.302653 * 4.358899 / 3.0.squareRoot()
        #expect(try abs(#require(row.halfWidth) - halfWidth) < 1e-4)
        func share(_ values: [Double]) throws -> RunResult {
            try Self.result([Self.metric(values, "pir.utilization", "mean")])
        }
        let full = try Comparison(
            share([0.8, 0.95, 0.65]), share([0.9, 0.9, 0.99]), names: ("a", "b"), noiseBand: 0.01)
        // From 80 % on, 20 points more are all there is.
        #expect(try abs(#require(full.rows.first?.difference).high - 0.2) < 1e-12)
    }

    @Test func aReplicationWithoutAValueLeavesItsPairOut() throws {
        let row = try #require(try Self.compare([1, nil, 3, 5], [2, 9, 4, 6]).rows.first)
        #expect(row.baseline == 3 && row.candidate == 4 && row.change == 1)
    }

    @Test func aBaselineOfZeroHasNoRelativeChange() throws {
        let row = try #require(try Self.compare([0, 0, 0], [2, 2, 2]).rows.first)
        #expect(row.relativeChange == nil && row.change == 2 && row.verdict == .tooFewReplications)
    }

    /// Values that runs ended before are the least that they can be. What is said of the change holds whatever they
    /// are in truth: each is tried as it stands, a little larger and much larger.
    @Test(
        "a change is told as far as what was not reached lets it",
        arguments: [
            (4.0, Comparison.Verdict.worse, Comparison.Bound?.some(.atLeast)), (-3, .notReached, nil),
            (0, .notReached, nil),
        ])
    func bounds(more: Double, verdict: Comparison.Verdict, bound: Comparison.Bound?) throws {
        let before = [4.0, 5, 6, 5, 4, 6]
        let after = before.map { $0 + more }
        let result = { try Self.result([Self.metric($0, cut: $1)], replications: 6) }
        let found = try Comparison(
            result(before, nil), result(after, 6), names: ("a", "b"), noiseBand: 0.01)
        let row = try #require(found.rows.first)
        #expect(row.verdict == verdict && row.bound == bound && row.candidateCut == 6)
        let truths = try [1, 1.1, 100].map { factor in
            try #require(try Self.compare(before, after.map { $0 * factor }).rows.first)
        }
        if let least = row.change {
            #expect(truths.allSatisfy { $0.verdict == verdict && $0.change.map { $0 >= least } == true })
        } else {
            #expect(Set(truths.map(\.verdict)).count > 1)
            #expect(row.difference == nil && row.pValue == nil && row.relativeChange == nil)
        }
        // The other way round the baseline is what was not reached.
        let turned = try #require(
            try Comparison(result(after, 6), result(before, nil), names: ("b", "a"), noiseBand: 0.01)
                .rows.first)
        #expect(turned.verdict == (verdict == .worse ? .better : .notReached))
        #expect(turned.bound == bound.map { _ in .atMost } && turned.baselineCut == 6)
        #expect(turned.change == row.change.map { -$0 })
    }

    /// Two runs that end before a value is reached differ by anything: no number stands for it, and it does not
    /// make the others harder to tell.
    @Test func twoBoundsHaveNoDifference() throws {
        func result(_ cut: Double, _ other: [Double]) throws -> RunResult {
            try Self.result(
                [
                    Self.metric([cut, cut, cut, cut, cut], cut: 5),
                    Self.metric(other, "lookup.latency", "p50"),
                ], replications: 5)
        }
        let comparison = try Comparison(
            result(9, [10, 11, 12, 13, 14]), result(24, [10.9, 11.2, 13.1, 13.3, 14.9]), names: ("a", "b"),
            noiseBand: 0.01)
        let rows = Dictionary(uniqueKeysWithValues: comparison.rows.map { ($0.statistic, $0) })
        let cut = try #require(rows["p99"])
        #expect(cut.verdict == .notReached && cut.change == nil && cut.difference == nil)
        #expect(cut.baseline == 9 && cut.candidate == 24 && comparison.regressions == 1)
        let other = try #require(rows["p50"])
        #expect(other.adjustedPValue == other.pValue && other.verdict == .worse)
        let document = try JSONDecoder().decode(Comparison.self, from: JSONEncoder().encode(comparison))
        #expect(document == comparison)
    }

    @Test func neutralMetricsAreShownOnRequestAndNeverJudged() throws {
        let neutral = Self.metric([100, 110], "url.checked", "count", .neither)
        let other = Self.metric([200, 210], "url.checked", "count", .neither)
        let without = try Comparison(
            Self.result([neutral]), Self.result([other]), names: ("a", "b"), noiseBand: 0)
        #expect(without.rows.isEmpty)
        let with = try Comparison(
            Self.result([neutral]), Self.result([other]), names: ("a", "b"), noiseBand: 0,
            includesNeutral: true)
        #expect(with.rows.map(\.verdict) == [nil] && with.regressions == 0)
    }

    @Test func differentWorkloadsAreRefusedUnlessAskedFor() throws {
        let left = try Self.result([Self.metric([1, 2])]),
            right = try Self.result([Self.metric([1, 2])], devices: 11)
        #expect(throws: ComparisonError.workloadDiffers(["devices: 10 and 11"])) {
            try Comparison(left, right, names: ("a", "b"), noiseBand: 0)
        }
        let anyway = try Comparison(left, right, names: ("a", "b"), noiseBand: 0, evenIfDifferent: true)
        #expect(anyway.pairs == nil && anyway.workloadDiffers.count == 1)
    }

    /// Replications with a web of their own are no pairs of those that share one.
    @Test func whatReplicationsVaryIsPartOfTheWorkload() throws {
        #expect(throws: ComparisonError.workloadDiffers(["replicate: web and not set"])) {
            try Comparison(
                Self.result([Self.metric([1, 2])], settings: ["replicate": "web"]),
                Self.result([Self.metric([1, 2])]), names: ("a", "b"), noiseBand: 0)
        }
    }

    @Test func settingsThatDifferAreListed() throws {
        let comparison = try Comparison(
            Self.result([Self.metric([1, 2])], settings: ["a.b": "1", "c": "x"]),
            Self.result([Self.metric([1, 2])], settings: ["a.b": "2", "d": "y"]), names: ("a", "b"),
            noiseBand: 0)
        let lines = comparison.settings.map { "\($0.path): \($0.baseline ?? "-"), \($0.candidate ?? "-")" }
        #expect(lines == ["a.b: 1, 2", "c: x, -", "d: -, y"])
    }

    @Test func oneReplicationIsNotComparable() {
        #expect(throws: ComparisonError.tooFewReplications(1)) { try Self.compare([1], [2]) }
    }

    @Test func aWrittenResultIsReadBackAndBrokenOnesAreNamed() throws {
        let folder = try TemporaryFolder()
        let written = try Self.result([Self.metric([1, nil, 2])])
        _ = try folder.write(String(decoding: try written.json(), as: UTF8.self), to: "summary.json")
        #expect(try ResultFile.read(path: folder.path) == written)
        #expect(try ResultFile.read(path: folder.path + "/summary.json") == written)
        let cases: [(String, ResultFileError)] = [
            ("{", .notJSON(folder.path + "/x.json")),
            (
                "{\"schema\": \"other/1\"}",
                .schema(folder.path + "/x.json", found: "other/1", expected: RunResult.schema)
            ),
            (
                "{\"schema\": \"urlfilter.result/1\", \"finished\": true}",
                .schema(folder.path + "/x.json", found: "urlfilter.result/1", expected: RunResult.schema)
            ),
            (
                "{\"schema\": \"urlfilter.result/2\"}",
                .malformed(folder.path + "/x.json", place: "finished")
            ),
        ]
        for (text, error) in cases {
            let path = try folder.write(text, to: "x.json")
            #expect(throws: error) { try ResultFile.read(path: path) }
        }
        #expect(throws: ResultFileError.missing("/no/such")) { try ResultFile.read(path: "/no/such") }
    }
}
