import EventSimulation
import Experiment
import FleetModel
import Foundation
import Scenarios
import URLFilter
import Workload

extension UpdatePlanner {
    /// Share of a list from which on a change looks like a broken feed (assumption).
    private static let suspiciousShare = 0.2

    /// Lists what may go wrong with the edition, in sentences.
    func risks(of plan: UpdatePlan) -> [String] {
        var risks: [String] = []
        func percent(_ part: Int) -> Double {
            (Double(part) / Double(max(plan.old.entries, 1)) * 1000).rounded() / 10
        }
        if let refusal = plan.refusal {
            risks.append(
                "\(refusal); devices ask the new database once they have its configuration, within"
                    + " \(hours(scenario.behaviour.configurationRefetch.seconds)) h, so keep the old one loaded until"
                    + " then (updates.versionCount is \(scenario.prefilter.updates.versionCount))")
        }
        if plan.voidsKeys {
            risks.append(
                "the evaluation keys of all devices become void: each uploads \(plan.device.evaluationKey) bytes before"
                    + " its next lookup, and those that cannot are left to the policy")
        }
        if Double(plan.removed) > Self.suspiciousShare * Double(plan.old.entries) {
            risks.append("\(percent(plan.removed)) % of the old entries are gone: is the new list whole?")
        }
        if Double(plan.added) > Self.suspiciousShare * Double(plan.old.entries) {
            risks.append(
                "the new entries are \(percent(plan.added)) % of the old ones: try it on a part of the devices first"
            )
        }
        if let interval = scenario.prefilter.updates.interval?.seconds, plan.chosen.wallSeconds > interval {
            risks.append(
                "processing takes longer than the \(hours(interval)) h from one edition to the next")
        }
        let rules = scenario.devices.flatMap(\.systems).map(\.matching)
        for system in RulesGeneration.systems where rules.contains(system.rules) {
            let (before, after) = (
                UnmatchableEntries(old.list, rules: system.rules).count,
                UnmatchableEntries(new.list, rules: system.rules).count
            )
            guard after > before else { continue }
            risks.append(
                "\(after - before) more entries than before cannot match on \(system.title); see 'urlfilter lint'"
            )
        }
        return risks
    }

    private func hours(_ seconds: Double) -> Double { (seconds / 360).rounded() / 10 }
}
