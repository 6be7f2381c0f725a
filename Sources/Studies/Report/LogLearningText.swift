import Experiment
import Questions
import RunMetrics
import Wording

/// Rest of the ignorance of a scenario after a log, for a terminal.
enum LogLearningText {
    static func lines(_ learning: LogLearning) -> [String] {
        var lines = ["", headline(learning)]
        lines += Format.table(
            [["figure of the scenario", "before", "after the log", "with the written ranges"]]
                + learning.rows.map { row in
                    [
                        "\(row.name) \(row.statistic)", text(row.before, row.unit), text(row.after, row.unit),
                        text(row.written, row.unit),
                    ]
                }
        ).map { "  " + $0 }
        if !learning.narrowed.isEmpty {
            lines += Format.table(
                [["assumption", "before", "written"]]
                    + learning.narrowed.map { [$0.input, $0.before, $0.after] }
            ).map { "  " + $0 }
        }
        let seen = learning.evidence.map {
            "\($0.figure) \(Format.range($0.low, $0.high, Format.number))"
        }
        lines += Format.wrapped(
            "Seen, as the design's fleet would show it: \(seen.joined(separator: "; ")). Of \(learning.draws) draws of"
                + " what is plausible, the log leaves as much as \(Format.number(learning.effectiveDraws)) equal ones."
                + " A scenario draws each assumption by itself, so the written ranges are wider than what was learned.",
            indent: "  ")
        return lines
    }

    private static func headline(_ learning: LogLearning) -> String {
        guard let lookups = learning.rows.first(where: { $0.name == "lookup.perDeviceDay" }) else {
            return "what nobody knows, after the log"
        }
        return
            "lookups a device-day \(text(lookups.after, .number)) instead of \(text(lookups.before, .number)),"
            + " by what nobody knows"
    }

    private static func text(_ interval: Interval, _ unit: Metric.Unit) -> String {
        Format.rough(interval, unit)
    }
}
