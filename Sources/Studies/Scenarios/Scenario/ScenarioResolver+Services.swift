import EventSimulation
import FleetModel
import Foundation
import HomomorphicEncryption
import RandomStreams
import Statistics
import URLFilter

/// The services of a scenario, and what devices do with them.
extension ScenarioResolver {
    /// Most instances of one service in one region, and most cores of one instance.
    package static let maximumInstances = 100_000
    package static let maximumCores = 1024

    func services(
        _ settings: SettingsReader, devices: [DeviceSettings], fidelity: Fidelity
    ) throws -> (ServiceConfiguration, PIRSettings, originBandwidth: Double?) {
        let continents = Array(Set(devices.compactMap(\.continent)))
        let relaySettings = try settings.group("relay")
        var relay = RelayConfiguration(
            oneWayDelay: try relaySettings(Schema.relay.oneWayDelay),
            maximumRequestBody: try relaySettings.optional(Schema.relay.maxRequestBody),
            maximumResponseBody: try relaySettings.optional(Schema.relay.maxResponseBody),
            quotas: try relaySettings.groups("quotas").map { try quota($0, continents: continents) },
            edgeDelays: try edgeDelays(relaySettings.group("edgeDelays"), continents: continents))
        relay.provisioning = try provisioning(relaySettings)
        try relaySettings.finish()

        let gatewaySettings = try settings.group("gateway")
        let gateway = try station(gatewaySettings, as: .gateway)
        try gatewaySettings.finish()

        let pirSettings = try settings.group("pir")
        let server = try server(pirSettings, fidelity)
        let pir = try station(pirSettings, as: .pir, server: server.description)
        let shards = try shardCount(pirSettings, devices: devices)
        let parameters = try pirSettings(Schema.pir.rlweParameters)
        let profile = try pirSettings.optional(Schema.pir.profile)
        var database = PIRSettings(
            rlweParameters: parameters, shards: shards, profile: profile, server: server)
        try grouping(pirSettings.group("grouping"), of: &database, fidelity)
        try pirSettings.finish()

        let issuerSettings = try settings.group("issuer")
        let issuer = try station(issuerSettings, as: .issuer, server: server.description)
        let tokens = try issuerSettings.optional(Schema.issuer.tokensPerUserPerDay)
        let keysKept = try issuerSettings(Schema.issuer.keysKept)
        try issuerSettings.finish()

        let originSettings = try settings.group("prefilterOrigin")
        let bandwidth = try originSettings.optional(Schema.origin.bandwidth)
        try originSettings.finish()

        var services = ServiceConfiguration(
            relay: relay, gateway: gateway, issuer: issuer, pir: pir, backendDelay: .constant(0),
            tokensPerUserPerDay: tokens)
        services.tokenKeysKept = keysKept
        services.regions = try regions(settings, services, originBandwidth: bandwidth, devices: devices)
        if !services.regions.isEmpty {
            services.healthCheck = try healthCheck(settings.group("healthCheck"))
        }
        services.backendDelay = try settings(Schema.services.backendDelay)
        try settings.finish()
        return (services, database, bandwidth)
    }

    /// - Returns: A number that all devices accept.
    private func shardCount(_ settings: SettingsReader, devices: [DeviceSettings]) throws -> Int? {
        let setting = Schema.pir.shards
        guard let shards = try settings.optional(setting) else { return nil }
        for group in devices {
            for system in group.systems {
                let most = system.rules.maximumShards
                guard shards <= most else {
                    throw settings.error(
                        setting,
                        .outOfRange(
                            "\(shards)",
                            allowed: "1...\(most), for \(system.os.rawValue) in group '\(group.name)'"))
                }
            }
        }
        guard ShardCount.isPowerOfTwo(shards) else {
            throw settings.error(
                setting,
                .wrongKind(found: "\(shards)", expected: "a power of two; newer devices refuse other counts"))
        }
        return shards
    }

