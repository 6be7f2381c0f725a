import Experiment
import Foundation
import Report
import RunMetrics
import Scenarios
import Testing
import Wording

/// The terminal summary of a run, against a result made by hand.
@Suite struct RunTextTests {
    private func metric(
        _ name: String, _ statistic: String, _ unit: String, _ value: Double, _ half: Double
    ) -> String {
        """
        { "name": "\(name)", "statistic": "\(statistic)", "unit": "\(unit)", "better": "lower",
          "value": \(value), "perReplication": [\(value), null], "method": "Student's t", "samples": 1,
          "interval": { "low": \(value - half), "high": \(value + half), "confidence": 0.95, "method": "t" } }
        """
    }

    private func decode<Value: Decodable>(_ json: String) throws -> Value {
        try JSONDecoder().decode(Value.self, from: Data(json.utf8))
    }

    private func result(_ change: (inout RunResult) throws -> Void = { _ in }) throws -> RunResult {
        let metrics = [
            metric("url.hit", "rate", "1", 0.0201, 0.0003), metric("url.leaked", "count", "count", 2, 0),
            metric("lookup.latency", "p99", "s", 0.6204, 0.053),
            metric("lookup.pirWaiting", "mean", "s", 0.0001, 0.00001),
            metric("gateway.utilization", "mean", "1", 0.0000333123, 0.00000517123),
            metric("gateway.queue", "mean", "count", 6.93e-9, 2.98e-8),
            metric("gateway.queue", "max", "count", 1.0 / 3, 1),
            metric("queries.requests", "count", "count", 1_234_567, 123_456),
            metric("queries.requests", "peak", "count", 12_345, 1),
            metric("queries.request", "mean", "B", 29_355, 1),
            metric("queries.request", "max", "B", 57_329, 1),
            metric("queries.response", "mean", "B", 24_973, 1),
            metric("queries.response", "max", "B", 49_288, 1),
            metric("prefilter.downloads", "count", "count", 24, 0),
            metric("prefilter.traffic", "total", "B", 86_232, 0),
        ]
        let json = """
            { "schema": "urlfilter.result/2", "finished": true,
              "modelled": ["\(String(repeating: "what is left out ", count: 12))"],
              "scenario": { "name": "small", "seed": 7, "fidelity": "real", "devices": 24, "duration": 600,
                "warmUp": 0, "warmUpMethod": "fixed", "drain": 30, "failurePolicy": "fail open",
                "architecture": "urlFilter", "varied": ["the loads"], "heldFixed": ["the list"], "settings": [] },
              "blocklist": { "file": "list.txt", "format": "plain", "entries": 1999, "duplicates": 0,
                "dropped": 0, "changed": 0,
                "keys": "normalized", "hasTestEntry": false, "unmatchable": [{ "rules": "iOS26", "entries": 1999, "count": 0, "groups": [] }] },
              "traces": [{ "file": "day.csv", "format": "csv", "records": 4385, "dropped": 0, "clients": 24,
                "seconds": 597, "hasOneHost": false, "hoursOfDay": 1 }],
              "filter": { "bitCount": 28741, "hashCount": 10, "murmurSeed": 1, "byteCount": 3593,
                "fillRatio": 0.5, "predictedStringRate": 0.00102, "probes": 4194304,
                "countedStringRate": { "low": 0.000951, "high": 0.00101, "confidence": 0.95, "method": "x" } },
              "points": [{ "settings": {}, "replications": 3, "fingerprints": [], "events": 9,
                "thinTails": [], "recoveries": [], "disclosures": [], "identities": [],
                "metrics": [\(metrics.joined(separator: ", "))],
                "counts": { "urlsChecked": 1234567, "urlsUnparseable": 0, "stringsTested": 0, "urlsHit": 0,
                  "urlsListed": 0, "verdicts": {}, "answeredByCache": 0, "leaked": 0, "falselyBlocked": 0,
                  "policyCauses": { "timeout": 12, "notReady": 3 }, "unfinished": 0, "lookupsSent": 0,
                  "lookupsAnswered": 0, "lookupsAnsweredLate": 0, "lookupsCoalesced": 0, "lookupsUnfinished": 0,
                  "lookupFailures": { "unavailable": 4 }, "realLookupsChecked": 242,
                  "realLookupDisagreements": 0 },
                "analytic": [{ "name": "lookup.pirWaiting mean", "formula": "Allen-Cunneen", "unit": "s",
                  "predicted": 0.00012, "simulated": 0.0001 }],
                "objectives": [
                  { "expression": "lookup.latency p99 < 800ms", "metric": "lookup.latency", "statistic": "p99",
                    "unit": "s", "limit": 0.8, "observed": 0.6204, "passed": true, "verdict": "pass",
                    "interval": { "low": 0.5674, "high": 0.6734, "confidence": 0.95, "method": "t" } },
                  { "expression": "url.leaked count == 0", "metric": "url.leaked", "statistic": "count",
                    "unit": "count", "limit": 0, "observed": 2, "passed": false, "verdict": "fail" }],
                "warnings": [{ "code": "day.stretched", "message": "\(String(repeating: "long words ", count: 20))" }] }] }
            """
        var result = try RunResult.decode(Data(json.utf8))
        try change(&result)
        return result
    }

