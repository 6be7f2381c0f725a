import FleetModel
import Foundation
import Questions

/// The diagrams of one region.
struct RegionPanels {
    let plan: DeployedPlan
    let options: ExportOptions
    let region: DeployedPlan.Region

    private var here: (String, Selector.Relation, String) { ("region", .equal, region.label.text) }

    var all: [Panel] {
        let busy = region.services.map(busyCores)
        return options.server == .workbench
            ? [requests, latency] + busy + [burn, refusals, queue, keys, editions]
            : [requests] + busy + [refusals]
    }

    private var requests: Panel {
        let gateway = region[Part.gateway]
        return Panel(
            title: "Requests a second",
            description: "Lines: the plan's mean and peak of all requests at the gateway.", unit: "reqps",
            queries: [
                (
                    "sum by (party, endpoint) (urlfilter:requests:rate5m{region=\"\(region.label.text)\"})",
                    "{{party}} {{endpoint}}"
                )
            ],
            lines: [(gateway?.meanRate ?? 0, "blue"), (gateway?.peakRate ?? 0, "orange")].filter { $0.0 > 0 })
    }

    private var latency: Panel {
        let objective = LookupObjective(plan, region)
        let buckets = Selector(
            .duration, suffix: "_bucket",
            [here, ("party", .equal, "pir"), ("endpoint", .equal, "queries")]
        ).rate("5m", by: "le")
        let percentiles = Set([0.5, 0.99, objective.share]).sorted()
        return Panel(
            title: "Time of a lookup at the PIR server",
            description:
                "Line: what the objective leaves the server. From a histogram, so exact only at its bounds; the"
                + " way is not in it.",
            unit: "s",
            queries: percentiles.map {
                ("histogram_quantile(\(Figure.text($0)), \(buckets))", "p\(Figure.text($0 * 100))")
            }, lines: [(objective.bound, "red")])
    }

    private func busyCores(_ service: DeployedPlan.Service) -> Panel {
        let lines = SaturationLines(PrometheusExport(plan: plan, options: options), region, service)
        return Panel(
            title: "Busy cores, \(service.part.name)",
            description:
                "Lines: the plan's peak, what is left with the spare instances gone, and all cores that are deployed.",
            unit: "short",
            queries: [
                (
                    "urlfilter:busy_cores:rate5m{region=\"\(region.label.text)\",service=\"\(service.part.name)\"}",
                    "busy"
                )
            ],
            lines: [
                (service.peakCores, "blue"), (lines.spareGone, "orange"),
                (Double(lines.cores), "red"),
            ].sorted { $0.0 < $1.0 })
    }

    private var burn: Panel {
        let objective = LookupObjective(plan, region)
        return Panel(
            title: "Share of lookups late or refused", description: "Lines: one and 14.4 times the budget.",
            unit: "percentunit",
            queries: LookupObjective.burns.map {
                (
                    "\(PrometheusExport.badRatio($0.long)){region=\"\(region.label.text)\"}",
                    Figure.duration($0.long)
                )
            },
            lines: [(objective.errorBudget, "orange"), (14.4 * objective.errorBudget, "red")])
    }

    private var refusals: Panel {
        var queries = [
            (
                "sum by (party, status) (urlfilter:requests:rate5m{region=\"\(region.label.text)\",status!~\"2..\"})",
                "{{party}} {{status}}"
            )
        ]
        queries.append((Selector(.limitHits, [here]).rate("5m", by: "limit") + " > 0", "limit {{limit}}"))
        return Panel(
            title: "Refused, by status and limit",
            description: "401: tokens; 400: keys; 410: editions; 422: the gateway's key; 503: queues.",
            unit: "reqps",
            queries: queries)
    }

    private var queue: Panel {
        Panel(
            title: "Waiting at the fullest PIR server",
            description: "Work that waits for a thread, and requests.",
            unit: "short",
            queries: [
                ("max(\(Selector(.queuedWork, [here, ("service", .equal, "pir")]).text))", "seconds of work"),
                ("max(\(Selector(.queue, [here, ("service", .equal, "pir")]).text))", "requests waiting"),
                (
                    "max(\(Selector(.inFlight, [here, ("service", .equal, "pir")]).text))",
                    "requests under way"
                ),
            ])
    }

    private var keys: Panel {
        Panel(
            title: "Evaluation keys",
            description: "Line: the devices that may have theirs in this region by the plan.",
            unit: "short",
            queries: [
                ("sum(\(Selector(.keys, [here]).text))", "keys stored")
            ], lines: [(plan.keyOwners(region), "orange")])
    }

    private var editions: Panel {
        Panel(
            title: "Age of the served data", description: "Line: one and a half intervals between editions.",
            unit: "s",
            queries: [
                ("time() - \(Selector(.dataRead, [here, ("service", .equal, "pir")]).text)", "{{instance}}")
            ],
            lines: plan.settings.editionInterval.map { [(1.5 * $0, "orange")] } ?? [])
    }
}
