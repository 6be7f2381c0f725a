extension ArchitectureChoice {
    /// All that an operator has to know besides the numbers.
    package var facts: ArchitectureFacts {
        switch self {
        case .urlFilter, .wholeList, .hashPrefix: privateFacts
        case .contentFilter, .packetFilter, .contentBlocker, .builtInList: deviceFacts
        case .onSiteFilter, .httpProxy, .socksProxy: proxyFacts
        case .fullTunnel, .splitTunnel, .perAppVPN, .appProxy: tunnelFacts
        case .relay, .dnsFilter: systemFacts
        }
    }

    private static let both: [ArchitectureFacts.Platform] = [.iPads, .macs]

    /// The URL filter and its yardsticks, which nothing of Apple's does.
    private var privateFacts: ArchitectureFacts {
        var facts = ArchitectureFacts(
            name: "URL filter", needs: Sourced([[.app, .approval]], .onboarding),
            isEverywhere: Sourced(true, .urlFilters), runsOn: Sourced(Self.both, .filterPayload),
            browsers: Sourced(.asking, .urlFilters), sees: Sourced(.urls, .urlFilters),
            blockPage: Sourced(.absent, .urlFilters), remark: "iOS 26; supervision where MDM sets it",
            asksServers: true)
        if self == .urlFilter { return facts }
        facts.name = self == .wholeList ? "whole list" : "hash prefixes"
        facts.needs = Sourced([], .inferred)
        facts.remark = "nothing of Apple's does it: a yardstick"
        facts.asksServers = self == .hashPrefix
        facts.isYardstick = true
        return facts
    }

    private var deviceFacts: ArchitectureFacts {
        switch self {
        case .packetFilter:
            ArchitectureFacts(
                name: "packet filter", needs: Sourced([[.app, .macs]], .filterPayload),
                isEverywhere: Sourced(true, .inferred), runsOn: Sourced([.macs], .filterPayload),
                browsers: Sourced(.all, .filterProviders), sees: Sourced(.hosts, .filterProviders),
                blockPage: Sourced(.absent, .inferred), asksServers: false)
        case .contentBlocker:
            ArchitectureFacts(
                name: "content blocker", needs: Sourced([[.app]], .contentBlockers),
                isEverywhere: Sourced(true, .inferred), runsOn: Sourced(Self.both, .contentBlockers),
                browsers: Sourced(.safari, .contentBlockers), sees: Sourced(.urls, .contentBlockers),
                blockPage: Sourced(.absent, .inferred), remark: "the user switches it on",
                largestList: 150_000, asksServers: false)
        case .builtInList:
            ArchitectureFacts(
                name: "built-in list", needs: Sourced([[.supervised]], .filterPayload),
                isEverywhere: Sourced(true, .inferred), runsOn: Sourced([.iPads], .filterPayload),
                browsers: Sourced(.webKit, .deploymentGuide), sees: Sourced(.urls, .filterPayload),
                blockPage: Sourced(.notPublished, .notPublished), largestList: 500, asksServers: false)
        default:
            ArchitectureFacts(
                name: "content filter",
                needs: Sourced([[.app, .supervised], [.app, .macs]], .providerDeployment),
                isEverywhere: Sourced(true, .inferred), runsOn: Sourced(Self.both, .providerDeployment),
                browsers: Sourced(.all, .filterProviders), sees: Sourced(.both, .filterProviders),
                blockPage: Sourced(.shown, .filterProviders),
                remark: "iPads without supervision: managed apps only, by MDM; a page of its own in WebKit",
                asksServers: false)
        }
    }

    private var proxyFacts: ArchitectureFacts {
        switch self {
        case .onSiteFilter:
            ArchitectureFacts(
                name: "on-site filter", needs: Sourced([[.network]], .inferred),
                isEverywhere: Sourced(false, .inferred), runsOn: Sourced(Self.both, .inferred),
                browsers: Sourced(.all, .inferred), sees: Sourced(.hostsUnlessOpened, .inferred),
                blockPage: Sourced(.whereOpened, .inferred),
                remark: "TLS is opened with a certificate that devices have to trust", asksServers: false)
        case .socksProxy:
            ArchitectureFacts(
                name: "SOCKS proxy", needs: Sourced([[.app], [.network]], .inferred),
                isEverywhere: Sourced(true, .inferred), runsOn: Sourced(Self.both, .inferred),
                browsers: Sourced(.system, .inferred), sees: Sourced(.hosts, .inferred),
                blockPage: Sourced(.absent, .inferred), asksServers: true)
        default:
            ArchitectureFacts(
                name: "HTTP proxy", needs: Sourced([[.supervised], [.macs]], .proxyPayload),
                isEverywhere: Sourced(true, .deploymentGuide), runsOn: Sourced(Self.both, .proxyPayload),
                browsers: Sourced(.system, .deploymentGuide), sees: Sourced(.hostsUnlessOpened, .inferred),
                blockPage: Sourced(.whereOpened, .inferred),
                remark: "TLS is opened with a certificate that devices have to trust", asksServers: true)
        }
    }

    /// Tunnels of a whole device need only a profile; what is bound to apps needs somebody who installs them.
    private var tunnelFacts: ArchitectureFacts {
        let (name, needs): (String, [ArchitectureFacts.Need]) =
            switch self {
            case .splitTunnel: ("split tunnel", [])
            case .perAppVPN: ("per-app VPN", [.mdm])
            case .appProxy: ("app proxy", [.app, .mdm])
            default: ("full tunnel", [])
            }
        let ofApps = self == .perAppVPN || self == .appProxy
        return ArchitectureFacts(
            name: name, needs: Sourced([needs], ofApps ? .providerDeployment : .tunnelPayload),
            isEverywhere: Sourced(true, .inferred), runsOn: Sourced(Self.both, .tunnelPayload),
            browsers: Sourced(ofApps ? .managed : .all, .tunnelPayload), sees: Sourced(.hosts, .inferred),
            blockPage: Sourced(.absent, .inferred),
            remark: ofApps ? nil : "users may end it, unless on-demand rules of MDM forbid it",
            asksServers: true)
    }

    private var systemFacts: ArchitectureFacts {
        self == .relay
            ? ArchitectureFacts(
                name: "MASQUE relay", needs: Sourced([[]], .relayPayload),
                isEverywhere: Sourced(true, .inferred), runsOn: Sourced(Self.both, .relayPayload),
                browsers: Sourced(.system, .inferred), sees: Sourced(.hosts, .inferred),
                blockPage: Sourced(.absent, .inferred), remark: "iOS 17; users may switch it off",
                asksServers: true)
            : ArchitectureFacts(
                name: "DNS filter", needs: Sourced([[]], .resolverPayload),
                isEverywhere: Sourced(true, .inferred), runsOn: Sourced(Self.both, .resolverPayload),
                browsers: Sourced(.system, .inferred), sees: Sourced(.hosts, .inferred),
                blockPage: Sourced(.absent, .inferred),
                remark:
                    "by MDM on managed Wi-Fi only, if supervised from iOS 27 on everywhere; supervision keeps it on",
                asksServers: true)
    }
}
