import EventSimulation
import FleetModel
import RandomStreams
import Workload

/// How the people of a group browse: by a profile and its changes, by a trace, or by lookups at a known rate.
package struct BrowsingSettings: SettingGroup {
    package let places = ["devices[].browsing"]

    let profile = Setting.word(
        "profile", of: BrowsingProfile.presets.map(\.name), .assumption("adult"),
        "habits, each of which can be set alone")
    let visitPersistence = Setting.share(
        "visitPersistence", ofProfile, "how much of a heavy day is the person's")
    let activeDayShare = Setting.number(
        "activeDayShare", in: 0.001...1, ofProfile, "of days with any browsing")
    let weekdayOfDayZero = Setting.count("weekdayOfDayZero", in: 0...6, ofProfile, "0 is Monday")
    package let timeZoneHours = Setting.number(
        "timeZoneHours", in: -14...14, .follows("`0`"), "east of the scenario's clock")
    let siteRevisitShare = Setting.share(
        "siteRevisitShare", ofProfile, "of visits to a site that was visited before")
    let pageRevisitShare = Setting.share(
        "pageRevisitShare", ofProfile, "of visits to a page that was visited before"
    ).plausible(.revisits, "30%", "60%", suggested)
    package let visitScale = Setting.number(
        "visitScale", in: 0.01...100, .assumption("1", "as the profile says"),
        "visits of a day over those of the profile, each time and for everybody"
    ).plausible(.visits, "0.3", "1.8", isLogarithmic: true, suggested + ": a median of 50 to 300, not 168")
    let visitsPerDay = Setting.numbers(
        "visitsPerDay", counts: 1...1_000, in: 0...60_000, ofProfile,
        "of an active day: median and 95th percentile over people, or a list of equally likely values"
    ).orGroup
    let maximumVisitsPerDay = Setting.count(
        "maximumVisitsPerDay", in: 1...60_000, ofProfile, "where those end")
    let sessionsPerDay = Setting.number("sessionsPerDay", in: 1...50, ofProfile, "of an active day")
    let thinkTime = Setting.delay("thinkTime", ofProfile, "between two pages of a session")
    let thinkCut = Setting.duration("thinkCut", atLeast: "1s", ofProfile, "the longest")
    let hourWeights = Setting.numbers(
        "hourWeights", counts: 24...24, in: 0...1e9, ofProfile, "of the hours of a day")
    let weekdayWeights = Setting.numbers(
        "weekdayWeights", counts: 7...7, in: 0...1e9, ofProfile, "of the days from Monday")
    let termWeeks = Setting.number(
        "termWeeks", in: 0...BrowsingProfile.weeksOfYear, .follows("`52`"),
        "weeks of a year that are as the weekdays say, for example 39 of a school: money and requests of the mean day"
            + " follow; simulated days are of term")
    let holidayShare = Setting.share("holidayShare", .follows("`0`"), "how much of them other weeks have")
    let favouriteShare = Setting.share("favouriteShare", ofProfile, "of visits to one of the favourites")
    let favouriteCount = Setting.count("favouriteCount", in: 1...1_000, ofProfile, "sites")
    let trace = Setting.file("trace", .required("trace: day.csv"), "a recorded trace instead")
    let format = TraceSettingKeys.format
    let host = TraceSettingKeys.host
    let compression = Setting.number(
        "compression", in: 0.001...1e6, .value("1", "the trace's own speed"), "so many times faster")
    let spread = Setting.duration(
        "spread", .assumption("10min", "copies of one client are not in step"),
        "how far copies of a client are apart")

    private static let ofProfile = SettingUsual.follows("of the profile")
    private static let suggested = SettingUsual.source("Workload", "Suggested defaults")
}

/// Settings that stand beside every trace.
enum TraceSettingKeys {
    static let format = Setting<TraceFormat>.named(
        "format", TraceFormat.names, .follows("recognised"), "of the trace"
    ) { TraceFormat(name: $0) }
    static let host = Setting.text(
        "host", .absent, "put in front of paths that a server log gives without one")
}

/// Visits of a day over people.
struct VisitSettings: SettingGroup {
    let places = ["devices[].browsing.visitsPerDay"]

    let median = Setting.number("median", in: 0.1...10_000, .absent, "half of the people have more")
    let p95 = Setting.number("p95", in: 0.1...50_000, .absent, "one in twenty has more")
}

/// Lookups as a log of servers shows them; `urlfilter calibrate` writes these settings.
package struct LookupSettings: SettingGroup {
    package let places = ["devices[].browsing.lookups"]

    package let perDay = Setting.number(
        "perDay", in: 0.001...1e7, .absent, "of a device in a day of mean hours")
    let skewShape = Setting.number(
        "skewShape", in: 0.01...1e4, .absent, "shape of the gamma law of devices; without it all are alike")
    let hourWeights = Setting.numbers(
        "hourWeights", counts: 24...24, in: 0...1e9, .follows("flat"), "of the hours")
    package let startHour = Setting.number(
        "startHour", in: 0...23.99999, .assumption("0", "runs begin at midnight"),
        "hour at which the run begins")
    let burstSize = Setting.number(
        "burstSize", in: 1...10_000, .assumption("1", "single lookups"), "mean lookups of a burst")
    let burstGap = Setting.delay("burstGap", .follows("`0s`"), "time between them")
}

