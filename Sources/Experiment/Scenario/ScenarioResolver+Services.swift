import EventSimulation
import FleetModel
import Foundation
import HomomorphicEncryption
import Parties
import RandomStreams
import Statistics
import URLFilter

/// The services and the faults of a scenario.
extension ScenarioResolver {
    /// Of one service in one region, and of one instance.
    static let maximumInstances = 100_000
    static let maximumCores = 1024

    func services(
        _ settings: SettingsReader, devices: [DeviceSettings], fidelity: Fidelity
    ) throws -> (ServiceConfiguration, PIRSettings, originBandwidth: Double?) {
        let continents = Array(Set(devices.compactMap(\.continent)))
        let relaySettings = try settings.group("relay")
        var relay = RelayConfiguration(
            oneWayDelay: try relaySettings.delay("oneWayDelay"),
            maximumRequestBody: try relaySettings.optionalBytes("maxRequestBody"),
            maximumResponseBody: try relaySettings.optionalBytes("maxResponseBody"),
            quotas: try relaySettings.groups("quotas").map { try quota($0, continents: continents) },
            edgeDelays: try edgeDelays(relaySettings.group("edgeDelays"), continents: continents))
        relay.provisioning = try provisioning(relaySettings)
        try relaySettings.finish()

        let gatewaySettings = try settings.group("gateway")
        let gateway = try station(gatewaySettings, as: .gateway)
        try gatewaySettings.finish()

        let issuerSettings = try settings.group("issuer")
        let issuer = try station(issuerSettings, as: .issuer)
        let tokens = try issuerSettings.optionalCount("tokensPerUserPerDay", in: 1...1_000_000)
        let keysKept = try issuerSettings.duration("keysKept")
        try issuerSettings.finish()

        let pirSettings = try settings.group("pir")
        let server = try server(pirSettings, fidelity)
        let pir = try station(pirSettings, as: .pir, server: server.profile)
        let shards = try shardCount(pirSettings, devices: devices)
        let parameters = try pirSettings.text("rlweParameters")
        // Those made for tests hide nothing, and no device accepts them.
        let known = EncryptionParameters.predefined.compactMap(\.name).filter {
            !$0.hasPrefix("insecure_")
        }
        guard known.contains(parameters) else {
            throw pirSettings.error("rlweParameters", .unknownName(parameters, allowed: known))
        }
        let profile =
            pirSettings.has("profile")
            ? try pirSettings.file("profile", of: file, example: "profile: server.json") : nil
        let (limit, share) = try grouping(pirSettings.group("grouping"), fidelity, server.profile)
        let database = PIRSettings(
            rlweParameters: parameters, shards: shards, profile: profile, server: server,
            groupLimit: limit, followerShare: share)
        try pirSettings.finish()

        let originSettings = try settings.group("prefilterOrigin")
        let bandwidth =
            originSettings.has("bandwidth")
            ? try originSettings.bandwidth("bandwidth") : nil
        try originSettings.finish()

        var services = ServiceConfiguration(
            relay: relay, gateway: gateway, issuer: issuer, pir: pir, backendDelay: .constant(0),
            tokensPerUserPerDay: tokens)
        services.tokenKeysKept = keysKept
        services.regions = try regions(settings, services, originBandwidth: bandwidth, devices: devices)
        if !services.regions.isEmpty {
            services.healthCheck = try healthCheck(settings.group("healthCheck"))
        }
        services.backendDelay = try settings.delay("backendDelay")
        try settings.finish()
        return (services, database, bandwidth)
    }

    /// - Returns: A number that all devices accept.
    private func shardCount(_ settings: SettingsReader, devices: [DeviceSettings]) throws -> Int? {
        guard let shards = try settings.optionalCount("shards", in: 1...65_536) else { return nil }
        for group in devices {
            for system in group.systems {
                let most = system.rules.maximumShards
                guard shards <= most else {
                    throw settings.error(
                        "shards",
                        .outOfRange(
                            "\(shards)",
                            allowed: "1...\(most), for \(system.os.rawValue) in group '\(group.name)'"))
                }
            }
        }
        guard ShardCount.isPowerOfTwo(shards) else {
            throw settings.error(
                "shards",
                .wrongKind(found: "\(shards)", expected: "a power of two; newer devices refuse other counts"))
        }
        return shards
    }

