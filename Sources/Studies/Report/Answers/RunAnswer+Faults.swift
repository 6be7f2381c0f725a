package import Experiment
import RunMetrics
import Wording

/// How long each fault was felt.
extension RunAnswer {
    var faults: [Document.Block] {
        guard let rule = point.recoveries.first else { return [] }
        let table = Table(
            columns: ["FAULTS", "from", "to", "healthy again after"].map { Table.Column($0) },
            rows: point.recoveries.map { recovery in
                [
                    .words(recovery.fault), .quantity(recovery.begin, .duration),
                    .quantity(recovery.end, .duration),
                    .value(
                        Quantity(recovery.value, .metric(.seconds), recovery.interval, words: recovery.words)
                    ),
                ]
            }, indent: 2)
        let healthy =
            "healthy: at most \(Format.share(rule.failureShare)) of the verdicts in every"
            + " \(Format.duration(rule.windowSeconds)) are the policy's; counted from the end of the fault in steps of"
            + " \(Format.duration(rule.windowSeconds / 10))"
        return [.table(table, at: .full), .sentences([healthy], at: .full, margin: Self.note)]
    }
}

extension RecoveryResult {
    /// `at least` when replications ended before the fleet was healthy.
    package var words: String {
        if censored == 0, perReplication.allSatisfy({ $0 == 0 }) { return "at once" }
        var text = censored > 0 ? "at least " : ""
        text += Format.number(value)
        text += Format.spread(around: value, interval, Format.number) + " s"
        if censored > 0 { text += ", not seen in \(censored) of \(perReplication.count) replications" }
        return text
    }
}
