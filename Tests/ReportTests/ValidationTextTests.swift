import Decoding
import Foundation
import LiveReport
import LiveValidation
import Report
import Testing

struct ValidationReportTests {
    /// A run of the speed test whose latencies were seen at 50 ms.
    private func outcome(_ run: Int, error: Double, wrong: Int = 0, others: Double = 0) -> LiveOutcome {
        let value = 0.05 * (1 + error)
        return LiveOutcome(
            machine: "none; 2 cores", run: run, test: .speed, load: 0.5, seconds: 120, lookupsPerSecond: 20,
            lookups: 400, wrongVerdicts: wrong, byPolicy: 0, utilization: 0.4, calibratedService: 0.02,
            service: 0.02, otherCores: others, stolenCores: 0,
            disturbances: DisturbanceRule().reasons(otherCores: others, stolenCores: 0),
            rows: [LiveQuantity.p50, .p95, .p99].map {
                LiveOutcome.Row(
                    quantity: $0, observed: 0.05,
                    predictions: [
                        .forecast: .init(value: value, low: value * 0.9, high: value * 1.1),
                        .independent: .init(value: 0.04, low: 0.039, high: 0.041),
                    ])
            })
    }

    private func report(_ outcomes: [LiveOutcome], finished: Bool = true) -> ValidationReport {
        ValidationReport(theory: [], live: LiveReport(outcomes, isFinished: finished, isQuick: false))
    }

    @Test func forecastsWithinTheirGoalsPass() throws {
        let report = report([outcome(1, error: 0.02)])
        #expect(report.passed && !report.misses)
        let text = ValidationText.render(report)
        for part in [
            "51.0", "45.9 … 56.1", "in", "+2.0 %", "10.0 %", "pass",
            "naive: M/G/1 with groups, calibration before",
            "20.0 %", "1 runs count, 0 discarded; 0 wrong verdicts in 400 lookups", "all goals are met",
            "p99: 1 of 1 runs of the speed test in their interval of 95 %",
        ] {
            #expect(text.contains(part), "\(part) in \(text)")
        }
        let json = try JSONText.render(report)
        #expect(json.contains("\"schema\" : \"urlfilter.validation/1\""))
        #expect(json.contains("\"kind\" : \"live\"") && json.contains("\"passed\" : true"))
    }

    @Test func aForecastThatIsFarOffMisses() {
        let report = report([outcome(1, error: 0.3)])
        #expect(!report.passed && report.misses)
        let text = ValidationText.render(report)
        for part in ["OUT", "MISS", "30.0 %", "FAIL: not all goals are met"] {
            #expect(text.contains(part), "\(part) in \(text)")
        }
    }

    @Test func aDisturbedRunDoesNotCount() {
        let text = ValidationText.render(report([outcome(1, error: 0), outcome(2, error: 5, others: 0.5)]))
        for part in ["discarded", "1 runs count, 1 discarded", "! run 2: other programs kept busy 0.5 cores"]
        {
            #expect(text.contains(part), "\(part) in \(text)")
        }
        #expect(text.contains("all goals are met"))
    }

    @Test func runsThatAreLeftAreNoPassAndNoMiss() {
        let report = report([outcome(1, error: 0)], finished: false)
        #expect(!report.passed && !report.misses)
    }

    @Test func whatWasNotComparedHasNotPassed() {
        let report = ValidationReport(theory: [], live: nil, isComplete: false)
        #expect(!report.passed && !report.misses && ValidationText.render(report).isEmpty)
    }

    @Test func aWrongVerdictIsAMissWhateverTheTimesSay() {
        let report = report([outcome(1, error: 0, wrong: 1)])
        #expect(!report.passed && report.misses)
    }

    @Test func thePlanSaysWhatWillBeDoneAndWhatDecides() {
        let text = LiveValidationText.plan(LiveValidationPlan(), done: 10).joined(separator: "\n")
        for part in [
            "PLAN, fixed before it starts (seed 1)", "speed  30.0 %    10           120",
            "queue  90.0 %     2           600", "40 runs in random order, 10 of them done",
            "never by its outcome", "90.0 % to 99.0 %",
        ] {
            #expect(text.contains(part), "\(part) in \(text)")
        }
    }
}
