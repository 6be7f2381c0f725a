/// How the fleet's traffic is filtered; article "Architectures".
package enum ArchitectureChoice: String, CaseIterable, Codable, Sendable {
    /// Apple's URL filter: a prefilter on the device, private lookups at the operator's servers.
    case urlFilter
    /// Every device holds the whole list.
    case wholeList
    /// Devices hold the beginnings of hashes, and ask a server about those that a URL has.
    case hashPrefix
    /// A provider on the device sees every flow, or every packet.
    case contentFilter, packetFilter
    /// A filter in the network of a school or a company.
    case onSiteFilter
    case httpProxy, socksProxy
    case fullTunnel, splitTunnel, perAppVPN, appProxy
    /// MASQUE.
    case relay
    case dnsFilter
    /// Rules that the browser compiles, and the list that MDM's built-in filter takes.
    case contentBlocker, builtInList

    /// What an operator has to know besides the numbers.
    package var facts: ArchitectureFacts {
        switch self {
        case .urlFilter:
            .init(
                "URL filter", sees: "whole URLs of apps that ask",
                needs: "iOS 26; supervision where MDM sets it", largestList: nil, asksServers: true)
        case .wholeList:
            .init(
                "whole list", sees: "whole URLs", needs: "nothing of Apple's does it: a yardstick",
                largestList: nil, asksServers: false, isYardstick: true)
        case .hashPrefix:
            .init(
                "hash prefixes", sees: "whole URLs", needs: "nothing of Apple's does it: a yardstick",
                largestList: nil, asksServers: true, isYardstick: true)
        case .contentFilter:
            .init(
                "content filter", sees: "whole URLs of WebKit, hosts of the rest",
                needs: "supervision, or managed apps only", largestList: nil, asksServers: false)
        case .packetFilter:
            .init(
                "packet filter", sees: "hosts", needs: "macOS", largestList: nil, asksServers: false)
        case .onSiteFilter:
            .init(
                "on-site filter", sees: "hosts, or whole URLs where it opens TLS",
                needs: "devices on the site; for TLS its certificate", largestList: nil, asksServers: false)
        case .httpProxy:
            .init(
                "HTTP proxy", sees: "hosts, or whole URLs where it opens TLS", needs: "supervision",
                largestList: nil, asksServers: true)
        case .socksProxy:
            .init(
                "SOCKS proxy", sees: "hosts", needs: "an app of one's own, or per network",
                largestList: nil, asksServers: true)
        case .fullTunnel:
            .init(
                "full tunnel", sees: "hosts", needs: "a profile or an app; on demand rules by MDM",
                largestList: nil, asksServers: true)
        case .splitTunnel:
            .init(
                "split tunnel", sees: "hosts that are routed to it", needs: "a profile or an app",
                largestList: nil, asksServers: true)
        case .perAppVPN:
            .init(
                "per-app VPN", sees: "hosts of managed apps", needs: "MDM", largestList: nil,
                asksServers: true)
        case .appProxy:
            .init(
                "app proxy", sees: "hosts of managed apps", needs: "MDM", largestList: nil, asksServers: true)
        case .relay:
            .init(
                "MASQUE relay", sees: "hosts", needs: "iOS 17; users may switch it off",
                largestList: nil, asksServers: true)
        case .dnsFilter:
            .init(
                "DNS filter", sees: "hosts", needs: "a profile; supervision so that it stays on",
                largestList: nil, asksServers: true)
        case .contentBlocker:
            .init(
                "content blocker", sees: "whole URLs of Safari", needs: "an app, switched on by the user",
                largestList: 150_000, asksServers: false)
        case .builtInList:
            .init(
                "built-in list", sees: "whole URLs of WebKit", needs: "supervision", largestList: 500,
                asksServers: false)
        }
    }
}

/// What an architecture is, in words; article "Architectures".
package struct ArchitectureFacts: Codable, Hashable, Sendable {
    package var name: String
    package var sees: String
    package var needs: String
    /// Entries; `nil` where no limit is known.
    package var largestList: Int?
    /// Something beyond the device has to be reached.
    package var asksServers: Bool
    /// Not to be had from Apple; it says what the others are worth.
    package var isYardstick: Bool

    fileprivate init(
        _ name: String, sees: String, needs: String, largestList: Int?, asksServers: Bool,
        isYardstick: Bool = false
    ) {
        self.name = name
        self.sees = sees
        self.needs = needs
        self.largestList = largestList
        self.asksServers = asksServers
        self.isYardstick = isYardstick
    }
}
