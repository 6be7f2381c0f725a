import Foundation
import Testing

/// A plan of a load test, made of a small scenario and executed against servers of this machine.
struct LoadTestTests {
    /// Three clients; every other URL is listed on what ``ServeProcess`` serves.
    private static let trace = (0..<60).reduce("epoch_seconds,client,url\n") { text, number in
        let host = number % 2 == 0 ? "blocked\(number % 20).example" : "good\(number).example"
        return text + "\(1_700_000_000 + number),c\(number % 3),https://\(host)/\n"
    }

    @Test func thePlanOfAScenarioIsExecutedAndJudged() async throws {
        try await withDirectory { directory in
            let inputs = try SmallInputs(in: directory)
            let made = try await Program.run(
                [
                    "plan", "scenario.yaml", "--profile", "profile.json", "--load-test", "--growth", "50%",
                    "--set", "objectives=[lookup.latency p99 < 20s, pir.utilization mean < 100%]", "--set",
                    "services.pir.memory=2MB", "--output", "test.yaml", "--quiet",
                ], in: directory)
            #expect(made.status == 0, "\(made.errors)")
            #expect(made.output.contains("criteria, in test.yaml"))
            let plan = try #require(inputs.text("test.yaml"))
            // Five keys fit; six and a quarter and one are asked for, six devices × 1.5 are nine.
            #expect(plan.contains("users: 8\n"))
            try inputs.write(Self.trace, to: "load.csv")
            // Seconds instead of minutes, and keys that are replaced while they are in use. How fast answers come is this
            // machine's matter, and other tests may have its cores.
            let short = plan.replacing(/rate: [0-9.]+, ramp: [0-9.]+s, warmUp: [0-9.]+s, duration: [0-9.]+s/)
            { _ in
                "rate: 20.0, ramp: 0s, warmUp: 0s, duration: 2s"
            }.replacing(/keysPerSecond: .*/) { _ in "keysPerSecond: 4" }
                .replacing(/(measure: unanswered\n *relation: '<='\n *limit:) .*/) { "\($0.output.1) 1.0" }
                .replacing(/(percentile: 50.0\n *relation: '<='\n *limit:) .*/) { "\($0.output.1) 100s" }
                // The work of a lookup, at the rate that it was.
                .replacing(/(cores: [0-9]+\n *relation: '<='\n *limit:) .*/) { "\($0.output.1) 1.0" }
            try inputs.write(short, to: "short.yaml")

            let server = try #require(try await ServeProcess.start(in: directory))
            defer { server.program.signal(SIGKILL) }
            func replay(_ more: String...) async throws -> Program.Outcome {
                try await Program.run(
                    [
                        "replay", "load.csv", "--against", server.url, "--list", "list-20.txt", "--quiet",
                    ] + more, in: directory)
            }
            let run = try await replay("--plan", "short.yaml", "--output", "out")
            // Too few lookups for the interval of a p99.
            #expect(run.status == 4, "\(run.output)\(run.errors)")
            #expect(run.output.hasPrefix("LOAD TEST of 'small': "))
            #expect(run.output.contains("8 of 8 devices prepared"))
            let document = try #require(inputs.text("out/load-test.json"))
            let json = try #require(
                try JSONSerialization.jsonObject(with: Data(document.utf8)) as? [String: Any])
            #expect(json["schema"] as? String == "urlfilter.load-test-result/2")
            let verdicts = try #require(json["verdicts"] as? [[String: Any]])
            func verdict(_ measure: String, _ step: String) -> String? {
                verdicts.first {
                    let criterion = $0["criterion"] as? [String: Any]
                    return criterion?["measure"] as? String == measure
                        && criterion?["step"] as? String == step
                }?["verdict"] as? String
            }
            #expect(verdict("wrong", "minute") == "pass" && verdict("wrong", "second") == "pass")
            #expect(verdict("latency", "minute") == "cannot tell")
            #expect(verdict("utilization", "minute") == "pass")
            let replayed = try #require(json["replay"] as? [String: Any])
            let points = try #require(replayed["points"] as? [[String: Any]])
            let keys = points.flatMap { $0["endpoints"] as? [[String: Any]] ?? [] }
                .filter { $0["name"] as? String == "key" }.compactMap { $0["count"] as? Int }
            #expect((8...16).contains(keys.reduce(0, +)), "\(keys)")

            // What was printed is what 'report' prints again, verdicts first.
            let report = try await Program.run(["report", "out"], in: directory)
            #expect(report.status == 0 && report.output == inputs.text("out/replay.txt"), "\(report.errors)")
            #expect(report.output.hasPrefix("LOAD TEST of 'small': "))
            let again = try await Program.run(["report", "out", "--json"], in: directory)
            #expect(again.output.contains("urlfilter.load-test-result/2"))
            let paged = try await Program.run(["report", "out", "--html", "out.html"], in: directory)
            #expect(paged.status == 0 && paged.output.isEmpty, "\(paged.errors)")
            let page = try #require(inputs.text("out.html"))
            #expect(page.contains("LOAD TEST of") && page.contains("utilization"))

            // One step, and a limit that nothing meets.
            let steps = try #require(short.firstRange(of: "  - { name: 'second'"))
            let end = try #require(short.firstRange(of: "criteria:"))
            let bad =
                short[..<steps.lowerBound]
                    + """
                    criteria:
                      - { step: minute, measure: latency, percentile: 50, relation: '>', limit: 100s }

                    """
            #expect(end.lowerBound > steps.lowerBound)
            try inputs.write(String(bad), to: "bad.yaml")
            let failed = try await replay("--plan", "bad.yaml")
            #expect(failed.status == 2 && failed.output.contains("FAIL"), "\(failed.output)")
            try inputs.write(String(bad).replacing("20.0", with: "many"), to: "wrong.yaml")
            let refused = try await replay("--plan", "wrong.yaml")
            #expect(refused.status == 65)
            #expect(refused.errors.contains("wrong.yaml:"))
            #expect(refused.errors.contains("steps[minute].rate: 'many' is not a quantity"))
            #expect(try await replay("--plan", "short.yaml", "--rate", "3").status == 64)
        }
    }
}
