package import FleetModel
import Workload

/// Settings of what is simulated, for how long, how often.
package struct RunSettings: SettingGroup {
    package let places = [""]

    package let name = Setting.text("name", .follows("the file's name"), "title of every output")
    let seed = Setting.seed("seed", .assumption("1"), "of all random numbers")
    let architecture = Setting<ArchitectureChoice>.choice(
        "architecture", .value("urlFilter", article: "Architectures"), "how the traffic is filtered")
    package let fidelity = Setting<Fidelity>.choice(
        "fidelity", .value("calibrated", article: "Architecture", "Fidelities"),
        "whether lookups are really computed, or cost what a profile says")
    package let duration = Setting.duration(
        "duration", atLeast: "1s", .follows("length of the trace"),
        "simulated time that is observed, with the warm-up")
    package let warmUp = Setting.duration(
        "warmUp", or: "auto", .assumption("0s", "observe everything"),
        "left out of every figure, or found (article \"Statistics\", section \"Warm-up\")")
    package let drain = Setting.duration(
        "drain", .assumption("30s", "ten verdict timeouts"), "after the last load, so that lookups can end")
    package let seriesInterval = Setting.duration(
        "seriesInterval", atLeast: "1s", .assumption("1min"),
        "of curves over time; of more than 300 several are joined, so that at most 150 are left")
    package let start = Setting<FleetStart>.choice(
        "start", .assumption("steady", "the fleet has been running for long"),
        "devices are in the middle of their life, or begin with nothing")
    package let history = Setting.duration(
        "history",
        .value(
            "3d",
            SettingUsual.source("Workload", "Days before the start") + ": the age of the older cache"),
        "a steady fleet has browsed for so long before, which fills its caches and its stock of tokens; a trace's"
            + " days before are as its first 24 h, for tokens; with `0s` caches are empty, and there are ten tokens"
            + " and no use that is known, as for devices of which nothing was before: the first days order more"
    )
    let replicate = Setting<[ReplicatedPart]>.some(
        "replicate",
        .assumption("web", "the filter is built once and a trace is yours; nobody's web has one seed"),
        "what each replication has of its own beside random numbers; clients of a trace and samples of the profile's"
            + " costs are drawn with replacement")
    package let objectives = Setting<[Objective]>.texts(
        "objectives", .absent,
        "such as `lookup.latency p99 < 800ms`: metric, statistic, relation, limit; met or missed by the whole interval,"
            + " else `cannot tell`; `devices[NAME].lookup.latency p99 < 800ms` is about one group of devices alone"
    ) { try Objective($0) }
    let assumptions = Setting<[String]>.texts(
        "assumptions", .absent,
        "paths of settings that the scenario sets and nobody knows all the same: they keep the range of a default,"
            + " as in `scenario.resolved.yaml`"
    ) { $0 }
    let prices = Setting<Prices.Preset>.choice(
        "prices", .assumption("large-cloud", "machines by the hour"), "what the operator pays"
    ).orGroup
}

/// How often a simulation is repeated.
struct ReplicationSettings: SettingGroup {
    let places = ["replications"]

    let precision = Setting.number(
        "precision", in: 0.0001...1, .absent, "go on until intervals are so narrow, relative to the mean")
    let confidence = Setting.number(
        "confidence", in: 0.5...0.9999, .value("95%", "convention"), "how sure an interval is")
    let min = Setting.count(
        "min", in: 1...10_000,
        .value("10", "coverage of the stopping rule, measured in the tests of Statistics"),
        "the simulation is repeated at least so often with other random numbers")
    let max = Setting.count(
        "max", in: 1...100_000, .follows("`10`, or `64` with a precision"), "and at most so often")
}

/// The block list.
package struct ListSettings: SettingGroup {
    package let places = ["blocklist"]

    package let file = Setting.file(
        "file", .required("blocklist: { file: list.txt }"), "see article \"Lists and traces\"")
    let format = Setting<BlockListFormat>.named(
        "format", BlockListFormat.names, .follows("recognised"),
        "such as `tsv:3` for the third column of a table"
    ) { BlockListFormat(name: $0) }
    let keys = Setting<KeyPolicy>.choice(
        "keys",
        .value(
            KeyPolicy.standard.rawValue,
            SettingUsual.source("Device", "Data set and tools") + ": they match on every version"),
        "without scheme and `www.`, host in lower case, each once, or as Apple's tool takes them")
    let allowUnusable = Setting.flag(
        "allowUnusable", .assumption("false"), "go on although much of the list is of no use")
    let allow = Setting.file(
        "allow", .absent, "a list of what must not be blocked: entries that it covers are taken out")
}
