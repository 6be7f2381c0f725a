import EventSimulation
import FleetModel
import Testing
import URLFilter
import Workload

/// Entries that no URL can match, and the URLs that they mean.
struct UnmatchableTests {
    private static let entries = BlockList([
        "listed.example", "decoy.example/Upper", "HTTPS://scheme.example/", "www.host.example", "a b.example",
    ])

    private func run(_ urls: [String], change: (inout World) -> Void = { _ in }) throws -> ReplicationRecord {
        var world = World()
        world.entries = Self.entries
        world.loads = urls.enumerated().map {
            .init(at: .seconds(Double(1 + 5 * $0.offset)), url: $0.element)
        }
        change(&world)
        return try world.run()
    }

    @Test func whatAnEntryMeansAndCannotMatchLeaks() throws {
        let record = try run([
            "https://listed.example/",
            // Up to case, scheme, www. and a slash; the entry is the URL or its host. The first one hits falsely.
            "https://decoy.example/upper", "http://www.Scheme.example", "https://scheme.example/page",
            "https://host.example/a?b", "https://www.host.example/",
            // Below an entry, or on another host, is not plain.
            "https://other.example/upper", "https://sub.host.example/",
        ])
        #expect(record.urls.checked == 8)
        #expect(record.urls.listed == 6)
        #expect(record.urls.blockedByServer == 1)
        #expect(record.urls.allowedByServer == 1)
        #expect(record.urls.allowedByPrefilter == 6)
        #expect(record.urls.leaked == 5)
        #expect(record.urls.unmatchable == 5)
        #expect(record.series.points.reduce(0) { $0 + $1.leaked } == 5)
        #expect(record.urlFilter.lookups.sent == 2)
    }

    @Test func aListWhoseEntriesAllMatchHasNoSuchCount() throws {
        let record = try run(["https://listed.example/"]) { $0.entries = World.list }
        #expect(record.urls.unmatchable == nil)
        #expect(record.urls.leaked == 0)
    }

    @Test func whatThePolicyBlocksNeitherLeaksNorIsBlockedFalsely() throws {
        let urls = ["https://host.example/", "https://other.example/"]
        for policy in [FailurePolicy.failOpen, .failClosed] {
            let record = try run(urls) { world in
                world.policy = policy
                world.start = .cold
                for index in world.loads.indices { world.loads[index].at = .nanoseconds(1) }
            }
            let blocks = policy == .failClosed
            #expect(record.urls.listed == 1)
            #expect(record.urls.leaked == (blocks ? 0 : 1))
            #expect(record.urls.unmatchable == record.urls.leaked)
            #expect(record.urls.falselyBlocked == (blocks ? 1 : 0))
            #expect(record.brokenPages == (blocks ? 1 : 0))
        }
    }

    /// Apps that do not ask leak for another reason.
    @Test func anAppThatDoesNotAskIsNotTheEntrysFault() throws {
        let record = try run(["https://host.example/"]) { $0.usage.coverage = 0 }
        #expect(record.urls.notAsked?.count == 1)
        #expect(record.urls.notAsked?.listed == 1)
        #expect(record.urls.leaked == 1)
        #expect(record.urls.unmatchable == 0)
    }

    /// Each visit of the synthetic web to an entry is blocked where the entry matches, and leaks where it does not.
    @Test(arguments: [FreshURLTreatment.bulk, .tested])
    func visitsOfTheSyntheticWeb(treatment: FreshURLTreatment) throws {
        func record(_ entry: String) throws -> PageRecord {
            var parameters = WebParameters()
            parameters.siteCount = 10
            var table = TextTable(name: "entries")
            try table.append(entry.utf8)
            let web = try SyntheticWeb(parameters, seed: 5, entries: table)
            let catalog = try World.catalog(BlockList([entry]))
            var lens = PageLens(catalog, web: web, treatment: treatment, blockingShare: 0)
            return lens.record(site: .listed(0), page: 0)
        }
        // Of the two only the first is in the prefilter and on the list as devices look it up.
        let (matching, dead) = (try record("listed.example"), try record("www.listed.example"))
        let isNamed = matching.hits.map { matching.keys[Int($0.firstKey)].isListed }
        #expect(isNamed.contains(true))
        #expect(matching.hits.filter(\.isMeant).isEmpty)
        #expect(!dead.hits.filter(\.isMeant).isEmpty)
        #expect(dead.keys.filter(\.isListed).isEmpty)
    }

    @Test func entriesAreCountedByTheFirstReason() throws {
        let list = BlockList(
            [
                "fine.example", "www.a.example", "https://WWW.b.example", "c.example/X", "d.example/Y",
                "e e.example",
            ]
                + (0..<9_000).map { "f\($0).example" } + ["g.example/Z", "h.example/W"])
        let documented = UnmatchableEntries(list, rules: .documented)
        let counts = documented.groups.mapValues(\.count)
        #expect(counts == [.www: 1, .scheme: 1, .upperCase: 4, .blank: 1])
        #expect(
            documented.groups[.upperCase]?.examples.map { String(decoding: $0, as: UTF8.self) }
                == ["c.example/X", "d.example/Y", "g.example/Z"])
        // iOS 26 looks up hosts with and without www., and paths as they are.
        let older = UnmatchableEntries(list, rules: .iOS26).groups.mapValues(\.count)
        #expect(older == [.scheme: 1, .blank: 1])
        let url = Array("https://d.example/y/".utf8)
        let meaning = url.withUnsafeBufferPointer { documented.meaning($0) }
        #expect(meaning == 4)
    }
}
