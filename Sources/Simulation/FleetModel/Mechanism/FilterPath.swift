import Decoding
package import EventSimulation
package import RandomStreams

/// Round trips until something is there, by where they go.
///
/// With D the round trip from device to the operator's server, P from there to the site, R straight to the site, and A
/// the part of D and R that is the device's access network.
package struct RoundTrips: Hashable, Sendable {
    /// D, P and R.
    package var server: Double
    package var site: Double
    package var direct: Double
    /// D - A: to a server in place of one at the edge of the access network, as of a resolver.
    package var detour: Double

    package init(server: Double = 0, site: Double = 0, direct: Double = 0, detour: Double = 0) {
        self.server = server
        self.site = site
        self.direct = direct
        self.detour = detour
    }

    package static func + (left: Self, right: Self) -> Self {
        Self(
            server: left.server + right.server, site: left.site + right.site,
            direct: left.direct + right.direct, detour: left.detour + right.detour)
    }

    package static func * (trips: Self, factor: Double) -> Self {
        Self(
            server: trips.server * factor, site: trips.site * factor, direct: trips.direct * factor,
            detour: trips.detour * factor)
    }

    var isNone: Bool { self == Self() }
}

/// Shape of a page for networks and servers. Every number is a mean; the chain is what the reader waits for.
package struct PageShape: Hashable, Sendable {
    package var requests: Double
    package var bytes: Double
    /// Hosts that the page connects to.
    package var hosts: Double
    /// Requests that follow one after the other, and of those the ones to a host that was not connected yet.
    package var chain: Double
    package var chainHosts: Double

    package init(requests: Double, bytes: Double, hosts: Double, chain: Double, chainHosts: Double) {
        precondition(
            chainHosts <= chain && chain <= requests, "a chain of \(chain) has no \(chainHosts) new hosts")
        self.requests = requests
        self.bytes = bytes
        self.hosts = hosts
        self.chain = chain
        self.chainHosts = chainHosts
    }

    /// A page of so many times the requests. What belongs to the document stays; the rest grows with the page.
    func scaled(by factor: Double) -> PageShape {
        let count = max(requests * factor, 1)
        let growth = requests > 1 ? (count - 1) / (requests - 1) : 1
        func grown(_ value: Double) -> Double { 1 + (value - 1) * growth }
        var page = self
        (page.requests, page.bytes, page.hosts) = (count, bytes * factor, grown(max(hosts, 1)))
        (page.chain, page.chainHosts) = (grown(chain), grown(chainHosts))
        return page
    }

    /// Flows that a serial queue takes until the last of the chain is through: the page's hosts begin in equal parts at
    /// the chain's new hosts, and the one of the chain stands anywhere in its part.
    var flowsOfChain: Double { (max(hosts, chainHosts) + chainHosts) / 2 }
}

/// Way of loads through a mechanism and what it takes, beside the way without one.
package struct FilterPath: Sendable {
    /// To the first byte from a host that was not connected, and of a further request; without the time for a name.
    package var newHost: RoundTrips
    package var request: RoundTrips
    /// The same without a mechanism.
    package var directNewHost: RoundTrips
    package var directRequest: RoundTrips
    /// Until a packet that the access network lost is there again: from who keeps a copy. A proxy does, a tunnel does
    /// not.
    package var resending = FilterPath.directResending
    /// Time that the device itself takes over each new connection, one after the other.
    package var perFlow = SimulatedDuration.zero
    /// After a hand-over, until loads pass again: how long nobody notices, and the round trips of setting up.
    package var noticing = SimulatedDuration.zero
    package var setUp = RoundTrips()
    /// One way from the edge of the access network to the operator's server, and from either to a site, seconds.
    package var serverDelay = Distribution.constant(0)
    package var siteDelay: Distribution
    package var page: PageShape

    /// The way straight to the sites.
    package init(newHost: RoundTrips, request: RoundTrips, siteDelay: Distribution, page: PageShape) {
        (self.newHost, self.request) = (newHost, request)
        (directNewHost, directRequest) = (newHost, request)
        self.siteDelay = siteDelay
        self.page = page
    }
}

/// Draws what a mechanism adds to pages of the devices of a group.
///
/// Both ways take the same draws, so that the difference is that of the mechanism: a round trip straight to a site has
/// the access network and the way to the site in common with the one through the server.
struct PathSampler {
    let path: FilterPath
    let access: AccessNetwork

    /// Scores that all round trips of one page have in common: of the way to the edge, from there to the server, and to
    /// the sites.
    struct Scores {
        var access = 0.0
        var server = 0.0
        var site = 0.0
    }

