import Foundation
import LiveValidation
import RandomStreams
import Statistics
import Testing

struct LiveScoreTests {
    /// A run whose three latencies were seen at 100 ms and forecast with this error and this half width.
    static func outcome(
        _ run: Int, load: Double, error: Double, width: Double = 0.2, test: LiveValidationPlan.Test = .speed,
        others: Double = 0
    ) -> LiveOutcome {
        let value = 0.1 * (1 + error)
        let rows = [LiveQuantity.p50, .p95, .p99].map { quantity in
            LiveOutcome.Row(
                quantity: quantity, observed: 0.1,
                predictions: [
                    .forecast: .init(value: value, low: value * (1 - width), high: value * (1 + width)),
                    .independent: .init(value: 0.05, low: 0.04, high: 0.06),
                ])
        }
        return LiveOutcome(
            machine: "none; 2 cores", run: run, test: test, load: load, seconds: 120, lookupsPerSecond: 20,
            lookups: 2_400, wrongVerdicts: 0, byPolicy: 0, utilization: load, calibratedService: 0.02,
            service: 0.021, otherCores: others, stolenCores: 0,
            disturbances: DisturbanceRule().reasons(otherCores: others, stolenCores: 0),
            rows: rows)
    }

    @Test func errorsAndCoverageAreCounted() throws {
        let outcomes = [-0.30, -0.05, 0.08, 0.04, 0.02].enumerated().map {
            Self.outcome($0 + 1, load: 0.5, error: $1)
        }
        let score = LiveScore(outcomes)
        let row = try #require(score.judged.first { $0.quantity == .p99 })
        #expect(row.runs == 5 && row.covered == 4)
        #expect(abs(row.medianAbsoluteError - 0.05) < 1e-9)
        #expect(abs(row.meanError - (-0.042)) < 1e-9)
        #expect(row.goal == 0.1 && row.passes)
        let coverage = try #require(score.judgedCoverage.first)
        #expect(coverage.covered == 4 && coverage.runs == 5)
        // Clopper and Pearson, 4 of 5.
        #expect(abs(coverage.low - 0.2836) < 1e-3 && abs(coverage.high - 0.9949) < 1e-3)
        #expect(!LiveScore.misses(coverage) && score.passes)
        let naive = try #require(
            score.rows.first { $0.predictor == .independent && $0.quantity == .p50 })
        #expect(naive.covered == 0 && abs(naive.medianAbsoluteError - 0.5) < 1e-9 && naive.goal == nil)
    }

    /// The smaller of two would be 9 %, and a pass.
    @Test func theMedianOfAnEvenNumberIsBetweenTheTwoInTheMiddle() throws {
        let score = LiveScore([0.09, -0.13].enumerated().map { Self.outcome($0 + 1, load: 0.5, error: $1) })
        let row = try #require(score.judged.first)
        #expect(abs(row.medianAbsoluteError - 0.11) < 1e-9 && !row.passes)
    }

    @Test func goalsDependOnTestAndLoad() throws {
        func goal(_ test: LiveValidationPlan.Test, _ load: Double, _ quantity: LiveQuantity) -> Double? {
            LiveScore([Self.outcome(1, load: load, error: 0, test: test)]).judged
                .first { $0.quantity == quantity }?.goal
        }
        #expect(goal(.speed, 0.8, .p99) == 0.1)
        #expect(goal(.speed, 0.9, .p99) == 0.2)
        #expect(goal(.queue, 0.9, .p95) == 0.05)
        #expect(goal(.queue, 0.9, .p99) == 0.1)
    }

    @Test func intervalsThatRarelyHoldMissTheGoal() {
        let often = LiveScore((1...40).map { Self.outcome($0, load: 0.5, error: $0 <= 10 ? 0.5 : 0) })
        #expect(often.judgedCoverage.allSatisfy { $0.covered == 30 && LiveScore.misses($0) } && !often.passes)
        // Intervals that always hold may be honest: 40 of 40 allows 91 %.
        let always = LiveScore((1...40).map { Self.outcome($0, load: 0.5, error: 0) })
        #expect(always.passes)
    }

    @Test func aRunCountsByWhatOthersDidAndNotByItsOutcome() {
        let score = LiveScore([
            Self.outcome(1, load: 0.5, error: 0), Self.outcome(2, load: 0.5, error: 0, others: 0.2),
            Self.outcome(3, load: 0.5, error: 9),
        ])
        #expect(score.counted == 2 && score.discarded == 1)
        #expect(
            DisturbanceRule().reasons(otherCores: 0.2, stolenCores: 0.1) == [
                "other programs kept busy 0.2 cores, more than 0.05",
                "the host took away 0.1 cores, more than 0.02",
            ])
        #expect(DisturbanceRule().reasons(otherCores: nil, stolenCores: nil).isEmpty)
    }

    @Test func nothingIsNoPass() { #expect(!LiveScore([]).passes) }
}

