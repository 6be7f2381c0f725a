package import EventSimulation
import FleetModel
package import RandomStreams

// The way of messages: device, relay, regions.

/// Apple's relay.
package struct RelaySettings: SettingGroup {
    package let places = ["services.relay"]

    package let oneWayDelay = Setting.delay(
        "oneWayDelay",
        .lognormal(
            median: "10ms", p95: "25ms",
            SettingUsual.source("Networks", "Relays") + ": one round trip of 20 ms; tail is assumption"),
        "to the gateway"
    ).plausible(
        .relay, .times(0.25...4),
        SettingUsual.source("Networks", "Relays") + ": round trips of 5 to 80 ms, near to overseas")
    let maxRequestBody = Setting.bytes("maxRequestBody", .absent, "the relay refuses larger requests")
    let maxResponseBody = Setting.bytes("maxResponseBody", .absent, "and larger responses")
}

/// A limit of the relay.
struct QuotaSettings: SettingGroup {
    let places = ["services.relay.quotas[]"]

    let continent = Setting<Continent>.choice("continent", .follows("all"), "whose requests it counts")
    let perSecond = Setting.count("perSecond", in: 0...1_000_000_000, .absent, "requests in a second")
    let perDay = Setting.count("perDay", in: 0...1_000_000_000_000, .absent, "requests in a day")
}

/// The way from the relay's edge on a continent.
struct EdgeSettings: SettingGroup {
    let places = ["services.relay.edgeDelays"]

    let delays = Continent.allCases.map {
        Setting.delay($0.rawValue, .follows("`oneWayDelay`"), "from the relay's edge there to the gateway")
    }
}

/// The devices that an approved relay works for.
struct ProvisioningSettings: SettingGroup {
    let places = ["services.relay.provisioning"]

    let from = Setting.share(
        "from",
        .value(
            "0", SettingUsual.source("Device", "Onboarding and relay") + ": it works for nobody, or for a few"
        ),
        "share of devices for which the relay works at first; for the others every request fails near the device"
    )
    let to = Setting.share("to", .assumption("1", "in the end for all"), "share of devices in the end")
    let after = Setting.duration(
        "after", .assumption("0s", "it begins at once"), "so long it stays at `from`")
    let over = Setting.duration(
        "over",
        .value(
            "21d", SettingUsual.source("Device", "Onboarding and relay") + ": about three weeks, one report"),
        "then it grows evenly to `to` for so long")
}

/// Device to relay.
package struct TransportSettings: SettingGroup {
    package let places = ["connections"]

    package let transport = Setting<TransportName>.choice(
        "transport", .value("http3", SettingUsual.source("Networks", "Connections") + ": assumption"),
        "device to relay; `none`: always open")
    let idleTimeout = Setting.duration(
        "idleTimeout", atLeast: "1ms", .value("30s", "RFC 9000, section 10.1.2: what middleboxes keep"),
        "a connection is closed after so long without messages")
    package let uncachedNameShare = Setting.share(
        "uncachedNameShare", .assumption("50%"), "how often a name must be asked for first"
    ).plausible(.names, "10%", "90%")
    let earlyDataShare = Setting.share(
        "earlyDataShare", .value("0", "RFC 8470, section 2: a POST is not sent early"),
        "of requests in the first flight")
    let initialWindow = Setting.bytes(
        "initialWindow", in: 1...1_000_000_000, .follows("`12kB`, or `14.6kB` with HTTP/2"),
        "slow start begins with it")
    package let windowIdle = Setting.duration(
        "windowIdle", .value("1s", "RFC 5681, section 4.1, with the least time-out of RFC 6298"),
        "after so long without messages it begins anew")
    package let radioSleep = Setting.flag(
        "radioSleep", .value("true", article: "Networks", "Connections"), "radios fall asleep")
    let sharedLines = Setting.flag(
        "sharedLines", .value("true", "a device has one access line"), "a device's requests share its line")
}

package enum TransportName: String, CaseIterable {
    case http3, http2
    /// Every message finds an open connection with a wide window.
    case none

    var transport: ConnectionRules.Transport? { .init(rawValue: rawValue) }
}

/// The prefilter's server.
struct OriginSettings: SettingGroup {
    let places = ["services.prefilterOrigin", "services.regions[].prefilterOrigin"]

    let bandwidth = Setting.bandwidth("bandwidth", .absent, "of its line")
}

/// A data centre. Devices go to the nearest healthy one.
struct RegionSettings: SettingGroup {
    let places = ["services.regions[]"]

    let name = Setting.text("name", .required("name: europe"), "of the region, without a point")
    let continent = Setting<Continent>.choice("continent", .absent, "where it is")
}

/// The way from the relay's edge on the continent of a group to a region.
struct RegionDelaySettings: SettingGroup {
    let places = ["services.regions[].relayDelays"]

    let delays = Continent.allCases.map {
        Setting.delay(
            $0.rawValue,
            .lognormal(
                median: "40ms", p95: "60ms",
                SettingUsual.source("Networks", "Relays") + ": 80 ms there and back overseas; tail assumed"),
            "from the relay's edge there, unless it is near")
    }
}

/// The rule by which a region counts as lost.
package struct HealthCheckSettings: SettingGroup {
    package let places = ["services.healthCheck"]

    package let interval = Setting.duration(
        "interval", atLeast: "100ms",
        .value("10s", SettingUsual.source("Networks", "Regions") + ": the fast check of a DNS service"),
        "a region is looked at so often")
    package let threshold = Setting.count(
        "threshold", in: 1...100, .value("3", article: "Networks", "Regions"),
        "failures after which it counts as lost")
}