    private func lines(_ result: RunResult) -> [String] {
        Document(result).text(.full).split(separator: "\n", omittingEmptySubsequences: false).map(String.init)
    }

    @Test(arguments: [(1, "day", "1 day"), (3, "day", "3 days"), (1_500, "entry", "1 500 entries")])
    func nounsHaveTheirPlural(_ count: Int, _ noun: String, _ words: String) {
        #expect(Format.count(count, noun) == words)
    }

    @Test func nothingIsWiderThanAHundredColumns() throws {
        for line in lines(try result()) { #expect(line.count <= 100, "\(line)") }
    }

    @Test func theTablesLineUp() throws {
        let text = lines(try result())
        for title in ["SERVICES", "ENDPOINTS"] {
            guard let header = text.firstIndex(where: { $0.hasPrefix(title) }) else {
                Issue.record("no \(title)")
                continue
            }
            let rows = text[header...].prefix { !$0.isEmpty && !$0.hasPrefix("  requests per") }
            #expect(rows.count >= 2)
            #expect(Set(rows.map(\.count)).count == 1, "\(rows)")
        }
    }

    @Test func theHeadSaysWhatWasRun() throws {
        let head = lines(try result()).prefix(6)
        #expect(
            head == [
                "small",
                "24 devices · 10.0 min simulated · no warm-up · 3 replications · seed 7 · real · fail open",
                "trace of 4 385 records, 24 clients, 9.95 min: day.csv",
                "list 1 999 entries · prefilter 3593 B (bitCount 28741, hashCount 10)",
                "keys normalized: every entry can match, on iOS 26",
                "stray hits per lookup string: 0.00102 predicted, 0.000951 to 0.00101 counted",
            ])
    }

    @Test func objectivesAreAnswersInWords() throws {
        let text = lines(try result())
        #expect(text.contains("  lookup.latency p99 < 800ms              pass         620 ± 53.0 ms"))
        #expect(text.contains("  url.leaked count == 0                   FAIL         2"))
        #expect(text.dropLast().last == "FAIL: 1 of 2 objectives missed")
    }

