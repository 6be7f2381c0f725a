package import EventSimulation
import FleetModel
package import RandomStreams
import URLFilter
import Workload

/// A group of devices.
package struct DeviceGroupSettings: SettingGroup {
    package let places = ["devices[]"]

    let name = Setting.text("name", .required("name: students"), "of the group")
    package let count = Setting.count(
        "count", in: 1...ScenarioResolver.maximumDeviceCount, .absent, "devices of the group")
    let os = Setting<[(OSGeneration, Double)]>.mix(
        "os", .assumption("iOS27", "the newest generation that is released"),
        "the system, which stands for iPadOS and macOS, too, or a mix such as `{iOS26: 30%, iOS27: 70%}`; it brings"
            + " `urlMatching`, `tokens` and `protocol`, each of which can be set alone"
    ).plausible(
        .system,
        .choice([
            .init(OSGeneration.iOS26.rawValue, weight: 1, "all devices have the older system"),
            .init(OSGeneration.iOS27.rawValue, weight: 2, "all have the newest that is released"),
            .init(OSGeneration.iOS27_3.rawValue, weight: 1, "all have what is announced"),
        ]))
    let urlMatching = Setting<Matching>.choice(
        "urlMatching", .follows("that of `os`"), "as in `filter`, for this group")
    let access = Setting<AccessName>.choice(
        "access", .assumption("wifi"),
        "the access network, or one of them with changes (article \"Networks\")"
    ).orGroup
    package let network = Setting.text(
        "network",
        .follows("`\(PartyOwners.usual)` of `access: school-wifi`, else `\(PartyOwners.usualNetwork)`"),
        "organisation that runs it, as in `parties`")
    let continent = Setting<Continent>.choice("continent", .absent, "for edges, quotas and regions")
    package let servedIn = Setting<[String]>.texts(
        "servedIn", .absent,
        "names of the regions that may serve its devices, as where data must stay; all of them unless it says so"
    ) { $0 }
    package let rollOut = Setting.duration(
        "rollOut", .assumption("0s", "all devices are there from the start"),
        "the time over which filters start, each cold")
    let startSpread = Setting.spread(
        "startSpread", .absent, "a time, or a law, by which a device does everything later")
    package let coverage = Setting.share(
        "coverage", .assumption("100%", "every app lets the filter see its URLs"),
        "of loads whose app lets the filter see them"
    ).plausible(.coverage, "50%", "100%")
    package let unknownShare = Setting.share(
        "unknownShare", .absent,
        "of those, the app asks, is told `unknown` and loads all the same (article \"Architectures\", section \"Right"
            + " and wrong\")")
    let handOversPerDay = Setting.number(
        "handOversPerDay", in: 0...10_000, .assumption("0", "devices stay in their network"),
        "how often a device changes its network (article \"Architectures\", section \"Moving\")")
    package let reports = Setting.word(
        "reports", of: ["never"],
        .value(
            "never", SettingUsual.source("Device", "Reports") + ": only if the app names a reportEndpoint"),
        "whether supervised devices tell which entries they blocked, each for one token"
    ).orGroup
}

/// A device's way to the network.
package struct AccessSettings: SettingGroup {
    package let places = ["devices[].access"]

    let preset = Setting<AccessName>.choice("preset", .assumption("wifi"), "what the other keys change")
    package let oneWayDelay = Setting.delay(
        "oneWayDelay", .follows("of the preset"), "half of the round trip to the network's edge"
    ).plausible(.access, .times(0.5...2))
    package let uplink = Setting.bandwidth("uplink", .follows("of the preset"), "what a device sends at most")
    package let downlink = Setting.bandwidth(
        "downlink", .follows("of the preset"), "what it receives at most")
    package let radioWakeUp = Setting.delay(
        "radioWakeUp", .follows("`260ms` of `lte` and `5g`, `580ms` of `hspa`"),
        "time until a radio that sleeps can send"
    ).plausible(.radio, .times(0.5...2))
    package let radioIdle = Setting.duration(
        "radioIdle", .follows("`11.6s`, or `8.1s` of `hspa`"), "a radio sleeps after so long without messages"
    )
    let deviceShare = Setting.share(
        "deviceShare", alike("50%"), "part of the variance of a delay's logarithm that a device always has"
    ).plausible(.alike, "25%", "75%")
    let stateShare = Setting.share(
        "stateShare", alike("25%"), "part of it that a device has for a while")
    let stateTime = Setting.duration("stateTime", atLeast: "1s", alike("1min"), "how long that is")
    package let loss = Setting.number(
        "loss", in: 0...0.5, .follows("`0.1%`, or `1.1%` of cellular networks"),
        "share of packets that get lost")

    private static func alike(_ text: String) -> SettingUsual {
        .assumption(text, SettingUsual.source("Networks", "Delays that are alike"))
    }
}

