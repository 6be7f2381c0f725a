import Foundation
import Testing

/// Cost profiles of a sweep: one for each database, carried by the directory.
struct CarriedProfileTests {
    private static func metrics(_ outcome: Program.Outcome) throws -> NSArray {
        let json = try #require(
            try JSONSerialization.jsonObject(with: Data(outcome.output.utf8)) as? [String: Any])
        let points = try #require(json["points"] as? [[String: Any]])
        return try points.map { try #require($0["metrics"]) } as NSArray
    }

    /// Manifest, lines and collection each with a home of its own, against a run in the manifest's home.
    @Test func workersNeedNoHome() async throws {
        try await withDirectory { directory in
            let inputs = try SmallInputs(in: directory)
            func run(home: String, _ words: String...) async throws -> Program.Outcome {
                try await Program.run(
                    words, in: directory, environment: ["XDG_CACHE_HOME": "\(directory)/\(home)"])
            }
            let vary = "services.pir.shards=1,2"
            let begun = try await run(
                home: "a", "sweep", "manifest", "scenario.yaml", "--vary", vary, "--output", "sweep")
            #expect(begun.status == 0, "\(begun.errors)")
            #expect(
                inputs.names(in: "sweep/profiles")
                    == [1, 2].map {
                        "n_4096_logq_27_28_28_logt_5-\($0)-shards-60-entries.json"
                    })
            for line in 1...2 {
                let done = try await run(home: "b", "sweep", "work", "sweep", "--line", "\(line)")
                #expect(done.status == 0, "\(done.errors)")
            }
            let collected = try await run(home: "c", "sweep", "collect", "sweep", "--json")
            #expect(collected.status == 0, "\(collected.errors)")
            #expect(!inputs.exists("b") && !inputs.exists("c"), "measured again")
            let whole = try await run(home: "a", "run", "scenario.yaml", "--vary", vary, "--json")
            #expect(try Self.metrics(collected).count == 2)
            #expect(try Self.metrics(collected) == Self.metrics(whole))
            // A line without the directory's profile measures none.
            try FileManager.default.removeItem(atPath: "\(directory)/sweep/work")
            try FileManager.default.removeItem(atPath: "\(directory)/sweep/profiles")
            let lost = try await run(home: "b", "sweep", "work", "sweep", "--line", "1")
            #expect(lost.status == 65 && lost.errors.contains("is missing here"), "\(lost.errors)")
            #expect(!inputs.exists("b"))
        }
    }

    @Test func aFileIsOfOneDatabaseAndAFolderOfAll() async throws {
        try await withDirectory { directory in
            let inputs = try SmallInputs(in: directory)
            let vary = ["--vary", "services.pir.shards=1,2", "--output"]
            let file = try await Program.run(inputs.run() + vary + ["one"], in: directory)
            #expect(file.status == 65)
            let fix = "measure LIST --rlwe-parameters n_4096_logq_27_28_28_logt_5 --shards 2 --output FILE"
            #expect(file.errors.contains(fix) && file.errors.contains("'PROFILES/'"), "\(file.errors)")
            let profile = try #require(inputs.text("profile.json"))
            try FileManager.default.createDirectory(
                atPath: "\(directory)/profiles", withIntermediateDirectories: false)
            let name = "profiles/n_4096_logq_27_28_28_logt_5"
            try inputs.write(profile, to: "\(name)-1-shards-60-entries.json")
            try inputs.write(
                profile.replacing("\"entries\": 60, \"shards\": 1", with: "\"entries\": 30, \"shards\": 2"),
                to: "\(name)-2-shards-60-entries.json")
            let folder = try await Program.run(
                ["run", "scenario.yaml", "--profile", "profiles", "--json"] + vary + ["two"], in: directory,
                environment: ["XDG_CACHE_HOME": "\(directory)/cache"])
            #expect(folder.status == 0, "\(folder.errors)")
            #expect(!inputs.exists("cache"))
            // The same costs: what differs is the number of the shard that a lookup names.
            let alone = try await Program.run(inputs.run("--json"), in: directory)
            #expect(try Self.metrics(folder)[0] as? NSArray == Self.metrics(alone)[0] as? NSArray)
        }
    }

    /// The directory goes on from another place than where it was begun.
    @Test func aProfileIsFoundFromOtherDirectories() async throws {
        try await withDirectory { directory in
            _ = try SmallInputs(in: directory)
            let begun = try await Program.run(
                [
                    "sweep", "manifest", "scenario.yaml", "--profile", "profile.json", "--vary",
                    "services.pir.cores=1,2", "--output", "sweep",
                ], in: directory)
            #expect(begun.status == 0, "\(begun.errors)")
            let done = try await Program.run(["sweep", "work", "\(directory)/sweep", "--line", "2"], in: "/")
            #expect(done.status == 0, "\(done.errors)")
        }
    }
}
