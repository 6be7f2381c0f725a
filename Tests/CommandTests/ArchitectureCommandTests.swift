import Testing

/// Every architecture through every command: it works, or says why not.
struct ArchitectureCommandTests {
    private static let names = [
        "urlFilter", "wholeList", "hashPrefix", "contentFilter", "packetFilter", "onSiteFilter", "httpProxy",
        "socksProxy", "fullTunnel", "splitTunnel", "perAppVPN", "appProxy", "relay", "dnsFilter",
        "contentBlocker", "builtInList",
    ]

    @Test(arguments: names)
    func worksOrSaysWhyNot(_ name: String) async throws {
        try await withDirectory { directory in
            let inputs = try SmallInputs(in: directory)
            func run(_ arguments: [String], _ settings: String...) async throws -> Program.Outcome {
                let options = (["architecture=\(name)"] + settings).flatMap { ["--set", $0] }
                let usual = ["--profile", "profile.json", "--threads", "2", "--quiet"]
                return try await Program.run(arguments + usual + options, in: directory)
            }
            let short = "replications={min: 2, max: 2}"
            let down = "faults=[{kind: outage, service: decider, at: 20s, for: 20s}]"
            // A list that changes, a decider that is down, and two points.
            let simple = try await run(["run", "scenario.yaml"], short, down, "updates={churn: threat}")
            #expect(simple.status == 0, "\(simple.errors)")
            let varied = try await run(
                ["run", "scenario.yaml", "--vary", "filter.shouldFailClosed=false,true"], short)
            #expect(varied.status == 0, "\(varied.errors)")
            let compared = try await run(
                ["compare", "scenario.yaml", "--chance-only", "--with", "filter.shouldFailClosed=true"],
                short, down)
            #expect((0..<64).contains(compared.status), "\(compared.errors)")
            let search = [
                "capacity", "scenario.yaml", "--find", "devices", "--mean", "--to", "8", "--max-replications",
                "8",
            ]
            let largest = try await run(search, "objectives=[url.leaked rate <= 100%]")
            #expect(largest.status == 0 && largest.output.contains("8 devices"), "\(largest.errors)")
            guard name != "urlFilter" else { return }
            for (arguments, settings) in [
                (["capacity", "scenario.yaml"], "objectives=[url.leaked rate <= 100%]"),
                (["plan", "scenario.yaml", "--load-test"], short),
                (["plan", "scenario.yaml", "--update", "list.txt", "list.txt"], short),
                (["run", "scenario.yaml"], "faults=[{kind: restart, service: pir, at: 1s}]"),
            ] {
                let refused = try await run(arguments, settings)
                #expect(refused.status == 65, "\(arguments): \(refused.output)")
                #expect(refused.errors.contains(name), "\(arguments): \(refused.errors)")
            }
            #expect(inputs.exists("list.txt"))
        }
    }
}
