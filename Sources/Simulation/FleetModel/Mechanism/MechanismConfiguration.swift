package import EventSimulation
package import URLFilter

/// A way of filtering that is no URL filter: what it sees and holds, where its servers stand, and how it fails.
///
/// See the article `Architectures` for what each mechanism of the platform is in these terms.
package struct MechanismConfiguration: Sendable {
    /// Place of the list that decides.
    package enum Keeper: Hashable, Sendable {
        /// On each device, since it fetched it last.
        case device
        /// At the operator's servers, so long after it is published.
        case server(reload: SimulatedDuration)
    }

    /// Question that devices ask a server about what their list seems to have.
    package struct Question: Sendable {
        package var requestBytes: Int
        package var responseBytes: Int
        /// CPU time of the server for an answer, nanoseconds.
        package var cpu: Int64

        package init(requestBytes: Int, responseBytes: Int, cpu: Int64) {
            self.requestBytes = requestBytes
            self.responseBytes = responseBytes
            self.cpu = cpu
        }
    }

    package var keeper: Keeper
    /// Share of loads whose whole URL it sees; of the others it sees the host. In `0...1`.
    package var urlShare = 1.0
    /// Strings of the list that it holds for URLs and for hosts; see ``ListedStrings``. `nil`: all of the list.
    package var urls: ListedStrings?
    package var hosts: ListedStrings?
    /// Parts of URLs that it blocks wherever they stand.
    package var parts: ListedStrings?
    /// Its own matcher finds what an entry means that cannot match in a URL filter. Assumption for every matcher that
    /// is the operator's own.
    package var understandsMeant = false
    /// A hit is confirmed by a server before it counts; `nil` where the device decides alone.
    package var question: Question?
    /// Without it nothing is decided; `nil` for a mechanism without a server of its own.
    package var server: Part?
    /// Servers that stand there; `nil` for a mechanism without, and for one whose servers are simulated.
    package var servers: MechanismServers?
    /// Upkeep of the tunnels to the server; `nil` for a mechanism without tunnels.
    package var tunnel: TunnelRules?
    /// Part of the device's system through which every load has to go: while it hangs, nothing is loaded.
    package var provider: Part?
    /// Share of blocked pages whose reader asks for access on the page that stands in their place; `nil` where there is
    /// no such page. In `0...1`.
    package var requestShare: Double?
    /// Fate of loads while nothing decides.
    package var policy: FailurePolicy
    /// Policy after a hand-over: until the device's tunnel is there again, its loads are blocked, or pass
    /// unseen; `nil`: nothing of the kind.
    package var whileMoving: FailurePolicy?
    /// A device that has found the server out of reach passes it by for so long, without a verdict; `nil`: the policy
    /// decides, and the next load asks again.
    package var passesBy: SimulatedDuration?
    package var path: FilterPath
    package var costs: MechanismCosts
    /// Data that each party can read of a load that it sees.
    package var readers: [Part: Set<Datum>] = [:]

    package init(keeper: Keeper, policy: FailurePolicy, path: FilterPath, costs: MechanismCosts) {
        self.keeper = keeper
        self.policy = policy
        self.path = path
        self.costs = costs
    }
}

/// Strings by their digests, as far as a mechanism holds them.
///
/// A host-level mechanism holds the hosts of the list: those of all entries, so that an entry of a path blocks its
/// whole host, or only those that are entries themselves, so that the others let everything through.
package struct ListedStrings: Sendable {
    private let digests: Set<UInt64>

    /// - Parameter strings: As the expansion of a URL writes them.
    package init(_ strings: some Sequence<[UInt8]>) {
        digests = Set(strings.lazy.map { HitKey(string: $0).rawValue })
    }

    package func contains(_ key: HitKey) -> Bool { digests.contains(key.rawValue & ~1) }
}