enum AccessName: String, CaseIterable {
    case fibre, wifi, schoolWifi = "school-wifi", fiveG = "5g", lte, hspa

    /// Median and 95th percentile of half the round trip.
    var oneWayDelay: (median: String, p95: String) {
        switch self {
        case .fibre: ("5ms", "12.5ms")
        case .wifi, .schoolWifi: ("10ms", "30ms")
        case .fiveG: ("14ms", "30ms")
        case .lte: ("22.5ms", "55ms")
        case .hspa: ("42.5ms", "155ms")
        }
    }

    /// Uplink and downlink.
    var bandwidth: (up: String, down: String) {
        switch self {
        case .fibre: ("100Mbit/s", "100Mbit/s")
        case .wifi: ("75Mbit/s", "200Mbit/s")
        case .schoolWifi: ("20Mbit/s", "50Mbit/s")
        case .fiveG: ("15Mbit/s", "150Mbit/s")
        case .lte: ("10Mbit/s", "40Mbit/s")
        case .hspa: ("1.5Mbit/s", "6Mbit/s")
        }
    }

    /// Share of packets that get lost.
    var loss: String {
        switch self {
        case .fibre, .wifi, .schoolWifi: "0.1%"
        case .fiveG, .lte, .hspa: "1.1%"
        }
    }

    /// Time to wake up, and time without messages after which it sleeps.
    var radio: (wakeUp: String, idle: String)? {
        switch self {
        case .fibre, .wifi, .schoolWifi: nil
        case .fiveG, .lte: ("260ms", "11.6s")
        case .hspa: ("580ms", "8.1s")
        }
    }
}

/// A line that devices of a place share. One without a rate would not be worth sharing, so it has no default.
struct SiteSettings: SettingGroup {
    let places = ["devices[].site"]

    let uplink = Setting.bandwidth("uplink", .absent, "of the line that they share")
    let downlink = Setting.bandwidth("downlink", .absent, "of the line that they share")
    let devices = Setting.count(
        "devices", in: 1...10_000_000, .follows("all of the group"), "so many devices share one")
}

/// The rule by which a device asks for tokens: when, and for how many.
package struct TokenSettings: SettingGroup {
    package let places = ["devices[].tokens"]

    let onDemand = Setting.count("onDemand", in: most, ofSystem, "asked for when none is left")
    let refillBelow = Setting.count(
        "refillBelow", in: 0...most.upperBound, ofSystem,
        "with fewer than so many in stock more are asked for")
    let refill = Setting.count("refill", in: most, ofSystem, "how many there are then")
    let fixedBatches = Setting.flag("fixedBatches", ofSystem, "always as many are ordered, whatever is left")
    let refillDelay = Setting.duration("refillDelay", ofSystem, "from noticing to asking")
    let refillSpread = Setting.duration("refillSpread", ofSystem, "by which that differs")
    let life = Setting.duration("life", atLeast: "1s", ofSystem, "a token is good for so long")
    let background = Setting.duration(
        "background", or: "never", ofSystem, "a refill in the background comes so often")
    let backgroundSpread = Setting.duration("backgroundSpread", ofSystem, "by which that differs")
    package let backgroundLimit = Setting.count(
        "backgroundLimit", in: most, ofSystem, "tokens of such a refill at most")
    let useHalfLife = Setting.duration(
        "useHalfLife", atLeast: "1s", ofSystem, "after so long, use counts half for the size of a refill")
    let idleAfter = Setting.duration(
        "idleAfter", ofSystem, "a device without use for so long refills nothing")

    private static let ofSystem = SettingUsual.follows("that of `os`")
    private static let most = 1...ExchangeMachine.mostTokens
}

