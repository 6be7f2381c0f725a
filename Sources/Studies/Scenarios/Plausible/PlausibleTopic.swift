/// Something that is known or not known as a whole: settings of one topic are drawn together.
package enum PlausibleTopic: String, CaseIterable, Sendable {
    case visits
    case computerVisits = "computer-visits"
    case requests
    case fresh
    case revisits
    case sites
    case listed
    case coverage
    case system = "os"
    case queryKeys = "query-keys"
    case relay
    case access
    case alike
    case radio
    case names
    case machine
    case restart
    case refetch
    case shortLived = "short-lived"
    case shortLife = "short-life"
    case background

    var words: String {
        switch self {
        case .visits: "page visits of a person and day, over those of the profile"
        case .computerVisits: "the same of people at a desk"
        case .requests: "requests of a page, over the web's"
        case .fresh: "URLs that are new each time a page is loaded"
        case .revisits: "visits to a page of the last hour"
        case .sites: "how much the popular sites take (exponent)"
        case .listed: "visits to what is on the list"
        case .coverage: "loads whose app asks the filter"
        case .system: "the devices' system"
        case .queryKeys: "lookups that bring their key"
        case .relay: "the relay's way to the gateway, over the default"
        case .access: "the access networks' delays, over those of their kind"
        case .alike: "part of a delay that a device always has"
        case .radio: "time until a radio is awake, over that of its kind"
        case .names: "times the relay's name must be asked for"
        case .machine: "CPU time of your servers, over the measured machine's"
        case .restart: "time until an app starts anew"
        case .refetch: "time between configurations"
        case .shortLived: "visits to what lives shortly"
        case .shortLife: "how long that lives"
        case .background: "listed requests of apps in the background"
        }
    }

    /// Knowledge that would make an end of it.
    var settledBy: String {
        switch self {
        case .visits, .computerVisits, .requests, .fresh, .revisits, .sites:
            "a day of your proxy log: urlfilter trace describe, or devices[].browsing.trace"
        case .listed: "a day of your proxy log with your list: web.listed.trace"
        case .coverage:
            "the share of your traffic that is of browsers and apps that ask: your device management"
        case .system: "the systems of your devices: your device management"
        case .queryKeys: "a day of your PIR server's log: urlfilter calibrate"
        case .relay, .access, .alike, .radio: "times of lookups on some of your devices: urlfilter doctor"
        case .names: "a log of your resolver"
        case .machine: "urlfilter measure on one of your servers: services.pir.profile"
        case .restart: "one of your devices, watched for a week"
        case .refetch: "a day of your PIR server's log: urlfilter calibrate"
        case .shortLived, .shortLife: "the ages of your list's entries when they are met"
        case .background: "a day of your proxy log: urlfilter trace describe"
        }
    }

    /// It says something only of the URL filter.
    var isOfURLFilter: Bool {
        switch self {
        case .system, .queryKeys, .machine, .refetch, .names: true
        default: false
        }
    }

    /// It says something only of browsing that is made from a profile.
    var isOfBrowsing: Bool {
        switch self {
        case .visits, .computerVisits, .requests, .fresh, .revisits, .sites, .listed, .background: true
        default: false
        }
    }
}
