import Decoding
import FleetModel
import Foundation
import Questions

/// The alarms of one region, with its lines of the plan.
struct RegionAlarms {
    let export: PrometheusExport
    let region: DeployedPlan.Region

    private var plan: DeployedPlan { export.plan }
    private var label: String { region.label.text }
    private var here: (String, Selector.Relation, String) { ("region", .equal, label) }

    var all: [Alarm] {
        let everywhere = saturation + instances + relay
        return export.isOurs ? burns + everywhere + queue + tokens + keys + staleness : everywhere
    }

    func alarm(
        _ name: String, _ expression: String, for patience: Int, _ severity: String, _ summary: String,
        _ description: String
    ) -> Alarm {
        Alarm(
            name: "URLFilter" + name, expression: expression, patience: patience, severity: severity,
            region: label, summary: "\(label): \(summary)", description: description)
    }

    private var burns: [Alarm] {
        let objective = LookupObjective(plan, region)
        return LookupObjective.burns.compactMap { burn in
            let limit = burn.factor * objective.errorBudget
            // No share of bad lookups is above 1: of a median no fast burn can be seen.
            guard limit < 1 else { return nil }
            let windows = [burn.long, burn.short].map {
                "\(PrometheusExport.badRatio($0)){region=\"\(label)\"} > \(Figure.text(limit))"
            }
            return alarm(
                "LookupBudgetBurn\(Figure.duration(burn.long))", windows.joined(separator: " and "), for: 120,
                burn.severity,
                "lookups miss their objective \(Figure.text(burn.factor)) times too often",
                "More than \(Figure.text(limit * 100)) % of lookups are late or refused, over"
                    + " \(Figure.duration(burn.long)) and over \(Figure.duration(burn.short)): \(burn.spent) of"
                    + " a month's budget."
            )
        }
    }

    private var saturation: [Alarm] {
        region.services.flatMap { service -> [Alarm] in
            let name = service.part.name
            let lines = SaturationLines(export, region, service)
            let busy = "urlfilter:busy_cores:rate5m{region=\"\(label)\",service=\"\(name)\"}"
            let (peak, high) = (Figure.text(service.peakCores), Figure.text(service.peakHigh))
            let target = Figure.text(plan.rule.targetUtilization * 100)
            return [
                alarm(
                    Self.word(name) + "AbovePlan", "\(busy) > \(high)", for: 900, "ticket",
                    "\(name) is busier than the plan's peak",
                    "The plan has \(peak) busy cores at the peak, \(high) at the upper end of its interval: the"
                        + " fleet, its"
                        + " lookups or the servers' speed are others than planned."),
                alarm(
                    Self.word(name) + "WithoutSpare", "\(busy) > \(Figure.text(lines.spareGone))", for: 300,
                    "page",
                    "\(name) has no room for the loss that the plan allows",
                    "The \(Figure.text(lines.left)) cores that are left with \(plan.rule.spareInstances) of"
                        + " \(service.machines.instances) planned instances gone would be busier than \(target)"
                        + " %, which the"
                        + " plan's waits were computed for."),
                alarm(
                    Self.word(name) + "Saturated", "\(busy) > \(Figure.text(lines.full))", for: 120, "page",
                    "\(name) is full",
                    "\(Figure.text(plan.rule.lostRegionUtilization * 100)) % of \(lines.cores) cores are busy:"
                        + " requests queue."
                ),
            ]
        }
    }

    /// Fewer than the plan's without the spare ones. Of Apple's example Prometheus reaches none.
    private var instances: [Alarm] {
        region.services.filter { export.isOurs || $0.part == Part.gateway }.map { service in
            let pod = PodPlan(plan: plan, options: export.options, region: region, service: service)
            let least = max(1, pod.replicas - plan.rule.spareInstances)
            let up = Selector(
                "up", [("job", .equal, ScrapeConfig.job), here, ("service", .equal, service.part.name)])
            return alarm(
                Self.word(service.part.name) + "InstancesGone", "(sum(\(up.text)) or vector(0)) < \(least)",
                for: 120, "page", "too few instances of \(service.part.name)",
                "Fewer than \(least) answer Prometheus; the plan has \(service.machines.instances) of which"
                    + " \(plan.rule.spareInstances) may be gone.")
        }
    }

    private static func word(_ name: String) -> String {
        name == "pir" ? "PIR" : name.prefix(1).uppercased() + name.dropFirst()
    }

