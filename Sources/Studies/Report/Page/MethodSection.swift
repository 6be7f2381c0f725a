import Experiment
import RunMetrics
import Scenarios
import Wording

/// Account of what was done: settings with their sources, how to do it again, what is left out, and how it
/// was checked.
struct MethodSection {
    let points: PagePoints
    let manifest: RunManifest?

    func write(to page: inout Markup) {
        page.element("section", ["id": "method"]) { section in
            section.element("h2", text: "What we did")
            writeRun(to: &section)
            writeCommand(to: &section)
            writeSettings(to: &section)
            section.element("h3", text: "What the model leaves out")
            PageFrame.writeList(points.result.modelled + Self.leftOut, to: &section)
            section.element("h3", text: "How it was checked")
            PageFrame.writeList(checks, to: &section)
            writeClosedForms(to: &section)
        }
    }

    /// The main limits of the fleet model; its article has all of them.
    private static let leftOut = [
        "memory, disks and network cards of the servers never fill",
        "Apple's relay is a delay, a size cap and an availability: its quotas and regions are not published",
        "people do not load a blocked page again",
        "behaviour that Apple does not publish (token stock, configuration refetch, retry pauses) is assumed; the"
            + " settings above name each assumption",
    ]

    private func writeRun(to page: inout Markup) {
        let (result, scenario) = (points.result, points.result.scenario)
        var lines = [
            "\(Format.count(scenario.devices, "device")), \(Format.duration(scenario.duration)) simulated,"
                + " \(Format.warmUp(scenario.warmUp)) (\(scenario.warmUpMethod)), drain"
                + " \(Format.duration(scenario.drain)), fidelity \(scenario.fidelity.rawValue).",
            "Seed \(scenario.seed); replications per point: "
                + result.points.map { "\($0.replications)" }.uniqued().joined(separator: ", ") + ".",
            "List: \(result.blocklist.file), \(Format.count(result.blocklist.entries, "entry"))"
                + " (\(Format.count(result.blocklist.duplicates, "duplicate")) and"
                + " \(Format.count(result.blocklist.dropped)) unusable lines left out).",
        ]
        lines += Format.keys(result.blocklist)
        for trace in result.traces {
            lines.append(
                "Trace: \(trace.file), \(Format.count(trace.records, "record")) of"
                    + " \(Format.count(trace.clients, "client")) over \(Format.duration(trace.seconds)).")
        }
        if let profile = result.profile {
            lines.append(
                "Cost profile: \(profile.rlweParameters), \(Format.count(profile.shards, "shard")), one response"
                    + " \(Format.duration(profile.responseSeconds)) of CPU on \(profile.machine).")
        }
        if let speed = result.profile?.speed { lines.append("Speed: \(Format.drift(speed)).") }
        if let server = result.profile?.server { lines.append("Server: \(Format.server(server)).") }
        lines.append(
            "Percentiles are by nearest rank, up to 0.1 % high, each the mean over replications of the replication's"
                + " own. ± is half an interval's width; how each interval came about stands in summary.json.")
        lines += Format.conditions(scenario).map { $0.prefix(1).uppercased() + $0.dropFirst() + "." }
        if let manifest {
            lines.append(
                "urlfilter \(manifest.version), schema \(result.schema), on \(manifest.host), started"
                    + " \(manifest.started); \(Format.duration(manifest.cpuSeconds)) of CPU.")
        }
        for line in lines { page.element("p", text: line) }
    }

    private func writeCommand(to page: inout Markup) {
        guard let manifest else { return }
        Self.write(command: manifest.arguments, to: &page)
        page.element("details") { details in
            details.element("summary", text: "Fingerprints of the input files (SHA-256)")
            DataTable(
                header: ["file", "SHA-256"],
                rows: manifest.inputs.sorted { $0.key < $1.key }.map { [.text($0.key), .text($0.value)] }
            ).write(to: &details)
        }
    }

    static func write(command arguments: [String], to page: inout Markup) {
        page.element("h3", text: "Do it again")
        page.element("pre") { $0.element("code") { $0.verbatim(command(arguments)) } }
    }

    /// Command as a shell takes it; the path of the program becomes its name.
    private static func command(_ arguments: [String]) -> String {
        let rest = arguments.dropFirst().map { argument in
            let isPlain =
                !argument.isEmpty
                && argument.unicodeScalars.allSatisfy {
                    $0.properties.isAlphabetic || "0123456789-_./=,:%+@".unicodeScalars.contains($0)
                }
            return isPlain
                ? argument
                : "'"
                    + argument.split(separator: "'", omittingEmptySubsequences: false)
                    .joined(separator: #"'\''"#) + "'"
        }
        return (["urlfilter"] + rest).joined(separator: " ")
    }

    private func writeSettings(to page: inout Markup) {
        page.element("h3", text: "Settings")
        let varied = points.result.points.flatMap(\.settings.keys).uniqued().sorted()
        if !varied.isEmpty {
            page.element("p", text: "Varied: \(varied.joined(separator: ", ")).")
        }
        let settings = points.result.scenario.settings
        page.element("details") { details in
            details.element(
                "summary",
                text: "All \(Format.count(settings.count, "setting")), with the source of each default")
            DataTable(
                header: ["setting", "value", "source"],
                rows: settings.map {
                    [.text($0.path), .text($0.value), .text($0.defaultSource ?? "set by the scenario")]
                }
            ).write(to: &details)
        }
    }

    private var checks: [String] {
        var lines: [String] = []
        let identities = points.result.points.flatMap(\.identities)
        if !identities.isEmpty {
            let violations = identities.reduce(0) { $0 + $1.violations }
            lines.append(
                "\(Format.count(identities.reduce(0) { $0 + $1.checks })) checks of identities that hold whatever"
                    + " is simulated (\(identities.map(\.name).uniqued().joined(separator: ", "))): "
                    + (violations == 0 ? "all hold." : "\(violations) VIOLATED, do not use these numbers."))
        }
        let compared = points.result.points.reduce(0) { $0 + $1.counts.realLookupsChecked }
        if compared > 0 {
            let wrong = points.result.points.reduce(0) { $0 + $1.counts.realLookupDisagreements }
            lines.append(
                "Really encrypted, answered and decrypted, and compared with the list:"
                    + " \(Format.count(compared, "lookup")), \(Format.count(wrong, "disagreement")).")
        }
        lines.append(
            "Simulated figures stand beside closed forms below; where the assumptions of a form hold, both agree."
        )
        return lines
    }

    private func writeClosedForms(to page: inout Markup) {
        for named in points.shown where !named.point.analytic.isEmpty {
            page.element("details") { details in
                details.element(
                    "summary", text: "Closed forms" + (points.isSingle ? "" : ": \(named.name)"))
                DataTable(
                    header: ["figure", "predicted", "simulated", "from", "to", "formula"],
                    rows: named.point.analytic.map { form in
                        let unit = form.unit == .number ? "" : ", " + Format.unitName(form.unit)
                        return [
                            .text(form.name + unit),
                            .number(form.predicted, Format.bare(form.predicted, form.unit)),
                        ]
                            + DataTable.cells(
                                form.simulated, form.interval?.low, form.interval?.high, form.unit)
                            + [
                                .text(
                                    [form.formula, Format.distance(form)].filter { !$0.isEmpty }
                                        .joined(separator: "; "))
                            ]
                    }
                ).write(to: &details)
            }
        }
    }
}
