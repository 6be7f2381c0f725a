import FleetModel
import Foundation
import Questions

/// Rules for Prometheus with the lines of the plan, how to collect what they need, and their tests.
struct PrometheusExport {
    let plan: DeployedPlan
    let options: ExportOptions

    var files: [ExportedFile] {
        get throws {
            [
                ExportedFile(name: "rules.yaml", text: try ManifestYAML.render([rules])),
                ExportedFile(
                    name: "rules-test.yaml", text: try ManifestYAML.render([RuleTests(self).document])),
                ExportedFile(
                    name: "scrape.yaml",
                    text: try ManifestYAML.render([ScrapeConfig(options: options).document])),
            ]
        }
    }

    var isOurs: Bool { options.server == .workbench }

    private var rules: ManifestDocument {
        let groups = [recording] + plan.regions.map { alerts($0) }
        return ManifestDocument(
            ["groups": .list(groups)],
            comment: plan.head("prometheus") + notes + [
                "Check: promtool check rules rules.yaml; promtool test rules rules-test.yaml"
            ])
    }

    private var notes: [String] {
        let objectives = plan.regions.map { region -> String in
            let objective = LookupObjective(plan, region)
            let budget = objective.budget.map {
                "the objective leaves the PIR servers \(Figure.text($0)) s beside the way; the next bound of"
                    + " their histogram is used"
            }
            return
                "\(region.label.text): \(Figure.text(objective.share * 100)) % of lookups within"
                + " \(objective.bound) s at the server: "
                + (budget ?? "ASSUMED, as the plan has no objective on latency")
        }
        return objectives + [
            "Burn rates: Beyer et al., The Site Reliability Workbook (2018), chapter 5, table 5-8, budget of 30 days.",
            "Devices see more than servers do: the way through the relay is in no metric here.",
        ]
            + (isOurs
                ? []
                : [
                    "Apple's example has no metrics: of it there is CPU from the kubelet (cAdvisor); no latency,"
                        + " tokens or keys."
                ])
    }

    /// Ratios that alarms and panels share.
    private var recording: ManifestValue {
        var rules = [
            record(
                "urlfilter:requests:rate5m",
                Selector(.requests).rate("5m", by: "region, party, endpoint, status"))
        ]
        for service in ["gateway", "issuer", "pir"] {
            rules.append(
                record("urlfilter:busy_cores:rate5m", busyCores(service), labels: ["service": .text(service)])
            )
        }
        if isOurs {
            for window in LookupObjective.windows {
                for region in plan.regions {
                    rules.append(
                        record(
                            Self.badRatio(window), bad(region, Figure.duration(window))))
                }
            }
        }
        return ["name": "urlfilter-recording", "rules": .list(rules)]
    }

    static func badRatio(_ window: Int) -> String {
        "urlfilter:lookups_bad:ratio_rate\(Figure.duration(window))"
    }

    /// CPU time of a service: its own count, or that of the kubelet, which knows its namespace.
    private func busyCores(_ service: String) -> String {
        if isOurs || service == "gateway" {
            return Selector(.processCPU, [("service", .equal, service)]).rate("5m")
        }
        let own = Selector(
            "container_cpu_usage_seconds_total",
            [("container", .equal, service), ("namespace", .matching, "urlfilter-.+")])
        return
            "sum by (region) (label_replace(rate(\(own.text)[5m]), \"region\", \"$1\", \"namespace\","
            + " \"urlfilter-(.+)\"))"
    }

    /// Share of lookups that were late or refused. One that was both counts twice.
    private func bad(_ region: DeployedPlan.Region, _ window: String) -> String {
        let own: [(String, Selector.Relation, String)] = [
            ("region", .equal, region.label.text), ("party", .equal, "pir"), ("endpoint", .equal, "queries"),
        ]
        let bound = "\(LookupObjective(plan, region).bound)"
        let all = Selector(.duration, suffix: "_count", own).rate(window)
        let inTime = Selector(.duration, suffix: "_bucket", own + [("le", .equal, bound)]).rate(window)
        let refused = Selector(.requests, own + [("status", .matching, "5..")]).rate(window)
        return "1 - \(inTime) / \(all) + (\(refused) or 0 * \(all)) / \(all)"
    }

    private func record(
        _ name: String, _ expression: String, labels: ManifestValue? = nil
    ) -> ManifestValue {
        let rule: ManifestValue = ["record": .text(name), "expr": .text(expression)]
        return labels.map { rule.adding(["labels": $0]) } ?? rule
    }

    private func alerts(_ region: DeployedPlan.Region) -> ManifestValue {
        let alarms = RegionAlarms(export: self, region: region)
        return [
            "name": .text("urlfilter-\(region.label.text)"), "rules": .list(alarms.all.map(\.rule)),
        ]
    }
}
