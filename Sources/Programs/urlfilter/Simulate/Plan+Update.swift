import CommandSupport
import Experiment
import Foundation
import Questions
import Report
import Scenarios
import Workload

/// `urlfilter plan --update OLD NEW`: what the next edition of a list asks.
extension Plan {
    /// Scenario for want of a file: every default, and one device.
    private static func usualScenario(list: String) throws -> ScenarioFile {
        let folder = FileManager.default.currentDirectoryPath
        let text = "duration: 1h\ndevices: [{ name: device, count: 1 }]\n"
        return try ScenarioFile(text: Data(text.utf8), path: "plan --update", folder: folder)
            .setting("blocklist.file", toText: list)
    }

    func planUpdate(_ files: [String]) throws {
        let (old, new) = (files[0], files[1])
        let file = try scenario.map { try options.file($0) } ?? options.changed(Self.usualScenario(list: new))
        let resolved = try ScenarioResolver.resolve(file)
        try resolved.requireURLFilter(
            for: "a plan of an update", instead: "add --set architecture=urlFilter")
        let progress = ProgressLine(isQuiet: options.quiet)
        func list(_ path: String) throws -> UpdatePlanner.NamedList {
            progress.show("reading \(path)")
            var settings = resolved.blocklist.options
            settings.isStrict = options.strict
            return (path, try BlockListReader.read(path: path, options: settings).0)
        }
        let planner = UpdatePlanner(
            resolved, old: try list(old), new: try list(new), hasFleet: scenario != nil)
        let folder = FileManager.default.temporaryDirectory.path + "/urlfilter-update-\(UUID().uuidString)"
        try FileManager.default.createDirectory(atPath: folder, withIntermediateDirectories: true)
        defer { try? FileManager.default.removeItem(atPath: folder) }
        let interrupts = InterruptHandler { _ in
            try? FileManager.default.removeItem(atPath: folder)
            Interrupts.endNow()
        }
        defer { interrupts.cancel() }
        let plan = try planner.plan(takesAll: allShards, folder: folder) { progress.show($0) }
        progress.finish()
        try AnswerForm(markdown: markdown, json: json).show(Document(plan), plan)
        guard plan.keepsParameters else { throw ExitStatus.regression.code }
    }
}
