import Decoding
import Experiment
import Foundation
import RandomStreams
import Statistics
import URLFilter
package import Workload

/// A population whose browsing looks like that of a trace.
package struct BrowsingModel: Sendable {
    package var profile: BrowsingProfile
    package var web: WebParameters
    /// Clients of the trace; of a collection of page loads, its page views.
    package let clientCount: Int
    /// Calendar days of the trace.
    package let dayCount: Int
    /// Midnight of the first day in nanoseconds since 1970.
    let origin: Int64
    /// Whether times of day, sessions and revisits were fitted, or only the pages.
    package let isPeople: Bool
    /// Clients of a twin; fewer than ``clientCount`` for a large trace.
    let twinClientCount: Int
    let options: DescriptionOptions
    let cuts: PopularityCuts

    /// Requests of one twin; more would only cost time.
    private static let maximumTwinRequests = 200_000.0

    /// Fits what can be read off a trace at once. ``BrowsingCalibration`` does the rest.
    package init?(fitting statistics: TraceStatistics, name: String) {
        guard let times = statistics.summary.times, statistics.views.count > 0 else { return nil }
        options = statistics.options
        isPeople = statistics.hasPeople
        let offset = Int64.seconds(options.zoneOffsetSeconds)
        let day = Int64.days(1)
        let first = (times.lowerBound + offset).dividedDown(by: day)
        let last = (times.upperBound + offset).dividedDown(by: day)
        dayCount = isPeople ? Int(last - first) + 1 : 1
        origin = first * day
        clientCount = isPeople ? max(statistics.summary.clients.count, 1) : statistics.views.count
        let share = min(1, Self.maximumTwinRequests / Double(max(statistics.summary.recordCount, 1)))
        twinClientCount = max(1, Int(saturating: (Double(clientCount) * share).rounded(.up)))
        var cuts = PopularityCuts(statistics)
        cuts.hasCounts = twinClientCount == clientCount && statistics.urls.isExact
        self.cuts = cuts
        web = WebFit.parameters(of: statistics)
        profile = BrowsingProfile.adult
        profile.name = name
        profile.weekdayOfDayZero = BrowsingHabits.weekday(since1970: first)
        profile.timeZoneOffsetSeconds = options.zoneOffsetSeconds
        guard isPeople else {
            profile.visitsPerActiveDay = .constant(1)
            profile.activeDayShare = 1
            profile.weekdayWeights = Array(repeating: 1, count: 7)
            profile.favouriteShare = 0
            return
        }
        fitPeople(statistics.people)
    }

    private mutating func fitPeople(_ people: PeopleStatistics) {
        profile.thinkCutSeconds = options.sessionCutSeconds
        if let think = ThinkFit.best(people.thinkSeconds.values, cut: options.sessionCutSeconds) {
            profile.thinkSeconds = think
        }
        let places = min(people.dayVisits.values.count, 40)
        let probabilities = (0..<places).map { (Double($0) + 0.5) / Double(places) }
        profile.visitsPerActiveDay = .empirical(people.dayVisits.quantiles(probabilities))
        profile.maximumVisitsPerDay = min(max(Int(saturating: people.dayVisits.maximum * 1.2), 1), 60_000)
        profile.sessionsPerActiveDay = min(max(people.daySessions.mean, 1), 50)
        profile.hourWeights = Self.shares(people.hours)
        var exposure = Array(repeating: 0.0, count: 7)
        for day in 0..<dayCount { exposure[(day + profile.weekdayOfDayZero) % 7] += 1 }
        let rates = zip(people.weekdays, exposure).map { $1 > 0 ? Double($0) / $1 : nil }
        let known = rates.compactMap { $0 }
        let mean = known.mean ?? 0
        // A weekday that the trace does not reach is an average one.
        profile.weekdayWeights = rates.map { Self.rounded(($0 ?? mean) / mean) }
        profile.activeDayShare = min(
            max(Double(people.dayVisits.count) / Double(clientCount * dayCount), 0.001), 1)
        profile.siteRevisitShare = min(max(people.siteRevisitShare(0), 0.001), 0.999)
        profile.pageRevisitShare = min(max(people.pageRevisitShare(0), 0.001), profile.siteRevisitShare)
        profile.favouriteCount = min(max(Int(saturating: people.clientSites.mean / 3), 1), 1_000)
    }

    private static func shares(_ counts: [Int]) -> [Double] {
        let total = Double(max(counts.reduce(0, +), 1))
        return counts.map { rounded(Double($0) / total) }
    }

    /// Four digits behind the point: what the scenario block prints is what was tested.
    static func rounded(_ value: Double) -> Double { (value * 1e4).rounded() / 1e4 }

    /// The figures of a trace of the same length.
    func figures(of statistics: TraceStatistics, clientCount: Int) -> TraceFigures {
        TraceFigures(
            statistics, dayCount: dayCount, clientCount: clientCount, cuts: cuts, isPeople: isPeople)
    }

    /// The mean figures of several synthetic traces, all as long as the real one.
    ///
    /// - Parameter seeds: One for each trace.
    package func twin(seeds: Range<UInt64>) throws -> [TraceFigures] {
        let habits = try BrowsingHabits(profile)
        return try seeds.map { seed in
            let web = try SyntheticWeb(web, seed: seed)
            var trace = SyntheticTrace(
                population: [.init(name: "device", count: twinClientCount, habits: habits)], web: web,
                seed: seed,
                origin: origin, duration: .days(dayCount))
            var statistics = TraceStatistics(options)
            var buffer = LookupStringBuffer()
            while let record = trace.next() {
                statistics.add(record, lookupStrings: TraceDescriber.count(record.url, &buffer))
            }
            statistics.finish()
            return figures(of: statistics, clientCount: twinClientCount)
        }
    }
}

extension Int64 {
    func dividedDown(by divisor: Int64) -> Int64 {
        self >= 0 ? self / divisor : (self + 1) / divisor - 1
    }
}

/// The distribution of think times.
enum ThinkFit {
    /// Families that a scenario can name.
    static let families: [DistributionFamily] = [.exponential, .gamma, .lognormal, .weibull]

    /// The best family by Akaike's criterion; `nil` for too few times.
    static func best(_ seconds: [Double], cut: Double) -> Distribution? {
        let positive = seconds.filter { $0 > 0 }
        guard let fit = DistributionFit.ranked(families, samples: positive).first,
            let distribution = Distribution(fit)
        else { return nil }
        // The browser draws again beyond the cut.
        return distribution.cumulative(cut) >= 0.6 ? distribution : nil
    }
}

extension Distribution {
    /// `nil` for a family that a scenario cannot name.
    init?(_ fit: DistributionFit) {
        let values = fit.parameters.map(\.value)
        switch fit.family {
        case .exponential: self = .exponential(mean: values[0])
        case .gamma: self = .gamma(shape: values[0], scale: values[1])
        case .lognormal: self = .lognormal(mu: values[0], sigma: values[1])
        case .weibull: self = .weibull(shape: values[0], scale: values[1])
        case .pareto, .geometric, .negativeBinomial: return nil
        }
    }
}
