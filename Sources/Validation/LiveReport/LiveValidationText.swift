import Foundation
package import LiveValidation
import Report
import Timing
import Wording

/// The model against the live stack, for a terminal: what will be done, each run beside its forecast, and the score.
package enum LiveValidationText {
    /// Lines of the plan, which is fixed before anything is measured.
    ///
    /// - Parameter done: Runs that the record has already.
    package static func plan(_ plan: LiveValidationPlan, done: Int) -> [String] {
        let rule = DisturbanceRule()
        var lines = ["PLAN, fixed before it starts (seed \(plan.world.seed))"]
        lines += Format.table(
            [["  test", "load", "runs", "seconds each"]]
                + plan.wishes.map { wish in
                    [
                        "  " + wish.test.rawValue, Format.share(wish.load), "\(wish.runs)",
                        Format.number(
                            wish.load <= LiveValidationPlan.quietLoad ? plan.quietSeconds : plan.busySeconds),
                    ]
                })
        let sentences = [
            "\(Format.count(plan.runs.count, "run")) in random order, \(done) of them done; about"
                + " \(Format.duration(plan.seconds * Double(plan.runs.count - done) / Double(max(1, plan.runs.count))))"
                + " to go, without preparing and simulating",
            "first \(Format.duration(plan.settlingSeconds)) of load to settle, then \(plan.firstCalibrations)"
                + " calibrations; \(Format.count(plan.world.devices, "device"))",
            "speed test: before each run \(Format.duration(plan.world.calibrationSeconds)) of calibration at"
                + " \(Format.share(plan.calibrationLoad)) load; the forecast is saved before the run begins",
            "queue test: every lookup takes \(Format.duration(plan.paddedService)) at the PIR server, a further one of"
                + " a group \(Format.share(plan.paddedFollowerShare)) of that, so that nothing of the run is needed"
                + " to predict it",
            "a run is discarded if other programs keep more than \(Format.number(rule.otherCores)) cores busy or the"
                + " host takes away more than \(Format.number(rule.stolenCores)), never by its outcome",
            "goals: of all runs of the speed test \(Format.share(LiveScore.wantedCoverage.lowerBound)) to"
                + " \(Format.share(LiveScore.wantedCoverage.upperBound)) lie in their prediction interval of 95 %;"
                + " median absolute error of p50, p95 and p99 at most \(Format.share(LiveScore.quietGoal)) up to"
                + " \(Format.share(LiveScore.quietLoad)) load and \(Format.share(LiveScore.busyGoal)) above; in the"
                + " queue test \(Format.share(LiveScore.queueGoal)), p99 \(Format.share(LiveScore.queueTailGoal))",
        ]
        return lines + sentences.flatMap { Format.wrapped($0) }
    }

    static func lines(_ report: LiveReport) -> [String] {
        guard !report.outcomes.isEmpty else { return ["no run of the live stack was finished"] }
        return runs(report.outcomes) + [""] + scores(report.score) + [""] + predictors(report.score) + [""]
            + sentences(report).flatMap { Format.wrapped($0) }
    }

    private static func runs(_ outcomes: [LiveOutcome]) -> [String] {
        var rows = [["RUN", "test", "load", "", "seen", "forecast", "95 % of runs", "", "error", "nowcast"]]
        for outcome in outcomes {
            for (place, row) in outcome.rows.enumerated() where row.quantity.probability != nil {
                let forecast = row.predictions[.forecast]
                rows.append([
                    place == 0 ? "\(outcome.run)" : "", place == 0 ? outcome.test.rawValue : "",
                    place == 0 ? Format.share(outcome.load) : "", row.quantity.rawValue,
                    milliseconds(row.observed), forecast.map { milliseconds($0.value) } ?? "–",
                    forecast.map { "\(milliseconds($0.low)) … \(milliseconds($0.high))" } ?? "–",
                    outcome.disturbances.isEmpty
                        ? forecast.map { ($0.low...$0.high).contains(row.observed) ? "in" : "OUT" } ?? ""
                        : "discarded",
                    row.error(of: .forecast).map(signed) ?? "–",
                    row.error(of: .nowcast).map(signed) ?? "–",
                ])
            }
        }
        return Format.table(rows) + ["  milliseconds from the intended start of a lookup to its verdict"]
    }

    private static func scores(_ score: LiveScore) -> [String] {
        Format.table(
            [["SCORE", "load", "", "runs", "median |error|", "goal", "", "mean error (95 %)", "in interval"]]
                + score.judged.map { row in
                    [
                        row.test.rawValue, Format.share(row.load), row.quantity.rawValue, "\(row.runs)",
                        Format.share(row.medianAbsoluteError), row.goal.map(Format.share) ?? "",
                        row.passes ? "pass" : "MISS", mean(row), "\(row.covered) of \(row.runs)",
                    ]
                })
            + score.judgedCoverage.map { coverage in
                "\(coverage.quantity.rawValue): \(coverage.covered) of \(coverage.runs) runs of the speed test in"
                    + " their interval of 95 %, \(Format.share(coverage.share))"
                    + " (\(Format.share(coverage.low)) to \(Format.share(coverage.high)))"
                    + (LiveScore.misses(coverage) ? " MISS" : "")
            }
    }

    /// The forecast beside what others would have said.
    private static func predictors(_ score: LiveScore) -> [String] {
        let quantities = LiveQuantity.allCases.filter { $0.probability != nil }
        var rows = [["MEDIAN |ERROR|, speed test", "load"] + quantities.map(\.rawValue) + ["in interval"]]
        for predictor in LiveOutcome.Predictor.allCases {
            let mine = score.rows.filter { $0.test == .speed && $0.predictor == predictor }
            for (place, load) in Set(mine.map(\.load)).sorted().enumerated() {
                let cells = quantities.map { quantity in
                    mine.first { $0.load == load && $0.quantity == quantity }
                }
                let hits = cells.compactMap { $0?.covered }.reduce(0, +)
                let all = cells.compactMap { $0?.runs }.reduce(0, +)
                rows.append(
                    [place == 0 ? "  " + name(predictor) : "", Format.share(load)]
                        + cells.map { $0.map { Format.share($0.medianAbsoluteError) } ?? "–" }
                        + ["\(hits) of \(all)"])
            }
        }
        return rows.count > 1 ? Format.table(rows) : []
    }

    static func name(_ predictor: LiveOutcome.Predictor) -> String {
        switch predictor {
        case .forecast: "forecast: phases, calibration before"
        case .nowcast: "nowcast: phases, calibrations on both sides"
        case .independent: "naive: M/G/1 with groups, calibration before"
        case .ownSpeed: "naive: M/G/1 with groups, the run's own mean"
        case .replayed: "the run's own service times, in their order"
        }
    }

    private static func sentences(_ report: LiveReport) -> [String] {
        let score = report.score
        let policy = report.outcomes.reduce(0) { $0 + $1.byPolicy }
        var sentences = [
            "machines: " + Set(report.outcomes.map(\.machine)).sorted().joined(separator: "; "),
            "\(score.counted) runs count, \(score.discarded) discarded; \(report.verdictWords), \(policy)"
                + " decided by the failure policy",
        ]
        sentences += report.disturbanceWords()
        if report.isQuick {
            sentences.append("--quick proves less: short runs have few lookups in their tails, and few runs")
        }
        sentences.append(
            score.passes
                ? "all goals are met"
                : "FAIL: not all goals are met" + (report.isFinished ? "" : "; runs are left"))
        return sentences
    }

    private static func mean(_ row: LiveScore.Row) -> String {
        guard let low = row.low, let high = row.high else { return signed(row.meanError) }
        return "\(signed(row.meanError)) (\(signed(low)) to \(signed(high)))"
    }

    private static func milliseconds(_ seconds: Double) -> String { Format.milliseconds(seconds) }

    /// Never "-0.0 %".
    static func signed(_ share: Double) -> String {
        let tenths = (share * 1000).rounded()
        return String(format: "%+.1f %%", tenths == 0 ? 0 : tenths / 10)
    }
}
