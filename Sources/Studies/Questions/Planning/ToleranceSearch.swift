import Decoding
import Foundation

/// The prefilter's tolerance with which a plan costs least, of all between two ends.
///
/// A larger tolerance makes a smaller prefilter and more lookups: downloads never cost more with it, servers and their
/// bytes never less. So between two tolerances nothing costs less than downloads at the larger one and the rest at the
/// smaller one. Intervals whose least is not below the cheapest one known are dropped, the others are halved, the most
/// promising first. Servers are whole and money is a staircase, which this finds its way through where a golden section
/// would stop at some step.
package struct ToleranceSearch: Sendable {
    /// Ends of the search. Assumption: no list is worth a prefilter that errs less, or more, for a lookup string.
    package static let usualRange = 1e-8...1e-2
    /// Share of the money that is not worth another step.
    package static let precision = 0.002
    /// An interval that is narrower than this share of its tolerance is a step of the staircase.
    private static let narrowest = 1e-3
    private static let mostSteps = 400

    /// Money a month at one tolerance.
    package struct Money: Equatable, Sendable {
        package var downloads: Double
        /// Infinite where no servers meet the rule.
        package var rest: Double

        package init(downloads: Double, rest: Double) {
            self.downloads = downloads
            self.rest = rest
        }

        package var total: Double { downloads + rest }
    }

    package struct Found: Equatable, Sendable {
        package var tolerance: Double
        package var money: Money
        /// Tolerances that were tried.
        package var steps: Int
    }

    package var range: ClosedRange<Double>

    package init(range: ClosedRange<Double> = Self.usualRange) {
        precondition(range.lowerBound > 0, "a tolerance is above 0, got \(range.lowerBound)")
        self.range = range
    }

    private struct Interval {
        var low: (place: Double, money: Money)
        var high: (place: Double, money: Money)

        var least: Double { high.money.downloads + low.money.rest }
    }

    /// - Parameter money: Of a plan with a tolerance.
    /// - Returns: `nil` if no servers meet the rule at any tolerance.
    package func find(_ money: (Double) throws -> Money) throws -> Found? {
        var steps = 0
        var best: (place: Double, money: Money)?
        func look(_ place: Double) throws -> (place: Double, money: Money) {
            steps += 1
            let found = (place: place, money: try money(exp(place)))
            if found.money.total < best?.money.total ?? .infinity { best = found }
            return found
        }
        var open = [
            Interval(low: try look(log(range.lowerBound)), high: try look(log(range.upperBound)))
        ]
        while steps < Self.mostSteps,
            let next = open.indices.min(by: { open[$0].least < open[$1].least }),
            open[next].least < (best?.money.total ?? .infinity) * (1 - Self.precision)
        {
            let interval = open.remove(at: next)
            guard interval.high.place - interval.low.place > Self.narrowest else { continue }
            let middle = try look((interval.low.place + interval.high.place) / 2)
            open.append(Interval(low: interval.low, high: middle))
            open.append(Interval(low: middle, high: interval.high))
        }
        return best.map { Found(tolerance: exp($0.place), money: $0.money, steps: steps) }
    }

    /// A setting of three digits for a tolerance: the next smaller one, so that no server is added.
    package static func setting(_ tolerance: Double) -> String {
        let digits = 2 - Int(saturating: log10(tolerance).rounded(.down))
        let scale = pow(10, Double(digits))
        let text = String(format: "%.\(digits)f", (tolerance * scale * (1 + 1e-12)).rounded(.down) / scale)
        let short = text.reversed().drop { $0 == "0" }
        return String(short.reversed())
    }
}

extension ToleranceSearch {
    /// The tolerance with which a planner's plan costs least.
    ///
    /// - Parameter demand: Forecast of what the fleet asks with a tolerance.
    package func find(
        _ planner: ServerPlanner, demand: (Double) throws -> FleetDemand
    ) throws -> Found? {
        try search { tolerance in
            var planner = planner
            planner.demand = try demand(tolerance)
            return planner
        }
    }

    /// The tolerance with which a plan costs least.
    ///
    /// - Parameter forecast: A planner with the forecast of what the fleet asks with a tolerance.
    package func search(_ forecast: (Double) throws -> ServerPlanner) throws -> Found? {
        try find { tolerance in
            let planner = try forecast(tolerance)
            guard let plan = planner.plan() else {
                return Money(downloads: planner.downloadMoney, rest: .infinity)
            }
            let downloads = plan.cost.fetching
            return Money(downloads: downloads, rest: plan.total - downloads)
        }
    }
}

extension ServerPlanner {
    /// Money a month for what devices fetch alone, at the prices of the cheapest regions.
    package var downloadMoney: Double {
        placements.map { place in
            MonthlyCost(
                place.there.map { region in
                    RegionResources(
                        region: demand.regions[region].name, machines: [],
                        downloadBytesPerDay: demand.downloadBytesPerDay * place.share(region),
                        fetchesPerDay: fetchesPerDay * place.share(region))
                }, prices: prices
            ).total
        }.min() ?? 0
    }
}
