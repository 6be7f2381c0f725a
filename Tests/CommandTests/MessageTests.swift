import Foundation
import Testing

/// Whatever stands where a file is expected: one clear sentence with its name, and exit code 65 or 1.
struct MessageTests {
    /// Each `@` is the bad input.
    static let readers = [
        "bloom build @ --raw x", "bloom apply @ @ --raw x", "bloom check @ a", "bloom inspect @",
        "bloom difference @ @ --output x", "bloom tune @ --trace trace.csv",
        "bloom tune list.txt --trace @ --profile profile.json", "bloom check f.plist --list @",
        "bloom check f.plist --urls @", "explain https://example.com/ --list @",
        "explain https://example.com/ --prefilter @", "lint @", "trace describe @",
        "trace import @ --output x.csv", "trace generate @ --output x.csv", "pir process @", "pir inspect @",
        "pir query @ a", "pir query pir.json --keywords-file @", "measure @ --speed-time 0 --output x",
        "run @", "run scenario.yaml --list @ --profile profile.json",
        "run scenario.yaml --trace @ --profile profile.json", "run scenario.yaml --profile @",
        "run --resume @", "plan @", "sweep manifest @ --output s --vary seed=1,2", "sweep work @ --line 1",
        "sweep collect @", "report @", "compare @ @",
        "calibrate scenario.yaml --observed @ --profile profile.json", "capacity @ --find devices",
        "serve all --list @ --memory", "serve issuer --config @ --memory",
        "replay @ --against http://127.0.0.1:1 --list list.txt",
        "replay trace.csv --against http://127.0.0.1:1 --list @",
        "replay trace.csv --against http://127.0.0.1:1 --list list.txt --user-tokens @",
        "replay trace.csv --against http://127.0.0.1:1 --list list.txt --prefilter @",
        "replay trace.csv --against http://127.0.0.1:1 --list list.txt --trust @",
        "replay trace.csv --against http://127.0.0.1:1 --list list.txt --plan @",
        "validate --live --list @ --output v", "validate --live --from @",
        "validate --whole-way --list @ --output v",
    ]

    @Test(arguments: ["missing", "directory", "empty", "noise", "unreadable"])
    func badInputsAreNamed(_ kind: String) async throws {
        try await withSmallInputs { inputs in
            mkdir(inputs.folder + "/directory", 0o700)
            try inputs.write("", to: "empty")
            try Data((0..<4_000).map { UInt8(truncatingIfNeeded: $0 &* 167 &+ 1) })
                .write(to: URL(fileURLWithPath: inputs.folder + "/noise"))
            try inputs.write("x", to: "unreadable")
            chmod(inputs.folder + "/unreadable", 0)
            // The superuser may read everything.
            if kind == "unreadable", access(inputs.folder + "/unreadable", R_OK) == 0 { return }
            let built = try await Program.run(
                ["bloom", "build", "list.txt", "--output", "f.plist"], on: inputs)
            #expect(built.status == 0)
            #expect(try await Program.run(["pir", "process", "pir.json"], on: inputs).status == 0)
            // A cost profile that is missing is measured, a folder has one for each database, and a sweep without work
            // left has an empty manifest.
            let exceptions = [
                "missing": ["--profile @"], "directory": ["--profile @"],
                "empty": ["lint @", "--urls @", "sweep collect @"], "noise": ["lint @"],
            ]
            for line in Self.readers
            where !(exceptions[kind] ?? []).contains(where: line.contains) {
                let outcome = try await Program.run(
                    line.replacing("@", with: kind).split(separator: " ").map(String.init), on: inputs)
                let complaints = outcome.errors.split(separator: "\n").filter { $0.hasPrefix("urlfilter: ") }
                // Noise may be a list or a trace with bad lines.
                if kind == "noise", outcome.status == 0 { continue }
                #expect(outcome.status == 65, "\(line) with \(kind): \(outcome.status) \(outcome.errors)")
                #expect(complaints.count == 1, "\(line) with \(kind): \(outcome.errors)")
                let text = complaints.joined()
                #expect(text.contains(kind), "\(line) with \(kind): \(text)")
                for raw in ["Error Domain", "NSCocoa", "SQLite error", "Optional(", "couldn’t be"] {
                    #expect(!text.contains(raw), "\(line) with \(kind): \(text)")
                }
            }
        }
    }

