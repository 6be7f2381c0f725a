import Foundation

/// A started `urlfilter open` with a session, its folder, and a secret file beside the folder.
struct PageTarget {
    /// Markup that would show itself by a script.
    static let markup = "<img src=x onerror=alert(1)>"
    /// Stands in a file outside the folder that was opened.
    static let outside = "known-to-nobody-else"

    let server: ServerProcess
    let folder: URL
    /// Secret of the address that was shown first, and is used.
    let secret: String
    let session: String
    let log = AttackLog()
    /// Time for an attack that could go on without end.
    let seconds: Double

    var caller: PageCaller { PageCaller(port: server.port, log: log) }

    private struct Session: Decodable {
        let session: String
    }

    /// - Parameter directory: Exists; gets the folder and what the server writes.
    init(program: String, in directory: URL, seconds: Double) throws {
        folder = directory.appendingPathComponent("open")
        try FileManager.default.createDirectory(
            at: folder.appendingPathComponent("results/\(Self.markup)"), withIntermediateDirectories: true)
        for (name, text) in Self.files {
            try Data(text.utf8).write(to: folder.appendingPathComponent(name))
        }
        try Data("name: \(Self.outside)\n".utf8).write(to: directory.appendingPathComponent("secret.yaml"))
        for (name, target) in [("link.yaml", "../secret.yaml"), ("away", "..")] {
            try FileManager.default.createSymbolicLink(
                atPath: folder.appendingPathComponent(name).path, withDestinationPath: target)
        }
        server = try ServerProcess(program: program, ["open", folder.path], verb: .open, in: directory)
        self.seconds = seconds
        guard let found = server.url.firstMatch(of: #/#open=([0-9a-f]{64})/#) else {
            throw NoSession(address: server.url)
        }
        secret = String(found.1)
        let answer = PageCaller(port: server.port, log: AttackLog()).ask(
            "session", [:], #"{"secret":"\#(secret)"}"#)
        guard let answer, answer.status == 200,
            let opened = try? JSONDecoder().decode(Session.self, from: Data(answer.content.utf8))
        else { throw NoSession(address: server.url) }
        session = opened.session
    }

    /// Files whose names and texts are hostile.
    private static var files: [String: String] {
        [
            "list.txt": "\(markup).example\n",
            "\(markup).yaml": """
            # \(markup) stays a text. \(markup)
            name: "\(markup)"
            blocklist: { file: list.txt }
            devices: [{ name: "homes", count: 2, browsing: { profile: adult } }]
            """,
            "wrong.yaml": "blocklist: { file: '\(markup)' }\ndevices: '\(markup)'\n",
            "results/\(markup)/timeline.json":
                #"{"traceEvents":[{"name":"\#(markup)","ph":"X","pid":1,"tid":1,"ts":0,"dur":1}]}"#,
            "results/\(markup)/summary.json": #"{"schema":"\#(markup)"}"#,
            "workbench-notes.json": #"{"notes":{"results/x":{"isPinned":true,"text":"\#(markup)"}}}"#,
        ]
    }

    /// Names of all files, and the sizes of those that can change: what an attack has started or written shows here.
    var content: [String] {
        let names = (try? FileManager.default.subpathsOfDirectory(atPath: folder.path)) ?? []
        return names.sorted().map { name in
            let facts = try? FileManager.default.attributesOfItem(
                atPath: folder.appendingPathComponent(name).path)
            return "\(name) \(facts?[.size] as? Int ?? 0)"
        }
    }
}

struct NoSession: Error, CustomStringConvertible {
    let address: String

    var description: String { "the address \(address.prefix(40))… opens no session" }
}
