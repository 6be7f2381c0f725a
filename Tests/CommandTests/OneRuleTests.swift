import Foundation
import Testing

/// Inputs on which two halves of the program could differ, through all the commands that read them.
struct OneRuleTests {
    /// Comments in front and behind, a host in another script, capitals and `www.`, a line twice, a scheme, a comma in a
    /// path, underscores, and both forms of Apple's test entry.
    private static let list = """
        # a list
        ; of everything
        B\u{FC}cher.example
        www.Dup.example/
        dup.example
        https://scheme.example/a,b
        inline.example # why
        1_000.example
        www.apple.com/url-filter-test
        apple.com/url-filter-test

        """
    private static let entries = [
        "xn--bcher-kva.example", "dup.example", "scheme.example/a,b", "inline.example", "1_000.example",
        "www.apple.com/url-filter-test", "apple.com/url-filter-test",
    ]
    private static let urls = [
        "https://b\u{FC}cher.example/x", "https://www.dup.example/", "https://scheme.example/a,b/c",
        "https://sub.inline.example/", "https://1_000.example/", "https://www.apple.com/url-filter-test",
    ]

    private static func run(_ line: String, on inputs: SmallInputs) async throws -> Program.Outcome {
        try await Program.run(line.split(separator: " ").map(String.init), on: inputs)
    }

