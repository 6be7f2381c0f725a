package import EventSimulation
package import FleetModel
import HomomorphicEncryption
import Parties
package import PrivateInformationRetrieval
import Statistics
import Timing

/// Settings that gateway and services share.
package struct ServicesSettings: SettingGroup {
    package let places = ["services"]

    package let backendDelay = Setting.delay(
        "backendDelay", .assumption("500us", "gateway and services in one data centre"), "gateway to services"
    )
}

/// A service that computes; in a region, what it leaves out is that of `services`.
package struct StationSettings: SettingGroup {
    static let services = ["gateway", "issuer", "pir"]

    package let places = services.map { "services.\($0)" } + services.map { "services.regions[].\($0)" }

    package let instances = Setting.count(
        "instances", in: 1...ScenarioResolver.maximumInstances, .assumption("1"), "machines")
    package let cores = Setting.count(
        "cores", in: 1...ScenarioResolver.maximumCores, .assumption("2"), "of each instance")
    package let threads = Setting.count(
        "threads", in: 1...ScenarioResolver.maximumCores, .follows("one for each core"),
        "requests that an instance computes at once; where these are more than `cores`, which are a pod's CPU limit"
            + " then, all stop when they have used it up (article \"Networks\", section \"CPU limits\")")
    let queueCapacity = Setting.count(
        "queueCapacity", in: 0...100_000_000, .absent, "requests that may wait in each instance")
    package let cpuFactor = Setting.number(
        "cpuFactor", in: 0.01...100, .assumption("1", "the machine of the cost profile"),
        "CPU times over those of the cost profile"
    ).plausible(.machine, "0.7", "1.5", isLogarithmic: true)
    let speed = Setting.word(
        "speed", of: ["measured", "none"],
        .follows("measured"),
        "slow and fast phases of each machine, as the cost profile has them, or none (article \"Statistics\")"
    ).orGroup
    package let coldStart = Setting.word(
        "coldStart", of: ["none"], .follows("none"),
        "an instance that has just begun, after a restart for example, is slower for a while"
    ).orGroup
    package let pauses = Setting.word(
        "pauses", of: ["none"], .follows("none"),
        "times in which an instance does nothing, such as those of a garbage collector"
    ).orGroup
    let balancing = Setting<Balancing>.choice(
        "balancing",
        .value(
            "roundRobin",
            SettingUsual.source("Networks", "Load balancers") + ": what they do unless told otherwise"),
        "which instance gets a request")
}

/// Slow and fast phases of a machine.
struct SpeedSettings: SettingGroup {
    let places = StationSettings().places.map { $0 + ".speed" }

    let spread = Setting.share("spread", example, "deviation of the logarithm of service times")
    let time = Setting.duration("time", atLeast: "1ms", example, "how long a phase is remembered")
    let daily = Setting.share(
        "daily",
        .value(
            "\(SpeedDrift.kept)",
            SettingUsual.source("Validation", nil)
                + ": from a calibration to a run, \(SpeedDrift.keptRuns) kept runs"),
        "deviation of the level from run to run")

    private static let example = SettingUsual.required("'speed: {spread: 3%, time: 20s, daily: 2%}'")
}

/// An instance that has just begun.
struct ColdStartSettings: SettingGroup {
    let places = StationSettings().places.map { $0 + ".coldStart" }

    private static let source =
        "article \"Validation\", section \"Against the live stack\": our server, which had read"
        + " its database"

    let factor = Setting.number(
        "factor", in: ColdStart.factorRange, .value("\(ServerDescription.coldStartOfOurs.factor)", source),
        "what begins at once takes so many times as long; it falls evenly to 1")
    let time = Setting.duration(
        "time", atLeast: "1ms",
        .assumption(
            "\(Int(ServerDescription.coldStartOfOurs.seconds))s",
            "ours was slower for minutes (article \"Validation\"), and nobody measured how that ends"),
        "until it is as fast as ever")
}

/// Times in which an instance does nothing.
struct PauseSettings: SettingGroup {
    let places = StationSettings().places.map { $0 + ".pauses" }

    let every = Setting.duration("every", atLeast: "1ms", example, "from one to the next")
    let length = Setting.duration(
        "length", atLeast: "1us", example, "of each; what is in service then goes on after it")

    private static let example = SettingUsual.required("'pauses: {every: 10s, length: 50ms}'")
}

