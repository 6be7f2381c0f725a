import EventSimulation
import FleetModel
import RandomStreams
import Testing
import URLFilter

/// Visits to entries of a list of threats: known before they are published, and living shortly.
struct ThreatEntryTests {
    private static let count = 1_000

    /// A visit of each device to an entry of its own in the second hour. An edition comes every hour, and devices fetch
    /// every hour at a phase of their own.
    private func world(_ threats: ThreatEntries, between hours: ClosedRange<Double> = 1...2) -> World {
        var world = World()
        world.duration = .hours(2)
        world.prefilter.republishInterval = .hours(1)
        world.prefilter.threats = threats
        world.device.prefilterFetchInterval = World.hour
        world.loads = (0..<Self.count).map { number in
            let place = (Double(number) + 0.5) / Double(Self.count)
            return .init(
                at: .hours(hours.lowerBound + place * (hours.upperBound - hours.lowerBound)), client: number,
                url: "https://listed\(number).example/")
        }
        return world
    }

    /// A visit at x hours after the edition is blocked if the entry was known before it (its age is above x) and the
    /// device has fetched since (chance x), or if it was known before the edition before.
    ///
    /// - Life of half an hour: the integral of x (1 - x / 0.5) over 0...0.5 is 1 / 24.
    /// - Life of two hours: that of x / 2 + (1 - x) / 2 over 0...1 is 1 / 2.
    /// - Half of the visits to entries of two hours: the others are blocked.
    @Test(arguments: [(0.5, 1.0, 1.0 / 24), (2.0, 1.0, 0.5), (2.0, 0.5, 0.75)])
    func visitsFollowTheAgeOfAnEntry(life: Double, share: Double, blocked: Double) throws {
        let world = world(ThreatEntries(shortLivedShare: share, shortLife: .hours(life)))
        let spread = 5 * (blocked * (1 - blocked) / Double(Self.count)).squareRoot()
        let urls = try world.run().urls
        #expect(urls.listed == Self.count && urls.leaked == urls.stale)
        #expect(abs(Double(urls.blockedByServer) / Double(Self.count) - blocked) < spread)
        let list = try WholeListTests.run(world).urls
        #expect(list.listed == Self.count && list.leaked == list.stale)
        #expect(abs(Double(list.blockedByDevice ?? 0) / Double(Self.count) - blocked) < spread)
    }

    /// All entries are new in the edition after an hour; each becomes known at an even time of that hour. Of the visits in
    /// it half meet one that is known, and nobody can block any.
    @Test func anEntryIsKnownBeforeItIsPublished() throws {
        var world = world(ThreatEntries(shortLivedShare: 0, shortLife: .hours(1)), between: 0...1)
        world.duration = .hours(1)
        world.prefilter.newEntryShare = 1
        let urls = try world.run().urls
        #expect(
            abs(Double(urls.listed) / Double(Self.count) - 0.5) < 5 * (0.25 / Double(Self.count)).squareRoot()
        )
        #expect(urls.stale == urls.listed && urls.leaked == urls.listed)
        let list = try WholeListTests.run(world).urls
        #expect(list.stale == urls.stale && list.listed == urls.listed)
    }
}