    /// Waiting lookups that are answered together.
    private func grouping(
        _ settings: SettingsReader, _ fidelity: Fidelity, _ server: ServerProfile?
    ) throws -> (limit: Int, followerShare: Double?) {
        let limit =
            fidelity == .real
            ? try settings.count(
                "limit", default: "1", source: "every lookup is really computed, one by one", in: 1...1_000)
            : server != nil
                ? try settings.count(
                    "limit", default: server.map { "\($0.groupLimit)" },
                    source: "services.pir.implementation", in: 1...1_000)
                : try settings.count(
                    "limit", default: "\(PIRParty.groupLimit)",
                    source: #"article "PIR protocol", section "Groups of lookups": what `serve` does"#,
                    in: 1...1_000)
        let share = try settings.optionalNumber("followerShare", in: 0...1)
        if share == nil, limit > 1 {
            settings.note(
                "followerShare", "measured", source: "the cost profile; 1 where it has none: nothing is saved"
            )
        }
        try settings.finish()
        return (limit, share)
    }

    private func quota(_ settings: SettingsReader, continents: [Continent]) throws -> RelayQuota {
        let continent = try settings.optionalText("continent").map { text in
            guard let continent = Continent(rawValue: text), continents.contains(continent) else {
                throw settings.error(
                    "continent", .unknownName(text, allowed: continents.map(\.rawValue).sorted()))
            }
            return continent
        }
        let quota = RelayQuota(
            continent: continent,
            perSecond: try settings.optionalCount("perSecond", in: 0...1_000_000_000),
            perDay: try settings.optionalCount("perDay", in: 0...1_000_000_000_000))
        try settings.finish()
        return quota
    }

    /// - Parameter common: Of the service in every region, for one in a region.
    func station(
        _ settings: SettingsReader, as part: Part, common: StationConfiguration? = nil,
        server: ServerProfile? = nil
    ) throws -> StationConfiguration {
        func source(_ key: String) -> String { "services.\(part).\(key)" }
        var station = StationConfiguration(
            instances: try settings.count(
                "instances", default: common.map { "\($0.instances)" }, source: source("instances"),
                in: 1...Self.maximumInstances),
            cores: try settings.count(
                "cores", default: common.map { "\($0.cores)" }, source: source("cores"),
                in: 1...Self.maximumCores),
            queueCapacity: try settings.optionalCount("queueCapacity", in: 0...100_000_000)
                ?? common?.queueCapacity,
            cpuFactor: try settings.number(
                "cpuFactor", default: common.map { "\($0.cpuFactor)" }, source: source("cpuFactor"),
                in: 0.01...100),
            speed: try speed(settings, common: common),
            balancing: try settings.choice(
                "balancing", default: common?.balancing, source: source("balancing")),
            scaling: settings.has("scaling")
                ? try scaling(settings.group("scaling"), of: part) : common?.scaling)
        guard part == .pir else { return station }
        station.queueTime = try queueTime(settings, common: common, server)
        station.memory = try settings.optionalBytes("memory") ?? common?.memory
        station.keyStore = try settings.choice(
            "keyStore", default: common?.keyStore ?? station.keyStore,
            source: common == nil
                ? "assumption: one server keeps keys in memory, several share a store" : source("keyStore"))
        return station
    }

    /// - Returns: `nil`: as the cost profile has it.
    private func speed(
        _ settings: SettingsReader, common: StationConfiguration?
    ) throws -> SpeedProcess? {
        let key = "speed"
        guard settings.has(key) else {
            guard common == nil else { return common?.speed }
            settings.note(
                key, "measured",
                source: "the cost profile: its phases, and the drift of its calibrations or of"
                    + " \(SpeedDrift.keptRuns) kept runs")
            return nil
        }
        guard settings.isGroup(key) else {
            let text = try settings.text(key)
            guard text != "measured" else { return nil }
            guard text == "none" else {
                throw settings.error(
                    key,
                    .wrongKind(
                        found: text, expected: "measured, none, or {spread: 3%, time: 20s, daily: 2%}"))
            }
            return SpeedProcess(spread: 0, time: 1)
        }
        let group = try settings.group(key)
        for name in ["spread", "time"] where !group.has(name) {
            throw group.error(name, .missing(example: "'\(key): {spread: 3%, time: 20s, daily: 2%}'"))
        }
        let process = SpeedProcess(
            spread: try group.number("spread", in: 0...1),
            time: try group.duration("time", atLeast: "1ms").seconds,
            daily: try group.number("daily", in: 0...1))
        try group.finish()
        return process
    }

