import Decoding
import FleetModel

/// What a capacity search varies, named as `--set` names it.
package struct CapacitySubject: Sendable {
    private enum Kind: Sendable {
        case allDevices
        case group(String)
        case servers(of: Part, region: String?, unit: String)
    }

    private static let units = ["instances", "cores"]

    private let kind: Kind
    package let path: String

    /// - Returns: `nil` unless the path is `devices`, `devices[NAME].count`, or instances or cores of a service, in all
    ///   regions or in one: `services.regions[NAME].pir.cores`.
    package init?(path: String) {
        self.path = path
        let parts = path.split(separator: ".", omittingEmptySubsequences: false).map(String.init)
        if path == "devices" {
            kind = .allDevices
        } else if path.hasPrefix("devices["), path.hasSuffix("].count") {
            kind = .group(String(path.dropFirst("devices[".count).dropLast("].count".count)))
        } else if parts.count == 3 || parts.count == 4, parts[0] == "services",
            let part = URLFilterModel.stations.first(where: { $0.name == parts[parts.count - 2] }),
            let unit = parts.last, Self.units.contains(unit)
        {
            guard parts.count == 4 else {
                kind = .servers(of: part, region: nil, unit: unit)
                return
            }
            guard parts[1].hasPrefix("regions["), parts[1].hasSuffix("]") else { return nil }
            kind = .servers(
                of: part, region: String(parts[1].dropFirst("regions[".count).dropLast()), unit: unit)
        } else {
            return nil
        }
    }

    package var goal: CapacitySearch.Goal {
        if case .servers = kind { .smallest } else { .largest }
    }

    /// The largest size that a scenario can have.
    package var largestSize: Int {
        switch kind {
        case .allDevices, .group: ScenarioResolver.maximumDeviceCount
        case .servers(_, _, unit: "cores"): ScenarioResolver.maximumCores
        case .servers: ScenarioResolver.maximumInstances
        }
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
        case .servers(let part, let name, let unit):
            if let mechanism = scenario.mechanism?.configuration,
                mechanism.question == nil || part != .gateway
            {
                throw CapacityError.noQueue(path, scenario.architecture)
            }
            let regions = scenario.services.regions
            guard let name else {
                if let own = regions.compactMap(\.name).first(where: {
                    scenario.sets("services.regions[\($0)].\(part).\(unit)")
                }) {
                    throw CapacityError.regionOfItsOwn(path, own: "services.regions[\(own)].\(part).\(unit)")
                }
                let servers = scenario.services[part]
                return unit == "cores" ? servers.cores : servers.instances
            }
            guard let region = regions.first(where: { $0.name == name }) else {
                throw CapacityError.unknownRegion(name, known: regions.compactMap(\.name))
            }
            let servers = region[part]
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

extension Scenario {
    /// Whether the scenario or the command line, and no default, gives a setting its value.
    func sets(_ path: String) -> Bool {
        settings.contains { $0.path == path && $0.defaultSource == nil && !$0.isDerived }
    }
}

package enum CapacityError: InputFault, Equatable, CustomStringConvertible {
    case unknownGroup(String, known: [String])
    case unknownRegion(String, known: [String])
    case regionOfItsOwn(String, own: String)
    case noQueue(String, ArchitectureChoice)

    package var description: String {
        switch self {
        case .unknownGroup(let name, let known):
            "the scenario has no device group '\(name)'; it has \(known.joined(separator: ", "))"
        case .unknownRegion(let name, let known):
            known.isEmpty
                ? "the scenario has no regions, so none is called '\(name)'; search without one"
                : "the scenario has no region '\(name)'; it has \(known.joined(separator: ", "))"
        case .regionOfItsOwn(let path, let own):
            "'\(path)' does not change every region: the scenario sets \(own); search that, or remove it"
        case .noQueue(let path, let architecture):
            "'\(path)' does nothing with architecture \(architecture.rawValue), whose servers are modelled without a"
                + " queue; 'urlfilter alternatives' says how many cores are busy"
        }
    }
}
