import Experiment
import Foundation
import Report
import RunMetrics
import Testing

/// Text, JSON, CSV and HTML of one result: none knows more than another.
@Suite struct ResultFormsTests {
    private func rows(_ csv: String) -> [[String]] {
        csv.components(separatedBy: "\r\n").dropLast().map { $0.components(separatedBy: ",") }
    }

    @Test func theTableHoldsEveryMetricOfTheDocument() throws {
        let result = try SampleResult.result(points: [
            try SampleResult.point(["a.b": "1"]), try SampleResult.point(["a.b": "2"], scale: 2),
        ])
        let read = try RunResult.decode(try result.json())
        #expect(read == result)
        let rows = rows(ResultCSV.render(read))
        #expect(
            rows[0] == [
                "point", "a.b", "metric", "statistic", "unit", "better", "value", "low", "high", "confidence",
                "method", "samples", "percentiles",
            ])
        let expected = result.points.enumerated().flatMap { index, point in
            point.metrics.map {
                [
                    "\(index + 1)", "\(index + 1)", $0.name, $0.statistic, $0.unit.rawValue, "lower",
                    "\($0.value)",
                    $0.interval.map { "\($0.low)" } ?? "", $0.interval.map { "\($0.high)" } ?? "",
                ]
            }
        }
        #expect(rows.dropFirst().map { Array($0.prefix(9)) } == expected)
        #expect(rows.dropFirst().allSatisfy { $0.last == "nearest rank" })
    }

    @Test func everyFormShowsTheSameNumber() throws {
        var result = try SampleResult.result(points: [try SampleResult.point()])
        let index = try #require(
            result.points[0].metrics.firstIndex { $0.name == "lookup.latency" && $0.statistic == "p99" })
        result.points[0].metrics[index].value = 0.161_803_398_9
        result.points[0].metrics[index].interval = nil
        let read = try RunResult.decode(try result.json())
        #expect(Document(read).text(.full).contains("  p99                            162 ms\n"))
        #expect(ResultCSV.render(read).contains("lookup.latency,p99,s,lower,0.1618033989,,,"))
        #expect(String(decoding: try read.json(), as: UTF8.self).contains("0.1618033989"))
        #expect(
            ReportPage.render(read, manifest: nil).contains("99\u{A0}% waited no longer than 162\u{A0}ms"))
    }

    @Test func anotherListOfPercentilesReachesEveryForm() throws {
        let result = try SampleResult.result(points: [try SampleResult.point()]).replacingPercentiles([
            97, 99,
        ])
        #expect(result.points[0].latencyPercentiles.map(\.statistic) == ["p97", "p99"])
        let text = Document(result).text(.full)
        #expect(text.contains("  p97                            140 ± 10.0 ms\n"))
        #expect(!text.contains("  p50  "))
        #expect(ResultCSV.render(result).contains("lookup.latency,p97,s,lower,0.14,0.13,0.15,0.95,"))
        #expect(String(decoding: try result.json(), as: UTF8.self).contains("\"p97\""))
    }

    @Test func percentilesThatTheResultLacksAreRefused() throws {
        let result = try SampleResult.result(points: [try SampleResult.point()])
        #expect(throws: PercentileError.notKept("p97.35")) { try result.replacingPercentiles([97.35]) }
        #expect(throws: PercentileError.tooFewLookups("p99.9", samples: 300)) {
            try result.replacingPercentiles([99.9])
        }
        var old = result
        old.points[0].latencyCurve = nil
        #expect(throws: PercentileError.noCurve("p97", known: ["p50", "p99"])) {
            try old.replacingPercentiles([97])
        }
        #expect(try old.replacingPercentiles([50]).points[0].latencyPercentiles.map(\.statistic) == ["p50"])
    }

    @Test func fieldsThatNeedItAreQuoted() throws {
        var result = try SampleResult.result(points: [try SampleResult.point(["a": "x, \"y\"\r\n"])])
        result.points[0].metrics = Array(result.points[0].metrics.prefix(1))
        #expect(
            ResultCSV.render(result).contains("\r\n1,\"x, \"\"y\"\"\r\n\",url.allowedByPrefilter,rate,1,"))
    }
}