    /// Whose servers they are, and how they keep keys.
    private func server(_ settings: SettingsReader, _ fidelity: Fidelity) throws -> ServerChoice {
        let key = "implementation"
        let name = try settings.text(key)
        guard name != ServerChoice.workbenchName else {
            return .workbench(keys: try settings.choice("keys"))
        }
        guard fidelity == .calibrated else {
            throw settings.error(
                key, .conflict("needs fidelity: calibrated; only our own server can really be run"))
        }
        guard !settings.has("keys") else {
            throw settings.error(
                "keys", .conflict("needs implementation: \(ServerChoice.workbenchName)"))
        }
        if let shipped = ServerChoice.shipped[name] { return .other(shipped) }
        if let scheme = PIRScheme.all.first(where: { $0.identifier == name }) { return .modelled(scheme) }
        let path = file.resolve(name)
        guard FileManager.default.fileExists(atPath: path) else {
            let names =
                [ServerChoice.workbenchName] + ServerChoice.shipped.keys.sorted()
                + PIRScheme.all.map(\.identifier)
            throw settings.error(key, .unknownName(name, allowed: names + ["a file of ratios"]))
        }
        // The resolved scenario lies in another folder.
        settings.log.settings[settings.log.settings.count - 1].value = path
        return .other(try ServerChoice.read(path))
    }

    /// - Returns: `nil` for no limit, which is `none` in a file.
    private func queueTime(
        _ settings: SettingsReader, common: StationConfiguration?, _ server: ServerProfile?
    ) throws -> SimulatedDuration? {
        func text(_ time: SimulatedDuration?) -> String { time.map(SettingsReader.text) ?? "none" }
        let usual =
            common.map { text($0.queueTime) }
            ?? server.map { text($0.queueSeconds.map(SimulatedDuration.seconds)) }
        let source = common == nil ? "services.pir.implementation" : "services.pir.queueTime"
        let time = try settings.quantity(
            "queueTime", usual, source, "'1s' or 'none'"
        ) { text throws(Quantity.Failure) in
            text == "none" ? nil : try Quantity.duration(text)
        }
        if let time, time < .milliseconds(1) {
            throw settings.error(
                "queueTime", .outOfRange(SettingsReader.text(time), allowed: "1ms...1e9s, or none"))
        }
        return time
    }

    private func scaling(_ settings: SettingsReader, of part: Part) throws -> ScalingRule {
        let minimum = try settings.count("min", in: 1...100_000)
        let maximum = try settings.count("max", in: 1...100_000)
        guard maximum >= minimum else {
            throw settings.error("max", .outOfRange("\(maximum)", allowed: "at least min, \(minimum)"))
        }
        let rule = ScalingRule(
            target: try settings.number("target", in: 0.01...1),
            minimum: minimum, maximum: maximum,
            period: try settings.duration("period", atLeast: "1s"),
            coolDown: try settings.duration("coolDown", atLeast: "0s"),
            startDelay: try settings.optionalDuration("startDelay", atLeast: "0s"),
            boot: settings.has("startDelay")
                ? .zero
                : try settings.duration("boot", atLeast: "0s"),
            loadRate: part != .pir || settings.has("startDelay")
                ? nil
                : try settings.bandwidth("loadRate"))
        try settings.finish()
        return rule
    }

