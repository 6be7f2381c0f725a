import FleetModel

/// Names of the organisations that run the parties of the URL filter; equal names are one organisation.
package struct PartyOwners: Hashable, Sendable {
    package var gateway: String
    package var issuer: String
    package var pir: String
    package var prefilterOrigin: String
    /// `nil` where nobody knows which device is whose.
    package var management: String?
    /// `nil`: each network's own.
    package var resolver: String?
    package var userToken: UserTokenKind

    /// Whoever runs the filter, where the scenario has no name for it.
    package static let usual = "operator"
    /// Whoever runs a network that is not the operator's.
    package static let usualNetwork = "provider"
    /// Whoever runs the relay, which nobody can choose.
    package static let relay = "Apple"
    /// Whoever runs the sites that are visited.
    package static let sites = "the sites"
    /// Whoever has a device in hand.
    package static let device = "the device"
}

extension ScenarioResolver {
    func owners(_ group: SettingsReader, tokensPerUser: Int?) throws -> PartyOwners {
        let settings = Schema.parties
        let gateway = try organisation(group, settings.gateway)
        let same = SettingFallback(gateway, settings.path(\.gateway))
        let owners = PartyOwners(
            gateway: gateway, issuer: try organisation(group, settings.issuer, else: same),
            pir: try organisation(group, settings.pir, else: same),
            prefilterOrigin: try organisation(group, settings.prefilterOrigin),
            management: try management(group),
            resolver: group.has(settings.resolver) ? try organisation(group, settings.resolver) : nil,
            userToken: try group(settings.userToken))
        if owners.userToken == .shared, tokensPerUser != nil {
            throw group.error(
                settings.userToken,
                .conflict(
                    "leaves one user whom \(Schema.issuer.path(\.tokensPerUserPerDay)) would count for all devices"
                        + " together; leave one of them out"))
        }
        try group.finish()
        return owners
    }

    private func management(_ group: SettingsReader) throws -> String? {
        let name = try organisation(group, Schema.parties.management)
        return name == PartySettings.nobody ? nil : name
    }

    /// The organisation that runs the network of a group of devices.
    func network(_ group: SettingsReader, access: AccessName) throws -> String {
        let isSchool = access == .schoolWifi
        return try organisation(
            group, Schema.devices.network,
            else: SettingFallback(
                isSchool ? PartyOwners.usual : PartyOwners.usualNetwork,
                isSchool
                    ? "assumption: a school runs its own Wi-Fi" : "assumption: a home's or a carrier's"))
    }

    /// A name that a sentence can have: one line, and not too long.
    private func organisation(
        _ group: SettingsReader, _ setting: Setting<String>, else own: SettingFallback? = nil
    ) throws -> String {
        let name = try group(setting, else: own)
        guard (1...60).contains(name.count), !name.contains(where: \.isNewline) else {
            throw group.error(
                setting,
                .wrongKind(found: name, expected: "the name of an organisation: 1 to 60 letters in one line"))
        }
        return name
    }
}
