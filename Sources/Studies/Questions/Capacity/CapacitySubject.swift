import Decoding
import FleetModel
package import Scenarios

/// Setting that a capacity search varies, named as `--set` names it.
package struct CapacitySubject: Sendable {
    private enum Kind: Sendable {
        case allDevices
        case group(String)
        case servers(of: Part, region: String?, unit: String)
        case mechanism(ArchitectureChoice, unit: String)
    }

    private static let units = ["instances", "cores"]

    private let kind: Kind
    package let path: String

    /// - Returns: `nil` unless the path is `devices`, `devices[NAME].count`, instances or cores of a service, in all
    ///   regions or in one: `services.regions[NAME].pir.cores`, or those of a mechanism's servers:
    ///   `mechanisms.httpProxy.instances`.
    package init?(path: String) {
        self.path = path
        let parts = path.split(separator: ".", omittingEmptySubsequences: false).map(String.init)
        if path == "devices" {
            kind = .allDevices
        } else if path.hasPrefix("devices["), path.hasSuffix("].count") {
            kind = .group(String(path.dropFirst("devices[".count).dropLast("].count".count)))
        } else if parts.count == 3, parts[0] == "mechanisms", Self.units.contains(parts[2]),
            let choice = ArchitectureChoice(rawValue: parts[1])
        {
            kind = .mechanism(choice, unit: parts[2])
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
        switch kind {
        case .allDevices, .group: .largest
        case .servers, .mechanism: .smallest
        }
    }

    /// The largest size that a scenario can have.
    package var largestSize: Int {
        switch kind {
        case .allDevices, .group: ScenarioResolver.maximumDeviceCount
        case .servers(_, _, unit: "cores"), .mechanism(_, unit: "cores"): ScenarioResolver.maximumCores
        case .servers, .mechanism: ScenarioResolver.maximumInstances
        }
    }

    /// The size as the scenario has it; one instance where it leaves that to the load.
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
                    scenario.sets("\(SettingPlace.service(part, region: $0)).\(unit)")
                }) {
                    throw CapacityError.regionOfItsOwn(
                        path, own: "\(SettingPlace.service(part, region: own)).\(unit)")
                }
                let servers = scenario.services[part]
                return unit == "cores" ? servers.cores : servers.instances
            }
            guard let region = regions.first(where: { $0.name == name }) else {
                throw CapacityError.unknownRegion(name, known: regions.compactMap(\.name))
            }
            let servers = region[part]
            return unit == "cores" ? servers.cores : servers.instances
        case .mechanism(let choice, let unit):
            guard scenario.architecture == choice else {
                throw CapacityError.otherArchitecture(path, of: choice, scenario.architecture)
            }
            guard let servers = scenario.mechanism?.configuration.servers else {
                throw CapacityError.noQueue(path, choice)
            }
            guard unit == "cores" else { return servers.instances ?? 1 }
            guard servers.instances != nil else { throw CapacityError.instancesFollow(path, choice) }
            return servers.cores
        }
    }

    /// The settings that give the scenario this size. Groups keep their proportions as well as whole devices
    /// allow; each has at least one.
    package func assignments(size: Int, base: Scenario) -> [String] {
        guard case .allDevices = kind else { return ["\(path)=\(size)"] }
        let counts = ScenarioFile.proportional(base.devices.map(\.count), to: size)
        return zip(base.devices, counts).map {
            Schema.devices.set(\.count, $1, in: Schema.devices.place(of: $0.name))
        }
    }
}

extension Scenario {
    /// Whether the scenario or the command line, and no default, gives a setting its value.
    func sets(_ path: String) -> Bool {
        settings.contains { $0.path == path && $0.defaultSource == nil && !$0.isDerived }
    }
}

extension Scenario {
    /// The setting for the instances of a service of ``CapacityTrial/utilizations``, and how many there are; `nil`
    /// where that is left to the load.
    package func instances(of service: String) -> (path: String, count: Int)? {
        guard service == CapacityTrial.mechanism else {
            let path = Schema.station.path(\.instances, in: SettingPlace.service(named: service))
            return (path, services[Part(service)].instances)
        }
        return mechanism?.configuration.servers?.instances.map {
            (Schema.instances(of: architecture), $0)
        }
    }
}

package enum CapacityError: InputFault, Equatable, CustomStringConvertible {
    case unknownGroup(String, known: [String])
    case unknownRegion(String, known: [String])
    case regionOfItsOwn(String, own: String)
    case noQueue(String, ArchitectureChoice)
    /// The scenario is filtered by another architecture than the path names.
    case otherArchitecture(String, of: ArchitectureChoice, ArchitectureChoice)
    /// A search for cores where the number of instances follows from them.
    case instancesFollow(String, ArchitectureChoice)

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
            "'\(path)' does nothing with architecture \(architecture.rawValue)"
                + (architecture.serverSettings.map { "; its servers are \($0)" }
                    ?? ", where devices decide: it has no servers")
        case .otherArchitecture(let path, let named, let architecture):
            "'\(path)' does nothing with architecture \(architecture.rawValue); add --set"
                + " architecture=\(named.rawValue)"
        case .instancesFollow(let path, let architecture):
            "'\(path)' decides nothing while the scenario leaves the number of servers to the load; set"
                + " mechanisms.\(architecture.rawValue).instances"
        }
    }
}

extension ArchitectureChoice {
    /// Settings that a search for servers has to name; `nil` where devices decide.
    fileprivate var serverSettings: String? {
        switch self {
        case .urlFilter: "\(Self.instances(.pir)) and \(Self.instances(.gateway))"
        case .hashPrefix: Self.instances(.gateway)
        case .onSiteFilter: Schema.instances(of: self)
        default: facts.asksServers ? Schema.instances(of: self) : nil
        }
    }

    private static func instances(_ part: Part) -> String {
        Schema.station.path(\.instances, in: SettingPlace.service(part))
    }
}
