import Foundation
import LiveReport
import LiveValidation
import Report
import Testing
import Timing

struct ValidationReportTests {
    private func load(
        _ load: Double, verdict: LoadComparison.Verdict, error: Double, noise: [String] = []
    ) throws -> LoadComparison {
        let calibration = StackCalibration(
            services: [0.02], meanCPU: 0.02, waysTo: [0.001], waysBack: [0.001], followerShare: 0.9,
            lookups: 100)
        let live = LiveObservation(
            window: 0...20,
            lookups: (0..<400).map { .init(offset: Double($0) / 20, latency: 0.05, lateness: 0) },
            groups: (0..<400).map {
                .init(
                    arrived: [Double($0) / 20], started: Double($0) / 20, ended: Double($0) / 20 + 0.02,
                    cpu: 0.02)
            })
        let runs = [0.999, 1.001].map { side in
            ModelRun.Replication(
                quantiles: Array(repeating: 0.05 * side * (1 + error), count: 3),
                answeredPerSecond: 20, utilization: 0.4)
        }
        var comparison = LoadComparison(
            load: load, rate: 20, live: live, calibration: calibration, model: runs, ownModel: runs,
            margins: LiveMargins())
        comparison.noise = noise
        for place in comparison.rows.indices where comparison.rows[place].quantity != .throughput {
            comparison.rows[place].verdict = verdict
        }
        return comparison
    }

    private func result(_ loads: [LoadComparison]) throws -> LiveValidationResult {
        let calibration = """
            {"load": 0.1, "lookupsPerSecond": 5, "seconds": 20, "lookups": 100, "services": 98, "ways": 97,
             "service": 0.02, "profileService": 0.021, "way": 0.002, "followerShare": 0.9, "groupLimit": 4,
             "capacity": 53, "cpuPerLookup": 0.023, "noise": []}
            """
        return LiveValidationResult(
            machine: Machine(
                processor: "none", cores: 2, system: "none", compiler: "none", build: "test"),
            entries: 200_000, shards: 1, rlweParameters: "n_4096", devices: 40, seed: 1, replications: 2,
            calibration: try JSONDecoder().decode(
                LiveValidationResult.Calibration.self, from: Data(calibration.utf8)),
            loads: loads, finished: true)
    }

    @Test func figuresWithinTheirMarginsPass() throws {
        let report = ValidationReport(
            theory: [], live: try result([load(0.5, verdict: .pass, error: 0.02)]))
        #expect(report.passed && !report.misses)
        let text = ValidationText.render(report)
        for part in [
            "50.0 %  p50", "50.0 ms", "51.0 ms", "+2.0 %", "10.0 %", "pass", "40.0 %, model 40.0 %",
            "'urlfilter measure' says 21.0 ms", "4 of 4 figures are within their margins",
            "0 wrong verdicts in 400 lookups",
        ] {
            #expect(text.contains(part), "\(part) in \(text)")
        }
        let json = try JSONText.render(report)
        #expect(json.contains("\"schema\" : \"urlfilter.validation/1\""))
        #expect(json.contains("\"kind\" : \"live\"") && json.contains("\"passed\" : true"))
    }

    @Test func aMissIsExplainedByWhatWasMeasured() throws {
        let report = ValidationReport(
            theory: [], live: try result([load(0.8, verdict: .miss, error: 0.3)]))
        #expect(!report.passed && report.misses)
        let text = ValidationText.render(report).split(whereSeparator: \.isWhitespace).joined(separator: " ")
        for part in [
            "MISS", "FAIL: 3 of 4 figures miss their margins",
            "a lookup took the PIR core 20.0 ms, +0.0 % against",
            "(+0.0 % by CPU time), the way 30.0 ms (+28.0 ms)",
            "1 of 4 within them at the machine's own speed",
        ] {
            #expect(text.contains(part), "\(part) in \(text)")
        }
    }

    @Test func aDisturbedLoadIsNeitherPassedNorMissed() throws {
        let noisy = try load(0.5, verdict: .tooNoisy, error: 0.3, noise: ["the core was taken away"])
        let report = ValidationReport(theory: [], live: try result([noisy]))
        #expect(!report.passed && !report.misses)
        let text = ValidationText.render(report)
        #expect(text.contains("too noisy to judge: the core was taken away"))
        #expect(text.contains("3 too noisy to judge"))
    }

    @Test func whatWasNotComparedHasNotPassed() {
        let report = ValidationReport(theory: [], live: nil, isComplete: false)
        #expect(!report.passed && !report.misses && ValidationText.render(report).isEmpty)
    }

    @Test func aWrongVerdictIsAMissWhateverTheTimesSay() throws {
        var wrong = try load(0.5, verdict: .pass, error: 0)
        wrong.wrongVerdicts = 1
        let report = ValidationReport(theory: [], live: try result([wrong]))
        #expect(!report.passed && report.misses)
    }
}