/// The synthetic web that all groups with a profile browse.
package struct WebSettings: SettingGroup {
    package let places = ["web"]

    package let siteCount = Setting.count("siteCount", in: 1...(1 << 24), measured, "sites")
    package let thirdPartyHostCount = Setting.count(
        "thirdPartyHostCount", in: 1...(1 << 24), measured, "hosts of advertisers and the like")
    package let siteExponent = Setting.number(
        "siteExponent", in: 0.01...5, measured, "of the law of the sites' popularity"
    ).plausible(.sites, "0.7", "1.05", suggested)
    let requestScale = Setting.number(
        "requestScale", in: 0.01...100, .assumption("1", "as measured"),
        "requests of a page over those of `requestsPerPage`"
    ).plausible(.requests, "0.6", "1.4")
    let listed = Setting.word(
        "listed", of: ListedTraffic.presets.map(\.name),
        .assumption("school-district", "what a school's list meets"),
        "how often listed pages and objects are met: a measured preset, two shares, or counted in a trace"
    ).orGroup
    let pagesPerSite = Setting.curve("pagesPerSite", limits: usual.pagesPerSite, measured, "pages of a site")
    let requestsPerPage = Setting.curve(
        "requestsPerPage", limits: usual.requestsPerPage, measured, "of a page load")
    let hostsPerPage = Setting.curve("hostsPerPage", limits: usual.hostsPerPage, measured, "of a page load")
    let thirdPartyShare = Setting.curve(
        "thirdPartyShare", limits: usual.thirdPartyShare, measured, "of a page's requests")
    let loadSeconds = Setting.curve(
        "loadSeconds", limits: usual.loadSeconds, measured, "from the first request to the last")
    let addressLength = Setting.curve(
        "addressLength", limits: usual.addressLength, measured, "bytes of a URL")
    let queryLength = Setting.curve("queryLength", limits: usual.queryLength, measured, "bytes of a query")
    let pathDepthWeights = Setting.numbers(
        "pathDepthWeights", counts: 1...32, in: 0...1e9, measured, "of paths with one part, two, and so on")
    let minimumPathLength = Setting.count(
        "minimumPathLength", in: 1...64, measured, "bytes of a part of a path")
    package let pageExponent = Setting.number(
        "pageExponent", in: exponents, measured, "of the law of a site's pages")
    package let thirdPartyExponent = Setting.number(
        "thirdPartyExponent", in: exponents, measured, "of the law of those hosts")
    let frontPageShare = Setting.share("frontPageShare", measured, "of visits to a site's first page")
    let uniquePageShare = Setting.share(
        "uniquePageShare", measured, "of visits to a page that nobody else visits")
    let subdomainShare = Setting.share("subdomainShare", measured, "of a site's requests to a host below it")
    let siteSimilarity = Setting.share("siteSimilarity", measured, "how much pages of one site are alike")
    let repeatedObjectShare = Setting.share(
        "repeatedObjectShare", measured, "of objects that pages of a site share")
    let sharedObjectShare = Setting.share("sharedObjectShare", measured, "of objects that sites share")
    let queryShare = Setting.share("queryShare", measured, "of URLs with a query")
    let adHeavyPageShare = Setting.share("adHeavyPageShare", measured, "of pages with much advertising")
    let adHeavyFreshShare = Setting.share(
        "adHeavyFreshShare", measured, "of their objects that are new at each load"
    ).plausible(.fresh, "50%", "60%", SettingUsual.source("Workload", "One page load"))
    let plainFreshShare = Setting.share("plainFreshShare", measured, "of the others' objects that are")
        .plausible(.fresh, "0%", "20%", suggested)
    package let burstExponent = Setting.number(
        "burstExponent", in: 0.1...10, measured, "how soon a page's requests come")
    let firstObjectSeconds = Setting.number(
        "firstObjectSeconds", in: 1e-6...60, measured, "from a page to its first object")

    private static let usual = WebParameters()
    private static let measured = SettingUsual.follows("measured")
    private static let suggested = SettingUsual.source("Workload", "Suggested defaults")
    private static let exponents = 0.01...5.0
}

/// Share of the browsing that is listed.
struct ListedSettings: SettingGroup {
    let places = ["web.listed"]

    let preset = Setting.word(
        "preset", of: ListedTraffic.presets.map(\.name),
        .assumption("school-district", "what a school's list meets"),
        "measured shares, which the two below replace")
    let visitShare = Setting.share("visitShare", .follows("of the preset"), "of visits to a listed page")
        .plausible(.listed, "0.044%", "4.5%", isLogarithmic: true, presets)
    let objectShare = Setting.share("objectShare", .follows("of the preset"), "of objects that are listed")
        .plausible(.listed, "0.01%", "40%", isLogarithmic: true, presets)
    let trace = Setting.file("trace", .required("trace: day.csv"), "counted in a trace with the list instead")
    let format = TraceSettingKeys.format
    let host = TraceSettingKeys.host

    private static let measured = SettingUsual.source("Workload", "Block lists")
    private static let presets = measured + ": the kinds of lists that were measured"

    /// Range of a share of a preset that the scenario names.
    ///
    /// - Returns: `nil` for a preset without its own range.
    static func range(of key: String, in preset: String) -> PlausibleRange? {
        let ends: (visits: (String, String), objects: (String, String), source: String)
        switch preset {
        case "school-district": ends = (("0.03%", "0.3%"), ("0.03%", "0.3%"), PlausibleRange.assumed)
        case "school-categories":
            ends = (("0.29%", "4.5%"), ("0.31%", "1.8%"), measured + ": hosts as they are, or their parents")
        case "advertising":
            ends = (("0.01%", "0.27%"), ("1%", "40.2%"), measured + ": hosts as they are, or their parents")
        case "malware":
            ends = (
                ("0.004%", "0.5%"), ("0.004%", "0.5%"), measured + ": panel and crawl, lower end assumed"
            )
        default: return nil
        }
        let (low, high) = key == Schema.listed.visitShare.key ? ends.visits : ends.objects
        return PlausibleRange(
            topic: .listed, law: .between(low, high, isLogarithmic: true), source: ends.source)
    }
}
