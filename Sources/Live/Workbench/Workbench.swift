import Foundation
import Synchronization

/// The workbench in a browser: who may ask, and what answers which path. It knows no sockets.
///
///     let workbench = Workbench(folder: folder, launcher: launcher) { secret in … }
///     await workbench.answer(request)
package final class Workbench: Sendable {
    package let folder: OpenedFolder
    let gate: Gate
    let tickets = Tickets()
    let listings = ListingCache()
    /// Notes are read, changed and written as one.
    let noteChanges = Mutex(())
    /// Dropped files are looked at one after the other: each is in memory as a whole.
    let looks = Mutex(false)
    let runs: RunQueue

    /// - Parameter renew: Gets the secret of a new address after an old one was opened twice.
    package init(
        folder: OpenedFolder, launcher: any RunLauncher, renew: @escaping @Sendable (String) -> Void
    ) {
        self.folder = folder
        gate = Gate(renew: renew)
        runs = RunQueue(launcher: launcher, folder: folder.path)
    }

    /// The part behind `#` of the address that opens a session.
    ///
    /// - Parameter page: Where to go then, such as `/scenario/outage.yaml`.
    package func fragment(secret: String? = nil, page: String = "") -> String {
        "open=\(secret ?? gate.secret)" + page
    }

    package func answer(_ request: WorkbenchRequest) async -> WorkbenchAnswer {
        var answer: WorkbenchAnswer
        do {
            try gate.check(source: request)
            answer = try await route(request)
        } catch let refusal as WorkbenchRefusal {
            answer = refusal.answer
        } catch {
            // What is wrong with a file or a value is a sentence already.
            answer = WorkbenchRefusal(422, Self.shortened("\(error)", folder.path)).answer
        }
        for (name, value) in Self.fields where answer.fields[name] == nil { answer.fields[name] = value }
        return answer
    }

    /// Largest content of a request, which its head decides: files are taken from a session only.
    package func contentLimit(of head: WorkbenchRequest) -> Int {
        let isKnown = (try? gate.check(source: head)) != nil && (try? gate.check(session: head)) != nil
        return isKnown && head.path == Self.look ? DroppedFiles.limit : WorkbenchRequest.contentLimit
    }

    private static let look = "/api/look"

    /// Ends streams and the run under way.
    package func end() async { await runs.end() }

    /// Fields of every answer. A report has a policy of its own.
    private static let fields = [
        "content-security-policy":
            "default-src 'none'; script-src 'self'; style-src 'self'; connect-src 'self'; img-src 'self'; "
            + "frame-src 'self'; base-uri 'none'; form-action 'none'; frame-ancestors 'none'",
        "cross-origin-opener-policy": "same-origin",
        "cross-origin-resource-policy": "same-origin",
        "x-content-type-options": "nosniff",
        "referrer-policy": "no-referrer",
        "cache-control": "no-store",
    ]

    /// Paths below the folder as the page names them.
    static func shortened(_ text: String, _ folder: String) -> String {
        text.replacing(folder + "/", with: "")
    }

    private func route(_ request: WorkbenchRequest) async throws -> WorkbenchAnswer {
        if request.method == "GET", let file = PageFile.named(request.path) { return file.answer }
        switch (request.method, request.path) {
        case ("GET", let path) where path.hasPrefix("/report/"):
            return try report(String(path.dropFirst("/report/".count)))
        case ("POST", "/api/session"):
            let asked = try request.read(SessionQuestion.self)
            return try WorkbenchAnswer(json: SessionAnswer(session: try gate.session(for: asked.secret)))
        default: break
        }
        try gate.check(session: request)
        guard request.method == "POST" else { throw WorkbenchRefusal(404, "there is nothing here") }
        return switch request.path {
        case "/api/folder": try WorkbenchAnswer(json: FolderListing(folder, listings))
        case "/api/form": try WorkbenchAnswer(json: SettingForm())
        case "/api/scenario/new": try create(request.read(NewScenario.self))
        case "/api/scenario/read": try read(request.read(FileQuestion.self))
        case "/api/scenario/resolve": try resolve(request.read(TextQuestion.self))
        case "/api/scenario/set": try set(request.read(ChangeQuestion.self))
        case "/api/scenario/save": try save(request.read(TextQuestion.self))
        case "/api/prefilter":
            try WorkbenchAnswer(json: PrefilterAnswer(request.read(PrefilterAnswer.Question.self)))
        case "/api/servers":
            try WorkbenchAnswer(json: ServersAnswer(request.read(ServersAnswer.Question.self)))
        case "/api/outage":
            try WorkbenchAnswer(json: OutageAnswer(request.read(OutageAnswer.Question.self)))
        case "/api/servers/confirm": try await confirm(servers: request.read(ServersConfirmation.self))
        case "/api/outage/confirm": try await confirm(outage: request.read(OutageConfirmation.self))
        case "/api/knobs": try knobs(request.read(FileQuestion.self))
        case "/api/glance": try glance(request.read(GlanceQuestion.self))
        case "/api/timeline": try timeline(request.read(FileQuestion.self))
        case "/api/compare": try compare(request.read(ComparedResults.Question.self))
        case "/api/note": try note(request.read(NoteQuestion.self))
        case Self.look: try look(at: request)
        case "/api/result": try result(request.read(FileQuestion.self))
        case "/api/ticket": try ticket(request.read(FileQuestion.self))
        case "/api/runs": try WorkbenchAnswer(json: await runs.all)
        case "/api/runs/start": try await start(request.read(FileQuestion.self))
        case "/api/runs/resume": try await resume(request.read(FileQuestion.self))
        case "/api/runs/stop": try await stop(request.read(RunQuestion.self))
        case "/api/runs/events":
            WorkbenchAnswer(.events(try await runs.events()), type: "text/event-stream")
        default: throw WorkbenchRefusal(404, "there is nothing here")
        }
    }
}

// MARK: - What the page asks

struct SessionQuestion: Decodable {
    var secret: String
}

struct SessionAnswer: Encodable {
    var session: String
}

struct FileQuestion: Decodable {
    /// Name in the folder.
    var path: String
}

struct TextQuestion: Decodable {
    var path: String
    var text: String
    /// SHA-256 of the file that the text began as, so that nobody's change is overwritten; absent for a new file.
    var version: String?
}

struct ChangeQuestion: Decodable {
    var path: String
    var text: String
    var setting: String
    var value: String
    var isText: Bool
}

struct RunQuestion: Decodable {
    var id: Int
}
