import Foundation
import Testing

/// No command destroys what it reads, or writes two results into one file.
struct FileConflictTests {
    /// A command line, and the files that must stay as they are.
    struct Attack: Sendable, CustomStringConvertible {
        let arguments: [String]
        let victims: [String]
        /// Says what is wrong, besides the file.
        let words: String

        init(_ line: String, _ victims: String..., words: String = "would destroy") {
            arguments = line.split(separator: " ").map(String.init)
            self.victims = victims
            self.words = words
        }

        var description: String { arguments.joined(separator: " ") }
    }

    /// Every command that writes a file; those with `{` are in ``aConfigurationNamesFilesToo()``.
    static let attacks = [
        Attack("bloom build list.txt --output list.txt", "list.txt"),
        Attack("bloom build list.txt --raw ./sub/../list.txt", "list.txt"),
        Attack("bloom build link.txt --pir-data list.txt", "list.txt"),
        Attack("bloom build list.txt --output hard.txt", "list.txt", "hard.txt"),
        Attack("bloom build list.txt --output x.plist --pir-data x.plist", words: "are one file"),
        Attack("bloom build list.txt --output x.plist --raw sub/../x.plist", words: "are one file"),
        Attack("measure list.txt --speed-time 0 --output list.txt", "list.txt"),
        Attack("trace import trace.csv --output trace.csv", "trace.csv"),
        Attack("trace import trace.csv --output linked.csv", "trace.csv"),
        Attack("trace generate scenario.yaml --output trace.csv", "trace.csv"),
        Attack("run out/scenario.resolved.yaml --output out", "out/scenario.resolved.yaml"),
        Attack("run scenario.yaml --profile out/summary.json --output out", "out/summary.json"),
        Attack("run scenario.yaml --list out/manifest.json --output out", "out/manifest.json"),
        Attack(
            "sweep manifest out/scenario.resolved.yaml --vary seed=1,2 --output out",
            "out/scenario.resolved.yaml"),
        Attack("report out --html out/summary.json", "out/summary.json"),
        Attack("report out --html out/alternatives.json", "out/alternatives.json"),
        Attack("alternatives out/scenario.resolved.yaml --output out", "out/scenario.resolved.yaml"),
        Attack("compare out out/summary.json --html out/manifest.json", "out/manifest.json"),
        Attack("compare scenario.yaml --with seed=2 --html list.txt", "list.txt"),
        Attack("report out/summary.json --html out/results.sqlite", "out/results.sqlite"),
        Attack("report out/summary.json --html out/manifest.json", "out/manifest.json"),
        Attack(
            "replay replayed/seconds.csv --against http://127.0.0.1:1 --list list.txt --output replayed",
            "replayed/seconds.csv"),
        Attack(
            "replay trace.csv --against http://127.0.0.1:1 --list replayed/replay.txt --output replayed",
            "replayed/replay.txt"),
        Attack("serve all --list list.txt --state list.txt", "list.txt"),
    ]

    @Test(arguments: attacks)
    func nothingIsDestroyed(_ attack: Attack) async throws {
        try await withSmallInputs { inputs in
            try FileManager.default.createDirectory(
                atPath: inputs.folder + "/sub", withIntermediateDirectories: true)
            for (link, target) in [("link.txt", "list.txt"), ("linked.csv", "trace.csv")] {
                symlink(target, "\(inputs.folder)/\(link)")
            }
            link(inputs.folder + "/list.txt", inputs.folder + "/hard.txt")
            for (folder, names) in [
                ("out", ["summary.json", "manifest.json", "results.sqlite", "alternatives.json"]),
                ("replayed", ["seconds.csv", "replay.txt"]),
            ] {
                mkdir("\(inputs.folder)/\(folder)", 0o700)
                for name in names { try inputs.write("bad1.example\n", to: "\(folder)/\(name)") }
            }
            let scenario = try #require(inputs.text("scenario.yaml"))
            try inputs.write(
                scenario.replacing("file: list", with: "file: ../list")
                    .replacing("trace: trace", with: "trace: ../trace"), to: "out/scenario.resolved.yaml")
            let before = attack.victims.map { inputs.text($0) }
            let outcome = try await Program.run(attack.arguments, on: inputs)
            #expect(outcome.status == 65)
            #expect(outcome.errors.contains(attack.words), "\(outcome.errors)")
            #expect(attack.victims.map { inputs.text($0) } == before)
            #expect(!inputs.exists("x.plist"))
        }
    }

    @Test(arguments: [
        ("\"list.txt\"", "\"url-0.bin\"", "outputDatabase would destroy inputDatabase"),
        ("\"url-SHARD_ID.params.txtpb\"", "\"url-SHARD_ID.bin\"", "are one file"),
        (
            "\"trialsPerShard\": 1", "\"outputEvaluationKeyConfig\": \"pir.json\"",
            "outputEvaluationKeyConfig would destroy the configuration"
        ),
    ])
    func aConfigurationNamesFilesToo(_ name: String, _ other: String, _ words: String) async throws {
        try await withSmallInputs { inputs in
            try inputs.write("bad1.example\n", to: "url-0.bin")
            let text = try #require(inputs.text("pir.json")).replacing(name, with: other)
            try inputs.write(text, to: "pir.json")
            let outcome = try await Program.run(["pir", "process", "pir.json"], on: inputs)
            #expect(outcome.status == 65)
            #expect(outcome.errors.contains(words), "\(outcome.errors)")
            #expect(inputs.text("url-0.bin") == "bad1.example\n")
            #expect(inputs.text("pir.json") == text)
        }
    }

    /// What is no conflict: a page beside its result, the null device twice, input and output of one pipeline.
    @Test func usualCommandsStayPossible() async throws {
        try await withSmallInputs { inputs in
            #expect(try await Program.run(inputs.run("--output", "out"), on: inputs).status == 0)
            for arguments in [
                ["report", "out", "--html", "out/report.html"], inputs.run("--output", "out"),
                ["bloom", "build", "list.txt", "--output", "/dev/null", "--raw", "/dev/null"],
            ] {
                let outcome = try await Program.run(arguments, on: inputs)
                #expect(outcome.status == 0, "\(arguments): \(outcome.errors)")
            }
            let piped = try await Program.run(
                ["bloom", "build", "-", "--raw", "-"], on: inputs, redirections: "<list.txt >bits")
            #expect(piped.status == 0)
            let ownInput = try await Program.run(
                ["bloom", "build", "list.txt", "--raw", "-"], on: inputs, redirections: ">>list.txt")
            #expect(ownInput.status == 65)
        }
    }
}
