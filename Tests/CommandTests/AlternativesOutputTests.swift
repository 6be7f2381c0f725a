import Foundation
import Testing

/// `alternatives --output`: a result of the scenario as it is, with the other mechanisms beside it.
struct AlternativesOutputTests {
    private func alternatives(_ more: String...) -> [String] {
        [
            "alternatives", "scenario.yaml", "--profile", "profile.json", "--threads", "2", "--quiet",
            "--chance-only",
            "--only", "urlFilter,dnsFilter,wholeList", "--output", "out",
        ] + more
    }

    private static let section = #"<section id="other-mechanisms">"#

    @Test func theDirectoryIsThatOfARunAndMore() async throws {
        try await withSmallInputs { inputs in
            let ran = try await Program.run(inputs.run("--output", "plain", "--quiet"), on: inputs)
            let outcome = try await Program.run(alternatives("--json"), on: inputs)
            try #require(ran.status == 0 && outcome.status == 0, "\(ran.errors)\(outcome.errors)")
            #expect(inputs.names(in: "out") == (inputs.names(in: "plain") + ["alternatives.json"]).sorted())
            // The scenario as it is, and what was printed.
            #expect(inputs.text("out/summary.json") == inputs.text("plain/summary.json"))
            #expect(inputs.text("out/alternatives.json") == outcome.output)
            let page = try #require(inputs.text("out/report.html"))
            #expect(page.contains(Self.section))
            #expect(inputs.text("plain/report.html")?.contains(Self.section) == false)
            for input in ["out", "out/summary.json"] {
                let again = try await Program.run(["report", input, "--html", "again.html"], on: inputs)
                #expect(again.status == 0, "\(again.errors)")
                #expect(inputs.text("again.html") == page)
            }
        }
    }

    /// What the directory's own run found is what the table says of its architecture, run again or not.
    @Test func theScenariosOwnRunIsOneOfTheRows() async throws {
        try await withSmallInputs { inputs in
            let without = Array(alternatives("--json").filter { $0 != "--output" && $0 != "out" })
            let memory = try await Program.run(without, on: inputs)
            let kept = try await Program.run(alternatives("--json"), on: inputs)
            let again = try await Program.run(alternatives("--json"), on: inputs)
            func rows(_ text: String) throws -> NSArray {
                let json = try JSONSerialization.jsonObject(with: Data(text.utf8)) as? [String: Any]
                return try #require(json?["rows"] as? NSArray)
            }
            #expect(try rows(kept.output) == rows(memory.output))
            #expect(try rows(again.output) == rows(memory.output))
        }
    }

    @Test func aFaultThatOneCannotHaveIsRefusedBeforeAnyRun() async throws {
        try await withSmallInputs { inputs in
            let fault = "faults=[{kind: outage, service: pir, at: 20s, for: 20s}]"
            let outcome = try await Program.run(alternatives("--set", fault), on: inputs)
            #expect(outcome.status == 65, "\(outcome.output)")
            #expect(outcome.errors.contains("no effect with architecture dnsFilter"), "\(outcome.errors)")
            #expect(inputs.names(in: "out").isEmpty)
        }
    }

    @Test func anotherScenarioIsRefusedOrReplacesAll() async throws {
        try await withSmallInputs { inputs in
            let first = try await Program.run(alternatives(), on: inputs)
            try #require(first.status == 0, "\(first.errors)")
            let before = inputs.text("out/alternatives.json")
            let other = try await Program.run(alternatives("--seed", "8"), on: inputs)
            #expect(other.status == 65 && other.errors.contains("--replace"), "\(other.errors)")
            #expect(inputs.text("out/alternatives.json") == before)
            let replaced = try await Program.run(alternatives("--seed", "8", "--replace"), on: inputs)
            #expect(replaced.status == 0, "\(replaced.errors)")
            #expect(inputs.text("out/alternatives.json") != before)
            // A run of its own has no other mechanisms any more.
            let run = try await Program.run(
                inputs.run("--output", "out", "--seed", "9", "--replace"), on: inputs)
            #expect(run.status == 0, "\(run.errors)")
            #expect(!inputs.exists("out/alternatives.json"))
            #expect(inputs.text("out/report.html")?.contains(Self.section) == false)
        }
    }

    @Test func aDamagedTableIsNamed() async throws {
        try await withSmallInputs { inputs in
            let ran = try await Program.run(inputs.run("--output", "out", "--quiet"), on: inputs)
            try #require(ran.status == 0, "\(ran.errors)")
            for text in [
                "{", #"{"schema": "urlfilter.alternatives/1"}"#, #"{"schema": "urlfilter.alternatives/4"}"#,
            ] {
                try inputs.write(text, to: "out/alternatives.json")
                let page = try await Program.run(["report", "out", "--html", "page.html"], on: inputs)
                #expect(page.status == 65 && page.errors.contains("alternatives.json"), "\(page.errors)")
                #expect(!inputs.exists("page.html"))
            }
        }
    }
}