/// Instances that follow the load.
struct ScalingSettings: SettingGroup {
    let places = StationSettings().places.map { $0 + ".scaling" }

    let target = Setting.number(
        "target", in: 0.01...1, .assumption("60%"), "share of time that cores are busy")
    let min = Setting.count("min", in: 1...100_000, .assumption("1"), "instances at least")
    let max = Setting.count("max", in: 1...100_000, .absent, "instances at most")
    let period = Setting.duration(
        "period", atLeast: "1s", .assumption("1min", "metrics by the minute"),
        "the load is looked at so often")
    let metricDelay = Setting.duration(
        "metricDelay",
        .assumption("0s", "the load is known at once; Kubernetes' metrics are 15 s to 60 s old"),
        "the load that is looked at is so old")
    let tolerance = Setting.share(
        "tolerance", .assumption("0%", "every change counts; Kubernetes has 10 %"),
        "nothing changes where the load is off the target by no more than this share of it")
    let stabilization = Setting.duration(
        "stabilization", .assumption("0s", "`coolDown` does it; Kubernetes has 5 min"),
        "none goes that a look within this time wanted to keep")
    let mostStarts = Setting.count("mostStarts", in: 1...100_000, .absent, "a look starts so many at most")
    let coolDown = Setting.duration(
        "coolDown", .value("5min", "the stabilization window of Kubernetes' autoscaler for scaling down"),
        "none goes so soon after a change")
    let startDelay = Setting.duration(
        "startDelay", .absent, "a new one takes so long, instead of the two below")
    let boot = Setting.duration(
        "boot", .assumption("1min", "a machine from an image, and its checks"), "until a new one runs")
    let loadRate = Setting.bandwidth(
        "loadRate", .assumption("125MB/s", "the database over 1 Gbit/s"),
        "then a PIR server loads its database")
}

/// Instances that the cloud may take back.
struct SpotSettings: SettingGroup {
    let places = StationSettings().places.map { $0 + ".spot" }

    let share = Setting.share(
        "share", .required("spot: { share: 50% }"), "of the instances, rounded, that the cloud may take back")
    let meanLife = Setting.duration(
        "meanLife", atLeast: "1min",
        .assumption(
            "30d", "clouds publish classes from under 5 % to over 20 % of instances a month, not lives"),
        "an instance is taken back after so long in the mean")
    let replacement = Setting.duration(
        "replacement", .assumption("5min", "another machine is found at once, boots and loads its database"),
        "until another one takes requests, with an empty memory")
}

/// Settings that only the issuer has.
struct IssuerSettings: SettingGroup {
    let places = ["services.issuer"]

    let tokensPerUserPerDay = Setting.count(
        "tokensPerUserPerDay", in: 1...1_000_000, .absent, "more are refused with 429")
    let keysKept = Setting.duration(
        "keysKept", .assumption("0s", "they are gone with the issuer; Apple advises a week"),
        "the PIR servers take tokens of a key that an issuer lost in a restart for so long")
}

/// Order of what waits at a service that can tell its users apart; a gateway cannot.
package struct QueueSettings: SettingGroup {
    package let places = ["services.issuer", "services.pir"].flatMap {
        [$0, $0.replacing("services.", with: "services.regions[].")]
    }

    package let queue = Setting<QueueDiscipline>.choice(
        "queue",
        .value(
            (ServerDescription.workbench.queue ?? .firstCome).rawValue,
            ServerDescription.workbench.source(of: .queue)),
        "who is next, and who is refused when too many wait: by the order of arrival, or by what each user has"
            + " asked for (article \"PIR protocol\", section \"Past saturation\")")
}

/// Settings of a PIR server alone.
package struct PIRStationSettings: SettingGroup {
    package let places = ["services.pir", "services.regions[].pir"]

    package let queueTime = Setting.duration(
        "queueTime", atLeast: "1ms", or: "none",
        .value(
            SettingsReader.text(.nanoseconds(PIRParty.queueTime.nanoseconds)),
            ServerDescription.workbench.source(of: .queueSeconds)),
        "a request that would wait longer is refused with 503")
    package let memory = Setting.bytes("memory", .absent, "room of an instance for evaluation keys")
    package let keyStore = Setting<KeyStoreKind>.choice(
        "keyStore", .follows("`memory`, or `shared` of several instances"),
        "where those are: in memory, in a file, copied to every instance, or shared")
}

