import Foundation
import TestSupport
import Testing
import Workbench

/// Nothing outside the folder is shown or written.
@Suite struct FolderTests {
    private static let scenario = """
        # Who is blocked? More words.
        name: small
        blocklist: { file: list.txt }
        devices:
          - { name: homes, count: 10, browsing: { profile: adult } }

        """
    private let folder: TemporaryFolder

    init() throws {
        folder = try TemporaryFolder()
        try FileManager.default.createDirectory(
            atPath: folder.path + "/open/inner", withIntermediateDirectories: true)
        try Self.scenario.write(toFile: folder.path + "/open/small.yaml", atomically: true, encoding: .utf8)
        try Self.scenario.write(toFile: folder.path + "/secret.yaml", atomically: true, encoding: .utf8)
        try FileManager.default.createSymbolicLink(
            atPath: folder.path + "/open/link.yaml", withDestinationPath: folder.path + "/secret.yaml")
        try FileManager.default.createSymbolicLink(
            atPath: folder.path + "/open/away", withDestinationPath: folder.path)
        try FileManager.default.createSymbolicLink(
            atPath: folder.path + "/open/dangling.yaml", withDestinationPath: folder.path + "/new.yaml")
    }

    private func client() async throws -> PageClient { try await PageClient.opened(folder.path + "/open") }

    @Test(arguments: [
        "../secret.yaml", "inner/../../secret.yaml", "/etc/passwd.yaml", "//etc/x.yaml", "link.yaml",
        "away/secret.yaml",
        "away/new.yaml", "dangling.yaml", ".hidden.yaml", "./small.yaml", "inner//x.yaml", "-o.yaml",
        "x\u{0}.yaml",
        "a\nb.yaml", "", ".yaml", "..yaml/../x.yaml",
    ])
    func aPathThatLeadsOutIsNeitherReadNorWritten(_ path: String) async throws {
        let client = try await client()
        let before = try FileManager.default.subpathsOfDirectory(atPath: folder.path).sorted()
        #expect((await client.ask("scenario/read", ["path": path])).status == 422)
        #expect((await client.ask("scenario/save", ["path": path, "text": "x: 1"])).status == 422)
        #expect((await client.ask("runs/start", ["path": path])).status == 422)
        #expect((await client.ask("result", ["path": path])).status == 422)
        #expect(try FileManager.default.subpathsOfDirectory(atPath: folder.path).sorted() == before)
        #expect(try String(contentsOfFile: folder.path + "/secret.yaml", encoding: .utf8) == Self.scenario)
    }

    @Test func theFolderIsListedWithWhatIsWrong() async throws {
        let hostile = "<img src=x onerror=alert(1)>"
        try "name: '\(hostile)'\nblocklist: 1\ndevices: []\n".write(
            toFile: folder.path + "/open/bad.yaml", atomically: true, encoding: .utf8)
        try "version: 3\n".write(toFile: folder.path + "/open/other.yaml", atomically: true, encoding: .utf8)
        let client = try await client()
        let document = try client.document(await client.ask("folder"))
        let scenarios = try #require(document["scenarios"] as? [[String: Any]])
        #expect(scenarios.map { $0["path"] as? String } == ["bad.yaml", "small.yaml"])
        #expect((scenarios[0]["problem"] as? String)?.contains("blocklist") == true)
        #expect(scenarios[1]["name"] as? String == "small")
        #expect(scenarios[1]["words"] as? String == "Who is blocked?")
        #expect(scenarios[1]["problem"] == nil)
    }

    @Test func savingNeedsTheVersionThatWasRead() async throws {
        let client = try await client()
        let read = try client.document(await client.ask("scenario/read", ["path": "small.yaml"]))
        let version = try #require(read["version"] as? String)
        let changed = Self.scenario.replacing("10", with: "11")
        // As a new file it would hide that there is one.
        #expect((await client.ask("scenario/save", ["path": "small.yaml", "text": changed])).status == 409)
        let saved = await client.ask(
            "scenario/save", ["path": "small.yaml", "text": changed, "version": version])
        #expect(saved.status == 200)
        #expect(try String(contentsOfFile: folder.path + "/open/small.yaml", encoding: .utf8) == changed)
        let late = await client.ask("scenario/save", ["path": "small.yaml", "text": "x", "version": version])
        #expect(late.status == 409)
        #expect(
            (await client.ask("scenario/save", ["path": "inner/new.yaml", "text": changed])).status == 200)
    }

    @Test func whatIsTooLargeOrNotUnderstoodIsRefused() async throws {
        let client = try await client()
        let long = String(repeating: "#", count: 1_000_001)
        #expect((await client.ask("scenario/save", ["path": "long.yaml", "text": long])).status == 413)
        let resolved = await client.ask("scenario/resolve", ["path": "small.yaml", "text": long])
        #expect(resolved.status == 200 && resolved.text.contains("larger than 1000000 bytes"))
        #expect((await client.ask("scenario/save", ["path": 1, "text": long])).status == 400)
        var request = client.request("folder")
        request.path = "/api/scenario/read"
        request.content = Array("[[[[".utf8)
        #expect((await client.workbench.answer(request)).status == 400)
    }
}
