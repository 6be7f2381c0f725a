import Decoding
import Foundation
import RandomStreams
import Scenarios
import Statistics
import Workload

/// The shape of the web that a trace was made on, as far as it can be read off at once.
enum WebFit {
    static func parameters(of statistics: TraceStatistics) -> WebParameters {
        var web = WebParameters()
        let views = statistics.views
        let probabilities = TraceFigures.probabilities
        func curve(
            _ sample: ValueSample, _ current: QuantileCurve, _ allowed: ClosedRange<Double>
        ) -> QuantileCurve {
            guard sample.count > 0 else { return current }
            return Self.curve(
                sample.quantiles(probabilities), minimum: sample.quantile(0), maximum: sample.maximum, allowed
            )
        }
        web.requestsPerPage = curve(views.requests, web.requestsPerPage, 1...100_000)
        web.hostsPerPage = curve(views.hosts, web.hostsPerPage, 1...1_000)
        web.thirdPartyShare = curve(views.thirdPartyShare, web.thirdPartyShare, 1e-3...1)
        web.loadSeconds = curve(views.seconds, web.loadSeconds, 0.001...3_600)
        web.addressLength = curve(statistics.addressLength, web.addressLength, 10...8_000)
        web.queryLength = curve(statistics.queryLength, web.queryLength, 3...64_000)
        web.repeatedObjectShare = min(max(1 - views.distinctShare.mean, 0), 1)
        web.siteCount = min(max(statistics.visits.sites.distinctCount, 1), 1 << 24)
        web.pagesPerSite = pagesPerSite(statistics)
        web.thirdPartyHostCount = min(max(statistics.visits.thirdPartyHosts.distinctCount, 1), 1 << 24)
        if let cut = PopularityCuts.cut(statistics.visits.sites),
            let fit = ZipfFit(sortingCounts: Array(statistics.visits.sites.counts.values), leastCount: cut)
        {
            web.siteExponent = Schema.web.siteExponent.clamped(fit.exponent)
        }
        if let cut = PopularityCuts.cut(statistics.visits.thirdPartyHosts),
            let fit = ZipfFit(
                sortingCounts: Array(statistics.visits.thirdPartyHosts.counts.values), leastCount: cut)
        {
            web.thirdPartyExponent = Schema.web.thirdPartyExponent.clamped(fit.exponent)
        }
        web.frontPageShare = BrowsingModel.rounded(
            Double(statistics.visits.frontViews) / Double(max(statistics.visits.sites.total, 1)))
        web.minimumPathLength = min(max(Int(saturating: statistics.pathLength.quantile(0.05)), 1), 16)
        web.siteSimilarity = similarity(views.sample) ?? web.siteSimilarity
        let depths = statistics.pathDepths
        if depths.contains(where: { $0 > 0 }) {
            let total = Double(depths.reduce(0, +))
            web.pathDepthWeights = depths.map { BrowsingModel.rounded(Double($0) / total) }
        }
        let requests = Double(max(statistics.summary.recordCount, 1))
        web.queryShare = BrowsingModel.rounded(Double(statistics.queryLength.count) / requests)
        // A trace in which no page is loaded twice does not tell which queries are new on each load.
        let hasObjects = views.requests.mean >= 2
        web.adHeavyFreshShare = hasObjects ? min(web.adHeavyFreshShare, web.queryShare) : 0
        web.plainFreshShare = hasObjects ? min(web.plainFreshShare, web.queryShare / 4) : 0
        web.burstExponent = burstExponent(views.sample) ?? web.burstExponent
        web.listed = .none
        return web
    }

