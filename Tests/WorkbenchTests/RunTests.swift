import Foundation
import Synchronization
import TestSupport
import Testing
import Workbench

/// Runs that the page starts, with a program that does what a test says.
@Suite struct RunTests {
    private final class Script: RunLauncher, LaunchedRun {
        private struct State {
            var commands: [[String]] = []
            var interrupts = 0
            var line: (@Sendable (String) -> Void)?
        }

        private let state = Mutex(State())
        private let ends = AsyncStream.makeStream(of: Int32.self)

        var commands: [[String]] { state.withLock { $0.commands } }
        var interrupts: Int { state.withLock { $0.interrupts } }

        func launch(
            _ arguments: [String], in folder: String, line: @escaping @Sendable (String) -> Void
        ) throws -> any LaunchedRun {
            state.withLock { state in
                state.commands.append(arguments)
                state.line = line
            }
            return self
        }

        func say(_ text: String) { state.withLock { $0.line }?(text) }
        func exit(_ code: Int32) { ends.continuation.yield(code) }
        func interrupt() { state.withLock { $0.interrupts += 1 } }
        func end() async -> Int32 { await ends.stream.first { _ in true } ?? -1 }
    }

    private let folder: TemporaryFolder
    private let script = Script()
    private let client: PageClient

    init() async throws {
        folder = try TemporaryFolder()
        for name in ["a", "b"] {
            try """
            blocklist: { file: list.txt }
            devices: [{ name: homes, count: 10, browsing: { profile: adult } }]

            """.write(toFile: folder.path + "/\(name).yaml", atomically: true, encoding: .utf8)
        }
        client = try await PageClient.opened(folder.path, launcher: script)
    }

    private func runs() async throws -> [[String: Any]] {
        let text = await client.ask("runs").text
        return try JSONSerialization.jsonObject(with: Data(text.utf8)) as? [[String: Any]] ?? []
    }

    private func waits(for state: String, of index: Int) async throws {
        for _ in 0..<2_000 {
            if try await runs()[index]["state"] as? String == state { return }
            try await Task.sleep(for: .milliseconds(5))
        }
        Issue.record("run \(index) is never \(state): \(try await runs())")
    }

    @Test func runsGoOneAfterTheOtherByTheCommandThatAUserWouldType() async throws {
        let first = try client.document(await client.ask("runs/start", ["path": "a.yaml"]))
        _ = await client.ask("runs/start", ["path": "b.yaml"])
        try await waits(for: "running", of: 0)
        try await waits(for: "waiting", of: 1)
        let result = try #require(first["result"] as? String)
        #expect(
            script.commands == [
                ["run", "a.yaml", "--output", result, "--timeline", result + "/timeline.json"]
            ])
        #expect(
            first["command"] as? String
                == "urlfilter run a.yaml --output \(result) --timeline \(result)/timeline.json")
        #expect(result.wholeMatch(of: #/results/a-\d{4}-\d\d-\d\dT\d{6}/#) != nil)
        script.say("run 3/10  30 %  1.2 M ev/s  ETA 2.00 s")
        for _ in 0..<2_000 where try await runs()[0]["share"] == nil {
            try await Task.sleep(for: .milliseconds(5))
        }
        #expect(try await runs()[0]["share"] as? Double == 0.3)
        script.exit(2)
        try await waits(for: "done", of: 0)
        try await waits(for: "running", of: 1)
        _ = await client.ask("runs/stop", ["id": try await runs()[1]["id"] as? Int ?? 0])
        #expect(script.interrupts == 1)
        script.exit(130)
        try await waits(for: "stopped", of: 1)
    }

    @Test func whatCannotRunStartsNothing() async throws {
        try "blocklist: { file: x }\ndevices: []\nfoo: 1\n".write(
            toFile: folder.path + "/bad.yaml", atomically: true, encoding: .utf8)
        let answer = await client.ask("runs/start", ["path": "bad.yaml"])
        #expect(answer.status == 422)
        #expect(script.commands.isEmpty)
    }

    @Test(arguments: ["vary: { filter.shouldFailClosed: [false, true] }", "architecture: wholeList"])
    func whatHasNoLookupsOfOneRunIsStartedWithoutATimeline(_ more: String) async throws {
        let text = try String(contentsOfFile: folder.path + "/a.yaml", encoding: .utf8)
        try (text + more + "\n").write(
            toFile: folder.path + "/c.yaml", atomically: true, encoding: .utf8)
        let run = try client.document(await client.ask("runs/start", ["path": "c.yaml"]))
        let command = try #require(run["command"] as? String, "\(run)")
        #expect(command.hasPrefix("urlfilter run c.yaml --output results/c-"))
        #expect(!command.contains("--timeline"))
    }

    @Test func aTimelineIsGivenAsItIsAndOnlyFromTheFolder() async throws {
        let result = folder.path + "/results/a"
        try FileManager.default.createDirectory(atPath: result, withIntermediateDirectories: true)
        let missing = await client.ask("timeline", ["path": "results/a"])
        #expect(missing.status == 422)
        #expect(try client.sentence(missing).contains("--timeline results/a/timeline.json"))
        let text = #"{"traceEvents":[{"name":"<img src=x onerror=alert(1)>","ph":"M"}]}"#
        try text.write(toFile: result + "/timeline.json", atomically: true, encoding: .utf8)
        let answer = await client.ask("timeline", ["path": "results/a"])
        #expect(answer.status == 200 && answer.text == text)
        #expect(answer.fields["content-type"] == "application/json")
        let outside = try TemporaryFolder()
        try text.write(toFile: outside.path + "/timeline.json", atomically: true, encoding: .utf8)
        try FileManager.default.createSymbolicLink(
            atPath: folder.path + "/away", withDestinationPath: outside.path)
        for path in ["away", "../" + (outside.path as NSString).lastPathComponent, outside.path] {
            #expect((await client.ask("timeline", ["path": path])).status == 422, "\(path)")
        }
    }

    @Test func eventsTellOfRunsAndEndWithTheProgram() async throws {
        _ = await client.ask("runs/start", ["path": "a.yaml"])
        guard case .events(let events) = (await client.ask("runs/events")).content else {
            Issue.record("no stream")
            return
        }
        let ending = Task { [client] in await client.workbench.end() }
        script.exit(130)
        var texts: [String] = []
        for await text in events { texts.append(text) }
        await ending.value
        #expect(texts.contains { $0.hasPrefix("data: {") && $0.hasSuffix("}\n\n") && $0.contains("a.yaml") })
        #expect(script.interrupts == 2)
    }

    @Test func moreThanAFewCannotWait() async throws {
        for _ in 0..<21 { _ = await client.ask("runs/start", ["path": "a.yaml"]) }
        #expect((await client.ask("runs/start", ["path": "a.yaml"])).status == 429)
    }
}
