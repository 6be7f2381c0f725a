package import DeviceFleet
import Experiment
import Foundation
package import Questions
import Scenarios
import Wording

/// A plan, what a replay made of it, and what that says.
package struct LoadTestOutcome: Codable, Sendable {
    package static let schemaName = "urlfilter.load-test-result/2"

    package var schema = Self.schemaName
    package var plan: LoadTestPlan
    /// Verdicts on the criteria, in the order of the plan.
    package var verdicts: [LoadTestVerdict]
    /// One point per step that was begun.
    package var replay: ReplayResult

    package init(_ plan: LoadTestPlan, _ replay: ReplayResult) {
        self.plan = plan
        self.replay = replay
        let measured = Dictionary(
            zip(plan.steps.map(\.name), replay.points.map(LoadTestMeasurement.init)),
            uniquingKeysWith: { first, _ in first })
        verdicts = plan.criteria.map { LoadTestVerdict($0, measured[$0.step]) }
    }

    package var hasFailed: Bool { verdicts.contains { $0.verdict == .fail } }
    package var isUndecided: Bool { verdicts.contains { $0.verdict == .cannotTell } }

    /// Parts of a limit from which on a replay without the ways says little about the servers; an assumption.
    private static let wayThatDecides = 0.5

    /// Criteria that can hardly fail where the servers were asked directly, or on the same machine: most of their limit
    /// is for ways that the replay did not go.
    package var easyCriteria: [LoadTestPlan.Criterion] {
        let isNear =
            replay.route == "direct" || (try? ServiceAddress(replay.target))?.isLoopback == true
        return isNear
            ? plan.criteria.filter { criterion in
                criterion.shareOnTheWay >= Self.wayThatDecides
                    && [.below, .atMost].contains(criterion.relation)
            } : []
    }
}

extension LoadTestMeasurement {
    init(_ point: ReplayPoint) {
        self.init(
            seconds: point.duration, lookups: point.lookups,
            unanswered: min(point.lookups, point.policyCauses.values.reduce(0, +)),
            wrong: point.wrongVerdicts,
            latency: point.latency.map { quantile in
                // Rounding: 0.999 × 100 is not 99.9.
                let percent = (quantile.probability * 1_000).rounded() / 10
                let bounds = quantile.low.flatMap { low in
                    quantile.high.flatMap { low <= $0 ? low...$0 : nil }
                }
                return Percentile(percent: percent, seconds: quantile.seconds, bounds: bounds)
            },
            lateness: point.lateness?.seconds ?? 0, serverCPU: point.partyCPU)
    }
}

/// The terminal form of a load test: its verdicts, and then what the replay saw.
package enum LoadTestText {
    package static func render(_ outcome: LoadTestOutcome) -> String {
        let verdicts = outcome.verdicts
        var lines = [headline(outcome)] + coverage(outcome.plan)
        lines += Format.table(
            ([header] + verdicts.map(row)).map { ["  " + $0[0]] + $0.dropFirst() })
        for verdict in verdicts {
            guard let reason = verdict.reason else { continue }
            lines += Format.wrapped(
                "  \(verdict.criterion.step), \(condition(verdict.criterion)): \(reason)")
        }
        lines += hardlyFailing(outcome)
        for source in Set(verdicts.map(\.criterion.source)).sorted() where source.hasPrefix("model") {
            lines += Format.wrapped("  \(source)")
        }
        return lines.joined(separator: "\n") + "\n\n" + ReplayText.render(outcome.replay)
    }

    static func headline(_ outcome: LoadTestOutcome) -> String {
        let counts = [ObjectiveResult.Verdict.pass, .fail, .cannotTell].map { verdict in
            (verdict, outcome.verdicts.count { $0.verdict == verdict })
        }
        return "LOAD TEST of '\(outcome.plan.scenario)': "
            + counts.map { "\($0.1) \($0.0 == .fail ? "FAIL" : $0.0.rawValue)" }.joined(separator: ", ")
    }

    /// Share of what nobody knows that the rate of the plan is enough for.
    static func coverage(_ plan: LoadTestPlan) -> [String] {
        guard let known = plan.plausible else { return [] }
        return Format.wrapped(
            "  the rate of step minute is enough for \(Format.wholePercent(known.share)) of what is plausible"
                + " (\(Format.range(known.low, known.high, Format.number)) lookups/s); a risk of at most"
                + " \(Format.percent(known.risk)) takes \(Format.number(known.rate))")
    }

    /// Criteria whose pass says nothing of the servers, and why.
    static func hardlyFailing(_ outcome: LoadTestOutcome) -> [String] {
        let easy = outcome.easyCriteria
        guard let share = easy.map(\.shareOnTheWay).max() else { return [] }
        return Format.wrapped(
            "  can hardly fail here: \(easy.map(condition).uniqued().joined(separator: ", "));"
                + " \(Format.share(share)) of the model's mean wait is for devices, networks and the relay, which no"
                + " server decides, and which a replay beside the servers does not have. What tests the servers is"
                + " the rest"
        )
    }

    static let header = ["step", "criterion", "measured", "95 %", "verdict"]

    static func row(_ verdict: LoadTestVerdict) -> [String] {
        let criterion = verdict.criterion
        let interval = verdict.low.flatMap { low in
            verdict.high.map { low == $0 ? "–" : "\(value(low, criterion)) … \(value($0, criterion))" }
        }
        return [
            criterion.step, condition(criterion), verdict.observed.map { value($0, criterion) } ?? "–",
            interval ?? "–", verdict.verdict == .fail ? "FAIL" : verdict.verdict.rawValue,
        ]
    }

    private static func condition(_ criterion: LoadTestPlan.Criterion) -> String {
        let name =
            switch criterion.measure {
            case .latency: "latency p\(Format.plain(criterion.percentile ?? 0))"
            case .unanswered: "without answer"
            case .wrong: "wrong verdicts"
            case .utilization: "\(criterion.service ?? "") utilization"
            }
        return "\(name) \(criterion.relation.rawValue) \(value(criterion.limit, criterion))"
    }

    private static func value(_ value: Double, _ criterion: LoadTestPlan.Criterion) -> String {
        switch criterion.measure {
        case .latency: Format.duration(value)
        case .unanswered, .utilization: Format.share(value)
        case .wrong: Format.whole(value)
        }
    }
}
