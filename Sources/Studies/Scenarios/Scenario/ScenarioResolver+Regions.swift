import EventSimulation
import FleetModel
import RandomStreams

/// The data centres of a scenario.
extension ScenarioResolver {
    /// - Parameter common: What the services of a region are unless it says otherwise.
    func regions(
        _ settings: SettingsReader, _ common: ServiceConfiguration, originBandwidth: Double?,
        devices: [DeviceSettings]
    ) throws -> [RegionConfiguration] {
        let groups = try settings.groups("regions")
        guard groups.count <= Self.maximumRegionCount else {
            throw settings.error(
                "regions", .outOfRange("\(groups.count)", allowed: "up to \(Self.maximumRegionCount) regions")
            )
        }
        if groups.count > 1, let group = devices.first(where: { $0.continent == nil }) {
            throw settings.error(
                "regions",
                .conflict(
                    "need to know where devices are; give devices[\(group.name)] a continent, such as EU"))
        }
        var names: Set<String> = []
        let regions = try groups.map { group in
            let name = try group(Schema.regions.name)
            guard !name.isEmpty, !name.contains("."), name.count <= 64, names.insert(name).inserted else {
                throw group.error(
                    Schema.regions.name,
                    .wrongKind(found: name, expected: "a name of its own, without a point"))
            }
            let region = try region(group, name, common, originBandwidth: originBandwidth, devices: devices)
            try group.finish()
            return region
        }
        try checkResidency(settings, regions.compactMap(\.name), devices)
        return regions
    }

    /// Names in `servedIn` are those of regions.
    private func checkResidency(
        _ settings: SettingsReader, _ regions: [String], _ devices: [DeviceSettings]
    ) throws {
        for group in devices {
            guard let unknown = group.servedIn.first(where: { !regions.contains($0) }) else { continue }
            throw settings.error(
                "regions",
                .conflict(
                    "have no '\(unknown)', in which devices[\(group.name)].servedIn wants its devices; "
                        + (regions.isEmpty ? "name regions" : "there are \(regions.joined(separator: ", "))"))
            )
        }
    }

    /// One region's number is a byte of every message.
    private static let maximumRegionCount = 100

    private func region(
        _ settings: SettingsReader, _ name: String, _ common: ServiceConfiguration,
        originBandwidth: Double?, devices: [DeviceSettings]
    ) throws -> RegionConfiguration {
        let continent = try settings.optional(Schema.regions.continent)
        func station(_ part: Part) throws -> StationConfiguration {
            let group = try settings.group(part.name)
            let station = try self.station(group, as: part, common: common[part])
            try group.finish()
            return station
        }
        let origin = try settings.group("prefilterOrigin")
        let bandwidth = try origin.optional(Schema.origin.bandwidth) ?? originBandwidth
        try origin.finish()
        return RegionConfiguration(
            name: name,
            stations: Dictionary(
                uniqueKeysWithValues: try URLFilterModel.stations.map { ($0, try station($0)) }),
            originBandwidth: bandwidth,
            relayDelays: try relayDelays(
                settings.group("relayDelays"), of: continent, near: common.relay, devices: devices
            ),
            serves: devices.allSatisfy(\.servedIn.isEmpty)
                ? nil : devices.map { $0.servedIn.isEmpty || $0.servedIn.contains(name) })
    }

    /// Delays from the relay's edge on the continent of each group.
    ///
    /// - Parameters:
    ///   - continent: Where the region is.
    ///   - near: Says the delay for devices of the same continent.
    private func relayDelays(
        _ settings: SettingsReader, of continent: Continent?, near: RelayConfiguration,
        devices: [DeviceSettings]
    ) throws -> [Distribution] {
        let overseas = Dictionary(uniqueKeysWithValues: Schema.regionDelays.delays.map { ($0.key, $0) })
        var known: [Continent: Distribution] = [:]
        let delays = try devices.map { group in
            guard let place = group.continent else { return near.oneWayDelay }
            if let delay = known[place] { return delay }
            let isNear = continent == nil || continent == place
            let delay =
                isNear && !settings.has(place.rawValue)
                ? near.delay(from: place)
                : try overseas[place.rawValue].map { try settings($0) } ?? near.oneWayDelay
            known[place] = delay
            return delay
        }
        try settings.finish()
        return delays
    }

    func healthCheck(_ settings: SettingsReader) throws -> HealthCheck {
        let check = HealthCheck(
            interval: try settings(Schema.healthCheck.interval),
            threshold: try settings(Schema.healthCheck.threshold))
        try settings.finish()
        return check
    }

    /// The real code runs in one process: one PIR server with one store.
    func checkReal(
        _ fidelity: Fidelity, _ services: ServiceConfiguration, _ settings: SettingsReader
    ) throws {
        guard fidelity == .real else { return }
        let needed = ": needs fidelity: calibrated; the real code is one PIR server with its keys in memory"
        if !services.regions.isEmpty { throw settings.error("regions", .conflict("regions" + needed)) }
        let issuer = try settings.group("issuer")
        if services.tokenKeysKept > .zero {
            throw issuer.error(Schema.issuer.keysKept, .conflict("keysKept" + needed))
        }
        let pir = try settings.group("pir")
        if services.pir.memory != nil {
            throw pir.error(Schema.pirStation.memory, .conflict("memory" + needed))
        }
        if pir.has(Schema.pirStation.keyStore), services.pir.keyStore != .memory || services.pir.lineCount > 1
        {
            throw pir.error(
                Schema.pirStation.keyStore, .conflict("\(services.pir.keyStore.rawValue)" + needed))
        }
    }
}
