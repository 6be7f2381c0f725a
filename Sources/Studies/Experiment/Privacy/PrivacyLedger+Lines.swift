import FleetModel
package import Scenarios
import URLFilter

extension PrivacyLedger {
    /// - Parameter shards: Parts of the database.
    package init(_ scenario: Scenario, shards: Int) {
        let wire = LedgerWire(scenario, shards: shards)
        lines = wire.lines
        abilities = wire.abilities
        self.shards = shards
    }
}

/// Everything on the wire in a scenario, line by line.
struct LedgerWire {
    typealias Line = PrivacyLedger.Line
    typealias Occasion = PrivacyLedger.Occasion

    let scenario: Scenario
    let shards: Int
    let owners: PartyOwners
    private let systems: [DeviceSystem]

    init(_ scenario: Scenario, shards: Int) {
        self.scenario = scenario
        self.shards = shards
        owners = scenario.owners
        systems = scenario.devices.flatMap(\.parts).map(\.system)
    }

    var lines: [Line] {
        let servers: [Part] = [.gateway, .issuer, .pir]
        var lines = [deviceLine] + networks.flatMap(networkLines)
        lines += outsideLines + relayLines + [originLine]
        return merged(lines + servers.flatMap(serverLines) + managementLines)
    }

    // MARK: - What devices send

    /// Groups of devices that report.
    var reporting: [String] { scenario.devices.filter { $0.reports != nil }.map(\.name) }

    /// Some devices fetch their configuration with a token, from the operator.
    private var asksForConfiguration: Bool {
        systems.contains { $0.rules.configurationCacheDelay == nil }
    }

    /// Some devices send their key along with lookups.
    private var bringsKeys: Bool { systems.contains { $0.rules.queryKeyShare != nil } }

    private func endpoints(on occasion: Occasion) -> [Endpoint] {
        switch occasion {
        case .tokenOrder:
            [.directory] + (systems.contains(where: \.rules.asksForTokenKey) ? [.tokenKey] : []) + [.issue]
        case .configuration: asksForConfiguration ? [.config] : []
        case .keyUpload: [.key]
        case .lookup: [.queries]
        case .report: reporting.isEmpty ? [] : [.report]
        case .pageLoad, .prefilterFetch, .enrolment, .storage: []
        }
    }

    /// Occasions of sealed requests, in the order of the cases.
    private var sealed: [Occasion] { Occasion.allCases.filter { !endpoints(on: $0).isEmpty } }

    private func data(_ occasion: Occasion) -> Set<Datum> {
        let endpoints = endpoints(on: occasion)
        guard !endpoints.isEmpty else { return [] }
        var data = endpoints.reduce(into: Set([Datum.sizeAndTime])) {
            $0.formUnion($1.readable(withKey: bringsKeys))
        }
        // A single shard has no number that says anything.
        if shards == 1 { data.remove(.shardIndex) }
        return data
    }

    // MARK: - Networks

    /// A network's owner, and the groups of devices that use it.
    struct Network {
        var owner: String
        var groups: [String]
    }

    var networks: [Network] {
        scenario.devices.map(\.network).uniqued().map { owner in
            Network(owner: owner, groups: scenario.devices.filter { $0.network == owner }.map(\.name))
        }
    }

    /// Empty where a network is that of all devices.
    func named(_ network: Network) -> [String] {
        network.groups.count == scenario.devices.count ? [] : network.groups
    }

    static func networkSettings(_ groups: [String]) -> [String] {
        groups.map { Schema.devices.path(\.network, in: Schema.devices.place(of: $0)) }
    }

    private func networkLines(_ network: Network) -> [Line] {
        // Its own fetches and all sealed requests look alike from outside, but for their size.
        let settings = Self.networkSettings(network.groups)
        let groups = named(network)
        let reports = network.groups.contains(where: reporting.contains)
        return [
            line(
                network.owner, .network, [.pageLoad], [.clientAddress, .sizeAndTime, .host], settings
            ).of(groups).outside,
            line(
                network.owner, .network, [.prefilterFetch] + sealed.filter { $0 != .report || reports },
                [.clientAddress, .sizeAndTime],
                settings
            ).of(groups),
        ]
    }

    /// Resolvers and sites, which the filter does not hide.
    private var outsideLines: [Line] {
        let resolvers =
            owners.resolver.map { [Network(owner: $0, groups: scenario.devices.map(\.name))] } ?? networks
        return resolvers.map { network in
            line(
                network.owner, .resolver, [.pageLoad], [.clientAddress, .host],
                owners.resolver == nil
                    ? Self.networkSettings(network.groups) + [Schema.parties.path(\.resolver)]
                    : [Schema.parties.path(\.resolver)]
            ).of(named(network)).outside
        } + [
            line(
                PartyOwners.sites, .site, [.pageLoad], [.clientAddress, .sizeAndTime, .url], []
            ).outside
        ]
    }

