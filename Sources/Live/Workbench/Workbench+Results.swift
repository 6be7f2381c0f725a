import Crypto
import Experiment
import Foundation
import Questions
import Report
import Scenarios
import Synchronization
import Workload

/// Runs and their results.
extension Workbench {
    private struct ResultAnswer: Encodable {
        var name: String
        var isFinished: Bool
        /// First screen of the terminal.
        var text: String
        /// Command that makes the result again, if the directory says so.
        var command: String?
    }

    private struct TicketAnswer: Encodable {
        var ticket: String
    }

    func start(_ asked: FileQuestion) async throws -> WorkbenchAnswer {
        let place = try scenarioPlace(asked.path)
        // What cannot run is refused here, with its place, and leaves no directory.
        let plan = try SweepPlan(ScenarioFile(path: place))
        let stem = URL(fileURLWithPath: place).deletingPathExtension().lastPathComponent
        let result = try await freshResult(stem)
        let isRecorded = RunRecording.refusal(of: plan) == nil
        let run = try await runs.start(
            ["run", asked.path, "--output", result]
                + (isRecorded ? ["--timeline", "\(result)/\(ResultDirectory.timeline)"] : []),
            title: plan.points.first?.scenario.name ?? stem, result: result)
        return try WorkbenchAnswer(json: run)
    }

    /// Largest timeline that is shown, bytes: what a browser reads within a second or two.
    private static let timelineLimit = 32 << 20

    /// The slow lookups of a run, as `urlfilter run --timeline` writes them.
    ///
    /// The page reads them as data: whoever made the file, it is parsed as JSON, and its names become texts.
    func timeline(_ asked: FileQuestion) throws -> WorkbenchAnswer {
        let name = asked.path + "/" + ResultDirectory.timeline
        let place = try folder.place(name)
        guard FileManager.default.fileExists(atPath: place) else {
            throw WorkbenchRefusal(
                422, "the run kept no lookups; 'urlfilter run' does with --timeline \(name)")
        }
        let bytes = try InputBytes.read(place, limit: Self.timelineLimit)
        guard bytes.count <= Self.timelineLimit else {
            throw WorkbenchRefusal(
                422,
                "\(ResultDirectory.timeline) is larger than \(Self.timelineLimit >> 20) MiB; ui.perfetto.dev shows it"
            )
        }
        return WorkbenchAnswer(.bytes(Array(bytes)), type: "application/json")
    }

    /// A directory that no result has, nor any run that waits for its turn.
    func freshResult(_ stem: String) async throws -> String {
        let time = Date().formatted(.iso8601.timeSeparator(.omitted)).replacing("Z", with: "")
        var result = "results/\(stem)-\(time)"
        let promised = Set(await runs.all.map(\.result))
        for number in 2...100
        where try promised.contains(result) || FileManager.default.fileExists(atPath: folder.place(result)) {
            result = "results/\(stem)-\(time)-\(number)"
        }
        _ = try folder.place(result)
        return result
    }

    func resume(_ asked: FileQuestion) async throws -> WorkbenchAnswer {
        _ = try folder.place(asked.path)
        let run = try await runs.start(
            ["run", "--resume", asked.path], title: (asked.path as NSString).lastPathComponent,
            result: asked.path)
        return try WorkbenchAnswer(json: run)
    }

    func stop(_ asked: RunQuestion) async throws -> WorkbenchAnswer {
        await runs.stop(asked.id)
        return try WorkbenchAnswer(json: await runs.all)
    }

    func result(_ asked: FileQuestion) throws -> WorkbenchAnswer {
        let place = try folder.place(asked.path)
        let result = try ResultFile.read(path: place)
        let manifest = ResultFile.manifest(path: place)
        let words = manifest.map { ["urlfilter"] + $0.arguments.dropFirst().map(ShellWord.quoted) }
        return try WorkbenchAnswer(
            json: ResultAnswer(
                name: result.scenario.name, isFinished: result.finished,
                text: Document(result, more: "more: urlfilter report \(asked.path)").text(.brief),
                command: words?.joined(separator: " ")))
    }

    func ticket(_ asked: FileQuestion) throws -> WorkbenchAnswer {
        _ = try folder.place(asked.path)
        return try WorkbenchAnswer(json: TicketAnswer(ticket: tickets.issue(for: asked.path)))
    }

    /// The report page, made anew from the result's numbers: a page that lies in the folder may come from anybody.
    ///
    /// It runs without an origin, so that its script reaches nothing of the workbench.
    func report(_ ticket: String) throws -> WorkbenchAnswer {
        let place = try folder.place(try tickets.redeem(ticket))
        let page = ReportPage.render(
            try ResultFile.read(path: place), manifest: ResultFile.manifest(path: place),
            alternatives: try ResultFile.alternatives(path: place))
        var answer = WorkbenchAnswer(.bytes(Array(page.utf8)), type: "text/html; charset=utf-8")
        let script = page.components(separatedBy: "<script>").last?.components(separatedBy: "</script>").first
        let hash = Data(SHA256.hash(data: Data((script ?? "").utf8))).base64EncodedString()
        answer.fields["content-security-policy"] =
            "default-src 'none'; style-src 'unsafe-inline'; script-src 'sha256-\(hash)'; base-uri 'none'; "
            + "form-action 'none'; frame-ancestors 'self'; sandbox allow-scripts"
        return answer
    }

    func compare(_ asked: ComparedResults.Question) throws -> WorkbenchAnswer {
        try WorkbenchAnswer(json: ComparedResults(asked, folder))
    }

    func note(_ asked: NoteQuestion) throws -> WorkbenchAnswer {
        _ = try folder.place(asked.path)
        return try noteChanges.withLock { _ in
            var notes = try LibraryNotes.read(folder)
            try notes.set(
                LibraryNotes.Note(isPinned: asked.isPinned, text: asked.text), of: asked.path, in: folder)
            return try WorkbenchAnswer(json: notes)
        }
    }
}

struct NoteQuestion: Decodable {
    var path: String
    var isPinned: Bool
    var text: String
}
