import Decoding
package import Experiment
import Scenarios
import Statistics
package import Workload

/// A trace in figures, as `urlfilter trace describe` prints it.
package struct TraceDescription: Codable, Sendable {
    package struct File: Codable, Sendable {
        package let file: String
        package let format: String
        package let read: Int
        package let accepted: Int
        package let dropped: Int
    }

    /// A quantity with its percentiles, by nearest rank.
    package struct Quantity: Codable, Sendable {
        package let name: String
        package let unit: String
        package let count: Int
        package let mean: Double
        package let p5: Double
        package let p50: Double
        package let p90: Double
        package let p99: Double
        package let max: Double
    }

    /// Zipf's law, fitted by maximum likelihood to the most frequent.
    package struct Popularity: Codable, Sendable {
        package let things: String
        package let distinct: Int
        /// `false`: rare ones were forgotten, there are more.
        package let isExact: Bool
        package let top10Share: Double
        /// `nil` for too few things that occur often enough.
        package let exponent: Double?
        package let low: Double?
        package let high: Double?
        /// Ranks that were fitted, and the occurrences that the last of them has at least.
        package let ranks: Int?
        package let leastCount: Int?
    }

    /// One family fitted to one quantity.
    package struct Fit: Codable, Sendable {
        package let quantity: String
        package let family: String
        /// Name, value and ends of the 95 % interval.
        package let parameters: [Parameter]
        package let akaike: Double
        /// Distance and p-values of the best family, by parametric bootstrap.
        package let distance: Double?
        package let kolmogorovSmirnovPValue: Double?
        package let andersonDarlingPValue: Double?
        package let samples: Int
    }

    package struct Parameter: Codable, Sendable {
        package let name: String
        package let value: Double
        package let low: Double
        package let high: Double
    }

    package struct People: Codable, Sendable {
        package let pageViews: Int
        package let siteRevisits: [Double]
        package let pageRevisits: [Double]
        /// Shares of the page views by local hour, and by weekday from Monday.
        package let hours: [Double]
        package let weekdays: [Double]
        package let clients: Int
    }

    package let schema: String
    package let files: [File]
    /// How pages, sessions and people were told; what the trace does not say.
    package let notes: [String]
    package let requests: Int
    package let clients: Int
    package let seconds: Double
    package let pageViews: Int
    package let thirdPartyShare: Double
    package let queryShare: Double
    package let frontPageShare: Double
    package let quantities: [Quantity]
    package let popularity: [Popularity]
    package let people: People?
    /// Shares of it that a block list names; `nil` when none was given.
    package let listed: ListedShares?
    package let fits: [Fit]

    private static let resampleCount = 99

    /// - Returns: `nil` for a trace without records.
    package init?(
        _ statistics: TraceStatistics, reports: [ReadReport], listed: ListedShares? = nil
    ) {
        self.listed = listed
        guard let times = statistics.summary.times else { return nil }
        schema = "urlfilter.trace/1"
        files = reports.map {
            File(
                file: $0.source, format: $0.format, read: $0.lineCount, accepted: $0.acceptedCount,
                dropped: $0.droppedCount)
        }
        requests = statistics.summary.recordCount
        clients = statistics.summary.clients.count
        seconds = Double(nanoseconds: Double(times.upperBound) - Double(times.lowerBound))
        pageViews = statistics.views.count
        let all = Double(max(requests, 1))
        thirdPartyShare = Double(statistics.visits.thirdPartyHosts.total) / all
        queryShare = Double(statistics.queryLength.count) / all
        frontPageShare = Double(statistics.visits.frontViews) / Double(max(statistics.visits.sites.total, 1))
        quantities = Self.quantities(statistics)
        popularity = [
            Self.popularity("sites by page views", statistics.visits.sites),
            Self.popularity("pages by page views", statistics.visits.pages),
            Self.popularity("hosts by requests", statistics.hosts),
            Self.popularity("URLs by requests", statistics.urls),
        ]
        people = statistics.hasPeople ? Self.people(statistics) : nil
        fits = Self.fits(statistics)
        notes = Self.notes(statistics)
    }

    private static func quantities(_ statistics: TraceStatistics) -> [Quantity] {
        let (views, people) = (statistics.views, statistics.people)
        var rows: [(String, String, ValueSample)] = [
            ("requests per page", "", views.requests), ("hosts per page", "", views.hosts),
            ("third-party share of a page", "", views.thirdPartyShare),
            ("distinct URLs of a page", "share", views.distinctShare),
            ("time of a page's last request", "s", views.seconds),
            ("URL length", "B", statistics.length),
            ("URL length without query", "B", statistics.addressLength),
            ("query length", "B", statistics.queryLength),
            ("lookup strings per URL", "", statistics.lookupStrings),
            ("time between requests", "s", statistics.interArrival),
        ]
        if statistics.hasPeople {
            rows += [
                ("think time", "s", people.thinkSeconds), ("pages per session", "", people.sessionVisits),
                ("session length", "s", people.sessionSeconds),
                ("pages per active day", "", people.dayVisits),
                ("sessions per active day", "", people.daySessions),
                ("sites per active day", "", people.daySites), ("sites per client", "", people.clientSites),
            ]
        }
        return rows.filter { $0.2.count > 0 }.map { name, unit, sample in
            let quantiles = sample.quantiles([0.05, 0.5, 0.9, 0.99])
            return Quantity(
                name: name, unit: unit, count: sample.count, mean: sample.mean, p5: quantiles[0],
                p50: quantiles[1], p90: quantiles[2], p99: quantiles[3], max: sample.maximum)
        }
    }

    private static func popularity(_ things: String, _ counts: KeyCounts) -> Popularity {
        let cut = PopularityCuts.cut(counts)
        let fit = cut.flatMap { ZipfFit(sortingCounts: Array(counts.counts.values), leastCount: $0) }
        return Popularity(
            things: things, distinct: counts.distinctCount, isExact: counts.isExact,
            top10Share: counts.total > 0 ? counts.shareOfLargest(10) : 0, exponent: fit?.exponent,
            low: fit?.bounds.lowerBound, high: fit?.bounds.upperBound, ranks: fit?.rankCount,
            leastCount: fit == nil ? nil : cut)
    }

    private static func people(_ statistics: TraceStatistics) -> People {
        let people = statistics.people
        func shares(_ counts: [Int]) -> [Double] {
            let total = Double(max(counts.reduce(0, +), 1))
            return counts.map { Double($0) / total }
        }
        return People(
            pageViews: people.followedVisits, siteRevisits: (0..<3).map(people.siteRevisitShare),
            pageRevisits: (0..<3).map(people.pageRevisitShare), hours: shares(people.hours),
            weekdays: shares(people.weekdays), clients: people.followedClients)
    }

    private static func fits(_ statistics: TraceStatistics) -> [Fit] {
        var fits: [Fit] = []
        if statistics.hasPeople {
            let positive = statistics.people.thinkSeconds.values.filter { $0 > 0 }
            fits += ranked("think time", DistributionFamily.continuous, positive)
        }
        let objects = statistics.views.requests.values.map { $0 - 1 }
        return fits + ranked("objects per page", DistributionFamily.discrete, objects)
    }

    private static func ranked(
        _ quantity: String, _ families: [DistributionFamily], _ samples: [Double]
    ) -> [Fit] {
        DistributionFit.ranked(families, samples: samples).enumerated().map { place, fit in
            let goodness =
                place == 0
                ? GoodnessOfFit(of: fit, samples: samples, resampleCount: resampleCount, seed: 1) : nil
            return Fit(
                quantity: quantity, family: fit.family.rawValue,
                parameters: fit.parameters.map {
                    Parameter(
                        name: $0.name, value: $0.value, low: $0.bounds.lowerBound, high: $0.bounds.upperBound)
                },
                akaike: fit.akaikeCriterion, distance: goodness?.kolmogorovSmirnovDistance,
                kolmogorovSmirnovPValue: goodness?.kolmogorovSmirnovPValue,
                andersonDarlingPValue: goodness?.andersonDarlingPValue, samples: fit.sampleCount)
        }
    }

    private static func notes(_ statistics: TraceStatistics) -> [String] {
        let options = statistics.options
        var notes: [String] = []
        if statistics.pagedCount == 0 {
            notes.append(
                options.pageGapSeconds > 0
                    ? "the trace names no pages: requests of a client less than \(options.pageGapSeconds) s apart are"
                        + " one page (--page-gap)"
                    : "every request counts as a page of its own (--page-gap 0)")
        } else if statistics.pagedCount < statistics.summary.recordCount {
            notes.append("requests without a page join the client's latest page, or begin one")
        }
        if !statistics.hasClockTimes {
            notes.append("times count from an unknown start: nothing is said about people and hours")
        } else if !statistics.hasPeople {
            notes.append("too few page views per client to tell how people browse: only pages are described")
        }
        if statistics.followedShare < 1 {
            notes.append(
                "too many clients to follow all: revisits are of \(statistics.followedShare) of them")
        }
        if !statistics.summary.clients.isExact { notes.append("the number of clients is an estimate") }
        notes.append("lookup strings by the rules of iOS 27; third parties by a rule of thumb for domains")
        return notes
    }
}
