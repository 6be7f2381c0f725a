import Foundation
import Logging
import TestSupport
import Testing
import Workbench

#if canImport(FoundationNetworking)
    import FoundationNetworking
#endif

/// The files of the page, and the page over a real socket.
@Suite struct PageTests {
    private static let page = SourceTree.root
        .appendingPathComponent("Sources/Live/Workbench/Page").standardizedFileURL

    private static func files(_ ending: String) throws -> [(name: String, text: String)] {
        try FileManager.default.contentsOfDirectory(atPath: page.path).filter { $0.hasSuffix(ending) }.map {
            ($0, try String(contentsOf: page.appendingPathComponent($0), encoding: .utf8))
        }
    }

    /// Texts of others never become markup or code: there is no way in the scripts by which they could.
    @Test func noScriptMakesMarkupOfText() throws {
        let banned = [
            "innerHTML", "outerHTML", "insertAdjacentHTML", "document.write", "eval(", "Function(", "srcdoc",
            "DOMParser", "createContextualFragment", "javascript:", "cookie", "http:", "https:",
        ]
        let scripts = try Self.files(".js")
        #expect(scripts.count == 17)
        for (name, text) in scripts {
            let text = text.replacing("http://www.w3.org/2000/svg", with: "")
            for word in banned { #expect(!text.contains(word), "\(name): \(word)") }
        }
    }

    @Test func thePageHoldsNoScriptStyleOrHandlerOfItsOwn() throws {
        for (name, text) in try Self.files(".html") + Self.files(".css") {
            for word in ["<script>", "<style", "style=", " on", "http:", "https:", "@import", "url("] {
                #expect(!text.contains(word), "\(name): \(word)")
            }
        }
    }

    @Test func everyFileIsInTheProgram() async throws {
        let folder = try TemporaryFolder()
        let client = try PageClient(folder.path)
        for (name, text) in try Self.files(".js") + Self.files(".css") + Self.files(".svg") {
            let answer = await client.get("/" + name)
            #expect(answer.status == 200 && answer.text == text, "\(name)")
        }
        #expect((await client.get("/")).text.contains("<main"))
        #expect((await client.get("/page.html")).status == 401)
    }

    @Test func itServesOverASocket() async throws {
        let folder = try TemporaryFolder()
        let client = try PageClient(folder.path)
        let server = WorkbenchServer(client.workbench, port: 0, logger: Logger(label: "test"))
        let (addresses, address) = AsyncStream.makeStream(of: String.self)
        let task = Task { try await server.run(trapsSignals: false) { address.yield($0) } }
        defer { task.cancel() }
        let base = try #require(await addresses.first { _ in true })
        #expect(base.hasPrefix("http://127.0.0.1:"))
        func status(_ path: String, _ fields: [String: String] = [:], _ content: Data? = nil) async throws
            -> Int
        {
            var request = URLRequest(url: try #require(URL(string: base + path)))
            request.httpMethod = content == nil ? "GET" : "POST"
            request.httpBody = content
            for (name, value) in fields { request.setValue(value, forHTTPHeaderField: name) }
            let (_, response) = try await URLSession.shared.data(for: request)
            return (response as? HTTPURLResponse)?.statusCode ?? 0
        }
        #expect(try await status("/") == 200)
        #expect(try await status("/api/folder", [:], Data("{}".utf8)) == 401)
        #expect(try await status("/", ["Host": "evil.example"]) == 421)
        #expect(try await status("/", ["Origin": "http://evil.example"]) == 403)
        #expect(try await status("/api/session", [:], Data(#"{"secret":"\#(client.secret)"}"#.utf8)) == 200)
        #expect(try await status("/api/session", [:], Data(count: WorkbenchRequest.contentLimit + 1)) == 413)
    }
}
