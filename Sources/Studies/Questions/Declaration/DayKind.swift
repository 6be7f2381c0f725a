package import Experiment
import Scenarios

/// Kind of day that a run is about, as far as it changes what devices ask.
package enum DayKind: String, Codable, CaseIterable, Sendable {
    case ordinary = "ordinary day"
    /// Every device begins without anything: each fetches the prefilter, tokens and a configuration, and uploads an
    /// evaluation key.
    case launch = "launch day"
    /// A service restarts and loses what it had in memory.
    case restart = "day of a restart"
    case launchAndRestart = "launch day with a restart"

    /// The kind by the settings of a point: `start: cold` and a `rollOut` are a launch, a fault of kind `restart` is a
    /// restart.
    package init(_ result: RunResult, _ point: PointResult) {
        // Resolved settings are those of the first point; what was varied stands with each.
        func value(_ path: String) -> String? {
            point.settings[path] ?? result.scenario.settings.first { $0.path == path }?.value
        }
        let isVaried = point.settings.keys.contains { $0 == "faults" || $0.hasPrefix("faults[") }
        let restarts =
            isVaried
            ? point.settings.contains { $0.key.hasPrefix("faults") && $0.value.contains("restart") }
            : result.scenario.settings.contains {
                $0.path.hasPrefix("faults[") && $0.path.hasSuffix("].kind") && $0.value == "restart"
            }
        let rollOuts =
            point.settings.filter { $0.key.hasSuffix(Self.rollOut) }.map(\.value)
        let given =
            rollOuts.isEmpty
            ? result.scenario.settings.filter { $0.path.hasSuffix(Self.rollOut) }.map(\.value) : rollOuts
        let rollsOut = given.contains { ((try? Quantity.seconds($0)) ?? 0) > 0 }
        switch (value("start") == "cold" || rollsOut, restarts) {
        case (false, false): self = .ordinary
        case (true, false): self = .launch
        case (false, true): self = .restart
        case (true, true): self = .launchAndRestart
        }
    }

    /// Settings that the kind says in words.
    package static func covers(_ path: String) -> Bool {
        path == "start" || path.hasPrefix("faults") || path.hasSuffix(rollOut)
    }

    private static let rollOut = ".rollOut"
}
