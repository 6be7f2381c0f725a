import Crypto
import Experiment
import Foundation
import Report
import RunMetrics
import TestSupport
import Testing

/// Trajectories and outputs as they were: guards a change that must not change any.
///
/// Says nothing of whether they are right. After a change that is meant, `URLFILTER_GOLDEN=write` stores the new
/// ones, and the commit says which changed and why.
struct GoldenTests {
    private static let folder = SourceTree.root.path + "/Tests/ReportTests/Golden"

    @Test(arguments: GoldenScenario.shipped) func shipped(_ scenario: GoldenScenario) async throws {
        let result = try await scenario.result()
        #expect(result.points[0].counts.urlsChecked > 0)
        Self.checkIntervals(result.points[0])
        Self.checkScreen(Document(result, more: "more: --details").text(.brief))
        try PlainPageCheck.check(result)
        try AgreementCheck.check(result)
        PageCheck.check(
            ParsedPage(ReportPage.render(result, manifest: try SampleResult.manifest())), scenario.name)
        try Self.compare(
            Self.line(result) + Self.metrics(result) + Document(result).text(.full),
            with: "\(scenario.name).txt")
        // The whole document of one; of the others its digest.
        if scenario.name == "quickstart" {
            try Self.compare(
                String(decoding: try result.json(), as: UTF8.self), with: "\(scenario.name).json")
        }
    }

    /// Whatever the scenario: the answer is on one screen.
    private static func checkScreen(_ text: String) {
        let lines = text.split(separator: "\n", omittingEmptySubsequences: false)
        #expect(lines.count <= 25 && lines.last == "" && lines.dropLast().last == "more: --details")
        // A name or an expression of the scenario may be longer.
        #expect(lines.dropFirst().allSatisfy { $0.count <= 100 || $0.contains(" < ") }, "\(text)")
    }

    /// Whatever the scenario: no interval has no width, leaves the values that its metric can have, or misses its value.
    private static func checkIntervals(_ point: PointResult) {
        func check(_ name: String, _ value: Double, _ interval: Interval?, _ unit: Metric.Unit) {
            guard let interval else { return }
            #expect(interval.low >= 0 && interval.low < interval.high, "\(name)")
            #expect(unit != .share || interval.high <= 1, "\(name)")
            #expect(interval.low <= value && value <= interval.high, "\(name)")
        }
        for metric in point.metrics { check(metric.words, metric.value, metric.interval, metric.unit) }
        for form in point.analytic { check(form.name, form.simulated, form.interval, form.unit) }
        for recovery in point.recoveries {
            check(recovery.fault, recovery.value, recovery.interval, .seconds)
        }
        for curve in (point.freshness?.added ?? []) + (point.freshness?.removed ?? []) {
            for place in curve.points { check(curve.stage, place.share, place.interval, .share) }
        }
        let curves =
            [point.latencyCurve?.low].compactMap(\.self)
            + (point.series?.columns ?? []).map {
                ($0.low ?? []).compactMap(\.self)
            }
        #expect(curves.joined().allSatisfy { $0 >= 0 })
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
        let json = String(decoding: try result.json(), as: UTF8.self).replacing(
            SourceTree.root.path, with: "")
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
        let found = output.replacing(SourceTree.root.path + "/", with: "")
        let path = "\(folder)/\(name)"
        if Golden.isWritten { return try found.write(toFile: path, atomically: true, encoding: .utf8) }
        let stored = try String(contentsOfFile: path, encoding: .utf8)
        guard found != stored else { return }
        let lines = zip(stored.split(separator: "\n"), found.split(separator: "\n"))
        let change =
            lines.first { $0 != $1 }.map { "stored: \($0)\n found: \($1)" } ?? "one of them is longer"
        Issue.record("\(name) is not as it was:\n\(change)")
    }
}
