import Foundation
import Testing

/// What scripts see of a run that could not begin.
struct ExitCodeTests {
    @Test(arguments: [
        (["run"], 64), (["run", "missing.yaml", "--thread", "2"], 64), (["run", "missing.yaml"], 65),
        (["--version"], 0), (["nonsense"], 64),
        (["capacity", "any.yaml", "--quick", "--roll-out", "1min"], 64),
        (["capacity", "any.yaml", "--markdown", "--json"], 64),
        (["plan", "any.yaml", "--markdown"], 64), (["report", "any", "--markdown", "--csv"], 64),
    ])
    func code(_ arguments: [String], _ code: Int) async throws {
        let outcome = try await Program.run(arguments)
        #expect(outcome.status == code)
        if code != 0 {
            #expect(outcome.output.isEmpty)
            #expect(!outcome.errors.isEmpty)
        }
    }

    /// The proxy's busiest interval takes so many servers of two cores as its own figure says.
    @Test func serversOfAMechanismAreFound() async throws {
        try await withDirectory { directory in
            let inputs = try SmallInputs(in: directory)
            let settings = [
                "--set", "architecture=httpProxy", "--set", "mechanisms.httpProxy.cpuPerConnection=6s",
                "--quiet",
            ]
            let json = try await Program.run(inputs.run("--json") + settings, in: directory)
            let result = try #require(
                try JSONSerialization.jsonObject(with: Data(json.output.utf8)) as? [String: Any])
            let point = try #require((result["points"] as? [[String: Any]])?.first)
            let metrics = try #require(point["metrics"] as? [[String: Any]])
            let peak = metrics.first {
                $0["name"] as? String == "operator.cores" && $0["statistic"] as? String == "max"
            }
            let cores = try #require(peak?["value"] as? Double)
            let objective = ["--set", "objectives=[mechanism.utilization max <= 70%]"]
            let search = ["capacity", "scenario.yaml", "--profile", "profile.json", "--mean"]
            let found = try await Program.run(
                search + ["--find", "mechanisms.httpProxy.instances"] + settings + objective, in: directory)
            #expect(found.status == 0, "\(found.errors)")
            let servers = Int((cores / 2 / 0.7).rounded(.up))
            // One more where the interval of the mean lies across the limit.
            let answers = [servers, servers + 1].map { "answer: \($0) mechanisms.httpProxy.instances" }
            #expect(answers.contains { found.output.contains($0) }, "\(found.output)")
            for (path, word) in [
                ("mechanisms.relay.instances", "architecture=relay"),
                ("services.pir.cores", "mechanisms.httpProxy"),
                ("mechanisms.httpProxy.cores", "mechanisms.httpProxy.instances"),
            ] {
                let refused = try await Program.run(
                    search + ["--find", path] + settings + objective, in: directory)
                #expect(refused.status == 65 && refused.errors.contains(word), "\(refused.errors)")
            }
        }
    }

    /// The parameters stay, they cannot stay, and what is no question.
    @Test(arguments: [
        (["list.txt", "more.txt"], 0), (["list.txt", "many.txt"], 3), (["list.txt"], 64),
        (["list.txt", "missing.txt"], 65),
    ])
    func planOfAnUpdate(_ lists: [String], _ code: Int) async throws {
        try await withDirectory { directory in
            let inputs = try SmallInputs(in: directory)
            let entries = inputs.text("list.txt") ?? ""
            try inputs.write(entries + "worse.example\n", to: "more.txt")
            let many = (0..<5000).map { "many\($0).example\n" }.joined()
            try inputs.write(entries + many, to: "many.txt")
            let outcome = try await Program.run(["plan", "--update"] + lists, in: directory)
            #expect(outcome.status == code, "\(outcome.errors)")
            guard code < 64 else { return }
            #expect(outcome.output.contains(code == 0 ? "PARAMETERS KEPT" : "PARAMETERS CHANGE"))
            #expect(outcome.output.contains("order: load the PIR servers first"))
            let json = try await Program.run(["plan", "--json", "--update"] + lists, in: directory)
            #expect(json.output.contains("urlfilter.plan-update/2"))
            let markdown = try await Program.run(["plan", "--markdown", "--update"] + lists, in: directory)
            #expect(markdown.output.contains("| processing here |"), "\(markdown.output)")
        }
    }
}
