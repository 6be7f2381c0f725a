package import Scenarios
import Yams

extension ScenarioFile {
    /// The file with some of the elements of a list; as it is where it has no such list.
    func keeping(_ path: String, _ isKept: (Node) -> Bool) throws -> ScenarioFile {
        let steps = path.split(separator: ".").map(String.init)
        let node = steps.reduce(root as Node?) { node, key in node?.mapping?[Node(key)] }
        guard let list = node?.sequence else { return self }
        return try setting(SettingPath(path), to: .sequence(Node.Sequence(list.filter(isKept))))
    }

    /// The file without some of its regions, and without what names one of them: prices and faults.
    func dropping(regions: [String]) throws -> ScenarioFile {
        let faults = Schema.faults
        return try keeping("services.regions") { !regions.contains($0.elementName) }
            .keeping("prices.regions") { !regions.contains($0.elementName) }
            .keeping("faults") { fault in
                !regions.contains { region in
                    fault.text(faults.region.key) == region
                        || fault.mapping?[Node(faults.service.key)]?.isOf(region) == true
                }
            }.droppingResidency(in: regions)
    }

    /// The file whose groups may not be served in some regions; others that may serve them stay.
    private func droppingResidency(in regions: [String]) throws -> ScenarioFile {
        let groups = root.mapping?[Node("devices")]?.sequence.map(Array.init) ?? []
        let key = Schema.devices.servedIn.key
        return try groups.reduce(self) { file, group in
            guard let names = group.mapping?[Node(key)]?.sequence, !group.elementName.isEmpty else {
                return file
            }
            let left = names.filter { !regions.contains($0.scalar?.string ?? "") }
            return try file.setting(
                SettingPath("devices[\(group.elementName)].\(key)"), to: .sequence(Node.Sequence(left)))
        }
    }

    /// The scenario with the servers of a plan, as `run` takes it: regions without servers go, and instances do not
    /// follow the load, since the plan bought so many.
    package func bought(_ plan: ServerPlan) throws -> ScenarioFile {
        let servers = plan.regions.flatMap { region in
            region.machines.flatMap {
                Schema.station(
                    $0.service, region: region.name, instances: $0.instances, cores: $0.coresPerInstance)
            }
        }
        return try dropping(regions: Array(plan.unserved.keys)).setting(servers)
    }
}

extension Node {
    /// Name of a list's element; empty without one.
    var elementName: String { text("name") ?? "" }

    fileprivate func text(_ key: String) -> String? { mapping?[Node(key)]?.scalar?.string }

    /// Whether a part is in a region: `europe.pir`.
    fileprivate func isOf(_ region: String) -> Bool { scalar?.string.hasPrefix(region + ".") == true }
}
