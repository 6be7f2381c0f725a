import EventSimulation
import FleetModel

/// The faults of a scenario, and the health that a fleet has to come back to.
extension ScenarioResolver {
    /// The rule by which a fleet counts as healthy after a fault.
    func health(_ group: SettingsReader) throws -> HealthRule {
        let rule = HealthRule(
            window: try group(Schema.health.window), failureShare: try group(Schema.health.failureShare))
        try group.finish()
        return rule
    }

    /// The part that a fault concerns.
    private func part(_ group: SettingsReader, among parts: [Part]) throws -> Part {
        Part(try name(group, Schema.faults.service, among: parts.map(\.name)))
    }

    /// A name that the scenario has elsewhere.
    private func name(
        _ group: SettingsReader, _ setting: Setting<String>, among names: [String]
    ) throws -> String {
        guard group.has(setting) else {
            throw group.error(setting, .missing(example: names.joined(separator: " or ")))
        }
        let name = try group(setting)
        guard names.contains(name) else { throw group.error(setting, .unknownName(name, allowed: names)) }
        return name
    }

    /// The time at which something happens that a run has to see.
    ///
    /// - Parameter end: When the run ends, if the scenario says so.
    func begin(
        _ group: SettingsReader, _ setting: Setting<SimulatedDuration>, before end: SimulatedDuration?
    ) throws -> SimulatedDuration {
        let begin = try group(setting)
        if let end, begin >= end {
            throw group.error(
                setting,
                .outOfRange(
                    SettingsReader.text(begin),
                    allowed: "before the end of the run, \(SettingsReader.text(end))"))
        }
        return begin
    }

    /// - Parameter end: When the run ends, if the scenario says so.
    func fault(
        _ group: SettingsReader, groups: [String], services: ServiceConfiguration,
        mechanism: MechanismSettings?, end: SimulatedDuration?
    ) throws -> Fault {
        let settings = Schema.faults
        let name = try group(settings.kind)
        let begin = try begin(group, settings.at, before: end)
        var length = SimulatedDuration.zero
        if name != .restart, name != .deployment {
            length = try group(settings.length)
        }
        let regions = services.regions.isEmpty ? [nil] : services.regions.map(\.name)
        let parts = URLFilterModel.parts(regions: regions)
        let stations = parts.filter { URLFilterModel.stations.contains($0.role) }
        let kind: Fault.Kind
        switch name {
        case .outage:
            let configuration = mechanism?.configuration
            let own = [configuration?.server, configuration?.provider].compactMap(\.self)
            kind = .outage(
                try part(group, among: parts + own + [.decider]), silent: try group(settings.silent))
        case .restart:
            // Only what has a queue and a memory has something to lose.
            kind = .restart(try part(group, among: stations))
        case .slowDown:
            kind = .slowDown(
                try part(group, among: parts),
                factor: try group(settings.factor))
        case .instanceLoss:
            kind = .instanceLoss(
                try part(group, among: stations),
                instances: try group(settings.instances))
        case .deployment:
            let part = try part(group, among: stations)
            let deployment = Fault.Deployment(
                batch: try group(settings.batch),
                drain: try group(settings.drain),
                start: try group(settings.start))
            let region = services.regions.first { $0.name == part.region }
            length = deployment.length(
                instances: (region?[part.role] ?? services[part.role]).instances)
            kind = .deployment(part, deployment)
        case .regionLoss:
            let region = try self.name(
                group, settings.region, among: services.regions.compactMap(\.name))
            kind = .regionLoss(region, silent: try group(settings.silent))
        case .sizeCap: kind = .sizeCap(bytes: try group(settings.bytes))
        case .relayWithoutGateway: kind = .relayWithoutGateway
        case .captivePortal:
            kind = .captivePortal(
                group: group.has(settings.group) ? try self.name(group, settings.group, among: groups) : nil)
        }
        try group.finish()
        return Fault(kind: kind, begin: begin, length: length)
    }
}
