import Decoding
import Foundation
package import LiveValidation
import Report
import Timing
import Wording

/// Runs through all parties with faults, as far as they got.
package struct WholeWayReport: LiveFindings, Codable, Sendable {
    package var outcomes: [WholeWayOutcome]
    /// False while a way of balancing is left.
    package var isFinished: Bool
    /// Shorter phases than the default.
    package var isQuick: Bool

    package init(_ outcomes: [WholeWayOutcome], isFinished: Bool, isQuick: Bool) {
        self.outcomes = outcomes
        self.isFinished = isFinished
        self.isQuick = isQuick
    }

    package var judged: [WholeWayFigure] { outcomes.flatMap(\.judged) }
}

/// The model against all parties as processes, for a terminal: what will be done, and each figure beside its
/// prediction.
package enum WholeWayText {
    /// Lines of the plan, which is fixed before anything is measured.
    package static func plan(_ plan: WholeWayPlan) -> [String] {
        var lines = ["PLAN, fixed before it starts (seed \(plan.world.seed))"]
        lines += WholeWayPlan.Phase.allCases.map { phase in
            let bounds = plan.bounds(of: phase)
            let times = String(format: "%5g to %g s", bounds.lowerBound, bounds.upperBound)
            return Format.left(times, 16) + Format.left(phase.rawValue, 14) + event(phase)
        }
        func margin(_ quantity: WholeWayQuantity) -> String { Format.share(quantity.margin.share) }
        let sentences = [
            "once for each of: " + plan.balancingNames.joined(separator: ", ") + "; about"
                + " \(Format.duration(plan.totalSeconds)) in all, without preparing and simulating",
            "relay, gateway, issuer and \(WholeWayPlan.instances) PIR servers are processes of their own;"
                + " \(Format.count(plan.world.devices, "device")) in this one go through the relay, with OHTTP,"
                + " tokens and PIR; evaluation keys are in the memory of the PIR servers, which a kill empties",
            "\(Format.share(plan.load)) of what one PIR server can answer one by one, at most"
                + " \(Format.share(plan.largestMachineShare)) of this machine; half of the loads are of listed URLs,"
                + " and devices fail open",
            "devices fetch the configuration every \(Format.duration(plan.refetch)), try a failed set-up again after"
                + " \(Format.duration(plan.retryPause)), and order tokens within"
                + " \(Format.duration(plan.refillSeconds)): days and hours made short",
            "first how long a killed PIR server needs until it serves is measured, then"
                + " \(Format.duration(plan.world.calibrationSeconds)) of calibration at the same load;"
                + " \(plan.world.replications) simulations of the same page loads are saved before the run begins",
            "a figure passes inside its prediction interval of 95 %, or if it is off by at most"
                + " \(margin(.failures)) or \(Format.number(WholeWayQuantity.failures.margin.least)) (counts),"
                + " \(margin(.p50)) (p50 and p95), \(margin(.recovery)) or"
                + " \(Format.duration(WholeWayQuantity.recovery.margin.least)) (recovery); a wrong verdict fails",
        ]
        return lines + sentences.flatMap { Format.wrapped($0) }
    }

    private static func event(_ phase: WholeWayPlan.Phase) -> String {
        switch phase {
        case .well: "all run"
        case .restart: "the last PIR server is killed at the beginning"
        case .afterRestart: "it is started again at the beginning"
        case .outage: "all PIR servers are killed at the beginning"
        case .afterOutage: "they are started again at the beginning"
        }
    }

    static func lines(_ report: WholeWayReport) -> [String] {
        guard !report.outcomes.isEmpty else { return ["no run through the whole way was finished"] }
        return report.outcomes.flatMap { table($0) + [""] }
            + sentences(report).flatMap { Format.wrapped($0) }
    }

    private static func table(_ outcome: WholeWayOutcome) -> [String] {
        var rows = [
            ["WHOLE WAY, \(outcome.balancing)", "", "seen", "predicted", "95 % of runs", "error", ""]
                + (outcome.isReplayed ? ["instants replayed", ""] : [])
        ]
        var last: WholeWayPlan.Phase?
        for figure in outcome.figures where isShown(figure) {
            rows.append(
                [
                    figure.phase == last ? "" : "  " + figure.phase.rawValue, name(figure.quantity),
                    figure.seen.map { text($0, figure.quantity) } ?? "–",
                    text(figure.predicted.value, figure.quantity), bounds(figure.predicted, figure.quantity),
                    error(figure), figure.quantity.isGiven ? "" : figure.passed ? pass(figure) : "MISS",
                ] + (outcome.isReplayed ? replayed(figure) : []))
            last = figure.phase
        }
        let starts = outcome.startsAlone + outcome.startsTogether.flatMap(\.self)
        return Format.table(rows)
            + Format.wrapped(
                "\(Format.number(outcome.lookupsPerSecond)) lookups per second, of which one takes a PIR server"
                    + " \(Format.milliseconds(outcome.meanService)) ms alone; a killed one serves again after"
                    + " \(Format.duration(starts.min() ?? 0)) to \(Format.duration(starts.max() ?? 0));"
                    + " 99 % of the loads began at most \(Format.duration(outcome.lateness)) late")
    }

    private static func replayed(_ figure: WholeWayFigure) -> [String] {
        [
            figure.replayed.map { bounds($0, figure.quantity) } ?? "",
            figure.quantity.isGiven ? "" : figure.isInReplayed.map { $0 ? "in" : "out" } ?? "",
        ]
    }

    private static func bounds(
        _ prediction: LiveOutcome.Prediction, _ quantity: WholeWayQuantity
    ) -> String {
        "\(text(prediction.low, quantity)) … \(text(prediction.high, quantity))"
    }

    private static func pass(_ figure: WholeWayFigure) -> String {
        figure.isInInterval == true ? "in" : "in margin"
    }

    /// Whether a figure says something. One that is 0 in both worlds by the plan does not.
    private static func isShown(_ figure: WholeWayFigure) -> Bool {
        figure.seen != 0 || figure.predicted.high > 0
    }

    private static func name(_ quantity: WholeWayQuantity) -> String {
        switch quantity {
        case .lookups: "lookups"
        case .failures: "decided by the policy"
        case .keyMissing: "  key missing"
        case .leaks: "listed, let through"
        case .p50: "p50, ms"
        case .p95: "p95, ms"
        case .recovery: "last key missing after, s"
        case .keyUploads: "key uploads"
        case .tokens: "token requests"
        }
    }

    private static func text(_ value: Double, _ quantity: WholeWayQuantity) -> String {
        switch quantity {
        case .p50, .p95: Format.milliseconds(value)
        case .recovery: String(format: "%.1f", value)
        default: Format.count(Int(saturating: value.rounded()))
        }
    }

    private static func error(_ figure: WholeWayFigure) -> String {
        guard let seen = figure.seen, seen > 0, !figure.quantity.isGiven else { return "" }
        return String(format: "%+.0f %%", (figure.predicted.value / seen - 1) * 100)
    }

    /// Which instants of the devices the simulations had.
    private static func replay(_ outcome: WholeWayOutcome) -> String {
        let before = "\(outcome.balancing): before the run, the devices' instants are drawn"
        guard outcome.isReplayed else {
            return before
                + (outcome.lostInstants == 0
                    ? "; none are replayed, since it was stopped"
                    : "; none are replayed, since the log of the run left out"
                        + " \(Format.count(outcome.lostInstants, "instant"))")
        }
        let inside = outcome.judged.count { $0.isInReplayed == true }
        return before
            + "; after it, its own \(Format.count(outcome.instants, "instant")) are replayed, and \(inside)"
            + " of \(outcome.judged.count) figures lie in the interval; those that do not are off by something"
            + " else than when devices fetch, order and try again"
    }

    private static func sentences(_ report: WholeWayReport) -> [String] {
        let missed = report.judged.count { !$0.passed }
        let inside = report.judged.count { $0.isInInterval == true }
        var sentences = [
            "\(report.verdictWords); \(inside) of"
                + " \(report.judged.count) figures lie in their interval of 95 %",
            missed == 0
                ? "all figures pass"
                : "FAIL: \(Format.count(missed, "figure")) outside of interval and margin",
        ]
        sentences += report.outcomes.map(replay)
        sentences += report.disturbanceWords("; latencies say little then")
        if report.isQuick { sentences.append("--quick proves less: its phases are short") }
        if !report.isFinished { sentences.append("FAIL: runs are left") }
        return sentences
    }
}
