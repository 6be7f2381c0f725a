import Crypto
import Experiment
import Foundation
import Report
import Testing

/// Trajectories and outputs as they were: guards a change that must not change any.
///
/// Says nothing of whether they are right. After a change that is meant, `URLFILTER_GOLDEN=write` stores the new
/// ones, and the commit says which changed and why.
struct GoldenTests {
    private static let folder = GoldenScenario.root + "/Tests/ReportTests/Golden"
    private static let isWriting = ProcessInfo.processInfo.environment["URLFILTER_GOLDEN"] == "write"

    @Test(arguments: GoldenScenario.shipped) func shipped(_ scenario: GoldenScenario) async throws {
        let result = try await scenario.result()
        #expect(result.points[0].counts.urlsChecked > 0)
        try Self.compare(
            Self.line(result) + Self.metrics(result) + RunText.render(result), with: "\(scenario.name).txt")
        // The whole document of one; of the others its digest.
        if scenario.name == "quickstart" {
            try Self.compare(
                String(decoding: try result.json(), as: UTF8.self), with: "\(scenario.name).json")
        }
    }

    @Test func random() async throws {
        var lines = ""
        for scenario in GoldenScenario.random { lines += try Self.line(await scenario.result()) }
        try Self.compare(lines, with: "random.txt")
    }

    /// Fingerprints of the trajectories, and what stands and falls with them.
    private static func line(_ result: RunResult) throws -> String {
        let point = result.points[0]
        // Where the repository lies is no part of the result.
        let json = String(decoding: try result.json(), as: UTF8.self).replacing(GoldenScenario.root, with: "")
        let digest = SHA256.hash(data: Data(json.utf8)).prefix(8).map { String(format: "%02x", $0) }.joined()
        return
            "\(result.scenario.name): \(point.fingerprints.joined(separator: " ")), \(point.events) events, "
            + "\(point.counts.lookupsSent) lookups, JSON \(digest)\n"
    }

    private static func metrics(_ result: RunResult) -> String {
        result.points[0].metrics.map { metric in
            let interval = metric.interval.map { " [\($0.low), \($0.high)]" } ?? ""
            return "\(metric.name) \(metric.statistic) \(metric.value)\(interval)\n"
        }.joined()
    }

    private static func compare(_ output: String, with name: String) throws {
        let found = output.replacing(GoldenScenario.root + "/", with: "")
        let path = "\(folder)/\(name)"
        if isWriting { return try found.write(toFile: path, atomically: true, encoding: .utf8) }
        let stored = try String(contentsOfFile: path, encoding: .utf8)
        guard found != stored else { return }
        let lines = zip(stored.split(separator: "\n"), found.split(separator: "\n"))
        let change =
            lines.first { $0 != $1 }.map { "stored: \($0)\n found: \($1)" } ?? "one of them is longer"
        Issue.record("\(name) is not as it was:\n\(change)")
    }
}
