import Decoding
import FleetModel

/// What a capacity search varies, named as `--set` names it.
package struct CapacitySubject: Sendable {
    private enum Kind: Sendable {
        case allDevices
        case group(String)
        case servers(of: Part, unit: String)
    }

    private static let units = ["instances", "cores"]

    private let kind: Kind
    private let path: String

    /// - Returns: `nil` unless the path is `devices`, `devices[NAME].count`, or instances or cores of a service.
    package init?(path: String) {
        self.path = path
        let parts = path.split(separator: ".", omittingEmptySubsequences: false).map(String.init)
        if path == "devices" {
            kind = .allDevices
        } else if path.hasPrefix("devices["), path.hasSuffix("].count") {
            kind = .group(String(path.dropFirst("devices[".count).dropLast("].count".count)))
        } else if parts.count == 3, parts[0] == "services",
            let part = URLFilterModel.stations.first(where: { $0.name == parts[1] }),
            Self.units.contains(parts[2])
        {
            kind = .servers(of: part, unit: parts[2])
        } else {
            return nil
        }
    }

    package var goal: CapacitySearch.Goal {
        if case .servers = kind { .smallest } else { .largest }
    }

    /// The size as the scenario has it.
    package func size(in scenario: Scenario) throws -> Int {
        switch kind {
        case .allDevices: return scenario.devices.reduce(0) { $0 + $1.count }
        case .group(let name):
            guard let group = scenario.devices.first(where: { $0.name == name }) else {
                throw CapacityError.unknownGroup(name, known: scenario.devices.map(\.name))
            }
            return group.count
        case .servers(let part, let unit):
            let servers = scenario.services[part]
            return unit == "cores" ? servers.cores : servers.instances
        }
    }

    /// The settings that give the scenario this size. Groups keep their proportions as well as whole devices
    /// allow; each has at least one.
    package func assignments(size: Int, base: Scenario) -> [String] {
        guard case .allDevices = kind else { return ["\(path)=\(size)"] }
        let counts = ScenarioFile.proportional(base.devices.map(\.count), to: size)
        return zip(base.devices, counts).map { "devices[\($0.name)].count=\($1)" }
    }
}

package enum CapacityError: InputFault, Equatable, CustomStringConvertible {
    case unknownGroup(String, known: [String])

    package var description: String {
        switch self {
        case .unknownGroup(let name, let known):
            "the scenario has no device group '\(name)'; it has \(known.joined(separator: ", "))"
        }
    }
}
