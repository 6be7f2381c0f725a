import Experiment
import FleetModel
import RunMetrics
import Scenarios
import URLFilter
import Wording

/// The reason for the figure of an objective, for one that is missed.
enum Reason {
    /// A clause without an end.
    static func words(_ objective: ObjectiveResult, _ point: PointResult, of result: RunResult) -> String {
        words(objective, point.harms ?? []) ?? time(objective, point, of: result)
            ?? station(objective) ?? lookups(objective, point)
            ?? "'urlfilter run SCENARIO --sensitivity 32' tells which settings decide it"
    }

    /// - Returns: `nil` for what is no harm, and where none was seen.
    static func words(_ objective: ObjectiveResult, _ harms: [HarmResult]) -> String? {
        let harm: Harm? =
            switch objective.metric {
            case Metric.leaked.name, Metric.exposed.name: .leaked
            case Metric.falselyBlocked.name, Metric.overblocked.name: .falselyBlocked
            case Metric.brokenPages.name: .brokenPages
            default: nil
            }
        return harms.first { $0.harm == harm }.flatMap(HarmText.largest)
    }

    private static func time(
        _ objective: ObjectiveResult, _ point: PointResult, of result: RunResult
    ) -> String? {
        let times = [Metric.latencyMean.name, Metric.pageTime(percentile: 50).name]
        guard times.contains(objective.metric) else { return nil }
        return result.longestStage(of: point).map(Format.longestStage)
    }

    private static func station(_ objective: ObjectiveResult) -> String? {
        Metric.stations.first { objective.metric.hasPrefix($0.part.name + ".") }.map { station in
            "its servers have more to do than the objective allows"
                + " (\(Schema.servers(of: station.part).joined(separator: ", ")))"
        }
    }

    /// Traffic of any kind follows lookups, and these follow hits.
    private static func lookups(_ objective: ObjectiveResult, _ point: PointResult) -> String? {
        guard ["lookup", "relay", "url"].contains(String(objective.metric.prefix { $0 != "." })) else {
            return nil
        }
        if objective.metric == Metric.failedLookups.name {
            let causes = point.counts.lookupFailures.map { (name: $0.key.rawValue, count: $0.value) }
            return causes.max { ($0.count, $1.name) < ($1.count, $0.name) }.map {
                "most fail because of \($0.name)"
            }
        }
        return point[.answeredFalseHit].map {
            "\(Format.share($0.value)) of the lookups are for URLs that are not listed"
                + " (\(Schema.falsePositiveTolerance)), the others for listed ones"
        }
    }
}
