package import Experiment
import Wording

/// How long each fault was felt.
extension RunText {
    mutating func addFaults() {
        guard let rule = point.recoveries.first else { return }
        var rows = [["FAULTS", "from", "to", "healthy again after"]]
        for recovery in point.recoveries {
            rows.append([
                "  " + recovery.fault, Format.duration(recovery.begin), Format.duration(recovery.end),
                Self.text(recovery),
            ])
        }
        lines += Format.table(rows)
        lines += Format.wrapped(
            "healthy: at most \(Format.share(rule.failureShare)) of the verdicts in every"
                + " \(Format.duration(rule.windowSeconds)) are the policy's; counted from the end of the fault in steps of"
                + " \(Format.duration(rule.windowSeconds / 10))",
            width: 98
        ).map { "  " + $0 }
        lines.append("")
    }

    /// `at least` when replications ended before the fleet was healthy.
    package static func text(_ recovery: RecoveryResult) -> String {
        if recovery.censored == 0, recovery.perReplication.allSatisfy({ $0 == 0 }) { return "at once" }
        var text = recovery.censored > 0 ? "at least " : ""
        text += Format.number(recovery.value)
        text += Format.spread(around: recovery.value, recovery.interval, Format.number) + " s"
        if recovery.censored > 0 {
            text += ", not seen in \(recovery.censored) of \(recovery.perReplication.count) replications"
        }
        return text
    }
}
