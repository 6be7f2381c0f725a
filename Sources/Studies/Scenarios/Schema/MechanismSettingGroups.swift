import EventSimulation
import FleetModel
import RandomStreams

// What is known of the other mechanisms; article "Architectures" has the sources. Many a default is a fact of the
// mechanism, and stands where that is read.

extension Schema {
    static let mechanism = MechanismCommonSettings()
    static let page = PageSettings()
    static let coverage = CoverageSettings()
    static let onDevice = OnDeviceSettings()
    static let hashPrefix = HashPrefixSettings()
    static let contentFilter = ContentFilterSettings()
    static let packetFilter = PacketFilterSettings()
    static let rules = RuleListSettings()
    static let pathEntries = PathEntrySettings()
    static let server = FilterServerSettings()
    static let onSite = OnSiteSettings()
    static let proxy = HTTPProxySettings()
    static let tls = InspectionSettings()
    static let relayFilter = RelayFilterSettings()
    static let dns = DNSFilterSettings()
    static let tunnel = TunnelSettings()

    static let mechanisms: [any SettingGroup] = [
        mechanism, page, coverage, pathEntries, onDevice, server, onSite, tls, proxy, tunnel, relayFilter,
        dns,
        contentFilter, packetFilter, rules, hashPrefix,
    ]
}

extension ArchitectureChoice {
    fileprivate static func places(_ choices: [ArchitectureChoice]) -> [String] {
        choices.map { "mechanisms.\($0.rawValue)" }
    }

    fileprivate static let onDevice: [ArchitectureChoice] = [
        .wholeList, .hashPrefix, .contentFilter, .packetFilter, .contentBlocker, .builtInList,
    ]
    fileprivate static let tunnels: [ArchitectureChoice] = [.fullTunnel, .splitTunnel, .perAppVPN]
    fileprivate static let atServer: [ArchitectureChoice] =
        [.onSiteFilter, .httpProxy, .socksProxy, .appProxy, .relay, .dnsFilter] + tunnels
}

private let byMechanism = SettingUsual.follows("by mechanism")

struct MechanismCommonSettings: SettingGroup {
    let places = ["mechanisms"]

    let siteDelay = Setting.delay(
        "siteDelay", .assumption("5ms", "sites are at a content network near the device"),
        "one way from the edge of the access network to a site")
}

/// The mean page.
struct PageSettings: SettingGroup {
    let places = ["mechanisms.page"]

    let requests = Setting.number(
        "requests", in: 1...10_000, .value("70", article: "Workload", "One page load"), "of a page")
    let bytes = Setting.bytes(
        "bytes", .value("2.6MB", "HTTP Archive, July 2025: 2.6 to 2.9 MB"), "of a page")
    let hosts = Setting.number(
        "hosts", in: 1...1_000, .value("15", article: "Workload", "One page load"), "of a page")
    let chain = Setting.number(
        "chain", in: 1...10_000,
        .value("3.4", SettingUsual.source("Workload", "One page load") + ": requests that follow each other"),
        "so many of the requests follow each other")
    let chainHosts = Setting.number(
        "chainHosts", in: 1...10_000,
        .assumption("2", "the page's own host, and one more that the reader waits for"),
        "so many of those go to a new host")
}

struct CoverageSettings: SettingGroup {
    let places = ArchitectureChoice.places(ArchitectureChoice.onDevice + ArchitectureChoice.atServer)

    let coverage = Setting.share("coverage", byMechanism, "of loads that it sees")
}

struct PathEntrySettings: SettingGroup {
    let places = ArchitectureChoice.places([.contentFilter, .packetFilter] + ArchitectureChoice.atServer)

    let pathEntries = Setting<MechanismSettings.PathEntries>.choice(
        "pathEntries", .assumption("blockHost", "what is listed must not be seen"),
        "what an entry with a path does where only hosts are seen")
}

/// Mechanisms that decide on the device.
struct OnDeviceSettings: SettingGroup {
    let places = ArchitectureChoice.places(ArchitectureChoice.onDevice)

    let bytesPerEntry = Setting.count(
        "bytesPerEntry", in: 1...1_000, .assumption("8", "half of a SHA-256; chance hits once in 10¹² URLs"),
        "of what devices fetch")
}

struct HashPrefixSettings: SettingGroup {
    let places = ArchitectureChoice.places([.hashPrefix])

