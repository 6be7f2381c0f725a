import Experiment
package import Questions
import Wording

extension Document {
    package init(_ plan: UpdatePlan) { self = UpdatePlanAnswer(plan: plan).document }
}

/// Demands of the next edition of a list: what is processed, fetched and loaded, and what a bad edition costs.
struct UpdatePlanAnswer {
    let plan: UpdatePlan

    var document: Document {
        let opening =
            "\(plan.new.file) after \(plan.old.file): \(Format.count(plan.added, "new entry")),"
            + " \(Format.count(plan.removed)) gone, \(Format.count(plan.new.entries)) in all"
        return Document(
            title: "\(plan.new.file): the next edition", facts: [opening], heading: [opening],
            sections: [
                Document.Section(
                    "Answer", [.verdict(headline, plan.keepsParameters ? .pass : .fail), .gap()]),
                Document.Section(
                    "Processing",
                    [.table(processing), .sentences([plan.sample].compactMap(\.self) + others), .gap()]),
                Document.Section(
                    "Devices and servers", [.sentences(devices + [memory, order])]),
                Document.Section("A bad edition", [.table(repairs)]),
                Document.Section("Risks", [.warnings(plan.risks)]),
            ])
    }

    private var headline: String {
        if let update = plan.update {
            return "PARAMETERS KEPT with 'pir process --update': \(Format.count(update.rewrittenShards)) of"
                + " \(Format.count(update.shards, "shard")) are written anew, devices keep configuration and keys."
        }
        return "PARAMETERS CHANGE: devices fetch the configuration again, and their evaluation keys"
            + (plan.voidsKeys ? " become void." : " stay good.")
    }

    private var processing: Table {
        Table(
            columns: [
                "  processing here", "shards written", "time", "CPU", "database", "configuration", "keys",
            ].map { Table.Column($0) },
            rows: (plan.update.map { [row("update", $0)] } ?? []) + [row("all anew", plan.anew)], indent: 2,
            names: 1)
    }

    private func row(_ name: String, _ outcome: EditionProcessor.Outcome) -> [Table.Cell] {
        [
            .words(name),
            .words("\(Format.count(outcome.rewrittenShards)) of \(Format.count(outcome.shards))"),
            .quantity(outcome.wallSeconds, .duration), .quantity(outcome.cpuSeconds, .duration),
            .quantity(outcome.memoryBytes, .bytes),
            .words(outcome.configurationID == plan.before.configurationID ? "stays" : "new"),
            .words(outcome.evaluationKeyID == plan.before.evaluationKeyID ? "stay" : "void"),
        ]
    }

    private var others: [String] {
        plan.otherTools.map { tool in
            "the tool of \(tool.name) would take \(Format.duration(tool.least)) to \(Format.duration(tool.most)) of CPU"
                + " on one core for all shards, by the ratio measured side by side"
                + (tool.memoryRatio.map {
                    ", and \(Format.number($0[0])) to \(Format.number($0[1])) times our memory"
                } ?? "")
        }
    }

    private var devices: [String] {
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
        let one =
            "each device fetches the prefilter of \(Format.bytes(Double(device.prefilter))) (\(change))\(more);"
            + " \(Format.bytes(Double(device.unchanged))) when nothing has changed"
        guard let fleet = plan.fleet else { return [one] }
        let up = fleet.uploadBytes > 0 ? ", \(Format.bytes(fleet.uploadBytes)) uploaded" : ""
        return [
            one,
            "\(Format.count(fleet.devices, "device")): \(Format.bytes(fleet.downloadBytes)) delivered\(up),"
                + " \(fleet.currency) \(Format.number(fleet.money)) for this edition",
        ]
    }

    private var memory: String {
        "each PIR server: \(Format.bytes(plan.memory.after)) of database, \(Format.bytes(plan.memory.whileLoading))"
            + " while it loads the new one beside the old one; evaluation keys come on top"
    }

    private var repairs: Table {
        var table = RepairText.answers(plan.repairs)
        table.title = "A BAD EDITION, from the moment in which its repair is begun"
        table.titleLevel = .text
        return table
    }

    private var order: String {
        "order: load the PIR servers first, then publish the prefilter. The other way round"
            + " \(Format.share(plan.fetchedPerHour)) of the devices take the prefilter in each hour that it is"
            + " ahead, ask a database without \(Format.count(plan.added, "new entry")), let them through, and"
            + " remember that for up to \(Format.duration(plan.answersKept))"
    }
}
