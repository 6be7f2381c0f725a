import Experiment
import Wording

extension Format {
    /// One line for objectives that did not pass; `nil` if all did.
    ///
    /// - Parameter name: What they are called, in the plural.
    static func failure(of objectives: [ObjectiveResult], _ name: String) -> String? {
        let missed = objectives.count { $0.verdict == .fail }
        let open = objectives.count { $0.verdict == .cannotTell }
        guard missed + open > 0 else { return nil }
        let parts = [(missed, "missed"), (open, "cannot be told")].filter { $0.0 > 0 }.map {
            "\($0.0) of \(objectives.count) \(name) \($0.1)"
        }
        return (missed > 0 ? "FAIL: " : "CANNOT TELL: ") + parts.joined(separator: ", ")
    }

    /// Value that an objective is held against; a run that ended too soon tells the least that it can be.
    static func observed(_ objective: ObjectiveResult) -> String? {
        objective.observed.map { least(objective.cut) + estimate($0, objective.interval, objective.unit) }
    }

    /// Text behind a verdict: in how many replications it holds, and what an open one lacks.
    static func basis(of objective: ObjectiveResult) -> String { met(objective) + lack(of: objective) }

    /// Number of replications in which an objective holds; empty where that is not known.
    static func met(_ objective: ObjectiveResult) -> String {
        objective.met.map { ", met in \(count($0.count)) of \(count($0.of, "replication"))" } ?? ""
    }

    /// Note on what an open verdict lacks, to be put behind it; empty for another.
    static func lack(of objective: ObjectiveResult) -> String {
        guard objective.verdict == .cannotTell else { return "" }
        if objective.cut != nil { return ", the run ended before; a longer duration tells" }
        if let more = objective.moreReplications {
            return ", about \(count(more, "more replication"))"
        }
        return objective.observed == nil
            ? ", more load or time" : ", more replications do not settle it"
    }

    /// The last word of a setting's path, where a table has no room for the whole.
    static func lastWord(ofPath path: String) -> String {
        path.split(separator: ".").last.map(String.init) ?? path
    }
}