struct LiveOutcomeCSVTests {
    @Test func whatIsWrittenIsReadAgain() throws {
        let outcomes = [
            LiveScoreTests.outcome(1, load: 0.5, error: 0.1),
            LiveScoreTests.outcome(2, load: 0.9, error: -0.1, test: .queue, others: 0.25),
        ]
        let text = LiveOutcomeCSV.render(outcomes)
        #expect(text.split(separator: "\n").count == 1 + 6)
        let again = try LiveOutcomeCSV.read(text, name: "runs.csv")
        // Numbers have six digits, and a reason has no comma.
        #expect(LiveOutcomeCSV.render(again) == text)
        #expect(again.map(\.run) == [1, 2] && again.allSatisfy { $0.rows.count == 3 })
        #expect(
            again[1].disturbances == ["other programs kept busy 0.25 cores; more than 0.05"]
                && again[1].test == .queue)
    }

    @Test(arguments: [
        ("", 1, "the columns must be"), ("a,b\n", 1, "the columns must be"),
        ("#short", 2, "it has 2 cells"), ("#test", 2, "test is 'walk'; it must be speed or queue"),
        ("#load", 2, "load is 'many'; it must be a number"),
        ("#run", 2, "run is '-1'; it must be a whole number"),
        ("#observed", 2, "observed is '0'; it must be above 0"),
    ])
    func badRowsAreNamed(_ kind: String, _ line: Int, _ reason: String) throws {
        let good = LiveOutcomeCSV.render([LiveScoreTests.outcome(1, load: 0.5, error: 0.1)])
        var rows = good.split(separator: "\n").map {
            $0.split(separator: ",", omittingEmptySubsequences: false)
        }
        func text(_ column: String, _ value: Substring) -> String {
            if let place = rows[0].firstIndex(of: Substring(column)) { rows[1][place] = value }
            return rows.map { $0.joined(separator: ",") + "\n" }.joined()
        }
        let bad =
            switch kind {
            case "#short": "\(rows[0].joined(separator: ","))\na,b\n"
            case "#test": text("test", "walk")
            case "#load": text("load", "many")
            case "#run": text("run", "-1")
            case "#observed": text("observed", "0")
            default: kind
            }
        let error = #expect(throws: LiveCSVError.self) { try LiveOutcomeCSV.read(bad, name: "runs.csv") }
        #expect(
            error?.description.hasPrefix("runs.csv:\(line): \(reason)") == true,
            "\(String(describing: error))")
    }
}

struct LivePlanTests {
    @Test func runsComeInAnOrderThatTheSeedDecides() {
        var plan = LiveValidationPlan()
        let runs = plan.runs
        #expect(runs.count == 40 && runs.map(\.number) == Array(1...40))
        #expect(runs.count { $0.test == .queue } == 4)
        #expect(runs.allSatisfy { $0.seconds == ($0.load <= 0.7 ? 120 : 600) })
        #expect(plan.runs == runs)
        plan.world.seed = 2
        #expect(plan.runs != runs && plan.runs.map(\.load).sorted() == runs.map(\.load).sorted())
    }
}

struct SpeedKnowledgeTests {
    /// Four calibrations whose levels are 0, 2, 1 and 3 % above 20 ms, without phases.
    @Test func theDriftIsWhatLevelsDifferByFromOneToTheNext() throws {
        let levels = [0, 0.02, 0.01, 0.03]
        let blocks = levels.enumerated().map { number, level in
            SpeedKnowledge.Block(
                (0..<100).map { place in
                    (
                        Double(number * 100 + place),
                        0.02 * exp(level + (place.isMultiple(of: 2) ? 0.01 : -0.01))
                    )
                })
        }
        let known = try #require(SpeedKnowledge([blocks]))
        #expect(abs(known.drift - ((0.0004 + 0.0001 + 0.0004) / 3).squareRoot()) < 1e-9)
        // Between two sessions nothing is known.
        #expect(
            SpeedKnowledge([Array(blocks[..<2]), Array(blocks[2...])]).map { abs($0.drift - 0.02) < 1e-9 }
                == true)
        #expect(SpeedKnowledge([Array(blocks[..<2])]) == nil)
        let calibration = StackCalibration(
            services: [0.019, 0.021], waysTo: [0.001], waysBack: [0.001], followerShare: 1)
        let stack = known.stack(after: calibration, level: 0.04, drifts: 0.5)
        #expect(abs(stack.meanService - 0.04) < 1e-9)
        #expect(stack.speed?.daily == known.drift / 2)
    }
}