    // MARK: - Servers

    private var relayLines: [Line] {
        // Apple's own copy of the configuration is asked for by address, with neither token nor pseudonym.
        let hasCopy = systems.contains { $0.rules.configurationCacheDelay != nil }
        let occasions = Occasion.allCases.filter {
            sealed.contains($0) || hasCopy && $0 == .configuration
        }
        return [line(PartyOwners.relay, .relay, occasions, [.clientAddress, .sizeAndTime], [])]
    }

    private var originLine: Line {
        line(
            owners.prefilterOrigin, .prefilterOrigin, [.prefilterFetch],
            [.clientAddress, .sizeAndTime, .listEdition],
            [Schema.parties.path(\.prefilterOrigin), Schema.filter.path(\.prefilterFetchInterval)])
    }

    private func serverLines(_ part: Part) -> [Line] {
        sealed.filter { part == .gateway || isAnswered($0, by: part) }.map { occasion in
            line(
                owner(of: part), part, [occasion], data(occasion), settings(of: part, on: occasion)
            ).of(occasion == .report && reporting.count < scenario.devices.count ? reporting : [])
        }
    }

    private func isAnswered(_ occasion: Occasion, by part: Part) -> Bool {
        endpoints(on: occasion).contains { $0.isAnsweredByIssuer == (part == .issuer) }
    }

    func owner(of part: Part) -> String {
        switch part {
        case .issuer: owners.issuer
        case .pir: owners.pir
        default: owners.gateway
        }
    }

    func ownerSetting(of part: Part) -> String {
        switch part {
        case .issuer: Schema.parties.path(\.issuer)
        case .pir: Schema.parties.path(\.pir)
        default: Schema.parties.path(\.gateway)
        }
    }

    private func settings(of part: Part, on occasion: Occasion) -> [String] {
        let own: [String] =
            switch occasion {
            case .tokenOrder: [Schema.parties.path(\.userToken)]
            case .configuration:
                [
                    Schema.behaviour.path(\.configurationRefetch),
                    Schema.exchange.path(\.configurationCache, in: Schema.exchange.place(of: "*")),
                ]
            case .lookup:
                [Schema.filter.path(\.falsePositiveTolerance), Schema.shards]
                    + (bringsKeys
                        ? [Schema.exchange.path(\.queryKeys, in: Schema.exchange.place(of: "*"))] : [])
            case .report: reportSettings
            case .pageLoad, .prefilterFetch, .keyUpload, .enrolment, .storage: []
            }
        return [ownerSetting(of: part)] + own
    }

    var reportSettings: [String] {
        reporting.map { Schema.devices.path(\.reports, in: Schema.devices.place(of: $0)) }
    }

    private var managementLines: [Line] {
        guard let owner = owners.management else { return [] }
        return [
            line(
                owner, .management, [.enrolment], [.deviceIdentity, .userToken],
                [Schema.parties.path(\.management), Schema.parties.path(\.userToken)])
        ]
    }

    private var deviceLine: Line {
        line(
            PartyOwners.device, .device, [.storage],
            Set([.cachedAnswer] + (reporting.isEmpty ? [] : [.blockedEntry])), reportSettings)
    }

    // MARK: - Making lines

    private func line(
        _ organisation: String, _ part: Part, _ occasions: [Occasion], _ data: Set<Datum>,
        _ settings: [String]
    ) -> Line {
        Line(
            organisation: organisation, parties: [part], occasions: occasions,
            data: Datum.allCases.filter(data.contains), groups: [], settings: settings,
            isOutside: false)
    }

    /// One line for parties of one organisation that read the same.
    private func merged(_ lines: [Line]) -> [Line] {
        var result: [Line] = []
        for line in lines {
            let place = result.firstIndex {
                $0.organisation == line.organisation && $0.occasions == line.occasions
                    && $0.data == line.data && $0.groups == line.groups && $0.isOutside == line.isOutside
            }
            if let place {
                result[place].parties += line.parties
                result[place].settings = (result[place].settings + line.settings).uniqued()
            } else {
                result.append(line)
            }
        }
        return result
    }
}

extension PrivacyLedger.Line {
    /// The same of some groups of devices.
    fileprivate func of(_ groups: [String]) -> Self {
        var line = self
        line.groups = groups
        return line
    }

    /// The same, which would be there without the filter.
    fileprivate var outside: Self {
        var line = self
        line.isOutside = true
        return line
    }
}
