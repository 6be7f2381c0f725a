import EventSimulation
import FleetModel
import Foundation
import RandomStreams
import URLFilter
import Workload

/// Turns the tree of a scenario file into a complete ``Scenario``.
///
/// What it does not find in the file is a ``SettingDefault``.
package struct ScenarioResolver {
    let file: ScenarioFile

    package static func resolve(_ file: ScenarioFile) throws -> Scenario {
        try ScenarioResolver(file: file).resolve()
    }

    private func resolve() throws -> Scenario {
        let log = SettingsLog(file: file.path)
        let root = try SettingsReader(node: file.root, path: "", log: log)
        let name = try root.text("name", default: file.stem, source: "the file's name")
        let seed = try root.seed("seed")
        let architecture: ArchitectureChoice = try root.choice("architecture")
        let fidelity: Fidelity = try root.choice("fidelity")
        if architecture != .urlFilter, fidelity == .real {
            throw root.error(
                "fidelity", .conflict("is real, but \(architecture.rawValue) has no cryptography to execute"))
        }
        let duration = try root.optionalDuration("duration", atLeast: "1s")
        let warmUp = try warmUp(root)
        let drain = try root.duration("drain")
        let interval = try root.duration("seriesInterval", atLeast: "1s")
        let start: FleetStart = try root.choice("start")
        let history = try history(root, start)
        let replications = try replicationPlan(root.group("replications"))
        let replicated = try replicatedParts(root, fidelity: fidelity)
        let blocklist = try blockList(root.group("blocklist"))
        let (filter, matching, device) = try filter(root.group("filter"))
        let (web, listedTrace) = try web(root.group("web"))
        let connections = try connections(root.group("connections"))
        let devices = try deviceGroups(root, matching: matching, radioSleeps: connections.radioSleeps)
        let behaviour = try behaviour(root.group("behaviour"))
        let serviceSettings = try root.group("services")
        let (services, pir, originBandwidth) = try services(
            serviceSettings, devices: devices, fidelity: fidelity)
        try checkReal(fidelity, services, serviceSettings)
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
        let objectives = try root.texts("objectives") { try Objective($0) }
        let prices = try prices(root, regions: services.regions.compactMap(\.name))
        mechanism?.size(by: prices)
        if root.has("vary") {
            throw root.error(
                "vary",
                .conflict("makes several points; this command takes one, leave it out with --set vary=null"))
        }
        try root.finish()
        if let duration, case .fixed(let length) = warmUp, length >= duration {
            throw root.error(
                "warmUp",
                .outOfRange(
                    SettingsReader.text(length),
                    allowed: "less than the duration, \(SettingsReader.text(duration))"))
        }
        return Scenario(
            name: name, file: file.path, seed: seed, architecture: architecture, mechanism: mechanism,
            fidelity: fidelity,
            duration: duration,
            warmUp: warmUp, drain: drain, seriesInterval: interval, start: start, history: history,
            replications: replications, replicated: replicated,
            blocklist: blocklist, filter: filter, device: device, behaviour: behaviour, devices: devices,
            web: web, listedTrace: listedTrace, connections: connections, services: services, pir: pir,
            prefilter: PrefilterSettings(originBandwidth: originBandwidth, updates: updates),
            faults: faults, crowds: crowds, health: health, objectives: objectives, prices: prices,
            settings: log.settings, wholeNumbers: log.wholeNumbers)
    }

    private func warmUp(_ root: SettingsReader) throws -> WarmUpSetting {
        try root.quantity("warmUp", nil, "", "'5min' or auto") { text throws(Quantity.Failure) in
            text == "auto" ? .automatic : .fixed(try Quantity.duration(text))
        }
    }

    private func history(_ root: SettingsReader, _ start: FleetStart) throws -> SimulatedDuration {
        guard start == .steady else {
            if root.has("history") {
                throw root.error("history", .conflict("needs start: steady; a cold fleet has none"))
            }
            return .zero
        }
        let history = try root.duration("history")
        guard history <= .hours(366 * 24) else {
            throw root.error("history", .outOfRange(SettingsReader.text(history), allowed: "0s...366d"))
        }
        return history
    }

    private func replicationPlan(_ settings: SettingsReader) throws -> ReplicationPlan {
        let precision =
            settings.has("precision")
            ? try settings.number("precision", in: 0.0001...1) : nil
        let plan = ReplicationPlan(
            precision: precision,
            confidence: try settings.number("confidence", in: 0.5...0.9999),
            minimum: try settings.count("min", in: 1...10_000),
            maximum: try settings.count(
                "max", default: precision == nil ? "10" : "64", source: "assumption", in: 1...100_000))
        guard plan.minimum <= plan.maximum else {
            throw settings.error(
                "max", .outOfRange("\(plan.maximum)", allowed: "replications.min, \(plan.minimum), and more"))
        }
        try settings.finish()
        return plan
    }

    private func blockList(_ settings: SettingsReader) throws -> BlockListSettings {
        let path = try settings.file("file", of: file, example: "blocklist: { file: list.txt }")
        let format = try settings.optionalText("format").map { text in
            guard let format = BlockListFormat(name: text) else {
                throw settings.error("format", .unknownName(text, allowed: BlockListFormat.names))
            }
            return format
        }
        let policy: KeyPolicy = try settings.choice("keys")
        let allowsUnusable = try settings.flag("allowUnusable")
        let allow =
            settings.has("allow")
            ? try settings.file(
                "allow", of: file, example: "blocklist: { file: list.txt, allow: needed.txt }") : nil
        try settings.finish()
        return BlockListSettings(
            file: path, format: format, policy: policy, allowsUnusable: allowsUnusable, allow: allow)
    }

    private func filter(
        _ settings: SettingsReader
    ) throws -> (FilterSettings, Matching?, DeviceConstants) {
        let shape: FilterSettings.Shape
        if settings.has("bitCount") || settings.has("hashCount") {
            if settings.has("falsePositiveTolerance") {
                throw settings.error(
                    "falsePositiveTolerance",
                    .conflict("cannot be given together with bitCount and hashCount"))
            }
            shape = .exactly(
                bitCount: UInt32(
                    try settings.count("bitCount", in: 1...Int(UInt32.max))),
                hashCount: UInt32(try settings.count("hashCount", in: 1...64)))
        } else {
            shape = .falsePositiveTolerance(
                try settings.number("falsePositiveTolerance", in: 1e-9...0.999_999))
        }
        let murmurSeed = try settings.count("murmurSeed", in: 1...Int(UInt32.max))
        let failClosed = try settings.flag("shouldFailClosed")
        var constants = DeviceConstants()
        constants.verdictTimeout = try settings.duration("verdictTimeout", atLeast: "1ms").nanoseconds
        // The least that the system accepts (article "Device", section "Configuration").
        constants.prefilterFetchInterval = try settings.duration(
            "prefilterFetchInterval", atLeast: "45min"
        ).nanoseconds
        let matching: Matching? = settings.has("urlMatching") ? try settings.choice("urlMatching") : nil
        try settings.finish()
        let filter = FilterSettings(
            shape: shape, murmurSeed: UInt32(murmurSeed), policy: failClosed ? .failClosed : .failOpen)
        return (filter, matching, constants)
    }

    /// Lookup strings of a generation, or as Apple documents them.
    enum Matching: String, CaseIterable {
        case iOS26, documented, iOS27

        var rules: MatchingRules {
            switch self {
            case .iOS26: .iOS26
            case .documented: .documented
            case .iOS27: .iOS27(ParsingConfiguration())
            }
        }
    }
}

extension ScenarioFile {
    /// The file's name without folder and extension.
    var stem: String { URL(fileURLWithPath: path).deletingPathExtension().lastPathComponent }
}
