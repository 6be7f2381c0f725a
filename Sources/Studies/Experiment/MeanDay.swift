import Decoding
import FleetModel
import Foundation
import RunMetrics
package import URLFilter

/// Ratios of the mean day of a year to an observed one, for lookups and what follows them.
///
/// Page visits are known. Lookups grow less than visits, since caches answer more of what is asked more often: with a
/// cache for a fixed time, a string that is met x times in that time has x / (1 + x) lookups of it, which grows by the
/// power of the share that no cache answers. Over strings of all kinds the power lies between that share and 1, is
/// higher on days with fewer visits and lower on days with more.
package struct MeanDay: Equatable, Sendable {
    /// Ratio of page visits, and of what grows like them.
    package var visits: Double
    /// The other end for lookups.
    package var cached: Double

    /// - Parameter uncachedShare: Of the URLs that hit the prefilter, those that a lookup answered; in `0...1`.
    package init(visits: Double, uncachedShare: Double) {
        self.visits = visits
        cached = visits < 1 ? pow(max(visits, 0), uncachedShare) : 1
    }

    /// Ratio of lookups: in the middle of both ends, by their logarithms.
    package var lookups: Double { (visits * cached).squareRoot() }

    /// Ratio of requests: tokens follow lookups; configurations and keys come by the clock.
    package func factor(of endpoint: Endpoint) -> Double {
        switch endpoint {
        case .directory, .tokenKey, .config, .key: 1
        case .issue, .queries, .report: lookups
        }
    }
}

extension RunResult {
    /// The mean day over the observed ones; `nil` where not all devices browse by weekdays that are known.
    package var meanDay: MeanDay? {
        guard let week = scenario.week else { return nil }
        let counts = points.first?.counts ?? Totals()
        let asked = counts.answeredByCache + counts.lookupsSent
        return MeanDay(
            visits: week.meanDay,
            uncachedShare: asked > 0 ? Double(counts.lookupsSent) / Double(asked) : 1)
    }

    /// Requests of the mean day through the relay, and those of the observed ones a day.
    package var requestsPerDay: (observed: Double, mean: Double)? {
        guard let meanDay, let point = points.first else { return nil }
        let days = (scenario.duration - scenario.warmUp) / 86_400
        guard days > 0 else { return nil }
        var (observed, mean) = (0.0, 0.0)
        for endpoint in Metric.endpoints {
            let requests = (point[endpoint.requests]?.value ?? 0) / days
            observed += requests
            mean += requests * meanDay.factor(of: endpoint.endpoint)
        }
        return observed > 0 ? (observed, mean) : nil
    }
}

extension RunResult {
    /// On which day its figures per day are, where days differ.
    package var weekRemark: String? {
        guard let week = scenario.week, !week.isFlat, let requests = requestsPerDay else { return nil }
        func share(_ value: Double) -> String { "\((value * 1_000).rounded() / 1_000)" }
        let observed = Int(saturating: requests.observed.rounded())
        let mean = Int(saturating: requests.mean.rounded())
        return
            "per day is of the simulated days, \(observed) requests; the busiest weekday has"
            + " \(share(week.busiestDay)) times their page visits, and the mean day of"
            + " \(week.termDay == nil ? "a week" : "a year with its holidays")"
            + " \(share(week.meanDay)) times, \(mean) requests"
    }
}