/// Requests of a device beside those for tokens.
package struct ExchangeSettings: SettingGroup {
    package let places = ["devices[].protocol"]

    let maximumShards = Setting.count(
        "maximumShards", in: 1...65_536, ofSystem, "shards that a device accepts")
    let powerOfTwoShards = Setting.flag("powerOfTwoShards", ofSystem, "it refuses other numbers of shards")
    let tokenKeyRequest = Setting.flag("tokenKeyRequest", ofSystem, "it asks for the issuer's key by itself")
    package let configurationCache = Setting.duration(
        "configurationCache", or: "none", ofSystem, "a configuration is used again for so long")
    package let queryKeys = Setting.share(
        "queryKeys", or: "never", ofSystem, "share of lookups that bring their evaluation key"
    ).plausible(.queryKeys, "0.5%", "20%", isLogarithmic: true)

    private static let ofSystem = SettingUsual.follows("that of `os`")
}

/// Loads of an app in the background.
struct BackgroundSettings: SettingGroup {
    let places = ["devices[].background"]

    let perHour = Setting.number("perHour", in: 0.001...100_000, .absent, "requests of apps without a page")
    let listedShare = Setting.share(
        "listedShare", .assumption("0", "as often as objects of pages"), "of them to what is listed"
    ).plausible(.background, "0%", "1%")
}

/// Supervised devices that tell what they blocked.
struct ReportSettings: SettingGroup {
    let places = ["devices[].reports"]

    /// Apple's shortest interval is an hour.
    let interval = Setting.duration(
        "interval", atLeast: "1h", .value("24h", article: "Device", "Reports"), "a report comes so often")
    let entryBytes = Setting.bytes(
        "entryBytes",
        .value(
            "656B",
            SettingUsual.source("Device", "Reports") + ": an entry of the device's store, an upper bound"),
        "of a report for each blocked load")
}

/// Devices that open one URL together.
struct CrowdSettings: SettingGroup {
    let places = ["crowds[]"]

    let at = Setting.duration("at", .absent, "when it begins")
    let share = Setting.share("share", .absent, "of the devices")
    let url = Setting.text("url", .required("url: https://news.example/now"), "what they open")
    let within = Setting.spread(
        "within", .absent,
        "a length over which they are spread evenly, or a law such as `{exponential: {mean: 30s}}`")
    let group = Setting.text("group", .follows("all"), "of devices")
}

/// Behaviour of devices beside browsing.
package struct BehaviourSettings: SettingGroup {
    package let places = ["behaviour"]

    package let configurationRefetch = Setting.duration(
        "configurationRefetch", atLeast: "1s", .assumption("6h", "period not published"),
        "the configuration is fetched again so often"
    ).plausible(.refetch, "1h", "24h", isLogarithmic: true)
    let exchangeTimeout = Setting.duration(
        "exchangeTimeout", atLeast: "1s", .assumption("60s"), "a device waits so long for any other answer")
    let retryPause = Setting.duration(
        "retryPause", atLeast: "1s", .assumption("30s"),
        "after a failure it waits so long, each time twice as long")
    let retryCeiling = Setting.duration(
        "retryCeiling", atLeast: "1s", .assumption("15min"), "but no longer than that")
    package let deviceCPUFactor = Setting.number(
        "deviceCPUFactor", in: 0.01...100, .assumption("1", "a phone core like the profile's machine"),
        "a device's CPU times over those of the cost profile")
    let blockingShare = Setting.share(
        "blockingShare",
        .value(
            "0.035", SettingUsual.source("Workload", "One page load") + ": a chain of 3.4 on 70 requests"),
        "of objects that a page waits for")
    let lookupRetries = Setting.count(
        "lookupRetries", in: 0...100, .assumption("0", "none"), "a lookup that fails is repeated so often")
    let hedgeAfter = Setting.duration(
        "hedgeAfter", atLeast: "1ms", .absent, "a lookup without an answer is asked a second time after that")
}
