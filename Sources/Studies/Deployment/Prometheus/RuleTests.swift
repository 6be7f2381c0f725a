import FleetModel
import Questions

/// Tests of the rules for `promtool test rules`: what has to fire beyond a line of the plan, and what must not before.
struct RuleTests {
    let export: PrometheusExport

    init(_ export: PrometheusExport) { self.export = export }

    var document: ManifestDocument {
        let tests = export.plan.regions.flatMap { region in
            load(region) + (export.isOurs ? burn(region) : [])
        }
        return ManifestDocument(
            ["rule_files": ["rules.yaml"], "evaluation_interval": "1m", "tests": .list(tests)],
            comment: ["Tests of rules.yaml: promtool test rules rules-test.yaml"])
    }

    private func load(_ region: DeployedPlan.Region) -> [ManifestValue] {
        let part = export.isOurs ? Part.pir : Part.gateway
        guard let service = region[part] else { return [] }
        let lines = SaturationLines(export, region, service)
        let word = export.isOurs ? "PIR" : "Gateway"
        let series = Selector(
            .processCPU,
            [
                ("service", .equal, part.name), ("region", .equal, region.label.text),
                ("instance", .equal, "a"),
            ])
        func test(_ name: String, _ cores: Double, fires: [(String, Bool)]) -> ManifestValue {
            self.test(
                "\(region.label.text): \(part.name) \(name)", [(series, 60 * cores)], minutes: 30,
                fires: fires, region)
        }
        let (spareGone, full) = (lines.spareGone, lines.full)
        return [
            test(
                "a little below the line", 0.98 * min(spareGone, full),
                fires: [
                    (word + "WithoutSpare", false), (word + "Saturated", false),
                ]),
            test(
                "full", 1.02 * max(spareGone, full),
                fires: [
                    (word + "WithoutSpare", true), (word + "Saturated", true),
                ]),
        ]
    }

    private func burn(_ region: DeployedPlan.Region) -> [ManifestValue] {
        let objective = LookupObjective(export.plan, region)
        let labels: [(String, Selector.Relation, String)] = [
            ("region", .equal, region.label.text), ("party", .equal, "pir"), ("endpoint", .equal, "queries"),
        ]
        let all = Selector(.duration, suffix: "_count", labels)
        let inTime = Selector(
            .duration, suffix: "_bucket", labels + [("le", .equal, "\(objective.bound)")])
        func test(_ name: String, bad: Double, fires: [(String, Bool)]) -> ManifestValue {
            self.test(
                "\(region.label.text): \(name)", [(all, 6_000), (inTime, 6_000 * (1 - bad))], minutes: 180,
                fires: fires, region)
        }
        let names = LookupObjective.burns.filter { $0.factor * objective.errorBudget < 1 }
            .map { ($0, "LookupBudgetBurn\(Figure.duration($0.long))") }
        guard let (fastest, name) = names.first else { return [] }
        let limit = fastest.factor * objective.errorBudget
        return [
            test("half of the budget", bad: 0.5 * objective.errorBudget, fires: names.map { ($0.1, false) }),
            test("lookups late too often", bad: min(1, 1.05 * limit), fires: [(name, true)]),
        ]
    }

    /// - Parameter series: With what each grows by in a minute.
    private func test(
        _ name: String, _ series: [(Selector, Double)], minutes: Int, fires: [(String, Bool)],
        _ region: DeployedPlan.Region
    ) -> ManifestValue {
        [
            "name": .text(name), "interval": "1m",
            "input_series": .list(
                series.map { selector, growth in
                    [
                        "series": .text(selector.text),
                        "values": .text("0+\(Figure.text(growth))x\(minutes)"),
                    ]
                }),
            "promql_expr_test": .list(
                fires.map { alarm, doesFire in
                    let firing = Selector(
                        "ALERTS",
                        [
                            ("alertname", .equal, "URLFilter" + alarm), ("alertstate", .equal, "firing"),
                            ("region", .equal, region.label.text),
                        ])
                    return [
                        "expr": .text("count(\(firing.text)) or vector(0)"), "eval_time": "\(minutes)m",
                        "exp_samples": [["labels": "{}", "value": doesFire ? 1 : 0]],
                    ]
                }),
        ]
    }
}
