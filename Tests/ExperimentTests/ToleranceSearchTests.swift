import FleetModel
import Foundation
import Questions
import RandomStreams
import Scenarios
import Testing
import URLFilter

/// The tolerance that costs least, against a fine grid.
struct ToleranceSearchTests {
    /// Money of a plan: downloads by the bits of a prefilter, bytes by the lookups, and whole servers.
    private static func money(
        _ tolerance: Double, downloads: Double, bytes: Double, server: Double, load: Double, base: Double
    ) -> ToleranceSearch.Money {
        let stray = -expm1(40 * log1p(-tolerance))
        let servers = (base + load * stray).rounded(.up)
        return .init(downloads: -downloads * log(tolerance), rest: bytes * stray + server * servers)
    }

    /// Three million places against a few hundred: the search is off by no more than it says.
    @Test func noGridFindsLess() throws {
        var random = RandomStream(
            seed: 5, replication: 0, entity: 0, purpose: StreamPurpose("tolerance test"))
        for _ in 0..<12 {
            let (downloads, bytes) = (3_000 * random.uniform(), 40_000 * random.uniform())
            let (server, load) = (2_000 * random.uniform(), 60 * random.uniform())
            let base = 1 + random.uniform()
            func money(_ tolerance: Double) -> ToleranceSearch.Money {
                Self.money(
                    tolerance, downloads: downloads, bytes: bytes, server: server, load: load, base: base)
            }
            let found = try #require(try ToleranceSearch().find(money))
            let (low, high) = (log(1e-8), log(1e-2))
            let best = (0...100_000).map { money(exp(low + (high - low) * Double($0) / 100_000)).total }.min()
            #expect(found.money.total <= (best ?? 0) * (1 + ToleranceSearch.precision), "\(found)")
            #expect(found.money == money(found.tolerance) && found.steps <= 400)
        }
    }

    /// Without steps: d/dp of -D ln p + B p is 0 at D / B.
    @Test func theSmoothOptimumIsThatOfTheDerivative() throws {
        let found = try #require(
            try ToleranceSearch().find { .init(downloads: -300 * log($0), rest: 1e7 * $0 + 3_000) })
        let least = -300 * log(3e-5) + 300 + 3_000
        #expect(found.money.total <= least * (1 + ToleranceSearch.precision))
        #expect(found.money.total >= least * (1 - 1e-12) && found.steps < 200)
    }

    /// Two million devices whose list has a million entries: plans with whole servers, against 400 tolerances.
    @Test func plansOfServersAreSearchedThroughTheirSteps() throws {
        let json = """
            {"devices": 2000000, "sample": 1000, "replications": 2, "interval": 300, "seriesStart": 0,
             "regions": [], "days": [], "percentiles": [{"percentile": 0.99, "seconds": 0.3}],
             "lookupsPerDeviceDay": 4, "egressBytesPerDay": 1e11, "ingressBytesPerDay": 3e11,
             "downloadBytesPerDay": 0, "shards": 16, "databaseBytes": 1e8, "evaluationKeyBytes": 4e5}
            """
        let base = try JSONDecoder().decode(FleetDemand.self, from: Data(json.utf8))
        func demand(_ tolerance: Double) -> FleetDemand {
            var demand = base
            // A tenth of a core for listed URLs, and a hundred if every URL were asked about.
            let cores = 0.1 - 100 * expm1(40 * log1p(-tolerance))
            demand.regions = [
                FleetDemand.Region(
                    name: nil,
                    loads: [(Part.gateway, 0.2), (.issuer, 0.05), (.pir, 1.0)].map { part, share in
                        FleetDemand.Load(
                            service: part, meanCores: cores * share / 2, peakCores: cores * share,
                            peakLow: cores * share, peakHigh: cores * share, series: [cores * share],
                            serviceSeconds: 0.03)
                    }, share: 1)
            ]
            demand.egressBytesPerDay *= cores
            demand.ingressBytesPerDay *= cores
            demand.downloadBytesPerDay = 2e6 * 4 * 1e6 * -log(tolerance) / (8 * log(2) * log(2))
            return demand
        }
        let rule = PlanRule(
            latencies: [.init(percentile: 0.99, limit: 0.5)], targetUtilization: 0.6, spareInstances: 1,
            survivesRegion: false)
        var planner = ServerPlanner(
            demand(1e-3), rule: rule, prices: try Prices.named("large-cloud"),
            geography: Geography(delays: [[0.01]], devices: [1]), keys: .stored)
        let found = try #require(try ToleranceSearch().find(planner) { demand($0) })
        let (low, high) = (log(1e-8), log(1e-2))
        let totals = (0...400).compactMap { step -> Double? in
            planner.demand = demand(exp(low + (high - low) * Double(step) / 400))
            return planner.plan()?.total
        }
        #expect(totals.count > 300)
        #expect(found.money.total <= (totals.min() ?? 0) * (1 + ToleranceSearch.precision))
        #expect(found.tolerance > 1e-7 && found.tolerance < 9e-3)
    }

    /// What no servers bear is no answer, and an end is one where money falls towards it.
    @Test func endsAndImpossibleTolerances() throws {
        #expect(try ToleranceSearch().find { .init(downloads: -log($0), rest: .infinity) } == nil)
        let coarse = try #require(try ToleranceSearch().find { .init(downloads: -100 * log($0), rest: 1) })
        #expect(coarse.tolerance > 0.0099)
        let fine = try #require(
            try ToleranceSearch().find {
                .init(downloads: -log($0), rest: $0 > 1e-6 ? .infinity : 1_000)
            })
        #expect(fine.tolerance <= 1e-6)
    }

    @Test(arguments: [
        (3.16227e-5, "0.0000316"), (0.001, "0.001"), (0.01, "0.01"), (1.0e-8, "0.00000001"),
        (9.999e-4, "0.000999"),
    ])
    func settingsAreShort(tolerance: Double, text: String) {
        #expect(ToleranceSearch.setting(tolerance) == text)
    }

    /// No other number of hashes errs much less with as many bits, so the tolerance decides about all three.
    @Test(arguments: [1e-7, 1e-5, 3e-5, 1e-4, 1e-3, 1e-2])
    func hashesFollowTheTolerance(tolerance: Double) throws {
        let shape = try BloomParameters(
            entryCount: 1_000_000, falsePositiveTolerance: tolerance, murmurSeed: 1)
        let rate = shape.falsePositiveRate(entryCount: 1_000_000)
        let least = try (1...40).map { hashes in
            try BloomParameters(bitCount: shape.bitCount, hashCount: UInt32(hashes), murmurSeed: 1)
                .falsePositiveRate(entryCount: 1_000_000)
        }.min()
        #expect(rate <= 1.1 * (least ?? 0))
    }
}
