import Foundation
import Synchronization
import Workbench

/// What the page's JavaScript does, without a socket.
struct PageClient {
    let workbench: Workbench
    /// Secrets of new addresses that the terminal showed.
    let shown: ShownSecrets
    var session = ""
    var host = "127.0.0.1:8090"

    init(_ folder: String, launcher: any RunLauncher = NoProgram()) throws {
        let shown = ShownSecrets()
        self.shown = shown
        workbench = Workbench(folder: try OpenedFolder(path: folder), launcher: launcher) { shown.add($0) }
    }

    /// A client with a session.
    static func opened(_ folder: String, launcher: any RunLauncher = NoProgram()) async throws -> PageClient {
        var client = try PageClient(folder, launcher: launcher)
        let answer = await client.ask("session", ["secret": client.secret])
        client.session = try client.document(answer)["session"] as? String ?? ""
        return client
    }

    var secret: String { String(workbench.fragment().dropFirst("open=".count)) }

    func ask(_ path: String, _ body: [String: Any] = [:], _ fields: [String: String] = [:]) async
        -> WorkbenchAnswer
    {
        await workbench.answer(request(path, body, fields))
    }

    func request(
        _ path: String, _ body: [String: Any] = [:], _ fields: [String: String] = [:]
    ) -> WorkbenchRequest {
        var all = ["content-type": "application/json", "x-workbench-session": session]
        all.merge(fields) { $1 }
        let content = (try? JSONSerialization.data(withJSONObject: body)) ?? Data()
        return WorkbenchRequest(
            method: "POST", path: "/api/" + path, host: host, fields: all, content: Array(content))
    }

    func get(_ path: String, _ fields: [String: String] = [:]) async -> WorkbenchAnswer {
        await workbench.answer(WorkbenchRequest(method: "GET", path: path, host: host, fields: fields))
    }

    func document(_ answer: WorkbenchAnswer) throws -> [String: Any] {
        try JSONSerialization.jsonObject(with: Data(answer.text.utf8)) as? [String: Any] ?? [:]
    }

    func sentence(_ answer: WorkbenchAnswer) throws -> String {
        try document(answer)["error"] as? String ?? ""
    }
}

final class ShownSecrets: Sendable {
    private let secrets = Mutex<[String]>([])

    var all: [String] { secrets.withLock { $0 } }

    func add(_ secret: String) { secrets.withLock { $0.append(secret) } }
}

/// No run may be started.
struct NoProgram: RunLauncher {
    struct Missing: Error {}

    func launch(
        _ arguments: [String], in folder: String, line: @escaping @Sendable (String) -> Void
    ) throws -> any LaunchedRun { throw Missing() }
}
