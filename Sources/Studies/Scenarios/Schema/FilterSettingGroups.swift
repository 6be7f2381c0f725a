package import EventSimulation
import FleetModel
import URLFilter
import Workload

/// The prefilter's shape, and what a device does without an answer.
package struct PrefilterShapeSettings: SettingGroup {
    package let places = ["filter"]

    package let falsePositiveTolerance = Setting.number(
        "falsePositiveTolerance", in: 1e-9...0.999_999,
        .value("\(BloomParameters.defaultFalsePositiveTolerance)", article: "Device", "Prefilter"),
        "chance that a string that is not listed hits the prefilter")
    package let bitCount = Setting.count(
        "bitCount", in: 1...Int(UInt32.max), .absent, "the prefilter's size in bits instead of the tolerance")
    package let hashCount = Setting.count(
        "hashCount", in: 1...64, .absent, "with `bitCount`: how many bits a string sets")
    let murmurSeed = Setting.count(
        "murmurSeed", in: 1...Int(UInt32.max),
        .value("\(BloomParameters.defaultMurmurSeed)", "the seed of Apple's sample filter"), "of its hash")
    package let shouldFailClosed = Setting.flag(
        "shouldFailClosed", .value("false", article: "Device", "Configuration"),
        "block a URL about which no answer came")
    package let verdictTimeout = Setting.duration(
        "verdictTimeout", atLeast: "1ms",
        .value("3s", SettingUsual.source("Device", "Fail mode") + ", reverse-engineered"),
        "a device waits so long for an answer")
    /// The least that the system accepts: article "Device", section "Configuration".
    package let prefilterFetchInterval = Setting.duration(
        "prefilterFetchInterval", atLeast: "45min", .value("24h", article: "Device", "Configuration"),
        "a device fetches the prefilter so often; the limit is Apple's")
    package let delivery = Setting<DeliverySettings.Kind>.choice(
        "delivery", .value("whole", "Apple's sample: the app fetches the prefilter's data"),
        "an edition is downloaded whole; as the distances between its set bits; or as the bits that differ from the"
            + " edition that the device has (article \"Planning\", section \"What devices download\")")
    let keptDifferences = Setting.count(
        "keptDifferences", in: 1...10_000,
        .assumption("\(DeliverySettings.usualKeptDifferences)", "a day of editions every three hours"),
        "with `delivery: difference`: a device so many editions behind still gets one")
    let urlMatching = Setting<Matching>.choice(
        "urlMatching", .follows("that of `os`"), "which strings a URL becomes, for all groups of devices")
}

/// Lookup strings of a generation, or as Apple documents them.
enum Matching: String, CaseIterable {
    case iOS26, documented, iOS27

    var rules: MatchingRules {
        switch self {
        case .iOS26: .iOS26
        case .documented: .documented
        case .iOS27: .iOS27(ParsingConfiguration())
        }
    }
}

/// How the block list changes during a run.
package struct EditionSettings: SettingGroup {
    static let never = "never"

    package let places = ["updates"]

    package let every = Setting.duration(
        "every", atLeast: "1s", or: never, .follows("as devices fetch"),
        "a new edition comes so often")
    let first = Setting.duration(
        "first", .assumption("0s", "at the start devices have the edition before"), "the first one comes then"
    )
    let churn = Setting<UpdateSettings.Churn>.choice(
        "churn", .assumption("none", "editions have the same entries"),
        "kind of list, by what is new each day, and as much goes: `category` 0.01 %, `threat` 15 %")
    let add = Setting.count(
        "add", in: entries, .assumption("0"), "so many new entries with each edition, instead of `churn`")
    let remove = Setting.count(
        "remove", in: entries, .assumption("0"), "and so many entries go")
    package let shortLived = Setting.share(
        "shortLived",
        .value(
            "60%",
            SettingUsual.source("Workload", "Block lists")
                + ": of the phishing sites; assumption: each is visited as often as any"),
        "with `churn: threat`, or if it is given: share of the visits to listed things whose entry lives so short: most"
            + " are over before any edition has it"
    ).plausible(.shortLived, "60%", "100%", SettingUsual.source("Workload", "Suggested defaults"))
    package let shortLife = Setting.duration(
        "shortLife", atLeast: "1s",
        .value("10min", SettingUsual.source("Workload", "Block lists") + ": 60 % live less"),
        "how long those live"
    ).plausible(
        .shortLife, "10min", "21h", isLogarithmic: true,
        SettingUsual.source("Workload", "Suggested defaults"))
    package let appRestart = Setting.delay(
        "appRestart",
        .exponential(
            mean: "\(UpdateSettings.usualAppRestartHours)h",
            "assumption: nobody publishes how long apps run; "
                + SettingUsual.source("Device", "Way of one URL")
                + ": they keep what they began with"),
        "from the arrival of a new prefilter to the next start of the app, which only then uses it; `0s`: at once"
    ).plausible(.restart, "1h", "3d", isLogarithmic: true)
    let pirReload = Setting.duration(
        "pirReload", .assumption("0s", "the PIR servers load an edition as it is published"),
        "the PIR servers have an edition so long after it is published")
    let changesConfiguration = Setting.flag(
        "changesConfiguration",
        .value(
            "true",
            SettingUsual.source("Device", "Caches and keys") + ": data processed again has new parameters"),
        "whether devices need an edition's configuration first")
    let versionCount = Setting.count(
        "versionCount", in: 1...1_000_000,
        .value("2", SettingUsual.source("Device", "Caches and keys") + ": the example service"),
        "editions that are served at once")

    private static let entries = 0...100_000_000
}
