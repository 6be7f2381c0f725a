import EventSimulation
import FleetModel
import Foundation
import RandomStreams
import Statistics
import TestSupport
import Testing
import URLFilter
import Workload

/// Pages that are looked at in bulk, against pages whose every string is made and tested.
struct PageTests {
    private static let rules: [MatchingRules] = [.iOS26, .documented, .iOS27(ParsingConfiguration())]

    /// The list has names that no page contains, so that every hit is false.
    private func catalog(rules: MatchingRules = .documented, tolerance: Double = 0.01) throws -> URLCatalog {
        let entries = (0..<2_000).map { "blocked\($0).invalid" }
        var filter = BloomFilter(
            parameters: try BloomParameters(
                entryCount: entries.count, falsePositiveTolerance: tolerance, murmurSeed: 7))
        for entry in entries { filter.insert(KeyDigest(entry, murmurSeed: 7)) }
        var stream = RandomStream(seed: 1, replication: 0, entity: 0, purpose: StreamPurpose("test probes"))
        let probes = 1 << 20
        var hits = 0
        for _ in 0..<probes {
            let bits = stream.next()
            let digest = KeyDigest(
                start: UInt32(truncatingIfNeeded: bits), step: UInt32(truncatingIfNeeded: bits >> 32))
            if filter.mayContain(digest) { hits += 1 }
        }
        return URLCatalog(
            filter: filter, list: BlockListIndex(BlockList(entries)), rules: rules,
            strayHits: try GeometricSkip(probability: Double(hits) / Double(probes)))
    }

    private func lens(
        _ catalog: URLCatalog, seed: UInt64, _ treatment: FreshURLTreatment
    ) throws -> PageLens {
        var parameters = WebParameters()
        // Hits of a script that every page loads would say little, however many pages are looked at.
        parameters.thirdPartyExponent = 0.2
        parameters.pagesPerSite = QuantileCurve(
            [.init(0.5, 300), .init(0.95, 6_000)], minimum: 10, maximum: 65_536)
        return PageLens(
            catalog, web: try SyntheticWeb(parameters, seed: seed), treatment: treatment, blockingShare: 0)
    }

    @Test("the strings of a page are counted exactly", arguments: rules)
    func stringCounts(rules: MatchingRules) throws {
        let catalog = try catalog(rules: rules)
        var drawn = try lens(catalog, seed: 3, .bulk)
        var tested = try lens(catalog, seed: 3, .tested)
        for number in 0..<300 {
            let site = SiteNumber.ranked(number * 61)
            let (one, other) = (
                drawn.record(site: site, page: number % 7), tested.record(site: site, page: number % 7)
            )
            #expect(one.objectCount == other.objectCount)
            #expect(one.unparseableCount == other.unparseableCount)
            #expect(one.stringCount == other.stringCount)
            #expect(one.freshStringCount == other.freshStringCount)
        }
    }

