import EventSimulation
import Parties
import PrivateInformationRetrieval
import Statistics
import Timing
import URLFilter
import Workload

/// What a setting is when the scenario does not name it, and where that comes from.
///
/// The one table of such values: ``SettingsReader`` looks a setting up by its path, `plan` and
/// `scenario.resolved.yaml` print what is found. Only defaults that follow from another setting are made where that
/// is read: the habits of a browsing profile, the numbers of an access network, the rules of an operating system. An article in a source is one of
/// `urlfilter`'s documentation; "assumption" means that nobody publishes the number.
struct SettingDefault {
    /// As the file would write it, with its unit.
    let value: String
    let source: String

    private init(_ value: String, _ source: String) {
        self.value = value
        self.source = source
    }

    /// - Parameter path: Of a setting, for example `devices[students].browsing.spread`.
    static func of(_ path: String) -> SettingDefault? {
        all[path.replacing(/\[.*?\]/, with: "[]")]
    }

    /// By path; `[]` stands for any element of a list. A delay has one value, or `median` and `p95`.
    static let all: [String: SettingDefault] = {
        var all = scenario.merging(network) { first, _ in first }
        for service in ["gateway", "issuer", "pir"] {
            for (key, value) in station {
                all["services.\(service).\(key)"] = value
                all["services.regions[].\(service).\(key)"] = value
            }
        }
        return all
    }()

