import Foundation
import Testing

/// `export` of a plan that `capacity --output` wrote, and the money beside it.
struct ExportCommandTests {
    private static let capacity = [
        "capacity", "scenario.yaml", "--profile", "profile.json", "--quick", "--quiet", "--growth", "3%",
        "--set", "prices=large-cloud", "--output", "plan",
    ]

    @Test func eachToolGetsItsFiles() async throws {
        try await withDirectory { directory in
            let inputs = try SmallInputs(in: directory)
            let planned = try await Program.run(Self.capacity, in: directory)
            #expect(planned.status == 0, "\(planned.output)\(planned.errors)")
            for (tool, files) in [
                ("kubernetes", ["kubernetes-all.yaml"]),
                ("prometheus", ["rules-test.yaml", "rules.yaml", "scrape.yaml"]),
                ("grafana", ["dashboard.json"]), ("terraform", ["terraform.tfvars", "variables.tf"]),
            ] {
                let outcome = try await Program.run(
                    ["export", "plan", "--as", tool, "--output", tool], in: directory)
                #expect(outcome.status == 0, "\(tool): \(outcome.errors)")
                #expect(inputs.names(in: tool) == files, "\(tool)")
                #expect(
                    outcome.output.split(separator: "\n").map(String.init).sorted()
                        == files.map { "\(tool)/\($0)" })
            }
            // One file goes to standard output, several do not.
            let one = try await Program.run(["export", "plan/plan.json", "--as", "grafana"], in: directory)
            #expect(one.status == 0 && one.output == inputs.text("grafana/dashboard.json"))
            let several = try await Program.run(["export", "plan", "--as", "prometheus"], in: directory)
            #expect(several.status == 64 && several.errors.contains("give --output DIRECTORY"))
            let image = try await Program.run(
                ["export", "plan", "--as", "grafana", "--image", "a"], in: directory)
            #expect(image.status == 64 && image.errors.contains("--image belongs to --as kubernetes"))
            let none = try await Program.run(["export", "list.txt", "--as", "grafana"], in: directory)
            #expect(
                none.status == 65 && none.errors.contains("no answer of 'urlfilter capacity --output DIR'"))
        }
    }

    @Test func theMoneyStandsBesideThePlan() async throws {
        try await withDirectory { directory in
            let inputs = try SmallInputs(in: directory)
            let planned = try await Program.run(
                Self.capacity + ["--budget", "money.html", "--markdown", "--details"], in: directory)
            #expect(planned.status == 0, "\(planned.output)\(planned.errors)")
            #expect(planned.output.contains("Three plans side by side"))
            for name in ["plan/budget.html", "plan/budget.csv", "money.html", "money.csv"] {
                #expect(inputs.exists(name), "\(name)")
            }
            #expect(inputs.text("money.csv") == inputs.text("plan/budget.csv"))
            let json = try #require(
                try JSONSerialization.jsonObject(with: Data((inputs.text("plan/plan.json") ?? "").utf8))
                    as? [String: Any])
            let budget = try #require(json["budget"] as? [String: Any])
            #expect((budget["months"] as? [Any])?.count == 24 && budget["growth"] as? Double == 0.03)
            #expect((json["choices"] as? [Any])?.count == 3)
            let wrong = try await Program.run(
                ["capacity", "scenario.yaml", "--budget", "money.csv"], in: directory)
            #expect(wrong.status == 64 && wrong.errors.contains("ends in .html"))
        }
    }

    /// Cost profiles of the nine databases that a search looks at by itself.
    private static func writeProfiles(_ inputs: SmallInputs) throws {
        let profile = try #require(inputs.text("profile.json"))
        try FileManager.default.createDirectory(
            atPath: "\(inputs.folder)/profiles", withIntermediateDirectories: false)
        let usual = "n_4096_logq_27_28_28_logt_5"
        for parameters in [usual, "n_4096_logq_27_28_28_logt_6", "n_8192_logq_3x55_logt_24"] {
            for shards in [1, 4, 16] {
                let text = profile.replacing(usual, with: parameters)
                    .replacing("\"shards\": 1", with: "\"shards\": \(shards)")
                try inputs.write(text, to: "profiles/\(parameters)-\(shards)-shards-60-entries.json")
            }
        }
    }

    @Test func aSearchNeedsNothingToVary() async throws {
        try await withDirectory { directory in
            let inputs = try SmallInputs(in: directory)
            try Self.writeProfiles(inputs)
            let outcome = try await Program.run(
                [
                    "capacity", "scenario.yaml", "--profile", "profiles", "--quick", "--quiet", "--search",
                    "--json", "--set", "prices=large-cloud",
                ], in: directory, environment: ["XDG_CACHE_HOME": "\(directory)/cache"])
            #expect(outcome.status == 0, "\(outcome.errors)")
            #expect(!inputs.exists("cache"), "measured")
            let json = try #require(
                try JSONSerialization.jsonObject(with: Data(outcome.output.utf8)) as? [String: Any])
            let search = try #require(json["search"] as? [String: Any])
            #expect(search["designs"] as? Int ?? 0 >= 9)
            #expect(search["continuous"] as? [String] == ["filter.falsePositiveTolerance"])
            let points = try #require(json["points"] as? [[String: Any]])
            let best = try #require(
                (json["best"] as? Int).map { points[$0]["settings"] as? [String: String] })
            #expect(
                Set((best ?? [:]).keys) == [
                    "filter.falsePositiveTolerance", "services.pir.rlweParameters", "services.pir.shards",
                ])
        }
    }
}
