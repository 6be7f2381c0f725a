/// Organisations that run the parties. Those of one name are one organisation, which can put together what its parties
/// read.
package struct PartySettings: SettingGroup {
    static let nobody = "none"

    package let places = ["parties"]

    package let gateway = Setting.text(
        "gateway", .assumption(PartyOwners.usual, "whoever runs the filter runs its servers"),
        "organisation that runs the gateway; parties of one name are one organisation, and what it reads at each is put"
            + " together in the privacy ledger")
    package let issuer = Setting.text(
        "issuer", .follows("that of `gateway`"), "organisation that runs the issuer")
    package let pir = Setting.text(
        "pir", .follows("that of `gateway`"), "organisation that runs the PIR servers")
    package let prefilterOrigin = Setting.text(
        "prefilterOrigin", .assumption(PartyOwners.usual, "no content network"),
        "organisation whose servers devices fetch the prefilter from")
    package let management = Setting.text(
        "management", .assumption(PartyOwners.usual, "whoever runs the filter gives it to the devices"),
        "organisation that gives devices the filter and their user token (MDM, or the app's accounts), or `none`: then"
            + " nobody knows whose token it is")
    package let resolver = Setting.text(
        "resolver", .follows("that of `devices[].network`"),
        "organisation that answers the devices' DNS questions")
    package let userToken = Setting<UserTokenKind>.choice(
        "userToken", .assumption("own", "a profile has a variable for it"),
        "each device has a user token of its own, or all have the same one (`shared`)")
}

/// Whom a user token stands for.
package enum UserTokenKind: String, CaseIterable, Codable, Sendable {
    case own, shared
}
