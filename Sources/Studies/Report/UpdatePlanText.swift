import Experiment
package import Questions
import Wording

/// Demands of the next edition of a list, on one screen.
package enum UpdatePlanText {
    /// - Returns: Text that ends with a newline.
    package static func render(_ plan: UpdatePlan) -> String {
        var lines = Format.wrapped(
            "\(plan.new.file) after \(plan.old.file): \(Format.count(plan.added, "new entry")),"
                + " \(Format.count(plan.removed)) gone, \(Format.count(plan.new.entries)) in all", indent: "")
        lines += Format.wrapped(headline(plan), indent: "")
        lines += [""] + processing(plan)
        if let sample = plan.sample { lines += Format.wrapped(sample) }
        lines += others(plan)
        lines += [""] + devices(plan)
        lines += Format.wrapped(
            "each PIR server: \(Format.bytes(plan.memory.after)) of database, \(Format.bytes(plan.memory.whileLoading))"
                + " while it loads the new one beside the old one; evaluation keys come on top")
        lines += Format.wrapped(order(plan))
        lines += ["", "A BAD EDITION, from the moment in which its repair is begun"]
        lines += RepairText.table(plan.repairs)
        for risk in plan.risks { lines += Format.wrapped("! " + risk, indent: "") }
        return lines.joined(separator: "\n") + "\n"
    }

    private static func headline(_ plan: UpdatePlan) -> String {
        if let update = plan.update {
            return "PARAMETERS KEPT with 'pir process --update': \(Format.count(update.rewrittenShards)) of"
                + " \(Format.count(update.shards, "shard")) are written anew, devices keep configuration and keys."
        }
        return "PARAMETERS CHANGE: devices fetch the configuration again, and their evaluation keys"
            + (plan.voidsKeys ? " become void." : " stay good.")
    }

    private static func processing(_ plan: UpdatePlan) -> [String] {
        func row(_ name: String, _ outcome: EditionProcessor.Outcome, isKept: Bool) -> [String] {
            [
                "  " + name, "\(Format.count(outcome.rewrittenShards)) of \(Format.count(outcome.shards))",
                Format.duration(outcome.wallSeconds), Format.duration(outcome.cpuSeconds),
                Format.bytes(outcome.memoryBytes), isKept ? "stays" : "new",
                outcome.evaluationKeyID == plan.before.evaluationKeyID ? "stay" : "void",
            ]
        }
        func isKept(_ outcome: EditionProcessor.Outcome) -> Bool {
            outcome.configurationID == plan.before.configurationID
        }
        let update = plan.update.map { [row("update", $0, isKept: isKept($0))] } ?? []
        return Format.table(
            [
                [
                    "  processing here", "shards written", "time", "CPU", "database", "configuration", "keys",
                ]
            ] + update + [row("all anew", plan.anew, isKept: isKept(plan.anew))])
    }

    private static func others(_ plan: UpdatePlan) -> [String] {
        plan.otherTools.flatMap { tool in
            Format.wrapped(
                "the tool of \(tool.name) would take \(Format.duration(tool.least)) to \(Format.duration(tool.most)) of CPU"
                    + " on one core for all shards, by the ratio measured side by side"
                    + (tool.memoryRatio.map {
                        ", and \(Format.number($0[0])) to \(Format.number($0[1])) times our memory"
                    } ?? ""))
        }
    }

    private static func devices(_ plan: UpdatePlan) -> [String] {
        let device = plan.device
        let more =
            device.configuration > 0
            ? ", the configuration of \(Format.bytes(Double(device.configuration)))"
                + (device.evaluationKey > 0
                    ? ", and uploads a key of \(Format.bytes(Double(device.evaluationKey)))" : "") : ""
        let grown = plan.new.prefilterBytes - plan.old.prefilterBytes
        let change =
            grown == 0
            ? "as large as before"
            : "\(Format.bytes(Double(grown.magnitude))) \(grown > 0 ? "more" : "less") than before"
        var lines = Format.wrapped(
            "each device fetches the prefilter of \(Format.bytes(Double(device.prefilter))) (\(change))\(more);"
                + " \(Format.bytes(Double(device.unchanged))) when nothing has changed")
        if let fleet = plan.fleet {
            let up = fleet.uploadBytes > 0 ? ", \(Format.bytes(fleet.uploadBytes)) uploaded" : ""
            lines += Format.wrapped(
                "\(Format.count(fleet.devices, "device")): \(Format.bytes(fleet.downloadBytes)) delivered\(up),"
                    + " \(fleet.currency) \(Format.number(fleet.money)) for this edition")
        }
        return lines
    }

    private static func order(_ plan: UpdatePlan) -> String {
        "order: load the PIR servers first, then publish the prefilter. The other way round"
            + " \(Format.share(plan.fetchedPerHour)) of the devices take the prefilter in each hour that it is ahead, ask"
            + " a database without \(Format.count(plan.added, "new entry")), let them through, and remember that for up to"
            + " \(Format.duration(plan.answersKept))"
    }
}