    /// - Parameter values: At ``TraceFigures/probabilities``.
    static func curve(
        _ values: [Double], minimum: Double, maximum: Double, _ allowed: ClosedRange<Double>
    ) -> QuantileCurve {
        let inside = values.map { min(max($0, allowed.lowerBound), allowed.upperBound) }
        let knots = zip(TraceFigures.probabilities, ascending(inside)).map { probability, value in
            QuantileCurve.Knot(probability, BrowsingModel.rounded(value))
        }
        let low = min(max(minimum, allowed.lowerBound), allowed.upperBound)
        return QuantileCurve(
            knots, minimum: BrowsingModel.rounded(low),
            maximum: BrowsingModel.rounded(min(max(maximum, low), allowed.upperBound)))
    }

    /// The nearest numbers that do not fall: neighbours in the wrong order become
    /// their mean (pool adjacent violators).
    private static func ascending(_ values: [Double]) -> [Double] {
        var pools: [(sum: Double, count: Int)] = []
        for value in values {
            pools.append((value, 1))
            while pools.count > 1 {
                let (last, before) = (pools[pools.count - 1], pools[pools.count - 2])
                guard before.sum / Double(before.count) > last.sum / Double(last.count) else { break }
                pools.removeLast(2)
                pools.append((last.sum + before.sum, last.count + before.count))
            }
        }
        return pools.flatMap { Array(repeating: $0.sum / Double($0.count), count: $0.count) }
    }

    /// A start from which the calibration finds the scale. Few sites do not show
    /// how different sites are.
    private static func pagesPerSite(_ statistics: TraceStatistics) -> QuantileCurve {
        let mean =
            Double(statistics.visits.pages.distinctCount)
            / Double(max(statistics.visits.sites.distinctCount, 1))
        let median = min(max(mean.rounded(), 1), 60_000)
        let spread = min(20, Double(statistics.visits.sites.distinctCount).squareRoot().rounded())
        return QuantileCurve(
            [.init(0.5, median), .init(0.95, min(spread * median, 65_536))], minimum: 1, maximum: 65_536)
    }

    /// If objects start at `u^b` of the load time, their mean start is at `1 / (b + 1)` of it.
    private static func burstExponent(_ views: [PageView]) -> Double? {
        let long = views.filter { $0.requests >= 10 && $0.seconds > 0 }
        guard long.count >= 10 else { return nil }
        let mean =
            long.reduce(0) { $0 + $1.offsetSum / (Double($1.requests - 1) * $1.seconds) }
            / Double(long.count)
        guard mean > 0, mean < 1 else { return nil }
        return min(max(BrowsingModel.rounded(1 / mean - 1), 0.1), 10)
    }

    /// Correlation of the sizes of two pages of one site: normal scores of the
    /// requests, mean product over pairs of different pages.
    private static func similarity(_ views: [PageView]) -> Double? {
        var firstViews: [UInt64: PageView] = [:]
        for view in views where firstViews[view.page] == nil { firstViews[view.page] = view }
        let pages = firstViews.values.sorted { ($0.requests, $0.page) < ($1.requests, $1.page) }
        guard pages.count >= 20, pages.first?.requests != pages.last?.requests else { return nil }
        var scores: [UInt64: [Double]] = [:]
        var index = 0
        while index < pages.count {
            var end = index
            while end < pages.count, pages[end].requests == pages[index].requests { end += 1 }
            let place = (Double(index + end) / 2) / Double(pages.count)
            let score = StandardNormal.quantile(min(max(place, 1e-6), 1 - 1e-6))
            for page in pages[index..<end] { scores[page.site, default: []].append(score) }
            index = end
        }
        let all = scores.values.joined()
        let variance = all.reduce(0) { $0 + $1 * $1 } / Double(pages.count)
        var (products, pairs) = (0.0, 0.0)
        for site in scores.values where site.count > 1 {
            let sum = site.reduce(0, +)
            let squares = site.reduce(0) { $0 + $1 * $1 }
            let count = Double(site.count)
            // Each site counts by its pages, not by its pairs: a large one must not decide alone.
            products += (sum * sum - squares) / (count - 1)
            pairs += count
        }
        guard pairs >= 10, variance > 0 else { return nil }
        return BrowsingModel.rounded(min(max(products / pairs / variance, 0), 0.98))
    }
}
