import Foundation
import RandomStreams

/// The distributions of ``WebParameters`` in the form that pages are drawn from.
struct WebTables: Sendable {
    let requests: QuantileTable
    let hosts: QuantileTable
    let thirdPartyShare: QuantileTable
    let loadSeconds: QuantileTable
    let burst: QuantileTable
    let addressLength: QuantileTable
    let queryLength: QuantileTable
    /// Cumulative shares of 1, 2, 3, ... slashes.
    private let pathDepths: [Double]
    /// Above this normal number a page is among the ad-heavy ones.
    let adHeavyThreshold: Double
    /// Share of URLs with a query among those without a fresh token.
    let staticQueryShare: Double

    /// Correlation of the logarithm of the request count with that of the host
    /// count, the third-party share and the duration. Measured on the page loads
    /// behind article "Workload", section "One page load".
    static let hostCorrelation = 0.78
    static let thirdPartyCorrelation = 0.70
    static let durationCorrelation = 0.73

    init(_ parameters: WebParameters) throws(BrowsingError) {
        requests = QuantileTable(parameters.requestsPerPage)
        hosts = QuantileTable(parameters.hostsPerPage)
        thirdPartyShare = QuantileTable(parameters.thirdPartyShare)
        loadSeconds = QuantileTable(parameters.loadSeconds)
        burst = QuantileTable { pow($0, parameters.burstExponent) }
        addressLength = QuantileTable(parameters.addressLength)
        queryLength = QuantileTable(parameters.queryLength)
        let total = parameters.pathDepthWeights.reduce(0, +)
        var sum = 0.0
        pathDepths = parameters.pathDepthWeights.map { weight in
            sum += weight / total
            return sum
        }
        let share = parameters.adHeavyPageShare
        adHeavyThreshold =
            share <= 0 ? .infinity : share >= 1 ? -.infinity : StandardNormal.quantile(1 - share)
        let fresh = Self.freshShare(parameters, requests: requests, threshold: adHeavyThreshold)
        guard parameters.queryShare >= fresh else {
            let percent = (fresh * 1000).rounded(.up) / 1000
            throw .outOfRange(
                setting: "queryShare", value: parameters.queryShare,
                allowed: "at least \(percent), the share of URLs with a fresh token, which are queries")
        }
        staticQueryShare = fresh < 1 ? (parameters.queryShare - fresh) / (1 - fresh) : 0
    }

    /// Slashes of a path, at least 1, for a uniform number.
    func pathDepth(at u: Double) -> Int {
        var depth = 0
        while depth < pathDepths.count - 1, u >= pathDepths[depth] { depth += 1 }
        return depth + 1
    }

    /// Share of all requests that carry a fresh token. Large pages are ad-heavy
    /// more often, so this is above the average over pages.
    private static func freshShare(
        _ parameters: WebParameters, requests: QuantileTable, threshold: Double
    ) -> Double {
        let rest = (1 - thirdPartyCorrelation * thirdPartyCorrelation).squareRoot()
        var (all, adHeavy) = (0.0, 0.0)
        for step in 0..<1000 {
            let z = StandardNormal.quantile((Double(step) + 0.5) / 1000)
            let count = max(0, requests.value(normal: z) - 1)
            all += count
            let share = StandardNormal.cumulative((thirdPartyCorrelation * z - threshold) / rest)
            adHeavy += count * share
        }
        let heavyShare = all > 0 ? adHeavy / all : 0
        return parameters.plainFreshShare
            + (parameters.adHeavyFreshShare - parameters.plainFreshShare) * heavyShare
    }
}