    private func grouping(
        _ group: SettingsReader, of database: inout PIRSettings, _ fidelity: Fidelity
    ) throws {
        let settings = Schema.grouping
        let server = database.server.description
        database.groupLimit = try group(
            settings.limit,
            else: fidelity == .real
                ? SettingFallback("1", "every lookup is really computed, one by one")
                : SettingFallback("\(server.groupLimit)", server.source(of: .groupLimit)))
        if let most = server.groupQuestions, database.groupLimit > 1 {
            database.groupQuestionLimit = try group(
                settings.questions, else: SettingFallback("\(most)", server.source(of: .groupQuestions)))
        } else {
            database.groupQuestionLimit = try group.optional(settings.questions)
        }
        database.followerShare = try group.optional(settings.followerShare)
        if database.followerShare == nil, database.groupLimit > 1 {
            group.note(
                settings.followerShare.key, "measured",
                source: "the cost profile; 1 where it has none: nothing is saved")
        }
        try group.finish()
    }

    private func quota(_ group: SettingsReader, continents: [Continent]) throws -> RelayQuota {
        let settings = Schema.quotas
        let continent = try group.optional(settings.continent)
        if let continent, !continents.contains(continent) {
            throw group.error(
                settings.continent,
                .unknownName(continent.rawValue, allowed: continents.map(\.rawValue).sorted()))
        }
        let quota = RelayQuota(
            continent: continent, perSecond: try group.optional(settings.perSecond),
            perDay: try group.optional(settings.perDay))
        try group.finish()
        return quota
    }

    /// - Parameter common: Of the service in every region, for one in a region.
    func station(
        _ group: SettingsReader, as part: Part, common: StationConfiguration? = nil,
        server: ServerDescription? = nil
    ) throws -> StationConfiguration {
        func usual(_ key: String, _ value: (StationConfiguration) -> Any) -> SettingFallback? {
            common.map { SettingFallback("\(value($0))", "services.\(part).\(key)") }
        }
        let settings = Schema.station
        var station = StationConfiguration(
            instances: try group(settings.instances, else: usual("instances") { $0.instances }),
            cores: try group(settings.cores, else: usual("cores") { $0.cores }),
            queueCapacity: try group.optional(settings.queueCapacity) ?? common?.queueCapacity,
            cpuFactor: try group(settings.cpuFactor, else: usual("cpuFactor") { $0.cpuFactor }),
            speed: try speed(group, common: common),
            balancing: try group(settings.balancing, else: usual("balancing") { $0.balancing.rawValue }),
            scaling: group.has("scaling")
                ? try scaling(group.group("scaling"), of: part) : common?.scaling)
        station.spot = group.has("spot") ? try spot(group.group("spot")) : common?.spot
        station.threads = try threads(group, common: common, server)
        station.coldStart = try coldStart(group, common: common, server)
        station.pauses = try pauses(group, common: common, server)
        if let threads = station.threads, threads > station.cores, station.balancing == .pooled {
            throw group.error(
                settings.threads,
                .conflict("needs instances with lines of their own: balancing other than pooled"))
        }
        guard part != .gateway else { return station }
        station.queue = try group(
            Schema.queue.queue,
            else: usual("queue") { $0.queue.rawValue }
                ?? server.map {
                    SettingFallback(($0.queue ?? .firstCome).rawValue, $0.source(of: .queue))
                })
        guard part == .pir else { return station }
        station.queueTime = try queueTime(group, common: common, server)
        station.memory = try group.optional(Schema.pirStation.memory) ?? common?.memory
        station.keyStore = try group(
            Schema.pirStation.keyStore,
            else: usual("keyStore") { $0.keyStore.rawValue }
                ?? server.map {
                    SettingFallback(($0.keyStore ?? station.keyStore).rawValue, $0.source(of: .keyStore))
                })
        return station
    }

    /// - Returns: `nil`: as the cost profile has it.
    private func speed(
        _ station: SettingsReader, common: StationConfiguration?
    ) throws -> SpeedProcess? {
        let setting = Schema.station.speed
        guard station.has(setting) else {
            guard common == nil else { return common?.speed }
            station.note(
                setting.key, "measured",
                source: "the cost profile: its phases, and the drift of its calibrations or of"
                    + " \(SpeedDrift.keptRuns) kept runs")
            return nil
        }
        guard station.isGroup(setting) else {
            return try station(setting) == "measured" ? nil : SpeedProcess(spread: 0, time: 1)
        }
        let settings = Schema.speed
        let group = try station.group(setting.key)
        let process = SpeedProcess(
            spread: try group(settings.spread), time: try group(settings.time).seconds,
            daily: try group(settings.daily))
        try group.finish()
        return process
    }

