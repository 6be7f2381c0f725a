import Foundation
import Testing

/// Every command makes the same of one list.
struct OneFilterTests {
    /// Two ways to write a host, one entry twice, and a path that only one system can match.
    private static let list =
        (1...50).map { "bad\($0).example\n" }.joined()
        + "www.bad1.example\nhttps://Bad51.example/\nbad2.example\npastebin.com/raw/pHPmwBp6\n"

    private struct Filter: Decodable, Equatable {
        var bitCount: UInt32
        var hashCount: UInt32
        var murmurSeed: UInt32
        var byteCount: Int
        /// Share of bits that are 1: another entry changes it.
        var fillRatio: Double
    }

    private struct Result: Decodable {
        struct List: Decodable {
            var keys: String
            var unmatchable: [Unmatchable]
        }

        var blocklist: List
        var filter: Filter
    }

    private struct Unmatchable: Decodable, Equatable {
        var rules: String
        var count: Int
    }

    private struct Build: Decodable {
        var keys: String
        var unmatchable: [Unmatchable]
    }

    @Test(
        "'run' simulates the filter that 'bloom build' makes",
        arguments: [([], []), (["--keys", "as-written"], ["--set", "blocklist.keys=asWritten"])])
    func oneFilter(build: [String], run: [String]) async throws {
        try await withSmallInputs { inputs in
            try inputs.write(Self.list, to: "list.txt")
            let built = try await Program.run(["bloom", "build", "list.txt", "--json"] + build, on: inputs)
            let ran = try await Program.run(
                inputs.run("--json", "--quiet", "--set", "replications.max=1", "--set", "replications.min=1")
                    + run, on: inputs)
            try #require(built.status == 0 && ran.status == 0, "\(built.errors) \(ran.errors)")
            let summary = try JSONDecoder().decode(Build.self, from: Data(built.output.utf8))
            let result = try JSONDecoder().decode(Result.self, from: Data(ran.output.utf8))
            #expect(try JSONDecoder().decode(Filter.self, from: Data(built.output.utf8)) == result.filter)
            #expect(summary.keys == result.blocklist.keys)
            #expect(summary.unmatchable == result.blocklist.unmatchable)
            // A scheme and, on iOS 27, www. and upper case: as written they are dead.
            let dead = build.isEmpty ? [0, 1] : [1, 3]
            #expect(summary.unmatchable.map(\.count) == dead)
        }
    }

    @Test(arguments: [
        ["lint", "list.txt"], ["explain", "https://bad1.example/", "--list", "list.txt"],
        ["bloom", "build", "list.txt"],
    ])
    func everyCommandSaysWhichKeysItUses(command: [String]) async throws {
        try await withSmallInputs { inputs in
            let usual = try await Program.run(command, on: inputs)
            #expect(usual.output.contains("keys normalized"))
            let written = try await Program.run(command + ["--keys", "as-written"], on: inputs)
            #expect(written.output.contains("keys as written"))
        }
    }

    @Test(arguments: ["measure list.txt --speed-time 0", "serve all --list list.txt --memory"])
    func parametersOfTestsNeedAWord(command: String) async throws {
        try await withSmallInputs { inputs in
            let words = command.split(separator: " ").map(String.init)
            let outcome = try await Program.run(
                words + ["--rlwe-parameters", "insecure_n_8_logq_5x18_logt_5"], on: inputs)
            #expect(outcome.status == 64)
            #expect(outcome.errors.contains("--allow-insecure"))
        }
    }
}
