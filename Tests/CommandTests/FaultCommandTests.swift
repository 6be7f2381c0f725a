import Foundation
import Testing

#if canImport(FoundationXML)
    import FoundationXML
#endif

/// `compare --faults`: one scenario, seven faults, open and closed.
@Suite struct FaultCommandTests {
    private static let command = [
        "compare", "scenario.yaml", "--profile", "profile.json", "--threads", "2", "--faults", "school",
        "--at", "1s", "--set", "filter.falsePositiveTolerance=0.2",
    ]

    private static let weights = [
        "--set", "prices.brokenPage=0.2", "--set", "prices.exposedVisit=0.5",
    ]

    private static let faults = [
        "PIR outage", "gateway brown-out", "issuer down", "server restart", "relay size cap",
        "captive portal", "too few servers",
    ]

    @Test func sevenFaultsAreWeighed() async throws {
        try await withSmallInputs { inputs in
            let outcome = try await Program.run(
                Self.command + Self.weights + ["--output", "kept", "--html", "faults.html"], on: inputs)
            // Closed breaks more than open in some of them, which is no regression.
            #expect(outcome.status == 0, "\(outcome.output)\(outcome.errors)")
            for fault in Self.faults { #expect(outcome.output.contains(fault), "\(fault)") }
            #expect(outcome.output.contains("ONCE, 1.00 s after the start"))
            #expect(outcome.output.contains("FAIL OPEN: ") || outcome.output.contains("FAIL CLOSED: "))
            let page = try #require(inputs.text("faults.html"))
            #expect(page.contains("Open or closed.") && XMLParser(data: Data(page.utf8)).parse())
            // Both sides of each are kept: the same question simulates nothing, and answers the same.
            let parts = inputs.names(in: "kept")
            #expect(parts.count == 2 * Self.faults.count)
            let again = try await Program.run(
                Self.command + Self.weights + ["--output", "kept"], on: inputs)
            #expect(again.output == outcome.output && inputs.names(in: "kept") == parts)
            let markdown = try await Program.run(
                Self.command + Self.weights + ["--output", "kept", "--markdown"], on: inputs)
            for fault in Self.faults {
                // Once with both sides, and once with the money.
                let rows = markdown.output.split(separator: "\n").count { $0.hasPrefix("| \(fault) | ") }
                #expect(rows == 2, "\(markdown.output)")
            }
            let json = try await Program.run(
                Self.command + Self.weights + ["--output", "kept", "--json"], on: inputs)
            let study = try #require(
                try JSONSerialization.jsonObject(with: Data(json.output.utf8)) as? [String: Any])
            let decision = try #require(study["decision"] as? [String: Any])
            let rows = try #require(decision["rows"] as? [[String: Any]])
            #expect(rows.compactMap { $0["name"] as? String } == Self.faults)
            // Of the money of each fault, the sum is that of all.
            func difference(_ row: [String: Any]?) -> Double? {
                ((row?["money"] as? [String: Any])?["difference"] as? [String: Any])?["value"] as? Double
            }
            let whole = try #require(difference(decision["whole"] as? [String: Any]))
            let sum = rows.compactMap(difference).reduce(0, +)
            #expect(abs(whole - sum) < 1e-9 * max(1, abs(sum)) && sum != 0)
        }
    }

    @Test func whatIsMissingIsSaid() async throws {
        try await withSmallInputs { inputs in
            let outcome = try await Program.run(
                Self.command + ["--set", "prices.brokenPage=0.2"], on: inputs)
            #expect(outcome.status == 0, "\(outcome.errors)")
            #expect(outcome.output.contains("NO RECOMMENDATION: prices.exposedVisit is not set"))
            #expect(outcome.output.contains("pages/URL") && !outcome.output.contains("if wrong"))
            for (more, words) in [
                (["--with", "filter.shouldFailClosed=true"], "leave out --with"),
                (["--faults", "ship"], "school"),
            ] {
                let wrong = try await Program.run(Self.command + more, on: inputs)
                #expect(wrong.status == 64 && wrong.errors.contains(words), "\(wrong.errors)")
            }
            // A trace has no clock.
            let clockless = Self.command.filter { $0 != "--at" && $0 != "1s" }
            let refused = try await Program.run(clockless, on: inputs)
            #expect(refused.status == 65 && refused.errors.contains("--at 1h"), "\(refused.errors)")
        }
    }
}
