import Foundation
import Testing

/// Every command that reads a block list refuses a file that is none, with one sentence.
struct ListRefusalTests {
    private static let commands: [[String]] = [
        ["lint", "LIST"], ["bloom", "build", "LIST"], ["bloom", "tune", "LIST", "--trace", "trace.csv"],
        ["explain", "https://a.example/", "--list", "LIST"], ["serve", "all", "--list", "LIST"],
        ["run", "scenario.yaml"], ["pir", "process", "process.json"],
        ["trace", "generate", "scenario.yaml", "--output", "trace.csv"],
        ["replay", "trace.csv", "--against", "http://127.0.0.1:1", "--list", "LIST"],
    ]

    private static func run(_ arguments: [String], list: String) async throws -> Program.Outcome {
        try await withDirectory { directory in
            for (name, text) in [
                ("list.txt", list),
                (
                    "scenario.yaml",
                    "blocklist: { file: list.txt }\nduration: 1h\ndevices:\n  - { name: a, count: 1, browsing: { profile: school-day } }\n"
                ),
                (
                    "process.json",
                    "{\"inputDatabase\": \"list.txt\", \"outputDatabase\": \"SHARD_ID.bin\", "
                        + "\"outputPirParameters\": \"SHARD_ID.txtpb\", "
                        + "\"rlweParameters\": \"n_4096_logq_27_28_28_logt_5\", "
                        + "\"sharding\": {\"entryCountPerShard\": 50000}}"
                ),
                ("trace.csv", "time,url\n1,https://a.example/\n"),
            ] { try Data(text.utf8).write(to: URL(fileURLWithPath: "\(directory)/\(name)")) }
            return try await Program.run(arguments.map { $0 == "LIST" ? "list.txt" : $0 }, in: directory)
        }
    }

    @Test(arguments: commands)
    func aDocumentIsNoList(command: [String]) async throws {
        let outcome = try await Self.run(
            command, list: "{ \"entries\": [\n  \"a.example\",\n  \"b.example\"\n] }\n")
        #expect(outcome.status == 65)
        #expect(outcome.output.isEmpty)
        #expect(
            outcome.errors.contains("list.txt: not a block list but JSON; expected are one entry per line"))
    }

    /// `lint` names each of the lines; for all the others most of a list has to be of use.
    @Test(arguments: commands.filter { $0[0] != "lint" })
    func mostOfAListIsOfUse(command: [String]) async throws {
        let outcome = try await Self.run(command, list: "This is no list.\nIt is a letter.\n")
        #expect(outcome.status == 65)
        #expect(
            outcome.errors.contains("list.txt: of 2 lines with data 2 are of no use"), "\(outcome.errors)")
    }

    @Test func theUserMayAllowIt() async throws {
        let list = "a b.example\nc d.example\ne.example\n"
        let build = try await Self.run(
            ["bloom", "build", "LIST", "--allow-unusable", "--output", "f.plist"], list: list)
        #expect(build.status == 0)
        let explain = ["explain", "https://e.example/", "--list", "LIST", "--json"]
        #expect(try await Self.run(explain, list: list).status == 65)
        #expect(try await Self.run(explain + ["--allow-unusable"], list: list).status == 0)
        let plan = ["run", "scenario.yaml", "--set", "blocklist.keys=asWritten"]
        #expect(try await Self.run(plan, list: list).status == 65)
    }
}