    /// - Parameter access: Of the device, ``World/path(of:at:)``.
    func scores(access path: Double, using stream: inout RandomStream) -> Scores {
        let share = access.memory.pathShare
        guard share > 0 else { return Scores() }
        return Scores(
            access: path, server: share.squareRoot() * stream.standardNormal(),
            site: share.squareRoot() * stream.standardNormal())
    }

    /// Time that a page takes longer, seconds; 0 for a mechanism that is not in the way.
    func addedTime(of page: PageShape, _ scores: Scores, using stream: inout RandomStream) -> Double {
        let later = page.chain - page.chainHosts
        return added(path.newHost, path.directNewHost, times: page.chainHosts, scores, using: &stream)
            + added(path.request, path.directRequest, times: later, scores, using: &stream)
            + page.flowsOfChain * path.perFlow.seconds
    }

    /// Time that the chain of a page waits longer for packets which the access network lost, seconds.
    ///
    /// As many are lost without the mechanism, but come again on the way straight to the site. Below 0 where a server
    /// that is nearer than the sites keeps copies. Handshakes are small beside answers, and lose nothing.
    func resendingTime(of page: PageShape, _ scores: Scores, using stream: inout RandomStream) -> Double {
        guard access.loss > 0, path.resending != FilterPath.directResending else { return 0 }
        let bytes = Int(saturating: page.bytes / max(page.requests, 1))
        var (sum, left) = (0.0, page.chain)
        // What rounding leaves of a whole number is no request.
        while left > 1e-9 {
            let trips = PacketLoss.roundTrips(bytes: bytes, rate: access.loss, using: &stream)
            for _ in 0..<trips {
                sum +=
                    min(left, 1)
                    * difference(path.resending, FilterPath.directResending, scores, using: &stream)
            }
            left -= 1
        }
        return sum
    }

    /// Time from a hand-over until loads pass again, seconds.
    func setUpTime(_ scores: Scores, using stream: inout RandomStream) -> Double {
        path.noticing.seconds + time(of: path.setUp, scores, using: &stream)
    }

    /// Time of some round trips, seconds.
    func time(of trips: RoundTrips, _ scores: Scores, using stream: inout RandomStream) -> Double {
        added(trips, RoundTrips(), times: 1, scores, using: &stream)
    }

    private func added(
        _ through: RoundTrips, _ direct: RoundTrips, times: Double, _ scores: Scores,
        using stream: inout RandomStream
    ) -> Double {
        guard through != direct else { return 0 }
        var (sum, left) = (0.0, times)
        while left > 0 {
            let share = min(left, 1)
            sum += share * difference(through, direct, scores, using: &stream)
            left -= share
        }
        return sum
    }

    /// Each round trip draws anew what its legs do not have in common with the others of the page.
    private func difference(
        _ through: RoundTrips, _ direct: RoundTrips, _ scores: Scores, using stream: inout RandomStream
    ) -> Double {
        var sum = 0.0
        let trips = max(
            through.server, through.site, through.direct, through.detour, direct.direct)
        var passed = 0.0
        while passed < trips {
            let access = roundTrip(self.access.oneWayDelay, scores.access, using: &stream)
            let server = roundTrip(path.serverDelay, scores.server, using: &stream)
            let site = roundTrip(path.siteDelay, scores.site, using: &stream)
            func part(_ count: Double) -> Double { min(max(count - passed, 0), 1) }
            sum += part(through.server) * (access + server) + part(through.site) * site
            sum += part(through.direct) * (access + site) + part(through.detour) * server
            sum -= part(direct.direct) * (access + site)
            passed += 1
        }
        return sum
    }
}

extension PathSampler {
    private func roundTrip(
        _ delay: Distribution, _ score: Double, using stream: inout RandomStream
    ) -> Double {
        access.memory.draw(delay, path: score, using: &stream)
            + access.memory.draw(delay, path: score, using: &stream)
    }
}

extension FilterPath {
    /// A lost packet comes again from the site.
    package static let directResending = RoundTrips(direct: 1)

    /// Pages take longer.
    package var addsTime: Bool {
        newHost != directNewHost || request != directRequest || perFlow > .zero
    }

    /// Time from a hand-over until loads pass again, with mean delays.
    ///
    /// - Parameter access: One way over the access network, seconds.
    func meanSetUp(access: Distribution) -> SimulatedDuration {
        let (server, site) = (access.mean + serverDelay.mean, siteDelay.mean)
        let trips = setUp.server * server + setUp.site * site + setUp.direct * (access.mean + site)
        return noticing + .seconds(2 * trips + 2 * setUp.detour * serverDelay.mean)
    }
}