/// The database, and the server that answers from it.
package struct DatabaseSettings: SettingGroup {
    package let places = ["services.pir"]

    package let implementation = Setting.text(
        "implementation", .assumption(ServerChoice.workbenchName, "`urlfilter serve`"),
        "whose server: ours, `apple-example`, `apple-example-tuned`, a file that describes a server"
            + " (schema `urlfilter.server/1`), or a modelled scheme such as `simplepir` (article"
            + " \"Other architectures\")"
    )
    package let keys = Setting<EvaluationKeyForm>.choice(
        "keys",
        .value(
            EvaluationKeyForm.ready.rawValue,
            SettingUsual.source("PIR protocol", "Evaluation keys at rest") + ": what `serve` does"),
        "how ours keeps evaluation keys; `bytes`: half the memory per device, more CPU per lookup")
    package let shards = Setting.count(
        "shards", in: 1...65_536, .follows("about 50 000 entries in each"), "of the database, a power of two")
    package let rlweParameters = Setting.word(
        "rlweParameters", of: parameters,
        .value(
            PIRDatabase.defaultParameters,
            SettingUsual.source("PIR protocol", "Sizes") + ": Apple's documented example"),
        "of the encryption")
    package let profile = Setting.file(
        "profile", .absent, "a cost profile of its own")

    /// Those made for tests hide nothing, and no device accepts them.
    private static let parameters = EncryptionParameters.predefined.compactMap(\.name).filter {
        !$0.hasPrefix("insecure_")
    }
}

/// Waiting lookups that are answered together.
package struct GroupingSettings: SettingGroup {
    /// Most questions in one group: as many lookups as there may be, each with all that one may have.
    package static let maximumQuestions = 1_000 * PIRService.questionLimit

    package let places = ["services.pir.grouping"]

    package let limit = Setting.count(
        "limit", in: 1...1_000, .follows("`4`, or `1` if `real`"), "so many at most; 1 for one by one")
    package let questions = Setting.count(
        "questions", in: 1...maximumQuestions,
        .follows("`\(PIRParty.groupQuestionLimit)`, or no limit if not ours"),
        "of all of them at most, unless the first one alone has more")
    let followerShare = Setting.share(
        "followerShare", .follows("measured"), "what each after the first adds, over what it takes alone")
}

/// The rule by which a fleet counts as healthy again after a fault.
package struct HealthSettings: SettingGroup {
    package let places = ["health"]

    let window = Setting.duration(
        "window", atLeast: "10s", .assumption("5min"), "in which so few lookups fail")
    package let failureShare = Setting.number("failureShare", in: 0...0.99, .assumption("5%"), "of lookups")
}

/// Something that breaks.
package struct FaultSettings: SettingGroup {
    package let places = ["faults[]"]

    let kind = Setting<FaultName>.choice("kind", .absent, "see below")
    let at = Setting.duration("at", .absent, "when it begins")
    let length = Setting.duration(
        "for", atLeast: "1ms", .absent, "how long it lasts; not of `restart` and `deployment`")
    package let service = Setting.text(
        "service", .absent,
        "the part that it concerns; `decider` is the server that decides, whatever the architecture")
    let silent = Setting.flag(
        "silent", .assumption("false", "connections are refused"),
        "of `outage` and `regionLoss`: nothing answers")
    let factor = Setting.number("factor", in: 1...10_000, .absent, "of `slowDown`")
    let instances = Setting.count("instances", in: 1...100_000, .absent, "of `instanceLoss`")
    let batch = Setting.count(
        "batch", in: 1...100_000, .assumption("1"), "of `deployment`: instances at a time")
    let drain = Setting.duration(
        "drain", .value("30s", "the grace period of Kubernetes (terminationGracePeriodSeconds)"),
        "of `deployment`: an instance ends what it has begun for so long")
    let start = Setting.duration("start", .assumption("1min"), "of `deployment`: until the new one serves")
    package let region = Setting.text("region", .absent, "of `regionLoss`")
    let bytes = Setting.bytes("bytes", .absent, "of `sizeCap`")
    let group = Setting.text("group", .follows("all"), "of `captivePortal`: of devices")
}

package enum FaultName: String, CaseIterable {
    case outage, restart, slowDown, instanceLoss, deployment, regionLoss, sizeCap, captivePortal,
        relayWithoutGateway
}
