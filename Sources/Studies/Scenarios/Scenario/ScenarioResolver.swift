import EventSimulation
import FleetModel
import Foundation
import RandomStreams
import RunMetrics
import URLFilter
import Workload

/// Turns the tree of a scenario file into a complete ``Scenario``.
///
/// What it does not find in the file is the default of its ``Setting``.
package struct ScenarioResolver {
    let file: ScenarioFile

    package static func resolve(_ file: ScenarioFile) throws -> Scenario {
        try ScenarioResolver(file: file).resolve()
    }

    private func resolve() throws -> Scenario {
        let settings = Schema.run
        let log = SettingsLog(file: file.path) { [file] in file.resolve($0) }
        let root = try SettingsReader(node: file.root, path: "", log: log)
        try readAssumptions(root)
        let name = try root(settings.name, else: SettingFallback(file.stem, "the file's name"))
        let seed = try root(settings.seed)
        let architecture = try root(settings.architecture)
        let fidelity = try fidelity(root, of: architecture)
        let duration = try root.optional(settings.duration)
        let warmUp = try root(settings.warmUp).map(WarmUpSetting.fixed) ?? .automatic
        let drain = try root(settings.drain)
        let interval = try root(settings.seriesInterval)
        let start = try root(settings.start)
        let history = try history(root, start)
        let replications = try replicationPlan(root.group("replications"))
        let replicated = try replicatedParts(root, fidelity: fidelity)
        let blocklist = try blockList(root.group("blocklist"))
        let filterGroup = try root.group("filter")
        let delivery = try delivery(filterGroup)
        let (filter, matching, device) = try filter(filterGroup)
        let (web, listedTrace) = try web(root.group("web"))
        let connections = try connections(root.group("connections"))
        let devices = try deviceGroups(root, matching: matching, radioSleeps: connections.radioSleeps)
        let behaviour = try behaviour(root.group("behaviour"))
        let serviceSettings = try root.group("services")
        let (services, pir, originBandwidth) = try services(
            serviceSettings, devices: devices, fidelity: fidelity)
        try checkReal(fidelity, services, serviceSettings)
        let owners = try owners(root.group("parties"), tokensPerUser: services.tokensPerUserPerDay)
        var mechanism = try mechanism(
            architecture, root.group("mechanisms"), services: services, policy: filter.policy)
        let updates = try updates(
            root.group("updates"), fetchInterval: .nanoseconds(device.prefilterFetchInterval))
        let groupNames = devices.map(\.name)
        let faults = try root.groups("faults").map {
            try fault($0, groups: groupNames, services: services, mechanism: mechanism, end: duration)
        }
        let crowds = try root.groups("crowds").map { try crowd($0, groups: groupNames, end: duration) }
        let health = try health(root.group("health"))
        let objectives = try objectives(root, groups: groupNames)
        let prices = try prices(root, regions: services.regions.compactMap(\.name))
        mechanism?.size(by: prices)
        try finish(root, warmUp: warmUp, duration: duration)
        var scenario = Scenario(
            name: name, file: file.path, seed: seed, architecture: architecture, mechanism: mechanism,
            fidelity: fidelity, duration: duration, warmUp: warmUp, drain: drain, seriesInterval: interval,
            start: start, history: history,
            replications: replications, replicated: replicated,
            blocklist: blocklist, filter: filter, device: device, behaviour: behaviour, devices: devices,
            web: web, listedTrace: listedTrace, connections: connections, services: services, pir: pir,
            prefilter: PrefilterSettings(
                originBandwidth: originBandwidth, updates: updates, delivery: delivery),
            owners: owners, faults: faults, crowds: crowds, health: health, objectives: objectives,
            prices: prices,
            settings: log.settings)
        scenario.leaveOpen(log.candidates, log.assumptions)
        return scenario
    }

    /// - Parameter groups: Names of all groups of devices.
    private func objectives(_ root: SettingsReader, groups: [String]) throws -> [Objective] {
        let setting = Schema.run.objectives
        let objectives = try root(setting)
        if let unknown = objectives.compactMap(\.metric.group).first(where: { !groups.contains($0) }) {
            throw root.error(setting, .unknownName(unknown, allowed: groups))
        }
        return objectives
    }

    private func fidelity(
        _ root: SettingsReader, of architecture: ArchitectureChoice
    ) throws -> Fidelity {
        let setting = Schema.run.fidelity
        let fidelity = try root(setting)
        if architecture != .urlFilter, fidelity == .real {
            throw root.error(
                setting, .conflict("is real, but \(architecture.rawValue) has no cryptography to execute"))
        }
        return fidelity
    }

    /// Refuses what nobody has read, several points, and a warm-up that leaves nothing to observe.
    private func finish(
        _ root: SettingsReader, warmUp: WarmUpSetting, duration: SimulatedDuration?
    ) throws {
        if root.has("vary") {
            throw root.error(
                "vary",
                .conflict("makes several points; this command takes one, leave it out with --set vary=null"))
        }
        try root.finish()
        if let duration, case .fixed(let length) = warmUp, length >= duration {
            throw root.error(
                Schema.run.warmUp,
                .outOfRange(
                    SettingsReader.text(length),
                    allowed: "less than the duration, \(SettingsReader.text(duration))"))
        }
    }

    private func history(_ root: SettingsReader, _ start: FleetStart) throws -> SimulatedDuration {
        let setting = Schema.run.history
        guard start == .steady else {
            if root.has(setting) {
                throw root.error(setting, .conflict("needs start: steady; a cold fleet has none"))
            }
            return .zero
        }
        let history = try root(setting)
        guard history <= .hours(366 * 24) else {
            throw root.error(setting, .outOfRange(SettingsReader.text(history), allowed: "0s...366d"))
        }
        return history
    }

    private func replicationPlan(_ group: SettingsReader) throws -> ReplicationPlan {
        let settings = Schema.replications
        let precision = try group.optional(settings.precision)
        let plan = ReplicationPlan(
            precision: precision, confidence: try group(settings.confidence),
            minimum: try group(settings.min),
            maximum: try group(
                settings.max, else: SettingFallback(precision == nil ? "10" : "64", "assumption")))
        guard plan.minimum <= plan.maximum else {
            throw group.error(
                settings.max,
                .outOfRange("\(plan.maximum)", allowed: "replications.min, \(plan.minimum), and more"))
        }
        try group.finish()
        return plan
    }

    private func replicatedParts(
        _ root: SettingsReader, fidelity: Fidelity
    ) throws -> Set<ReplicatedPart> {
        let setting = Schema.run.replicate
        let parts = Set(try root(setting))
        for part in [ReplicatedPart.hashSeed, .costs] where fidelity == .real && parts.contains(part) {
            throw root.error(
                setting,
                .conflict(
                    "\(part.rawValue) needs fidelity: calibrated; the real code is built and measured once"))
        }
        return parts
    }

    private func blockList(_ group: SettingsReader) throws -> BlockListSettings {
        let settings = Schema.blockList
        let list = BlockListSettings(
            file: try group(settings.file), format: try group.optional(settings.format),
            policy: try group(settings.keys), allowsUnusable: try group(settings.allowUnusable),
            allow: try group.optional(settings.allow))
        try group.finish()
        return list
    }

    private func delivery(_ group: SettingsReader) throws -> DeliverySettings {
        var delivery = DeliverySettings()
        delivery.kind = try group.optional(Schema.filter.delivery) ?? delivery.kind
        guard group.has(Schema.filter.keptDifferences) else { return delivery }
        guard delivery.kind == .difference else {
            throw group.error(
                Schema.filter.keptDifferences, .conflict("means nothing without filter.delivery: difference"))
        }
        delivery.keptDifferences = try group(Schema.filter.keptDifferences)
        return delivery
    }

    private func filter(
        _ group: SettingsReader
    ) throws -> (FilterSettings, Matching?, DeviceConstants) {
        let settings = Schema.filter
        let shape: FilterSettings.Shape
        if group.has(settings.bitCount) || group.has(settings.hashCount) {
            if group.has(settings.falsePositiveTolerance) {
                throw group.error(
                    settings.falsePositiveTolerance,
                    .conflict("cannot be given together with bitCount and hashCount"))
            }
            shape = .exactly(
                bitCount: UInt32(try group(settings.bitCount)),
                hashCount: UInt32(try group(settings.hashCount)))
        } else {
            shape = .falsePositiveTolerance(try group(settings.falsePositiveTolerance))
        }
        let murmurSeed = try group(settings.murmurSeed)
        let failClosed = try group(settings.shouldFailClosed)
        var constants = DeviceConstants()
        constants.verdictTimeout = try group(settings.verdictTimeout).nanoseconds
        constants.prefilterFetchInterval = try group(settings.prefilterFetchInterval).nanoseconds
        let matching = try group.optional(settings.urlMatching)
        try group.finish()
        let filter = FilterSettings(
            shape: shape, murmurSeed: UInt32(murmurSeed), policy: failClosed ? .failClosed : .failOpen)
        return (filter, matching, constants)
    }
}

extension ScenarioFile {
    /// The file's name without folder and extension.
    var stem: String { URL(fileURLWithPath: path).deletingPathExtension().lastPathComponent }
}
