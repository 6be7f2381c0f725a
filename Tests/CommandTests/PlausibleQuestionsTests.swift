import Foundation
import Testing

/// Questions over what nobody knows: what is added beside chance, and that nothing else changes.
@Suite struct PlausibleQuestionsTests {
    private static let scenario = """
        name: two hours
        seed: 3
        duration: 2h
        warmUp: 30min
        history: 0s
        seriesInterval: 10min
        replications: { min: 2, max: 2 }
        prices: large-cloud
        blocklist: { file: list.txt }
        filter: { falsePositiveTolerance: 0.01 }
        devices:
          - { name: people, count: 60, browsing: { profile: adult, timeZoneHours: 12 } }
        services: { pir: { instances: 2, cores: 2, keyStore: shared } }
        objectives: [lookup.latency p95 < 20s, url.leaked rate < 100%]
        """

    private static let usual = ["--profile", "profile.json", "--threads", "2", "--quiet"]

    private func json(_ text: String) throws -> [String: Any] {
        try #require(try JSONSerialization.jsonObject(with: Data(text.utf8)) as? [String: Any])
    }

    @Test(arguments: [
        (
            ["capacity", "two.yaml", "--quick", "--sample", "40"], ["ignorance", "risk"],
            "for a risk of at most"
        ),
        (
            ["alternatives", "two.yaml", "--only", "urlFilter,dnsFilter"], ["plausibility"],
            "of what is plausible"
        ),
        (
            ["compare", "two.yaml", "--with", "filter.falsePositiveTolerance=0.2"], ["plausible"],
            "Of what is plausible"
        ),
        (
            ["bloom", "tune", "list.txt", "--trace", "trace.csv"], ["plausibility"],
            "of what is plausible (6 draws)"
        ),
    ])
    func chanceIsAsBeforeAndIgnoranceIsBesideIt(
        _ command: [String], _ keys: [String], _ words: String
    ) async throws {
        try await withDirectory { directory in
            let inputs = try SmallInputs(in: directory)
            try inputs.write(Self.scenario, to: "two.yaml")
            func run(_ more: String...) async throws -> Program.Outcome {
                try await Program.run(command + Self.usual + more, in: directory)
            }
            let chance = try await run("--chance-only", "--json")
            var both = try json(try await run("--plausible", "6", "--json").output)
            for key in keys {
                #expect(both[key] != nil && !chance.output.contains("\"\(key)\""), "\(key)")
                both[key] = nil
            }
            #expect(try both as NSDictionary == json(chance.output) as NSDictionary)
            let text = try await run("--plausible", "6")
            let flowing = text.output.replacing(/\s+/, with: " ")
            #expect(flowing.contains(words), "\(text.output)\(text.errors)")
            // What each assumption is worth takes --details.
            #expect(!flowing.contains("known, it would be"), "\(text.output)")
            let wrong = try await run("--know", "nonsense")
            #expect(wrong.status == 65, "\(wrong.errors)")
        }
    }

    /// Closed forms of a plan: the same numbers, and what nobody knows beside them.
    @Test func aPlanEvaluatesItsFormulasOverWhatNobodyKnows() async throws {
        try await withDirectory { directory in
            let inputs = try SmallInputs(in: directory)
            try inputs.write(
                Self.scenario + "\nupdates: { every: 6h, churn: category }\n", to: "two.yaml")
            func run(_ more: String...) async throws -> Program.Outcome {
                try await Program.run(["plan", "two.yaml", "--no-trial", "--quiet"] + more, in: directory)
            }
            let chance = try json(try await run("--chance-only", "--json").output)
            var both = try json(try await run("--plausible", "6", "--json").output)
            var forecast = try #require(both["forecast"] as? [String: Any])
            let known = try #require(forecast["ignorance"] as? [String: Any])
            let names = try #require(known["metrics"] as? [[String: Any]]).compactMap {
                $0["name"] as? String
            }
            #expect(Set(names) == ["page.visits", "freshness.delay"])
            forecast["ignorance"] = nil
            both["forecast"] = forecast
            #expect(both as NSDictionary == chance as NSDictionary)
            let text = try await run("--plausible", "6").output.replacing(/\s+/, with: " ")
            #expect(text.contains("by closed form, without chance: page visits a device-day"), "\(text)")
            #expect(text.contains("what nobody knows)"), "\(text)")
            #expect(try await run("--know", "nonsense").status == 65)
        }
    }

    @Test func whatSaysNothingOfIgnoranceRefusesItsOptions() async throws {
        try await withSmallInputs { inputs in
            for command in [
                ["run", "scenario.yaml", "--vary", "services.pir.cores=1,2", "--plausible", "5"],
                ["run", "scenario.yaml", "--vary", "services.pir.cores=1,2", "--know", "coverage"],
                ["compare", "a", "b", "--plausible", "5"],
                ["compare", "scenario.yaml", "--faults", "school", "--know", "coverage"],
                ["capacity", "scenario.yaml", "--find", "devices", "--plausible", "5"],
                ["capacity", "scenario.yaml", "--find", "devices", "--risk", "5%"],
            ] {
                let outcome = try await Program.run(command, on: inputs)
                #expect(outcome.status == 64, "\(command): \(outcome.errors)")
            }
        }
    }
}
