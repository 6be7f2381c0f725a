/// A group of settings that is read together: its stored properties are its settings.
package protocol SettingGroup: Sendable {
    /// The places of the group in a scenario; `[]` is any element of a list, and the empty path the file's top.
    ///
    /// The same group may stand in several places: each service that computes has the settings of a station.
    var places: [String] { get }
}

extension SettingGroup {
    /// The settings in the order of their declaration.
    package var settings: [SettingInfo] {
        Mirror(reflecting: self).children.flatMap { child in
            if let setting = child.value as? any AnySetting { return [setting.info] }
            return (child.value as? [any AnySetting] ?? []).map(\.info)
        }
    }

    /// The settings at each place.
    package var entries: [Schema.Entry] {
        places.flatMap { place in settings.map { Schema.Entry(place: place, setting: $0) } }
    }

    /// The first place, with a name in its brackets.
    package func place(of name: some CustomStringConvertible) -> String {
        places[0].replacing("[]", with: "[\(name)]", maxReplacements: 1)
    }
}

/// All settings of a scenario.
package enum Schema {
    package static let run = RunSettings()
    static let replications = ReplicationSettings()
    package static let blockList = ListSettings()
    package static let filter = PrefilterShapeSettings()
    package static let updates = EditionSettings()
    package static let devices = DeviceGroupSettings()
    package static let access = AccessSettings()
    static let site = SiteSettings()
    package static let tokens = TokenSettings()
    package static let exchange = ExchangeSettings()
    package static let browsing = BrowsingSettings()
    static let visits = VisitSettings()
    package static let lookups = LookupSettings()
    static let background = BackgroundSettings()
    static let reports = ReportSettings()
    static let crowds = CrowdSettings()
    package static let web = WebSettings()
    static let listed = ListedSettings()
    package static let behaviour = BehaviourSettings()
    package static let connections = TransportSettings()
    package static let services = ServicesSettings()
    package static let relay = RelaySettings()
    static let quotas = QuotaSettings()
    static let edges = EdgeSettings()
    static let provisioning = ProvisioningSettings()
    package static let station = StationSettings()
    static let speed = SpeedSettings()
    static let coldStart = ColdStartSettings()
    static let pauses = PauseSettings()
    static let scaling = ScalingSettings()
    static let spot = SpotSettings()
    static let issuer = IssuerSettings()
    package static let queue = QueueSettings()
    package static let pirStation = PIRStationSettings()
    package static let pir = DatabaseSettings()
    package static let grouping = GroupingSettings()
    static let origin = OriginSettings()
    static let regions = RegionSettings()
    static let regionDelays = RegionDelaySettings()
    package static let healthCheck = HealthCheckSettings()
    package static let health = HealthSettings()
    package static let faults = FaultSettings()
    package static let parties = PartySettings()
    static let prices = PriceSettings()
    static let regionPrices = RegionPriceSettings()
    static let contentNetwork = ContentNetworkSettings()
    static let contentTiers = ContentTierSettings()
    static let machineTypes = MachineTypeSettings()
    static let purchase = PurchaseSettings()
    static let networkPrices = NetworkPriceSettings()

    /// Groups in the order of the articles.
    package static let groups: [any SettingGroup] =
        [
            run, replications, blockList, filter, updates, devices, access, site, tokens, exchange, browsing,
            visits,
            lookups, background, reports, crowds, web, listed, behaviour, connections, services, relay,
            quotas, edges,
            provisioning, station, speed, coldStart, pauses, scaling, spot, issuer, queue, pirStation, pir,
            grouping, origin,
            regions,
            regionDelays,
            healthCheck, health, faults, parties, prices, regionPrices, contentNetwork, contentTiers,
            machineTypes, purchase, networkPrices,
        ] + mechanisms

    /// A setting at one of its places.
    package struct Entry: Sendable {
        /// Place as in ``SettingGroup/places``.
        package let place: String
        package let setting: SettingInfo

        package var path: String { Schema.path(setting.key, in: place) }
    }

    package static let entries: [Entry] = groups.flatMap(\.entries)

    package static func path(_ key: String, in place: String) -> String {
        place.isEmpty ? key : "\(place).\(key)"
    }

    /// A path with `[]` for the names in it.
    static func pattern(of path: String) -> String { path.replacing(/\[.*?\]/, with: "[]") }

    private static let byPath = Dictionary(entries.map { ($0.path, $0) }) { first, _ in first }

    /// - Parameter path: Of a setting in a scenario, for example `devices[students].browsing.spread`.
    package static func entry(of path: String) -> Entry? {
        byPath[pattern(of: path)]
    }

    /// Keys of groups that may be one word instead, which is then their `preset`.
    static let groupsWithPresets: Set<String> = Set(
        entries.filter { $0.setting.key == "preset" }.compactMap { $0.place.split(separator: ".").last }
            .map(String.init))
}

extension SettingUsual {
    /// A default whose source is a section of one of the program's articles.
    static func value(_ text: String, article: String, _ section: String? = nil) -> SettingUsual {
        .value(text, source(article, section))
    }

    static func source(_ article: String, _ section: String?) -> String {
        "article \"\(article)\"" + (section.map { ", section \"\($0)\"" } ?? "")
    }

    static func assumption(_ text: String, _ reason: String? = nil) -> SettingUsual {
        .value(text, "assumption" + (reason.map { ": \($0)" } ?? ""))
    }
}
