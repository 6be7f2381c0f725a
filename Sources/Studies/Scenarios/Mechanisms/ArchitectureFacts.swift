/// Everything that an operator has to know of an architecture besides the numbers; article "Architectures".
package struct ArchitectureFacts: Codable, Hashable, Sendable {
    package var name: String
    /// Ways to have it, each with everything that it takes; any of them is enough. A way without needs is a profile
    /// that whoever holds the device installs.
    package var needs: Sourced<[[Need]]>
    /// Whether it filters outside the operator's own network, too.
    package var isEverywhere: Sourced<Bool>
    package var runsOn: Sourced<[Platform]>
    package var browsers: Sourced<Browsers>
    package var sees: Sourced<Sight>
    package var blockPage: Sourced<BlockPage>
    /// A condition besides the others that decides whether it is any good.
    package var remark: String?
    /// Entries; `nil` where no limit is known.
    package var largestList: Int?
    /// Something beyond the device has to be reached.
    package var asksServers: Bool
    /// Not to be had from Apple; it says what the others are worth.
    package var isYardstick = false

    /// Something that not everybody has.
    package enum Need: String, CaseIterable, Codable, Sendable {
        case supervised, mdm, app, approval, network, macs
    }

    package enum Platform: String, CaseIterable, Codable, Sendable {
        /// iPhones, too.
        case iPads
        case macs
    }

    /// Which browsers are filtered.
    package enum Browsers: String, Codable, Sendable {
        case all
        /// WebKit, and those that ask the filter by themselves.
        case asking
        /// Those that leave names and connections to the system.
        case system
        case webKit
        case safari
        /// Apps that device management has installed and that are bound to it.
        case managed
    }

    /// The part of a load that the mechanism sees.
    package enum Sight: String, Codable, Sendable {
        case urls
        case hosts
        /// URLs of WebKit, hosts of everything else.
        case both
        /// URLs where the operator opens TLS, hosts elsewhere.
        case hostsUnlessOpened
    }

    /// Whether people are told why a page does not load.
    package enum BlockPage: String, Codable, Sendable {
        case shown
        case absent
        /// Traffic where the operator opens TLS.
        case whereOpened
        case notPublished
    }

    /// Needs that are missing of the way that lacks least.
    ///
    /// - Returns: Nothing if one way is open.
    package func missing(with have: Set<Need>) -> [Need] {
        needs.value.map { way in way.filter { !have.contains($0) } }.min { $0.count < $1.count } ?? []
    }
}

/// A fact, and where it was read.
package struct Sourced<Value: Codable & Hashable & Sendable>: Codable, Hashable, Sendable {
    package var value: Value
    package var source: FactSource

    init(_ value: Value, _ source: FactSource) {
        self.value = value
        self.source = source
    }
}

/// Sources of facts about mechanisms; the article "Other architectures" has the addresses.
package enum FactSource: String, CaseIterable, Codable, Sendable {
    case urlFilters = "Apple, Network Extension: URL filters"
    case filterProviders = "Apple, Network Extension: content filter providers"
    case providerDeployment = "Apple, TN3134: Network Extension provider deployment"
    case onboarding = "apple/pir-service-example, Onboarding.md"
    case filterPayload = "apple/device-management, com.apple.webcontent-filter"
    case proxyPayload = "apple/device-management, com.apple.proxy.http.global"
    case tunnelPayload = "apple/device-management, com.apple.vpn.managed and com.apple.vpn.managed.applayer"
    case relayPayload = "apple/device-management, com.apple.relay.managed"
    case resolverPayload = "apple/device-management, com.apple.dnsSettings.managed"
    case deploymentGuide = "Apple Platform Deployment: filter content for Apple devices"
    case contentBlockers = "Apple, Safari Services: content blockers"
    /// A conclusion from what the mechanism is: a server that is reached over the Internet is reached at home.
    case inferred = "inferred from the mechanism"
    /// Looked for and not found.
    case notPublished = "not published"
}
