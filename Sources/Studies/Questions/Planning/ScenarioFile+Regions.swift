import FleetModel
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

    /// The scenario with the servers of a plan, as `run` takes it: regions without servers go, autoscalers have as many
    /// instances as the plan bought, and the cloud may take back the share that was bought so.
    ///
    /// - Parameter prices: Of the plan.
    package func bought(_ plan: ServerPlan, prices: Prices) throws -> ScenarioFile {
        var file = try dropping(regions: Array(plan.unserved.keys))
        for region in plan.regions {
            for machines in region.machines {
                let place = SettingPlace.service(machines.service, region: region.name)
                file = try file.setting(
                    Schema.station(
                        machines.service, region: region.name, instances: machines.instances,
                        cores: machines.coresPerInstance))
                if let scaled = machines.scaled,
                    let rule = settings(of: machines.service, in: region.name, "scaling")
                {
                    file = try file.setting(SettingPath("\(place).scaling"), to: rule)
                    let limits = [
                        ("min", "\(scaled.minimum)"), ("max", "\(machines.instances)"),
                        ("target", "\(scaled.target)"),
                    ]
                    file = try file.setting(limits.map { "\(place).scaling.\($0.0)=\($0.1)" })
                }
                if let share = prices.purchase?.spotShare, share > 0,
                    settings(of: machines.service, in: region.name, "spot") == nil
                {
                    file = try file.setting("\(place).spot.share=\(share)")
                }
            }
        }
        return file
    }

    /// A group of a service's settings: that of its region, or what regions have in common.
    private func settings(of service: Part, in region: String?, _ key: String) -> Node? {
        let services = root.mapping?[Node("services")]?.mapping
        let regions = services?[Node("regions")]?.sequence.map(Array.init) ?? []
        let own = region.flatMap { name in regions.first { $0.elementName == name } }
        return [own?.mapping, services].lazy.compactMap { place in
            place?[Node(service.name)]?.mapping?[Node(key)]
        }.first { $0.mapping != nil }
    }
}

extension Node {
    /// Name of a list's element; empty without one.
    var elementName: String { text("name") ?? "" }

    fileprivate func text(_ key: String) -> String? { mapping?[Node(key)]?.scalar?.string }

    /// Whether a part is in a region: `europe.pir`.
    fileprivate func isOf(_ region: String) -> Bool { scalar?.string.hasPrefix(region + ".") == true }
}
