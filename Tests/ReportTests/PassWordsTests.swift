import Experiment
import Foundation
import Report
import RunMetrics
import Scenarios
import Testing

/// A pass is about the mean of the days, and says how many of them miss the limit.
struct PassWordsTests {
    /// Sixty days of which some are bad.
    private func judged(bad: Int) throws -> ObjectiveResult {
        let days = Array(repeating: 0.4, count: 60 - bad) + Array(repeating: 1.0, count: bad)
        let mean = days.reduce(0, +) / 60
        let json = """
            { "name": "lookup.latency", "statistic": "p99", "unit": "s", "better": "lower", "value": \(mean),
              "method": "Student's t", "samples": 60, "perReplication": \(days), "interval": { "low": \(mean - 0.07), "high": \(mean + 0.07),
              "confidence": 0.95, "method": "t" } }
            """
        return ObjectiveResult(
            try Objective("lookup.latency p99 < 800ms"),
            try JSONDecoder().decode(MetricResult.self, from: Data(json.utf8)), replications: 60,
            confidence: 0.95)
    }

    private func screen(_ objective: ObjectiveResult) throws -> String {
        var point = try SampleResult.point()
        point.objectives = [objective]
        return Document(try SampleResult.result(points: [point])).text(.brief)
    }

    @Test func aPassWithBadDaysIsOneInTheMean() throws {
        let objective = try judged(bad: 16)
        #expect(objective.verdict == .pass)
        let met = try #require(objective.met)
        // Clopper and Pearson, by SciPy's quantiles of the beta distribution.
        #expect(met.count == 44 && met.of == 60)
        #expect(abs(met.interval.low - 0.60339) < 1e-4 && abs(met.interval.high - 0.83925) < 1e-4)
        let text = try screen(objective)
        #expect(text.contains("PASS: the objective is met in the mean; 16 of 60 replications miss one."))
        #expect(text.contains(", met in 44 of 60 replications"))
    }

    @Test func aPassOfAllDaysSaysNoMore() throws {
        let text = try screen(judged(bad: 0))
        #expect(text.contains("PASS: the objective is met.\n"))
        #expect(text.contains(", met in 60 of 60 replications"))
    }
}
