import Foundation
import LiveValidation
import Report
import Timing

/// The model against the live stack, for a terminal: the table, what was calibrated, and what explains each miss.
enum LiveValidationText {
    static func lines(_ result: LiveValidationResult) -> [String] {
        heading(result) + [""] + table(result.loads) + [""] + sentences(result).flatMap { Format.wrapped($0) }
            + [verdict(result)]
    }

    private static func heading(_ result: LiveValidationResult) -> [String] {
        [
            "model against the live stack: \(Format.count(result.entries)) entries in "
                + "\(result.shards == 1 ? "1 shard" : "\(result.shards) shards"), one PIR core, "
                + "\(result.devices) devices, every load a lookup",
            "machine: \(result.machine.summary)",
        ]
    }

    private static func table(_ loads: [LoadComparison]) -> [String] {
        var cells = [
            [
                "load", "", "live", "95 % interval", "model", "±", "error", "margin", "", "own speed",
                "PIR core busy",
            ]
        ]
        for load in loads {
            for (place, row) in load.rows.enumerated() {
                let isTime = row.quantity.probability != nil
                func text(_ value: Double) -> String {
                    isTime ? Format.milliseconds(value) + " ms" : Format.number(value) + "/s"
                }
                let interval = row.live.low.flatMap { low in
                    row.live.high.map { "\(short(low, isTime)) … \(short($0, isTime))" }
                }
                let half = row.model.low.flatMap { low in row.model.high.map { ($0 - low) / 2 } }
                cells.append([
                    place == 0 ? Format.share(load.load) : "", row.quantity.rawValue, text(row.live.value),
                    interval ?? "too few", text(row.model.value), half.map { short($0, isTime) } ?? "",
                    signed(row.relativeError), Format.share(row.margin),
                    row.verdict == .miss ? "MISS" : row.verdict.rawValue, signed(row.ownError),
                    place == 0
                        ? "\(Format.share(load.liveUtilization)), model \(Format.share(load.modelUtilization))"
                        : "",
                ])
            }
        }
        let widths = cells[0].indices.map { column in cells.map { $0[column].count }.max() ?? 0 }
        return cells.map { row in
            let line = row.enumerated().map { column, cell in
                [0, 1, 8, 10].contains(column)
                    ? Format.left(cell, widths[column]) : Format.right(cell, widths[column])
            }.joined(separator: "  ")
            return String(line.reversed().drop { $0 == " " }.reversed())
        }
    }

    private static func short(_ value: Double, _ isTime: Bool) -> String {
        isTime ? Format.milliseconds(value) : Format.number(value)
    }

    private static func sentences(_ result: LiveValidationResult) -> [String] {
        let calibration = result.calibration
        var sentences = [
            "calibrated once, at \(Format.share(calibration.load)) load "
                + "(\(calibration.lookups) lookups in \(Format.duration(calibration.seconds))): the PIR core takes "
                + "\(Format.duration(calibration.service)) for a lookup alone (\(calibration.services) samples; "
                + "'urlfilter measure' says \(Format.duration(calibration.profileService))), a further lookup of a "
                + "group of up to \(calibration.groupLimit) adds \(Format.share(calibration.followerShare)) of that; "
                + "device, HTTP, relay, gateway and token check take \(Format.duration(calibration.way)) "
                + "(\(calibration.ways) samples). All other loads are predictions.",
            "100 % load is \(Format.number(calibration.capacity)) lookups per second: what one core answers in "
                + "full groups.",
            "own speed: the error when the model is given the service times of that very run, one after the other, "
                + "and the mean of its ways; what is left is the error of queues and protocol.",
        ]
        if !calibration.noise.isEmpty {
            sentences.append("! calibration: " + calibration.noise.joined(separator: "; "))
        }
        for load in result.loads {
            if load.wrongVerdicts > 0 {
                sentences.append("! \(Format.share(load.load)): \(load.wrongVerdicts) wrong verdicts")
            }
            if load.byPolicy > 0 {
                let causes = load.policyCauses.sorted { $0.key < $1.key }.map { "\($0.key) \($0.value)" }
                sentences.append(
                    "\(Format.share(load.load)): the policy decided \(load.byPolicy) of \(load.lookups) lookups "
                        + "(\(causes.joined(separator: ", ")))")
            }
            if load.rows.contains(where: { $0.verdict != .pass }) { sentences.append(explanation(of: load)) }
        }
        return sentences
    }

    /// The measured facts of a load that was missed or not judged.
    private static func explanation(of load: LoadComparison) -> String {
        let name = Format.share(load.load)
        var facts = [
            "a lookup took the PIR core \(Format.duration(load.service)), "
                + "\(signed(load.serviceDrift)) against the calibration (\(signed(load.speedDrift)) by CPU time)"
        ]
        if let way = load.way, let delay = load.wayDelay {
            let sign = delay < 0 ? "-" : "+"
            facts.append("the way \(Format.duration(way)) (\(sign)\(Format.duration(abs(delay))))")
        }
        if load.noise.isEmpty {
            facts.append("its thread had a core for \(Format.share(load.threadShare)) of its working time")
        }
        if let others = load.otherCores {
            facts.append("other programs kept \(Format.number(others)) cores busy")
        }
        let sentence = facts.joined(separator: ", ")
        guard load.noise.isEmpty else {
            return "! \(name): too noisy to judge: \(load.noise.joined(separator: "; ")); \(sentence)"
        }
        return "\(name): \(sentence)"
    }

    private static func verdict(_ result: LiveValidationResult) -> String {
        let rows = result.loads.flatMap(\.rows)
        let wrong = result.loads.reduce(0) { $0 + $1.wrongVerdicts }
        let missed = rows.count { $0.verdict == .miss }
        let noisy = rows.count { $0.verdict == .tooNoisy }
        let lookups = result.loads.reduce(0) { $0 + $1.lookups }
        let explained = rows.count { abs($0.ownError) <= $0.margin }
        var parts = [
            missed == 0
                ? "\(rows.count - noisy) of \(rows.count) figures are within their margins"
                : "FAIL: \(missed) of \(rows.count) figures miss their margins"
        ]
        if noisy > 0 { parts.append("\(noisy) too noisy to judge") }
        parts.append("\(explained) of \(rows.count) within them at the machine's own speed")
        parts.append("\(wrong) wrong verdicts in \(Format.count(lookups)) lookups")
        if !result.finished { parts.append("stopped early") }
        return parts.joined(separator: "; ")
    }

    /// Never "-0.0 %".
    private static func signed(_ share: Double) -> String {
        let tenths = (share * 1000).rounded()
        return String(format: "%+.1f %%", tenths == 0 ? 0 : tenths / 10)
    }
}
