package import FleetModel
import RunMetrics
package import Scenarios

/// The stage of an answered lookup that takes most of its time, and what that rests on.
package struct LongestStage: Hashable, Sendable {
    package let stage: Stage
    /// Share of the mean time of an answered lookup, in `0...1`.
    package let share: Double
    /// Defaults whose source is an assumption, that decide how long the stage takes: paths as `--set` takes them, `[]`
    /// for any element of a list. Empty where all are set, measured or taken from a source.
    package let assumptions: [String]

    /// - Parameter times: Mean seconds of each stage.
    /// - Returns: `nil` if no time was spent.
    package init?(_ times: [Stage: Double], settings: [ResolvedSetting]) {
        let sum = times.values.reduce(0, +)
        guard sum > 0, let longest = Stage.allCases.max(by: { times[$0] ?? 0 < times[$1] ?? 0 }) else {
            return nil
        }
        stage = longest
        share = (times[longest] ?? 0) / sum
        var found: [String] = []
        for setting in settings where setting.isAssumed {
            let path = setting.path.replacing(/\[.*?\]/, with: "[]")
            guard let key = longest.settings.first(where: { path == $0 || path.hasPrefix($0 + ".") }),
                !found.contains(key)
            else { continue }
            found.append(key)
        }
        assumptions = found
    }
}

extension RunResult {
    /// The longest stage of a point; `nil` if no lookup was answered.
    package func longestStage(of point: PointResult) -> LongestStage? {
        let times = Stage.allCases.compactMap { stage in point[.stage(stage)].map { (stage, $0.value) } }
        return LongestStage(Dictionary(uniqueKeysWithValues: times), settings: scenario.settings)
    }
}

extension Stage {
    /// Settings that decide most of the stage's length. Those with little part in it by default are left out:
    /// half a millisecond behind the gateway, for example.
    fileprivate var settings: [String] {
        let (access, connections) = (Schema.access, Schema.connections)
        func servers(_ part: Part) -> [String] {
            Schema.servers(of: part) + [Schema.station.path(\.cpuFactor, in: SettingPlace.service(part))]
        }
        return switch self {
        case .token: Schema.tokens.places
        case .device: [Schema.behaviour.path(\.deviceCPUFactor)]
        case .transmission, .lineWaiting:
            [access.path(\.uplink), access.path(\.downlink), access.path(\.loss)]
        case .radio:
            [access.path(\.radioWakeUp), access.path(\.radioIdle), connections.path(\.radioSleep)]
        case .connection:
            [
                connections.path(\.transport), connections.path(\.uncachedNameShare),
                access.path(\.oneWayDelay),
            ]
        case .slowStart:
            [
                connections.path(\.transport), connections.path(\.windowIdle), access.path(\.oneWayDelay),
            ]
        case .propagation: [access.path(\.oneWayDelay), Schema.relay.path(\.oneWayDelay)]
        case .gatewayWaiting, .gatewayWorking: servers(.gateway)
        case .pirWaiting, .pirWorking: [Schema.pir.path(\.implementation)] + servers(.pir)
        }
    }
}
