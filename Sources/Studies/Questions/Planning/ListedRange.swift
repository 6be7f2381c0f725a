package import Scenarios
package import Workload

/// How many listed URLs a page view can plausibly meet, judged by the popular hosts that a list names.
///
/// What `web.listed` says of a list decides about every lookup, and nothing else in a scenario knows it: a list with
/// hosts of advertising is met by every page, one of malware by none in a thousand. Presets that were measured with
/// lists of the same kind are the ends.
package struct ListedRange: Codable, Equatable, Sendable {
    /// Kinds of lists, by what they name.
    package enum Kind: String, Codable, Sendable, CaseIterable {
        case advertising, categories, threats

        /// Hosts that nearly everybody's pages load, or that many visit. Assumption: a choice of known ones.
        package var hosts: [String] {
            switch self {
            case .advertising:
                [
                    "3lift.com", "adnxs.com", "adsrvr.org", "amazon-adsystem.com", "bidswitch.net",
                    "casalemedia.com", "criteo.com", "doubleclick.net", "google-analytics.com",
                    "googlesyndication.com", "googletagmanager.com", "moatads.com", "openx.net",
                    "outbrain.com", "pubmatic.com", "quantserve.com", "rubiconproject.com",
                    "scorecardresearch.com", "sharethrough.com", "taboola.com",
                ]
            case .categories:
                [
                    "bet365.com", "discord.com", "facebook.com", "instagram.com", "netflix.com",
                    "onlyfans.com", "pokerstars.com", "pornhub.com", "reddit.com", "roblox.com",
                    "snapchat.com", "steampowered.com", "tiktok.com", "tinder.com", "twitch.tv",
                    "twitter.com", "xhamster.com", "xnxx.com", "xvideos.com", "youtube.com",
                ]
            case .threats: []
            }
        }

        /// Presets of lists of that kind.
        fileprivate var presets: [ListedTraffic] {
            switch self {
            case .advertising: [.schoolDistrict, .advertising]
            case .categories: [.schoolDistrict, .schoolCategories]
            case .threats: [.malware, .schoolDistrict]
            }
        }

        /// Hosts of ``hosts`` that make a list one of that kind. Assumption: fewer are listed by chance.
        fileprivate static let enough = 3
    }

    package var kind: Kind
    /// Hosts of the kind that the list names, of ``Kind/hosts``.
    package var named: Int
    /// Listed URLs of a page view: plausible ends, and as the scenario has it.
    package var least: Double
    package var most: Double
    package var now: Double

    /// - Returns: `nil` for a scenario that counts them in a trace.
    package init?(_ scenario: Scenario, _ index: BlockListIndex) {
        guard scenario.listedTrace == nil else { return nil }
        let found = Kind.allCases.map { kind in
            (kind: kind, named: kind.hosts.count { index.contains($0) || index.contains("www." + $0) })
        }
        let judged = found.first { $0.named >= Kind.enough } ?? (.threats, 0)
        let curve = scenario.web.requestsPerPage
        let objects = max(0, (curve.knots.first { $0.probability >= 0.5 }?.value ?? 1) - 1)
        func listed(_ traffic: ListedTraffic) -> Double { traffic.visitShare + objects * traffic.objectShare }
        let ends = judged.kind.presets.map(listed)
        (kind, named) = (judged.kind, judged.named)
        least = ends.min() ?? 0
        most = ends.max() ?? 0
        now = listed(scenario.web.listed)
    }

    package init(kind: Kind, named: Int, least: Double, most: Double, now: Double) {
        (self.kind, self.named, self.least, self.most, self.now) = (kind, named, least, most, now)
    }

    /// Factors of listed traffic that are plausible, and the scenario's between them; `nil` where it has none.
    package var factors: ClosedRange<Double>? {
        guard now > 0 else { return nil }
        return min(1, least / now)...max(1, most / now)
    }

    /// Presets differ by less for the same list: further away is another kind of list. Assumption.
    private static let tolerated = 3.0

    /// Whether a list of its kind is met about as often as the scenario says.
    package var isPlausible: Bool { now >= least / Self.tolerated && now <= most * Self.tolerated }

    package var source: String {
        let presets =
            switch kind {
            case .advertising: "school-district to advertising"
            case .categories: "school-district to school-categories"
            case .threats: "malware to school-district"
            }
        let hosts = kind.hosts.count
        return "presets \(presets), as the list names "
            + (hosts > 0
                ? "\(named) of \(hosts) known hosts of \(kind.rawValue)" : "hardly any well-known host")
    }
}