    func behaviour(_ settings: SettingsReader) throws -> DeviceBehaviour {
        let behaviour = DeviceBehaviour(
            configurationRefetch: try settings.duration("configurationRefetch", atLeast: "1s"),
            exchangeTimeout: try settings.duration("exchangeTimeout", atLeast: "1s"),
            retryPause: try settings.duration("retryPause", atLeast: "1s"),
            retryCeiling: try settings.duration("retryCeiling", atLeast: "1s"),
            cpuFactor: try settings.number("deviceCPUFactor", in: 0.01...100),
            blockingShare: try settings.number("blockingShare", in: 0...1),
            lookupRetries: try settings.count("lookupRetries", in: 0...100),
            hedgeAfter: try settings.optionalDuration("hedgeAfter", atLeast: "1ms"))
        try settings.finish()
        return behaviour
    }

    /// When a fleet counts as healthy after a fault.
    func health(_ settings: SettingsReader) throws -> HealthRule {
        let rule = HealthRule(
            window: try settings.duration("window", atLeast: "10s"),
            failureShare: try settings.number("failureShare", in: 0...0.99))
        try settings.finish()
        return rule
    }

    private enum FaultName: String, CaseIterable {
        case outage, restart, slowDown, instanceLoss, deployment, regionLoss, sizeCap, captivePortal,
            relayWithoutGateway
    }

    private func isSilent(_ settings: SettingsReader) throws -> Bool {
        try settings.flag("silent")
    }

    /// The part that a fault concerns.
    private func part(_ settings: SettingsReader, among parts: [Part]) throws -> Part {
        let names = parts.map(\.name)
        let name = try settings.text("service", example: names.joined(separator: " or "))
        guard names.contains(name) else {
            throw settings.error("service", .unknownName(name, allowed: names))
        }
        return Part(name)
    }

    /// When something happens that a run has to see.
    ///
    /// - Parameter end: When the run ends, if the scenario says so.
    func begin(_ settings: SettingsReader, before end: SimulatedDuration?) throws -> SimulatedDuration {
        let begin = try settings.duration("at")
        if let end, begin >= end {
            throw settings.error(
                "at",
                .outOfRange(
                    SettingsReader.text(begin),
                    allowed: "before the end of the run, \(SettingsReader.text(end))"))
        }
        return begin
    }

    /// - Parameter end: When the run ends, if the scenario says so.
    func fault(
        _ settings: SettingsReader, groups: [String], services: ServiceConfiguration,
        mechanism: MechanismSettings?, end: SimulatedDuration?
    ) throws -> Fault {
        let name: FaultName = try settings.choice("kind")
        let begin = try begin(settings, before: end)
        var length = SimulatedDuration.zero
        if name != .restart, name != .deployment {
            length = try settings.duration("for", atLeast: "1ms")
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
                try part(settings, among: parts + own + [.decider]), silent: try isSilent(settings))
        case .restart:
            // Only what has a queue and a memory has something to lose.
            kind = .restart(try part(settings, among: stations))
        case .slowDown:
            kind = .slowDown(
                try part(settings, among: parts),
                factor: try settings.number("factor", in: 1...10_000))
        case .instanceLoss:
            kind = .instanceLoss(
                try part(settings, among: stations),
                instances: try settings.count("instances", in: 1...100_000))
        case .deployment:
            let part = try part(settings, among: stations)
            let deployment = Fault.Deployment(
                batch: try settings.count("batch", in: 1...100_000),
                drain: try settings.duration("drain", atLeast: "0s"),
                start: try settings.duration("start", atLeast: "0s"))
            let region = services.regions.first { $0.name == part.region }
            length = deployment.length(
                instances: (region?[part.role] ?? services[part.role]).instances)
            kind = .deployment(part, deployment)
        case .regionLoss:
            let names = services.regions.compactMap(\.name)
            let region = try settings.text("region", example: names.joined(separator: " or "))
            guard names.contains(region) else {
                throw settings.error("region", .unknownName(region, allowed: names))
            }
            kind = .regionLoss(region, silent: try isSilent(settings))
        case .sizeCap: kind = .sizeCap(bytes: try settings.bytes("bytes"))
        case .relayWithoutGateway: kind = .relayWithoutGateway
        case .captivePortal:
            let group = try settings.optionalText("group")
            if let group, !groups.contains(group) {
                throw settings.error("group", .unknownName(group, allowed: groups))
            }
            kind = .captivePortal(group: group)
        }
        try settings.finish()
        return Fault(kind: kind, begin: begin, length: length)
    }
}
