import Foundation
import TestSupport
import Testing

/// Every command and every role of a file against files that nobody means: each ends by itself with a message.
@Suite struct HostileFileTests {
    /// `FILE` is the hostile one.
    static let commands: [[String]] = [
        ["lint", "FILE"], ["lint", "list.txt", "--public-suffixes", "FILE"],
        ["explain", "https://a.example/", "--list", "FILE"],
        ["explain", "https://a.example/", "--prefilter", "FILE"], ["check", "FILE", "--list", "list.txt"],
        ["check", "trace.csv", "--list", "FILE"], ["bloom", "build", "FILE"],
        ["bloom", "build", "list.txt", "--allow", "FILE"],
        ["bloom", "check", "FILE", "a.example"], ["bloom", "inspect", "FILE"],
        ["bloom", "tune", "FILE", "--trace", "trace.csv"],
        ["bloom", "tune", "list.txt", "--trace", "FILE"], ["trace", "describe", "FILE"],
        ["trace", "import", "FILE", "--output", "out.csv"], ["pir", "process", "FILE"],
        ["pir", "inspect", "FILE"],
        ["pir", "query", "FILE", "a.example"], ["plan", "FILE"], ["run", "FILE"],
        ["run", "scenario.yaml", "--set", "blocklist.file=FILE", "--profile", "profile.json"],
        ["run", "scenario.yaml", "--profile", "FILE"], ["compare", "FILE", "FILE"], ["report", "FILE"],
        [
            "profile", "FILE", "--server", "https://a.example", "--app", "a.b", "--control-provider", "a.b.c",
            "--identifier", "x", "--token", "AAAA",
        ], ["plan", "--update", "FILE", "list.txt"], ["sweep", "work", "FILE", "--line", "1"],
        ["calibrate", "scenario.yaml", "--observed", "FILE", "--profile", "profile.json"],
        ["capacity", "FILE"], ["alternatives", "FILE"], ["serve", "all", "--list", "FILE", "--port", "0"],
        ["measure", "FILE", "--output", "out.json"], ["run", "inside.yaml", "--profile", "profile.json"],
        ["sweep", "collect", "FILE"],
        nowhere("replay", "trace.csv", "--list", "list.txt", "--user-tokens", "FILE"),
        nowhere("replay", "trace.csv", "--list", "list.txt", "--plan", "FILE"),
        nowhere("replay", "FILE", "--list", "list.txt"), nowhere("replay", "trace.csv", "--list", "FILE"),
        nowhere("pir", "query", "--keywords-file", "FILE"),
        nowhere("pir", "query", "a.example", "--trust", "FILE"),
        ["doctor", "http://127.0.0.1:9", "--trust", "FILE"],
        ["doctor", "http://127.0.0.1:9", "--profile", "FILE"],
        ["doctor", "http://127.0.0.1:9", "--info-plist", "FILE"],
    ]

    /// A port at which nobody listens: what a command asks before it reads its files fails at once.
    private static func nowhere(_ words: String...) -> [String] {
        words + ["--against", "http://127.0.0.1:9"]
    }

    /// Makes each hostile file by a line of the shell.
    static let files: [(name: String, line: String)] = [
        ("empty", "> FILE"), ("directory", "mkdir FILE"), ("link loop", "ln -s FILE FILE"),
        ("device", "ln -s /dev/zero FILE"), ("random", "head -c 4000 /dev/urandom > FILE"),
        ("zeros", "head -c 100000 /dev/zero > FILE"),
        ("cut gzip", "printf 'a.example\\n' | gzip | head -c 20 > FILE"),
        ("bomb", "head -c 300000000 /dev/zero | gzip -1 > FILE"),
        ("deep", "python3 -c \"print('[' * 100000 + ']' * 100000)\" > FILE"),
        ("deep YAML", "python3 -c \"print('a: ' + '{a: ' * 5000 + '1' + '}' * 5000)\" > FILE"),
        ("huge number", "printf 'a: 1e999999\\nb: 99999999999999999999999999\\n' > FILE"),
        ("escapes", "printf '\\033]0;owned\\007\\033[31m\\n\\033[2J.example\\n' > FILE"),
        (
            "table",
            "python3 -c \"import sqlite3; d = sqlite3.connect('FILE'); d.execute('create table t(a)'); d.execute('create trigger x after insert on t begin delete from t; end'); d.commit()\""
        ),
    ]

    @Test(arguments: files.map(\.name)) func everyPairEnds(_ name: String) async throws {
        let file = try #require(Self.files.first { $0.name == name })
        var ends: [Int: Int] = [:]
        try await withDirectory { folder in
            try Self.write(in: folder)
            let made = try await Program.shell("set -e; \(file.line)", in: folder)
            try #require(made.status == 0, "\(made.errors)")
            for command in Self.commands {
                let words = command.map { "'\($0)'" }.joined(separator: " ")
                let outcome = try await Program.shell(
                    "timeout \(Patience.seconds) \(Program.path) \(words) < /dev/null", in: folder)
                ends[outcome.status, default: 0] += 1
                #expect(
                    Self.isEnd(outcome.status, outcome.errors),
                    "\(command) with \(name): \(outcome.status), \(outcome.errors.suffix(400))")
                #expect(outcome.status == 0 || !outcome.errors.isEmpty || !outcome.output.isEmpty)
                let text = outcome.errors + outcome.output
                let hasEscape = text.unicodeScalars.contains { $0.value == 0x1B }
                #expect(!hasEscape, "\(command) with \(name) writes an escape")
            }
        }
        print("\(name): \(Self.commands.count) pairs, ends \(ends.sorted { $0.key < $1.key })")
    }

    /// A named pipe that nobody opens to write is given up by each of them, at the same time.
    @Test func pipesWithoutAWriterAreGivenUp() async throws {
        try await withDirectory { folder in
            try Self.write(in: folder)
            let lines = Self.commands.enumerated().map { index, command in
                let words = command.map { "'\($0)'" }.joined(separator: " ")
                return
                    "(timeout \(Patience.seconds) \(Program.path) \(words) < /dev/null > out\(index) 2>&1; echo $? > end\(index)) &"
            }
            let outcome = try await Program.shell(
                (["mkfifo FILE"] + lines + ["wait"]).joined(separator: "\n"), in: folder)
            try #require(outcome.status == 0, "\(outcome.errors)")
            for (index, command) in Self.commands.enumerated() {
                let end = try String(contentsOfFile: "\(folder)/end\(index)", encoding: .utf8)
                let text = try String(contentsOfFile: "\(folder)/out\(index)", encoding: .utf8)
                let status = try #require(Int(end.prefix { $0 != "\n" }))
                #expect(Self.isEnd(status, text), "\(command): \(end) \(text)")
            }
        }
    }

    /// Whether a command may end so; some look for the service first.
    private static func isEnd(_ status: Int, _ errors: String) -> Bool {
        [0, 2, 3, 4, 65].contains(status) || status == 1 && errors.contains("no connection")
    }

    private static func write(in folder: String) throws {
        let inputs = try SmallInputs(in: folder)
        let scenario = try #require(inputs.text("scenario.yaml"))
        try inputs.write(scenario.replacing("list.txt", with: "FILE"), to: "inside.yaml")
    }
}