    /// Whose servers they are, and how they keep keys.
    private func server(_ group: SettingsReader, _ fidelity: Fidelity) throws -> ServerChoice {
        let settings = Schema.pir
        let name = try group(settings.implementation)
        guard name != ServerChoice.workbenchName else {
            return .described(.workbench(keys: try group(settings.keys)))
        }
        guard fidelity == .calibrated else {
            throw group.error(
                settings.implementation,
                .conflict("needs fidelity: calibrated; only our own server can really be run"))
        }
        guard !group.has(settings.keys) else {
            throw group.error(
                settings.keys, .conflict("needs implementation: \(ServerChoice.workbenchName)"))
        }
        if let shipped = ServerDescription.shipped[name] { return .described(shipped) }
        if let scheme = PIRScheme.all.first(where: { $0.identifier == name }) { return .modelled(scheme) }
        let path = file.resolve(name)
        guard FileManager.default.fileExists(atPath: path) else {
            let names =
                [ServerChoice.workbenchName] + ServerDescription.shipped.keys.sorted()
                + PIRScheme.all.map(\.identifier)
            throw group.error(
                settings.implementation,
                .unknownName(name, allowed: names + ["a file that describes a server"]))
        }
        return .described(try ServerChoice.read(group.log.resolveLast(name)))
    }

    /// - Returns: `nil` for no limit.
    private func queueTime(
        _ group: SettingsReader, common: StationConfiguration?, _ server: ServerDescription?
    ) throws -> SimulatedDuration? {
        func usual(_ time: SimulatedDuration?, _ source: String) -> SettingFallback {
            SettingFallback(time.map(SettingsReader.text) ?? "none", source)
        }
        return try group(
            Schema.pirStation.queueTime,
            else: common.map { usual($0.queueTime, "services.pir.queueTime") }
                ?? server.map {
                    usual($0.queueSeconds.map(SimulatedDuration.seconds), $0.source(of: .queueSeconds))
                })
    }

    private func spot(_ group: SettingsReader) throws -> SpotRule {
        let settings = Schema.spot
        let rule = SpotRule(
            share: try group(settings.share), meanLife: try group(settings.meanLife),
            replacement: try group(settings.replacement))
        try group.finish()
        return rule
    }

    private func scaling(_ group: SettingsReader, of part: Part) throws -> ScalingRule {
        let settings = Schema.scaling
        let minimum = try group(settings.min)
        let maximum = try group(settings.max)
        guard maximum >= minimum else {
            throw group.error(
                settings.max, .outOfRange("\(maximum)", allowed: "at least min, \(minimum)"))
        }
        var rule = ScalingRule(
            target: try group(settings.target), minimum: minimum, maximum: maximum,
            period: try group(settings.period), coolDown: try group(settings.coolDown),
            startDelay: try group.optional(settings.startDelay),
            boot: group.has(settings.startDelay) ? .zero : try group(settings.boot),
            loadRate: part != .pir || group.has(settings.startDelay) ? nil : try group(settings.loadRate))
        rule.metricDelay = try group.optional(settings.metricDelay) ?? rule.metricDelay
        rule.tolerance = try group.optional(settings.tolerance) ?? rule.tolerance
        rule.stabilization = try group.optional(settings.stabilization) ?? rule.stabilization
        rule.mostStarts = try group.optional(settings.mostStarts) ?? rule.mostStarts
        try group.finish()
        return rule
    }

    func behaviour(_ group: SettingsReader) throws -> DeviceBehaviour {
        let settings = Schema.behaviour
        let behaviour = DeviceBehaviour(
            configurationRefetch: try group(settings.configurationRefetch),
            exchangeTimeout: try group(settings.exchangeTimeout),
            retryPause: try group(settings.retryPause), retryCeiling: try group(settings.retryCeiling),
            cpuFactor: try group(settings.deviceCPUFactor),
            blockingShare: try group(settings.blockingShare),
            lookupRetries: try group(settings.lookupRetries),
            hedgeAfter: try group.optional(settings.hedgeAfter))
        try group.finish()
        return behaviour
    }
}
