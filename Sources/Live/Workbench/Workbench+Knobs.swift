import Experiment
import Foundation
import Questions
import RunMetrics
import Scenarios

/// Knobs: closed forms at once, and the simulations that confirm them.
extension Workbench {
    struct ServersConfirmation: Decodable {
        var path: String
        var knobs: ServersAnswer.Question
    }

    struct OutageConfirmation: Decodable {
        var path: String
        var knobs: OutageAnswer.Question
    }

    private struct ConfirmationAnswer: Encodable {
        var run: RunQueue.Run
        var words: String
        var expected: [Confirmation.Expected]
    }

    struct GlanceQuestion: Decodable {
        var path: String
        /// Further metrics.
        var metrics: [String]?
    }

    private struct GlanceAnswer: Encodable {
        var points: [RunGlance.Point]
    }

    /// Knobs as a result has them.
    private struct MeasuredKnobs: Encodable {
        var servers: [String: String] = [:]
        var outage: [String: String] = [:]
    }

    func confirm(servers asked: ServersConfirmation) async throws -> WorkbenchAnswer {
        let scenario = try self.scenario(asked.path)
        return try await confirm(try .servers(asked.knobs, of: scenario), asked.path, "servers", scenario)
    }

    func confirm(outage asked: OutageConfirmation) async throws -> WorkbenchAnswer {
        let scenario = try self.scenario(asked.path)
        return try await confirm(try .outage(asked.knobs, of: scenario), asked.path, "outage", scenario)
    }

    private func confirm(
        _ confirmation: Confirmation, _ path: String, _ name: String, _ scenario: Scenario
    ) async throws -> WorkbenchAnswer {
        let result = try await freshResult(name)
        let run = try await runs.start(
            ["run", path, "--output", result] + confirmation.arguments,
            title: "\(name) of \(scenario.name)", result: result)
        return try WorkbenchAnswer(
            json: ConfirmationAnswer(
                run: run, words: confirmation.words, expected: confirmation.expected))
    }

    private func scenario(_ path: String) throws -> Scenario {
        let plan = try SweepPlan(ScenarioFile(path: try scenarioPlace(path)))
        guard plan.points.count == 1, let scenario = plan.points.first?.scenario else {
            throw WorkbenchRefusal(422, "\(path) has several points; choose a scenario without 'vary'")
        }
        return scenario
    }

    /// Replications so far of a run, or of a result.
    func glance(_ asked: GlanceQuestion) throws -> WorkbenchAnswer {
        let names = Self.watched + (asked.metrics ?? []).prefix(20)
        let glance = try RunGlance(directory: try folder.place(asked.path), metrics: names)
        return try WorkbenchAnswer(json: GlanceAnswer(points: glance?.points ?? []))
    }

    /// Metrics that the page draws.
    private static let watched: [String] = {
        let stations = Metric.stations.flatMap { [$0.utilization.name, $0.queue.name] }
        let harms: [Metric] = [
            .leaked, .brokenPages, .falselyBlocked, .lookupsPerDeviceDay, .latency(percentile: 99),
        ]
        var names: [String] = []
        for name in stations + harms.map(\.name) where !names.contains(name) { names.append(name) }
        return names
    }()

    /// Figures of a result for the knobs.
    func knobs(_ asked: FileQuestion) throws -> WorkbenchAnswer {
        let place = try folder.place(asked.path)
        let result = try ResultFile.read(path: place)
        guard let point = result.points.first, point.replications > 0 else {
            throw WorkbenchRefusal(422, "\(asked.path) has no replication")
        }
        let plan = try SweepPlan(ScenarioFile(path: place + "/scenario.resolved.yaml"))
        guard let scenario = plan.points.first?.scenario else {
            throw WorkbenchRefusal(422, "\(asked.path) does not say which scenario it is of")
        }
        var knobs = MeasuredKnobs()
        func milliseconds(_ seconds: Double) -> String { Self.written(seconds * 1_000) + "ms" }
        if let rates = FleetDemand.Rates(result, of: scenario, percentile: ServersAnswer.percentile) {
            knobs.servers = [
                "devices": "\(rates.devices)", "lookups": Self.written(rates.lookupsPerDeviceDay),
                "peak": Self.written(rates.peakOverMean), "pir": milliseconds(rates.pirSeconds),
                "gateway": milliseconds(rates.gatewaySeconds), "way": milliseconds(rates.way),
                "regions": "\(min(4, rates.regions))",
            ]
        }
        let law = OutageLaw(scenario)
        let days = (result.scenario.duration - result.scenario.warmUp) / 86_400
        knobs.outage = [
            "devices": "\(result.scenario.devices)", "detection": "\(law.detection)s",
            "refetch": "\(law.refetch)s",
        ]
        if let checked = point[.checked]?.value, days > 0 {
            knobs.outage["urls"] = Self.written(checked / Double(result.scenario.devices) / days)
        }
        if let hits = point[.hits]?.value, let listed = point[.listedURLs]?.value {
            knobs.outage["listed"] = Self.written(listed)
            knobs.outage["stray"] = Self.written(max(0, hits - listed))
            if hits > 0, let asked = point[.lookupsPer1000URLs]?.value {
                knobs.outage["asked"] = Self.written(min(1, asked / 1_000 / hits))
            }
        }
        return try WorkbenchAnswer(json: knobs)
    }

    /// Four digits without an exponent, as boxes take them.
    private static func written(_ value: Double) -> String {
        let rounded = Double(String(format: "%.4g", value)) ?? value
        let text = String(format: "%.10f", rounded).reversed().drop { $0 == "0" }.drop { $0 == "." }
        return text.isEmpty ? "0" : String(text.reversed())
    }
}