    private static let scenario = [
        "seed": SettingDefault("1", "assumption"),
        "architecture": SettingDefault("urlFilter", #"article "Architectures""#),
        "fidelity": SettingDefault("calibrated", #"article "Architecture", section "Fidelities""#),
        "warmUp": SettingDefault("0s", "assumption: observe everything"),
        "drain": SettingDefault("30s", "assumption: ten verdict timeouts"),
        "seriesInterval": SettingDefault("1min", "assumption"),
        "start": SettingDefault("steady", "assumption: the fleet has been running for long"),
        "history": SettingDefault(
            "3d", #"article "Workload", section "Days before the start": the age of the older cache"#),
        "replicate": SettingDefault(
            "web", "assumption: the filter is built once and a trace is yours; nobody's web has one seed"),
        "replications.confidence": SettingDefault("95%", "convention"),
        "replications.min": SettingDefault(
            "10", "coverage of the stopping rule, measured in the tests of Statistics"),
        "blocklist.keys": SettingDefault(
            KeyPolicy.standard.rawValue,
            #"article "Device", section "Data set and tools": they match on every version"#),
        "blocklist.allowUnusable": SettingDefault("false", "assumption"),
        "filter.falsePositiveTolerance": SettingDefault(
            "\(BloomParameters.defaultFalsePositiveTolerance)", #"article "Device", section "Prefilter""#),
        "filter.murmurSeed": SettingDefault(
            "\(BloomParameters.defaultMurmurSeed)", "the seed of Apple's sample filter"),
        "filter.shouldFailClosed": SettingDefault(
            "false", #"article "Device", section "Configuration""#),
        "filter.verdictTimeout": SettingDefault(
            "3s", #"article "Device", section "Fail mode", reverse-engineered"#),
        "filter.prefilterFetchInterval": SettingDefault(
            "24h", #"article "Device", section "Configuration""#),
        "behaviour.configurationRefetch": SettingDefault("6h", "assumption: period not published"),
        "behaviour.exchangeTimeout": SettingDefault("60s", "assumption"),
        "behaviour.retryPause": SettingDefault("30s", "assumption"),
        "behaviour.retryCeiling": SettingDefault("15min", "assumption"),
        "behaviour.deviceCPUFactor": SettingDefault(
            "1", "assumption: a phone core like the profile's machine"),
        "behaviour.blockingShare": SettingDefault(
            "0.035", #"article "Workload", section "One page load": a chain of 3.4 on 70 requests"#),
        "behaviour.lookupRetries": SettingDefault("0", "assumption: none"),
        "updates.first": SettingDefault("0s", "assumption: at the start devices have the edition before"),
        "updates.churn": SettingDefault("none", "assumption: editions have the same entries"),
        "updates.shortLived": SettingDefault(
            "60%",
            #"article "Workload", section "Block lists": of the phishing sites; assumption: each is visited as often as any"#
        ),
        "updates.shortLife": SettingDefault(
            "10min", #"article "Workload", section "Block lists": 60 % live less"#),
        "updates.add": SettingDefault("0", "assumption"),
        "updates.remove": SettingDefault("0", "assumption"),
        "updates.pirReload": SettingDefault(
            "0s", "assumption: the PIR servers load an edition as it is published"),
        "updates.changesConfiguration": SettingDefault(
            "true", #"article "Device", section "Caches and keys": data processed again has new parameters"#),
        "updates.versionCount": SettingDefault(
            "2", #"article "Device", section "Caches and keys": the example service"#),
        "health.window": SettingDefault("5min", "assumption"),
        "health.failureShare": SettingDefault("5%", "assumption"),
        "prices": SettingDefault("large-cloud", "assumption: machines by the hour"),
        "prices.preset": SettingDefault("large-cloud", "assumption: machines by the hour"),
        "web.listed": SettingDefault("school-district", "assumption: what a school's list meets"),
        "web.listed.preset": SettingDefault("school-district", "assumption: what a school's list meets"),
        "devices[].os": SettingDefault("iOS27", "assumption: the newest generation that is released"),
        "devices[].access": SettingDefault("wifi", "assumption"),
        "devices[].access.preset": SettingDefault("wifi", "assumption"),
        "devices[].rollOut": SettingDefault("0s", "assumption: all devices are there from the start"),
        "devices[].handOversPerDay": SettingDefault("0", "assumption: devices stay in their network"),
        "devices[].coverage": SettingDefault("100%", "assumption: every app lets the filter see its URLs"),
        "devices[].reports": SettingDefault(
            "never", #"article "Device", section "Reports": only if the app names a reportEndpoint"#),
        "devices[].reports.interval": SettingDefault("24h", #"article "Device", section "Reports""#),
        "devices[].reports.entryBytes": SettingDefault(
            "656B", #"article "Device", section "Reports": an entry of the device's store, an upper bound"#),
        "devices[].background.listedShare": SettingDefault(
            "0", "assumption: as often as objects of pages"),
        "devices[].browsing.compression": SettingDefault("1", "the trace's own speed"),
        "devices[].browsing.spread": SettingDefault(
            "10min", "assumption: copies of one client are not in step"),
        "devices[].browsing.profile": SettingDefault("adult", "assumption"),
        "devices[].browsing.lookups.startHour": SettingDefault("0", "assumption: runs begin at midnight"),
        "devices[].browsing.lookups.burstSize": SettingDefault("1", "assumption: single lookups"),
        "faults[].silent": SettingDefault("false", "assumption: connections are refused"),
        "faults[].batch": SettingDefault("1", "assumption"),
        "faults[].drain": SettingDefault(
            "30s", "the grace period of Kubernetes (terminationGracePeriodSeconds)"),
        "faults[].start": SettingDefault("1min", "assumption"),
    ]

    private static let network = [
        "mechanisms.siteDelay": SettingDefault(
            "5ms", "assumption: sites are at a content network near the device"),
        "mechanisms.page.requests": SettingDefault("70", #"article "Workload", section "One page load""#),
        "mechanisms.page.bytes": SettingDefault("2.6MB", "HTTP Archive, July 2025: 2.6 to 2.9 MB"),
        "mechanisms.page.hosts": SettingDefault("15", #"article "Workload", section "One page load""#),
        "mechanisms.page.chain": SettingDefault(
            "3.4", #"article "Workload", section "One page load": requests that follow each other"#),
        "mechanisms.page.chainHosts": SettingDefault(
            "2", "assumption: the page's own host, and one more that the reader waits for"),
        "services.relay.oneWayDelay.median": SettingDefault("10ms", relayDelay),
        "services.relay.oneWayDelay.p95": SettingDefault("25ms", relayDelay),
        "services.relay.provisioning.from": SettingDefault(
            "0", #"article "Device", section "Onboarding and relay": it works for nobody, or for a few"#),
        "services.relay.provisioning.to": SettingDefault("1", "assumption: in the end for all"),
        "services.relay.provisioning.after": SettingDefault("0s", "assumption: it begins at once"),
        "services.relay.provisioning.over": SettingDefault(
            "21d", #"article "Device", section "Onboarding and relay": about three weeks, one report"#),
        "services.healthCheck.interval": SettingDefault(
            "10s", #"article "Networks", section "Regions": the fast check of a DNS service"#),
        "services.healthCheck.threshold": SettingDefault("3", #"article "Networks", section "Regions""#),
        "connections.transport": SettingDefault(
            "http3", #"article "Networks", section "Connections": assumption"#),
        "connections.idleTimeout": SettingDefault(
            "30s", "RFC 9000, section 10.1.2: what middleboxes keep"),
        "connections.uncachedNameShare": SettingDefault("50%", "assumption"),
        "connections.earlyDataShare": SettingDefault("0", "RFC 8470, section 2: a POST is not sent early"),
        "connections.windowIdle": SettingDefault(
            "1s", "RFC 5681, section 4.1, with the least time-out of RFC 6298"),
        "connections.radioSleep": SettingDefault(
            "true", #"article "Networks", section "Connections""#),
        "connections.sharedLines": SettingDefault("true", "a device has one access line"),
        "services.issuer.keysKept": SettingDefault(
            "0s", "assumption: they are gone with the issuer; Apple advises a week"),
        "services.backendDelay": SettingDefault(
            "500us", "assumption: gateway and services in one data centre"),
        "services.pir.implementation": SettingDefault(
            ServerChoice.workbenchName, "assumption: `urlfilter serve`"),
        "services.pir.keys": SettingDefault(
            EvaluationKeyForm.ready.rawValue,
            #"article "PIR protocol", section "Evaluation keys at rest": what `serve` does"#),
        "services.pir.queueTime": SettingDefault(
            SettingsReader.text(.nanoseconds(PIRParty.queueTime.nanoseconds)),
            #"article "PIR protocol", section "Past saturation": what `serve` does"#),
        "services.pir.rlweParameters": SettingDefault(
            PIRDatabase.defaultParameters,
            #"article "PIR protocol", section "Sizes": Apple's documented example"#),
    ]

    private static let relayDelay =
        #"article "Networks", section "Relays": one round trip of 20 ms; tail is assumption"#

    /// Of each service that computes.
    private static let station = [
        "instances": SettingDefault("1", "assumption"),
        "cores": SettingDefault("2", "assumption"),
        "cpuFactor": SettingDefault("1", "assumption: the machine of the cost profile"),
        "speed.daily": SettingDefault(
            "\(SpeedDrift.kept)",
            #"article "Validation": from a calibration to a run, \#(SpeedDrift.keptRuns) kept runs"#),
        "balancing": SettingDefault(
            "roundRobin",
            #"article "Networks", section "Load balancers": what they do unless told otherwise"#),
        "scaling.min": SettingDefault("1", "assumption"),
        "scaling.target": SettingDefault("60%", "assumption"),
        "scaling.period": SettingDefault("1min", "assumption: metrics by the minute"),
        "scaling.coolDown": SettingDefault(
            "5min", "the stabilization window of Kubernetes' autoscaler for scaling down"),
        "scaling.boot": SettingDefault("1min", "assumption: a machine from an image, and its checks"),
        "scaling.loadRate": SettingDefault("125MB/s", "assumption: the database over 1 Gbit/s"),
    ]
}