    let requestBytes = Setting.bytes(
        "requestBytes", .assumption("200B", "4 bytes in a sealed request"), "of a question")
    let responseBytes = Setting.bytes(
        "responseBytes", .assumption("300B", "a few full hashes, sealed"), "of an answer")
    let cpu = Setting.duration(
        "cpu",
        .value(
            "80us", "60 us for opening and sealing (article \"Transport\"), 20 us for a look-up: assumption"),
        "of an answer")
}

struct ContentFilterSettings: SettingGroup {
    let places = ArchitectureChoice.places([.contentFilter])

    let urlShare = Setting.share(
        "urlShare", .assumption("0.3", "browsers load about 30 % of all traffic"),
        "of loads whose URL it sees")
    let perFlow = Setting.duration(
        "perFlow",
        .value("300us", "Apple Developer Forums 735504: a few hundred microseconds a flow, one queue"),
        "that it takes for a connection")
    let requestShare = Setting.share(
        "requestShare", .assumption("0.01", "readers of a block page who ask for access"),
        "of blocked loads whose reader asks for access")
}

struct PacketFilterSettings: SettingGroup {
    let places = ArchitectureChoice.places([.packetFilter])

    /// 140 MB/s instead of 883 MB/s; of the bytes of a page one in twenty is sent, assumption.
    let perMegabyte = Setting.duration(
        "perMegabyte",
        .value("300us", "Apple Developer Forums 757071: 140 instead of 883 MB/s, of what is sent"),
        "CPU time of the device")
}

struct RuleListSettings: SettingGroup {
    let places = ArchitectureChoice.places([.contentBlocker, .builtInList])

    let entryLimit = Setting.count("entryLimit", in: 1...100_000_000, byMechanism, "entries that it takes")
    let matching = Setting<MechanismSettings.Matching>.choice(
        "matching", byMechanism, "whether an entry is looked for as the URL filter does, or anywhere in a URL"
    )
}

/// Mechanisms that decide at a server of the operator.
struct FilterServerSettings: SettingGroup {
    let places = ArchitectureChoice.places(ArchitectureChoice.atServer)

    let reload = Setting.duration(
        "reload", .assumption("0s", "loads at once"), "from an edition to the server")
    let failClosed = Setting.flag(
        "failClosed", .follows("`filter.shouldFailClosed`"), "while its server is out of reach")
    let serverDelay = Setting.delay("serverDelay", .follows("the relay's"), "one way to its server")
    let cpuPerConnection = Setting.duration("cpuPerConnection", byMechanism, "of its server")
    let cpuPerRequest = Setting.duration("cpuPerRequest", byMechanism, "of its server")
    let cpuPerMegabyte = Setting.duration("cpuPerMegabyte", byMechanism, "of its server")
    let memoryPerConnection = Setting.bytes("memoryPerConnection", byMechanism, "of its server")
    let cores = Setting.count(
        "cores", in: 1...ScenarioResolver.maximumCores,
        .assumption("\(MachineSizes.smallest)", "the smallest machine that plans of servers buy"),
        "of each server")
    let instances = Setting.count(
        "instances", in: 1...ScenarioResolver.maximumInstances, .follows("what `prices` buy"), "servers")
    let serviceVariability = Setting.number(
        "serviceVariability", in: 0...100,
        .assumption("1", "CPU times of visits differ as an exponential distribution does"),
        "variance of a visit's CPU time over its squared mean")
    let patience = Setting.duration(
        "patience", atLeast: "1s", .value("60s", "Foundation: URLRequest.timeoutInterval"),
        "longest wait for a server")
}

/// A filter in the building.
struct OnSiteSettings: SettingGroup {
    let places = ArchitectureChoice.places([.onSiteFilter])

    let from = Setting.number(
        "from", in: 0...24, .assumption("8", "a school day"), "hour from which it sees loads")
    let to = Setting.number("to", in: 0...24, .assumption("15", "a school day"), "hour until which it does")
}

struct InspectionSettings: SettingGroup {
    let places = ArchitectureChoice.places([.onSiteFilter, .httpProxy])

    let inspectsTLS = Setting.flag("inspectsTLS", .assumption("false"), "it opens TLS, and sees whole URLs")
}

struct HTTPProxySettings: SettingGroup {
    let places = ArchitectureChoice.places([.httpProxy])

    let tlsToProxy = Setting.flag("tlsToProxy", .assumption("false"), "devices reach it over TLS")
    let pacFallback = Setting.flag(
        "pacFallback",
        .value(
            "false", "apple/device-management, com.apple.proxy.http.global.yaml: ProxyPACFallbackAllowed"),
        "devices load directly while it is out of reach")
    let pacRetry = Setting.duration(
        "pacRetry",
        .assumption("30min", "what browsers do (squid-users, April 2001); Apple's time is not published"),
        "and look for it again after that")
}