    /// Hits per page, first of drawn pages and then of tested pages of other webs, compared as two samples.
    @Test("drawn pages hit as tested ones do", arguments: [MatchingRules.iOS26, .documented])
    func hits(rules: MatchingRules) throws {
        let catalog = try catalog(rules: rules)
        func sample(_ seeds: ClosedRange<UInt64>, _ treatment: FreshURLTreatment) throws -> (
            pages: [Double], perString: [Double], keysPerHit: [Double]
        ) {
            var result: (pages: [Double], perString: [Double], keysPerHit: [Double]) = ([], [], [])
            for seed in seeds {
                var lens = try lens(catalog, seed: seed, treatment)
                var (keys, strings, hits) = (0, 0, 0)
                for number in 0..<40 {
                    let page = lens.record(site: .ranked(number * 331), page: number % 5)
                    result.pages.append(Double(page.hits.count))
                    keys += page.keys.count
                    strings += page.stringCount - page.freshStringCount
                    hits += page.hits.count
                }
                result.perString.append(Double(keys) / Double(strings))
                result.keysPerHit.append(Double(keys) / Double(hits))
            }
            return result
        }
        let drawn = try sample(1...12, .bulk)
        let tested = try sample(101...112, .tested)
        let test = try #require(KolmogorovSmirnov(drawn.pages, tested.pages))
        #expect(test.pValue > 0.001, "p = \(test.pValue)")
        for (one, other) in [(drawn.perString, tested.perString), (drawn.keysPerHit, tested.keysPerHit)] {
            let comparison = try #require(
                PairedDifference(baseline: other, candidate: one, confidence: 0.999))
            #expect(comparison.difference.bounds.contains(0), "\(comparison.difference)")
            let mean = other.reduce(0, +) / Double(other.count)
            #expect(comparison.difference.halfWidth < 0.2 * mean, "too wide to say anything")
        }
    }

    @Test func anObjectHitsTheSameOnEveryPageAndForEveryThread() throws {
        let catalog = try catalog(tolerance: 0.05)
        var one = try lens(catalog, seed: 3, .bulk)
        var other = try lens(catalog, seed: 3, .bulk)
        var seen: [UInt64: [HitKey]] = [:]
        var repeated = 0
        for number in 0..<200 {
            let site = SiteNumber.ranked(number)
            let page = one.record(site: site, page: 1)
            // The other one has seen other pages before.
            _ = other.record(site: .ranked(900 - number), page: 2)
            #expect(other.record(site: site, page: 1).keys == page.keys)
            other.outline(site: site, page: 1)
            for hit in page.hits {
                let first = Int(hit.firstKey)
                let keys = Array(page.keys[first..<(first + Int(hit.keyCount))])
                let identity = other.outline.object(at: Int(hit.object)).identity
                if let before = seen[identity] {
                    #expect(before == keys)
                    repeated += 1
                }
                seen[identity] = keys
            }
        }
        #expect(repeated > 50)
    }

    /// Rules that look for names in the query cannot be counted by structure.
    @Test func rulesThatLookIntoQueriesTestEveryString() throws {
        var configuration = ParsingConfiguration()
        configuration.query.parameters = ["a"]
        let catalog = try catalog(rules: .iOS27(configuration))
        var drawn = try lens(catalog, seed: 3, .bulk)
        var tested = try lens(catalog, seed: 3, .tested)
        for number in 0..<20 {
            let site = SiteNumber.ranked(number)
            #expect(drawn.record(site: site, page: 1).keys == tested.record(site: site, page: 1).keys)
        }
    }

    /// A page with hits everywhere, of which each waits for the verdict of the one before it.
    @Test("objects wait for the objects that they depend on", arguments: [0.0, 1.0])
    func dependentObjects(share: Double) throws {
        var parameters = WebParameters()
        parameters.adHeavyFreshShare = 0
        parameters.plainFreshShare = 0
        parameters.repeatedObjectShare = 0
        let web = try SyntheticWeb(parameters, seed: 2)
        var profile = BrowsingProfile.adult
        profile.visitsPerActiveDay = .constant(40)
        profile.thinkSeconds = .constant(600)
        profile.activeDayShare = 1
        var world = World()
        world.duration = .hours(24)
        world.behaviour.blockingShare = share
        let groups = [
            DeviceGroup(
                name: "one", count: 1, workload: .synthetic(web, try BrowsingHabits(profile)),
                access: world.access, rules: .documented)
        ]
        let work = ScriptedWork { endpoint, stage in
            endpoint == .queries && stage == .serviceAnswers ? 500_000_000 : 1_000
        }
        var configuration = world.configuration(groups: groups)
        configuration.freshURLs = .bulk
        let record = try #require(
            try runReplication(
                configuration, catalogs: [try catalog(tolerance: 0.01)], .urlFilter(work), replication: 0))
        expectConserved(record)
        #expect(record.urlFilter.lookups.sent > 100)
        #expect(share == 1 ? work.mostLookups == 1 : work.mostLookups > 3)
    }
}
