import FleetModel
import Scenarios
import URLFilter

/// Organisations, and what they can put together from the parties that they run.
extension LedgerWire {
    private typealias Kind = PrivacyLedger.Ability.Kind

    var abilities: [PrivacyLedger.Ability] {
        let names = lines.map(\.organisation).uniqued()
        return Kind.allCases.flatMap { kind in
            names.compactMap { name in
                ability(kind, of: name).map {
                    PrivacyLedger.Ability(
                        organisation: name, kind: kind, groups: $0.groups, settings: $0.settings)
                }
            }
        }
    }

    /// - Returns: `nil` for what the organisation cannot do.
    private func ability(
        _ kind: Kind, of name: String
    ) -> (groups: [String], settings: [String])? {
        let network = networks.first { $0.owner == name }
        let openers = [Part.gateway, .pir].filter { owner(of: $0) == name }
        let opening = openers.map(ownerSetting)
        let onNetwork = network.map { Self.networkSettings($0.groups) } ?? []
        switch kind {
        case .readsBlocked:
            guard !openers.isEmpty, !reporting.isEmpty else { return nil }
            return (reporting.count < scenario.devices.count ? reporting : [], reportSettings)
        case .seesBothEnds:
            guard let near = nearEnd(name, network), !openers.isEmpty else { return nil }
            return (near, (opening + onNetwork).uniqued())
        case .tellsWhoseReport:
            guard !openers.isEmpty, let near = nearEnd(name, network) else { return nil }
            let groups = near.isEmpty ? reporting : reporting.filter(near.contains)
            return groups.isEmpty
                ? nil : (groups.count < scenario.devices.count ? groups : [], reportSettings + onNetwork)
        case .knowsPeople:
            guard owners.management == name else { return nil }
            return ([], [Schema.parties.path(\.management)])
        case .countsOrders:
            guard owners.userToken == .own, [owners.gateway, owners.issuer].contains(name) else { return nil }
            return ([], [Schema.parties.path(\.userToken)])
        case .countsQuestions: return openers.isEmpty ? nil : ([], opening)
        case .narrowsQuestions: return openers.isEmpty || shards == 1 ? nil : ([], [Schema.shards])
        case .knowsAddresses:
            guard owners.prefilterOrigin == name else { return nil }
            return ([], [Schema.parties.path(\.prefilterOrigin)])
        case .readsSites:
            if let network { return (named(network), onNetwork) }
            return owners.resolver == name ? ([], [Schema.parties.path(\.resolver)]) : nil
        }
    }

    /// Groups whose messages an organisation sees leave, empty for all; `nil` for none.
    private func nearEnd(_ name: String, _ network: Network?) -> [String]? {
        name == PartyOwners.relay ? [] : network.map(named)
    }
}