struct RelayFilterSettings: SettingGroup {
    let places = ArchitectureChoice.places([.relay])

    let hops = Setting.count("hops", in: 1...2, .assumption("1"), "relays on the way")
    let hopDelay = Setting.delay(
        "hopDelay", .assumption("5ms", "relays of neighbouring networks"), "between two")
    let quicShare = Setting.share(
        "quicShare", .assumption("0.3", "hosts that the device reaches over HTTP/3"),
        "of hosts reached over HTTP/3")
    let http3BlockedShare = Setting.share(
        "http3BlockedShare", .assumption("0", "no network blocks QUIC"), "of networks that block it")
    let fallbackDelay = Setting.duration(
        "fallbackDelay",
        .value("250ms", "RFC 8305, section 5, of connection attempts; assumption for relays"),
        "until a device takes HTTP/2 there")
    let matchShare = Setting.share(
        "matchShare", .value("1", "no MatchDomains: everything goes through it"), "of loads that it is for")
    let switchedOffShare = Setting.share(
        "switchedOffShare", .value("0", "UIToggleEnabled lets users; assumption: nobody does"),
        "of users who switch it off")
}

struct DNSFilterSettings: SettingGroup {
    let places = ArchitectureChoice.places([.dnsFilter])

    let transport = Setting<ResolverTransport>.choice(
        "transport", .assumption("doh"), "how names are asked for")
    let cacheMissShare = Setting.share(
        "cacheMissShare", .assumption("0.5", "names that the device does not know yet"), "of names that are")
}

enum ResolverTransport: String, CaseIterable {
    case doh, dot, odoh
}

struct TunnelSettings: SettingGroup {
    let places = ArchitectureChoice.places(ArchitectureChoice.tunnels)

    let kind = Setting<TunnelProtocol>.choice("protocol", .assumption("ikev2"), "of the tunnel")
    let includeAllNetworks = Setting.flag(
        "includeAllNetworks", apple("false"), "nothing passes while it is down")
    let redirect = Setting.flag(
        "redirect",
        .assumption("false", "the gateway that is asked serves (RFC 5685: else one exchange more)"),
        "of IKEv2: another gateway at set-up")
    let mobike = Setting.flag(
        "mobike", .value("true", "RFC 4555; Apple's default"), "of IKEv2: it survives a hand-over")
    let deadPeerDetection = Setting.duration(
        "deadPeerDetection", .value("10min", "Apple's default, Medium"),
        "of IKEv2 without it: until a hand-over is noticed")
    let connectOnDemand = Setting.flag("connectOnDemand", apple("false"), "it comes up with a load")
    let disconnectOnIdle = Setting.duration(
        "disconnectOnIdle", atLeast: "1s", .follows("never, or `2min`; `180s` of `wireGuard`"),
        "it is down after that time without a load")
    let bytesPerPacket = Setting.bytes(
        "bytesPerPacket", .follows("`65B`; `60B` of `wireGuard`"), "that it adds")
    let rekeyInterval = Setting.duration(
        "rekeyInterval", atLeast: "1s", .follows("`24h`; `2min` of `wireGuard`"), "new keys come so often")
    let cpuPerHandshake = Setting.duration(
        "cpuPerHandshake", .follows("`1ms`; `956us` of `wireGuard`"), "of its server")
    let bytesPerHandshake = Setting.bytes(
        "bytesPerHandshake", .follows("`1500B`; `296B` of `wireGuard`"), "both ways")
    let exceptionShare = Setting.share(
        "exceptionShare", .assumption("0", "MDM names no exception"), "of loads that MDM lets pass outside")
    let excludeLocalNetworks = Setting.flag(
        "excludeLocalNetworks", .assumption("false", "Apple's payload names no default"),
        "whether these pass outside, unfiltered")
    let localShare = Setting.share("localShare", unknown, "of loads that they are")
    let excludeAPNs = Setting.flag("excludeAPNs", apple("true"), "whether push notifications pass outside")
    let apnsShare = Setting.share("apnsShare", unknown, "of loads that they are")
    let excludeCellularServices = Setting.flag(
        "excludeCellularServices", apple("true"), "whether services of the network pass outside")
    let cellularServicesShare = Setting.share("cellularServicesShare", unknown, "of loads that they are")

    private static let unknown = SettingUsual.assumption("0", "no load of a URL goes there")
    private static func apple(_ text: String) -> SettingUsual {
        .value(text, "apple/device-management: the default")
    }
}