    /// Outputs that cannot be made or hold nothing.
    @Test func badOutputsAreNamed() async throws {
        try await withSmallInputs { inputs in
            mkdir(inputs.folder + "/directory", 0o700)
            for (line, place) in [
                ("bloom build list.txt --raw @", "/dev/full"), ("bloom build list.txt --raw @", "directory"),
                ("bloom build list.txt --pir-data @", "no/such"),
                ("measure list.txt --speed-time 0 --shard-sizes 50 --output @", "directory"),
                ("trace import trace.csv --output @", "no/such.csv"),
                ("run scenario.yaml --profile profile.json --output @", "list.txt"),
                ("run scenario.yaml --profile profile.json --output @", "list.txt/out"),
                ("report done --html @", "/dev/full"), ("report done --html @", "no/such"),
                ("replay trace.csv --against http://127.0.0.1:1 --list list.txt --output @", "trace.csv"),
            ] {
                if line.hasPrefix("report"), !inputs.exists("done") {
                    #expect(try await Program.run(inputs.run("--output", "done"), on: inputs).status == 0)
                }
                let outcome = try await Program.run(
                    line.replacing("@", with: place).split(separator: " ").map(String.init), on: inputs)
                let complaints = outcome.errors.split(separator: "\n").filter { $0.hasPrefix("urlfilter: ") }
                #expect([1, 65].contains(outcome.status), "\(line): \(outcome.errors)")
                #expect(complaints.count == 1 && complaints[0].contains(place), "\(line): \(outcome.errors)")
            }
        }
    }

    @Test func aDamagedDatabaseIsNamed() async throws {
        try await withSmallInputs { inputs in
            let sweep = inputs.run("--output", "out", "--vary", "services.pir.cores=1,2")
            #expect(try await Program.run(sweep, on: inputs).status == 0)
            try inputs.write("this is no database", to: "out/results.sqlite")
            for arguments in [sweep, ["run", "--resume", "out"], inputs.run("--output", "out")] {
                let outcome = try await Program.run(arguments, on: inputs)
                #expect(outcome.status == 65)
                #expect(
                    outcome.errors.contains(
                        "urlfilter: out/results.sqlite: is damaged (file is not a database); remove it"),
                    "\(outcome.errors)")
            }
            #expect(inputs.exists("out/summary.json"), "the result that was there is untouched")
        }
    }

    @Test func aServiceThatIsNotThereIsToldInOneSentence() async throws {
        try await withSmallInputs { inputs in
            for arguments in [
                ["replay", "trace.csv", "--against", "http://127.0.0.1:1", "--list", "list.txt", "-q"],
                ["pir", "query", "--against", "http://127.0.0.1:1", "a"],
            ] {
                let outcome = try await Program.run(arguments, on: inputs)
                #expect(outcome.status == 1)
                #expect(outcome.errors == "urlfilter: directory: no connection: Connection refused\n")
            }
        }
    }

    @Test(arguments: [
        "bloom build list.txt --output @", "trace describe @", "measure list.txt --speed-time 0 --output @",
        "run scenario.yaml --profile profile.json --output @", "lint @",
        "replay trace.csv --against http://127.0.0.1:1 --list list.txt --user-tokens @",
        "replay trace.csv --against http://127.0.0.1:1 --list list.txt --output @",
    ])
    func anEmptyNameIsNoName(_ line: String) async throws {
        try await withSmallInputs { inputs in
            let words = line.split(separator: " ").map { $0 == "@" ? "" : String($0) }
            let outcome = try await Program.run(words, on: inputs)
            #expect(outcome.status == 65)
            #expect(outcome.errors.contains("is empty"), "\(outcome.errors)")
        }
    }
}