    @Test func everyCommandReadsTheSameEntries() async throws {
        try await withSmallInputs { inputs in
            try inputs.write(Self.list, to: "hostile.txt")
            try inputs.write(Self.urls.joined(separator: "\n") + "\n", to: "urls.txt")
            let lint = try await Self.run("lint hostile.txt --all", on: inputs)
            #expect(lint.status == 0 && lint.output.contains("10 lines, 8 entries, errors: 0"), "\(lint)")
            #expect(
                lint.output.contains("hostile.txt:5: warning: 'dup.example': the same entry is in line 4"))
            let build = try await Self.run(
                "bloom build hostile.txt --output f.plist --pir-data list.txtpb", on: inputs)
            #expect(build.status == 0 && build.output.contains("hostile.txt: 7 entries"), "\(build)")
            let rows = Self.entries.map { "rows { keyword: \"\($0)\" value: \"1\" }\n" }.joined()
            #expect(inputs.text("list.txtpb") == rows)
            let check = try await Self.run("check urls.txt --list hostile.txt --rules iOS27", on: inputs)
            #expect(check.output.contains("blocks 6 of 6 requests"), "\(check)")
            for url in Self.urls {
                let explained = try await Program.run(
                    ["explain", url, "--list", "hostile.txt", "--rules", "iOS27"], on: inputs)
                #expect(explained.output.contains("blocked by server"), "\(url): \(explained)")
            }
            let configuration = try #require(inputs.text("pir.json"))
            try inputs.write(configuration.replacing("list.txt", with: "list.txtpb"), to: "hostile.json")
            #expect(try await Self.run("pir process hostile.json", on: inputs).status == 0)
            let asked = try await Program.run(["pir", "query", "hostile.json"] + Self.entries, on: inputs)
            #expect(asked.output == Self.entries.map { "\($0)\tlisted\n" }.joined(), "\(asked)")
        }
    }

    @Test func theDoctorReadsThemToo() async throws {
        try await withSmallInputs { inputs in
            try inputs.write(Self.list, to: "hostile.txt")
            let server = try Program.start(
                ["serve", "all", "--list", "hostile.txt", "--memory", "--port", "0", "--cores", "1"],
                in: inputs.folder)
            defer { server.signal(SIGTERM) }
            let line = try #require(await server.line { $0.hasPrefix("ready:") })
            let url = try #require(line.split(separator: " ").last)
            let doctor = try await Self.run("doctor \(url) --new-entries hostile.txt", on: inputs)
            #expect(doctor.output.contains("7 of its entries are listed") && doctor.status == 0, "\(doctor)")
            #expect(doctor.output.contains("listed, with and without 'www.'"))
        }
    }

    /// Blanks and underscores group digits, and a comma is no part of a number, wherever one stands.
    @Test func numbersAreWrittenAlikeEverywhere() async throws {
        try await withSmallInputs { inputs in
            for (line, isRead) in [
                ("bloom size --entries 1_000 --tolerance 0.001", true),
                ("bloom size --entries 1,000 --tolerance 0.001", false),
                (
                    "plan scenario.yaml --no-trial --set devices[pupils].count=1_000 --profile profile.json",
                    true
                ),
                ("plan scenario.yaml --no-trial --set drain=1_0s --profile profile.json", true),
                ("plan scenario.yaml --no-trial --set drain=1,0s --profile profile.json", false),
                ("doctor http://127.0.0.1:1 --relay-cap 6_00kB", true),
                ("doctor http://127.0.0.1:1 --relay-cap 6,00kB", false),
            ] {
                let outcome = try await Self.run(line, on: inputs)
                // Nobody answers at that port, which is a finding of the doctor.
                #expect([64, 65].contains(outcome.status) == !isRead, "\(line): \(outcome)")
                if !isRead { #expect(!outcome.errors.contains("unit"), "\(outcome.errors)") }
            }
        }
    }

    /// A list's length alone is sized for the false hits that scenarios have by default.
    @Test func entriesAloneAreSizedAsScenariosAre() async throws {
        try await withSmallInputs { inputs in
            let full = try await Self.run("bloom size --entries 60000 --tolerance 0.001", on: inputs)
            #expect(full.status == 0 && full.output.contains("60 000"), "\(full)")
            for line in ["bloom size 60000", "bloom size --entries 60_000"] {
                let short = try await Self.run(line, on: inputs)
                #expect(short.status == 0 && short.output == full.output, "\(line): \(short)")
            }
            for line in ["bloom size 60000 --entries 60000", "bloom size", "bloom size --bytes 1kB"] {
                #expect(try await Self.run(line, on: inputs).status == 64, "\(line)")
            }
            // As wide as asked for, also where no terminal is.
            let narrow = try await Program.run(
                ["bloom", "size", "60000"], environment: ["COLUMNS": "40"])
            #expect(narrow.output.split(separator: "\n").allSatisfy { $0.count <= 40 }, "\(narrow.output)")
        }
    }

    /// A key twice, and a number of shards that devices refuse, in each file that can have them.
    @Test func keysTwiceAndShardsAreSeenEverywhere() async throws {
        try await withSmallInputs { inputs in
            let configuration = try #require(inputs.text("pir.json"))
            let service = """
                {"users": [{"tier": "tier1", "tokens": ["c2VjcmV0"]}],
                 "usecases": [{"name": "com.example.url.filtering", "fileStem": "url", "shardCount": 2}]}
                """
            try inputs.write(service.replacing(": 2}", with: ": 3}"), to: "service-config.json")
            try inputs.write(
                configuration.replacing("\"shardCount\": 2", with: "\"shardCount\": 3"), to: "three.json")
            let lint = try await Self.run("lint service-config.json", on: inputs)
            #expect(lint.status == 65 && lint.output.contains("powers of two"), "\(lint)")
            let process = try await Self.run("pir process three.json", on: inputs)
            #expect((process.output + process.errors).contains("power of two"), "\(process)")
            try inputs.write(
                service.replacing(": 2}", with: ": 2, \"shardCount\": 4}"), to: "service-config.json")
            try inputs.write(
                configuration.replacing("\"shardCount\": 2", with: "\"shardCount\": 2, \"shardCount\": 4"),
                to: "twice.json")
            try inputs.write(try #require(inputs.text("scenario.yaml")) + "\nseed: 8\n", to: "twice.yaml")
            for line in [
                "lint service-config.json", "serve all --config service-config.json --memory --port 0",
                "pir process twice.json", "run twice.yaml --profile profile.json",
            ] {
                let outcome = try await Self.run(line, on: inputs)
                #expect(outcome.status == 65, "\(line): \(outcome)")
                #expect(
                    (outcome.output + outcome.errors).contains(line.contains("yaml") ? "seed" : "shardCount"))
            }
        }
    }
}
