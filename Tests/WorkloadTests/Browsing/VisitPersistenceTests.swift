import Foundation
import RandomStreams
import Testing
import Workload

/// Heavy users that stay heavy: how the visits of two days of one person belong together.
@Suite struct VisitPersistenceTests {
    /// Logarithms of the visits of days 1 and 2, person by person.
    private func days(_ persistence: Double, _ visits: Distribution) throws -> [(Double, Double)] {
        var profile = BrowsingProfile.adult
        profile.visitsPerActiveDay = visits
        profile.activeDayShare = 1
        profile.weekdayWeights = Array(repeating: 1, count: 7)
        profile.hourWeights = Array(repeating: 1, count: 24)
        profile.thinkSeconds = .constant(1)
        profile.sessionsPerActiveDay = 1
        profile.visitPersistence = persistence
        let habits = try BrowsingHabits(profile)
        let web = try SyntheticWeb(WebParameters(), seed: 1)
        let day: Int64 = 86_400_000_000_000
        return (UInt32(0)..<1_500).map { person in
            var stream = RandomStream(
                seed: 4, replication: 0, entity: person, purpose: StreamPurpose("browsing"))
            var browser = Browser(using: &stream)
            var counts = [0.0, 0.0]
            var now = day - 1
            while let visit = browser.nextVisit(after: now, habits: habits, web: web, stream: &stream),
                visit.time < 3 * day
            {
                now = visit.time
                counts[Int(now / day) - 1] += 1
            }
            return (log(max(counts[0], 1)), log(max(counts[1], 1)))
        }
    }

    private func correlation(_ pairs: [(Double, Double)]) -> Double {
        let count = Double(pairs.count)
        let (x, y) = (pairs.reduce(0) { $0 + $1.0 } / count, pairs.reduce(0) { $0 + $1.1 } / count)
        func moment(_ value: ((Double, Double)) -> Double) -> Double { pairs.reduce(0) { $0 + value($1) } }
        return moment { ($0.0 - x) * ($0.1 - y) }
            / (moment { ($0.0 - x) * ($0.0 - x) } * moment { ($0.1 - y) * ($0.1 - y) }).squareRoot()
    }

    /// The share of the variance of the logarithm that belongs to the person is the correlation of its days; what
    /// rounding and sessions over midnight take from it is below the tolerance.
    @Test("the days of a person correlate", arguments: [0, 0.3, 0.7])
    func daysCorrelate(persistence: Double) throws {
        let pairs = try days(persistence, .lognormal(median: 60, p95: 200))
        let error = (1 - persistence * persistence) / Double(pairs.count).squareRoot()
        #expect(abs(correlation(pairs) - persistence) < 4.5 * error + 0.02)
    }

    /// Whatever the share, a day by itself has the law of the profile.
    @Test("a single day keeps its distribution", arguments: [0, 0.5, 1])
    func daysKeepTheirDistribution(persistence: Double) throws {
        let logarithms = try days(persistence, .lognormal(median: 60, p95: 200)).map(\.1).sorted()
        let sigma = log(200.0 / 60) / StandardNormal.quantile95
        #expect(abs(logarithms[750] - log(60)) < 4.5 * 1.2533 * sigma / 1_500.0.squareRoot() + 0.02)
        let mean = logarithms.reduce(0, +) / 1_500
        let variance = logarithms.reduce(0) { $0 + ($1 - mean) * ($1 - mean) } / 1_499
        #expect(abs(variance / (sigma * sigma) - 1) < 4.5 * (2 / 1_499.0).squareRoot() + 0.02)
    }

    @Test func aListOfValuesIsDrawnByItsRanks() throws {
        let pairs = try days(1, .empirical([20, 40, 80, 160]))
        // Sessions over midnight aside, both days of a person have the same value.
        #expect(pairs.count { abs($0.0 - $0.1) < 0.2 } > 1_400)
        for value in [20.0, 40, 80, 160] {
            let count = pairs.count { abs($0.1 - log(value)) < 0.2 }
            #expect(abs(Double(count) - 375) < 4.5 * (1_500 * 0.25 * 0.75).squareRoot() + 40, "\(value)")
        }
    }
}
