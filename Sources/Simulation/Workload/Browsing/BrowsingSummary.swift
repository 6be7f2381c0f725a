import Foundation
import RandomStreams
import Statistics

/// Figures of a sample of synthetic browsing, for comparison with measured ones.
///
/// Quantiles are by nearest rank. The pages of the sample are spread evenly
/// over the ranks of the sites, because the measured page figures count each
/// page load of a crawl once, popular or not.
package struct BrowsingSummary: Sendable {
    /// One figure of the sample.
    package struct Row: Hashable, Sendable {
        /// The name, for example `requests per page p50`.
        package let name: String
        /// Value that the parameters ask for; `nil` for a figure that no single parameter fixes.
        package let target: Double?
        package let observed: Double
    }

    package let rows: [Row]

    /// The observed figure of this name.
    package subscript(_ name: String) -> Double? {
        rows.first { $0.name == name }?.observed
    }

    /// Draws a sample and summarizes it.
    ///
    /// - Parameters:
    ///   - devices: Devices that browse, at least 1.
    ///   - days: Days from the start of day 0, at least 1.
    ///   - pages: Page views whose requests are looked at, at least 1.
    ///   - seed: Seed of the sample; that of the web stays as it is.
    package init(
        web: SyntheticWeb, habits: BrowsingHabits, devices: Int, days: Int, pages: Int, seed: UInt64
    ) {
        precondition(devices > 0 && days > 0 && pages > 0, "a summary needs devices, days and pages")
        var pageSample = PageSample()
        pageSample.collect(web: web, pages: pages, seed: seed)
        var visitSample = VisitSample()
        for device in 0..<devices {
            var stream = RandomStream(
                seed: seed, replication: 0, entity: UInt32(device), purpose: StreamPurpose("browsing"))
            visitSample.collect(web: web, habits: habits, days: days, stream: &stream)
        }
        rows = pageSample.rows(web) + visitSample.rows(web, habits)
    }

    /// The value of nearest rank; `nan` without values.
    static func quantile(_ sorted: [Double], _ p: Double) -> Double {
        Percentile.nearestRank(p, sorted: sorted) ?? .nan
    }

    static func mean(_ values: [Double]) -> Double {
        values.reduce(0, +) / Double(values.count)
    }

    /// Minus the slope of the logarithm of counts over the logarithm of ranks,
    /// by least squares over the given ranks (from 1).
    static func exponent(of counts: [Int], ranks: Range<Int>) -> Double {
        let sorted = counts.sorted(by: >)
        let points = ranks.filter { $0 <= sorted.count && sorted[$0 - 1] > 0 }.map {
            (x: log(Double($0)), y: log(Double(sorted[$0 - 1])))
        }
        let count = Double(points.count)
        let (meanX, meanY) = (points.reduce(0) { $0 + $1.x } / count, points.reduce(0) { $0 + $1.y } / count)
        let covariance = points.reduce(0) { $0 + ($1.x - meanX) * ($1.y - meanY) }
        return -covariance / points.reduce(0) { $0 + ($1.x - meanX) * ($1.x - meanX) }
    }
}