    @Test func sharesCountsAndCausesAreShown() throws {
        let text = lines(try result())
        for line in [
            "  checked                        1 234 567", "  hit the prefilter              2.01 ± 0.0300 %",
            "    because of timeout           12", "    because of notReady          3",
            "    because of unavailable       4",
            "  listed, let through            2 per replication",
            "  p99                            620 ± 53.0 ms",
            "real lookups checked: 242, disagreements: 0",
            "CLOSED FORMS              predicted  simulated",
            "  lookup.pirWaiting mean   0.120 ms   0.100 ms",
            "  lookup.pirWaiting mean: Allen-Cunneen",
        ] { #expect(text.contains(line), "\(line)") }
    }

    @Test func theMethodOfTheIntervalsIsToldOnce() throws {
        let text = lines(
            try result {
                let last = $0.points[0].metrics.count - 1
                $0.points[0].metrics[last].method = .controlVariates
                $0.points[0].metrics[last].varianceReduction = 0.84
                $0.points[0].controls = try decode(
                    #"[{ "name": "planned visits", "expectation": 5, "perReplication": [4] }]"#)
                $0.points[0].identities = try decode(
                    #"[{ "name": "a", "formula": "b", "checks": 12, "violations": 0 }]"#)
            })
        for line in [
            "± and (from … to): a 95.0 % interval of the mean, t; of counts and shares never narrower than chance",
            "variance saved by planned visits, whose mean is known: prefilter.traffic total 84.0 %",
            "identities: 12 checks of 1 hold in every replication",
        ] { #expect(text.contains(line), "\(line)") }
    }

    @Test func aNumberOfEventsIsOfAThousandDevicesInADay() throws {
        let text = lines(
            try result {
                for index in $0.points[0].metrics.indices
                where $0.points[0].metrics[index].name == "url.leaked" {
                    $0.points[0].metrics[index].perThousandDeviceDays = try decode(
                        #"{ "value": 12000, "extrapolatedFrom": 600 }"#)
                }
            })
        #expect(
            text.contains(
                "  listed, let through            12 000 per 1 000 devices and day, extrapolated from 10.0 min"
            ))
    }

    @Test func aZeroIsShownWithItsUpperBound() throws {
        let text = lines(
            try result {
                for index in $0.points[0].metrics.indices
                where $0.points[0].metrics[index].name == "url.leaked" {
                    $0.points[0].metrics[index].value = 0
                    $0.points[0].metrics[index].interval?.low = 0
                    $0.points[0].metrics[index].interval?.high = 1.23
                }
            })
        #expect(text.contains("  listed, let through            0; 95 % sure: below 1.23 per replication"))
    }

    /// By hand: five replications without any say at 95 % that fewer than 1 - 0.05^(1/5) = 45.07 % have some.
    @Test func goodReplicationsBoundTheShareOfBadOnes() throws {
        let text = try Document(
            result {
                for index in $0.points[0].metrics.indices
                where $0.points[0].metrics[index].name == "url.leaked" {
                    $0.points[0].metrics[index].value = 0
                    $0.points[0].metrics[index].interval?.low = 0
                    $0.points[0].metrics[index].unseen = try decode(
                        #"{ "replications": 5, "affectedBelow": 0.4507197 }"#)
                }
            }
        ).text(.full, width: 1_000)
        #expect(
            text.contains("(in none of 5 replications; of others fewer than 45.1 % have any)")
        )
    }

    @Test func anIntervalIsShownByItsEndsWhereTheValueIsNotInItsMiddle() throws {
        func text(_ low: Double, _ high: Double, _ value: Double = 0.02) throws -> String {
            let interval: Interval = try decode(
                #"{ "low": \#(low), "high": \#(high), "confidence": 0.95, "method": "m" }"#)
            return Format.estimate(value, interval, .share)
        }
        #expect(try text(0.01, 0.03) == "2.00 ± 1.00 %")
        #expect(try text(0, 0.05) == "2.00 (0 … 5.00) %")
        #expect(try text(0, 0.05, 0) == "0; 95 % sure: below 5.00 %")
        // Never "± 0".
        #expect(try text(0.02, 0.02) == "2.00 %")
    }

    @Test func anOpenObjectiveSaysWhatItLacks() throws {
        let text = lines(
            try result {
                $0.points[0].objectives[0].verdict = .cannotTell
                $0.points[0].objectives[0].moreReplications = 7
                $0.points[0].objectives[1].verdict = .pass
                $0.points[0].thinTails = try decode(
                    #"[{ "name": "lookup.latency", "statistic": "p99.9", "unit": "s", "atLeast": 0.2, "observations": 240, "needed": 10000 }]"#
                )
            })
        #expect(
            text.contains(
                "  lookup.latency p99 < 800ms              cannot tell  620 ± 53.0 ms, about 7 more replications"
            ))
        #expect(text.dropLast().last == "CANNOT TELL: 1 of 2 objectives cannot be told")
        #expect(
            text.contains(
                "  p99.9                          at least 200 ms; needs 10 000 lookups, there were 240"))
    }

    @Test func calibratedRunsClaimNoRealLookups() throws {
        let text = try Document(result { $0.scenario.fidelity = .calibrated }).text(.full)
        #expect(!text.contains("real lookups"))
    }

    @Test func anInterruptedRunSaysSo() throws {
        #expect(try Document(result { $0.finished = false }).text(.full).contains("\nINTERRUPTED: "))
        #expect(
            try Document(
                result {
                    $0.finished = false
                    $0.points = []
                }
            ).text(.full) == "small\nINTERRUPTED: no replication finished\n")
    }

    @Test func hugeAndTinyNumbersAreShort() {
        for value in [1e300, -1e300, 1e18, 9.99e14, 12_345, 0.5, 1e-300, -1e-300, 0, -0.00001] {
            let text = Format.number(value)
            #expect(text.count <= 19 && text.firstMatch(of: /e[+-]/) == nil, "\(text)")
        }
        // Three digits as they are, whatever the size.
        for (value, text) in [(4.7e-5, "0.0000470"), (9.996e-5, "0.000100"), (-2.3e-9, "-0.00000000230")] {
            #expect(Format.number(value) == text)
        }
        #expect(Format.number(.nan) == "–")
        #expect(Format.number(.infinity) == "–")
    }

    /// A closed form that is twice as far as the interval allows has its reason in the same row.
    @Test func aFarClosedFormIsExplainedWhereItStands() throws {
        var point = try SampleResult.point()
        let forms = [
            ("issuer.queue mean", 0.0001), ("pir.queue mean", 0.15), ("gateway.queue mean", 0.31),
            ("other", 0.9),
        ].map { name, predicted in
            """
            { "name": "\(name)", "formula": "f", "unit": "count", "predicted": \(predicted), "simulated": 0.2,
              "interval": { "low": 0.1, "high": 0.3, "confidence": 0.95, "method": "t" } }
            """
        }
        point.analytic = try JSONDecoder().decode(
            [AnalyticResult].self, from: Data("[\(forms.joined(separator: ","))]".utf8))
        let text = try Document(SampleResult.result(points: [point])).text(.full, width: 1_000)
        #expect(
            text.contains(
                "\n  issuer.queue mean: far: requests come in bursts, the form has them one by one\n"))
        #expect(text.contains("\n  other: far: the simulation has what the form leaves out\n"))
        for near in ["pir.queue mean", "gateway.queue mean"] {
            #expect(text.contains("\n  \(near) ") && !text.contains("\(near): far"))
        }
    }

    /// The answer comes first, in words, with what did not pass.
    @Test func oneScreenBeginsWithTheAnswer() throws {
        let lines = try Document(result(), more: "the end").text(.brief).split(separator: "\n").map(
            String.init)
        #expect(lines[0].hasPrefix("small · 24 devices"))
        #expect(lines[1] == "FAIL: 1 of 2 objectives missed")
        #expect(lines[2].hasPrefix("  listed, let through == 0") && lines[2].contains("FAIL"))
        #expect(lines[3].hasPrefix("    why: ") && lines[4].hasPrefix("  people wait, p99 < 800ms"))
        #expect(lines.contains { $0.hasPrefix("  people wait          p99 620 ± 53") }, "\(lines)")
        #expect(lines.contains("real lookups checked: 242, disagreements: 0"))
        // 1 234 567 requests of 29 355 + 24 973 bytes.
        #expect(lines.contains { $0.contains("1 234 567 requests, 67.1 GB") }, "\(lines)")
        #expect(lines.last == "the end" && lines.count <= 24)
    }
}