    private var queue: [Alarm] {
        let limits = Selector(.limitHits, [here, ("limit", .matching, "queue|queue_time")]).rate("5m")
        let waiting = "max by (region) (\(Selector(.queuedWork, [here, ("service", .equal, "pir")]).text))"
        let cores = region[Part.pir]?.machines.coresPerInstance ?? 1
        let most = plan.settings.queueTime * Double(cores) / 2
        return [
            alarm(
                "QueueLong", "\(waiting) > \(Figure.text(most))", for: 60, "page",
                "work waits at a PIR server",
                "More than \(Figure.text(most)) s of work wait for \(cores) cores: half of what"
                    + " --queue-time \(Figure.text(plan.settings.queueTime)) s lets wait before lookups get 503."
            ),
            alarm(
                "QueueRefuses", "\(limits) > 0", for: 120, "page", "requests are refused",
                "Queues are full or too slow: devices get 503 and fail open or closed, as the profile says."),
        ]
    }

    private func share(
        _ party: String, _ endpoint: String, _ status: String
    ) -> String {
        let own: [(String, Selector.Relation, String)] = [
            here, ("party", .equal, party), ("endpoint", .matching, endpoint),
        ]
        let failed = Selector(.requests, own + [("status", .matching, status)]).rate("10m")
        return "\(failed) / \(Selector(.requests, own).rate("10m"))"
    }

    /// Limits are assumptions: what is rare on a good day, seen by nobody in the plan.
    private var tokens: [Alarm] {
        [
            alarm(
                "TokensRefused", "\(share("pir", "config|key|queries", "401")) > 0.05", for: 600, "page",
                "PIR servers refuse tokens",
                "Above 5 % (assumption) of requests have a token that is not taken: issuer and PIR servers know"
                    + " other keys,"
                    + " or tokens are spent twice."),
            alarm(
                "IssuerFails", "\(share("issuer", "issue", "4..|5..")) > 0.05", for: 600, "page",
                "the issuer refuses",
                "Above 5 % (assumption) of devices that ask get no tokens: those that have none left cannot look"
                    + " anything up."
            ),
        ]
    }

    private var keys: [Alarm] {
        let storage = Selector(.limitHits, [here, ("limit", .equal, "key_storage")]).rate("15m")
        return [
            alarm(
                "KeysMissing", "\(share("pir", "queries", "400")) > 0.05", for: 600, "page",
                "lookups come without their evaluation key",
                "Above 5 % (assumption) of lookups are refused with 400: keys were lost, or users were moved to"
                    + " instances that"
                    + " do not have them."),
            alarm(
                "KeyStorageFull", "\(storage) > 0", for: 900, "ticket", "evaluation keys are dropped",
                "--key-storage is full: the plan has room for the keys of"
                    + " \(Int(saturating: plan.keyOwners(region))) devices."
            ),
        ]
    }

    /// Signs of a relay that is not ours: requests that do not come, or that we cannot open.
    private var relay: [Alarm] {
        let gateway = "sum(rate(\(Selector(.requests, [here, ("party", .equal, "gateway")]).text)[15m]))"
        // Half of the quietest interval of the plan's day.
        let least = (region[Part.gateway]?.leastRate ?? 0) / 2
        var alarms = [
            alarm(
                "GatewayKeyOld", "\(share("gateway", "gateway", "4..")) > 0.05", for: 600, "page",
                "the gateway cannot open what the relay brings",
                "Above 5 % (assumption) of requests are refused, as with 422 for a key that the gateway does not"
                    + " have any more."
            ),
            alarm(
                "RelayFails",
                "\(share("relay", "relay", "5..")) > 0.01", for: 300, "page", "the relay of your own fails",
                "Above 1 % (assumption) of requests at a relay that 'urlfilter serve relay' runs end with 5xx."
            ),
        ]
        if least > 0 {
            alarms.append(
                alarm(
                    "RelayQuiet", "(\(gateway) or vector(0)) < \(Figure.text(least))", for: 900, "page",
                    "hardly any requests come from the relay",
                    "Less than half of the quietest interval of the plan's day (\(Figure.text(least * 2))"
                        + " requests a second):"
                        + " the relay does not reach the gateway, or devices have gone."))
        }
        return alarms
    }

    private var staleness: [Alarm] {
        guard let interval = plan.settings.editionInterval else { return [] }
        let age = "time() - min by (region) (\(Selector(.dataRead, [here, ("service", .equal, "pir")]).text))"
        return [
            alarm(
                "EditionStale", "\(age) > \(Figure.text(1.5 * interval))", for: 300, "page",
                "a PIR server serves an old edition",
                "Data was last read more than one and a half intervals ago (editions come every"
                    + " \(Figure.text(interval / 3_600)) h):"
                    + " prefilters of devices are newer than the database, and their new entries are allowed."
            ),
            alarm(
                "ConfigurationGone", "\(share("pir", "queries", "410")) > 0.2", for: 900, "ticket",
                "devices ask for editions that are not served any more",
                "Above 20 % (assumption) of lookups get 410: more editions pass between two fetches than"
                    + " versionCount keeps."
            ),
        ]
    }
}
