import Foundation
import Testing

/// `urlfilter measure --ports` from servers that it starts to a run that charges what it found.
struct PortMeasurementTests {
    private struct Document: Decodable {
        struct Cost: Decodable {
            let mean: Double
            let bare: Double
        }

        struct Row: Decodable {
            let name: String
            let gateway: Cost
            let service: Cost
        }

        let rows: [Row]
    }

    @Test func aRunChargesWhatThePortsTook() async throws {
        try await withSmallInputs { inputs in
            let measured = try await Program.run(
                [
                    "measure", "list.txt", "--ports", "--requests", "10", "--output", "ports.json", "--quiet",
                    "--json",
                ], on: inputs)
            #expect(measured.status == 0, "\(measured.errors)")
            let rows = try JSONDecoder().decode(Document.self, from: Data(measured.output.utf8)).rows
            #expect(
                rows.map(\.name) == ["directory", "tokenKey", "issue", "config", "key", "queries"])
            // HTTP takes more than opening a sealed request: a factor of ten on every machine so far.
            for row in rows { #expect(row.gateway.mean > row.gateway.bare && row.service.mean > 0, "\(row)") }
            #expect(inputs.text("ports.json")?.contains("gatewayPort") == true)
            let run = try await Program.run(
                ["run", "scenario.yaml", "--profile", "ports.json", "--details", "--quiet"], on: inputs)
            #expect(
                run.status == 0 && run.output.contains("TLS takes no CPU time at the gateway"),
                "\(run.errors)\(run.output)")
            let both = try await Program.run(
                ["measure", "list.txt", "--ports", "--against", "http://localhost"], on: inputs)
            #expect(both.status == 64 && both.errors.contains("leave out --against"), "\(both.errors)")
        }
    }
}
