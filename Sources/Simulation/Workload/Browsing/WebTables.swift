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
    /// Slashes of a path.
    let pathDepth: DepthTable
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

    /// - Parameter parameters: Of which each value passed ``WebParameters/validate()``.
    /// - Throws: For values that do not agree with each other.
    init(_ parameters: WebParameters) throws(BrowsingError) {
        requests = QuantileTable(parameters.requestsPerPage)
        hosts = QuantileTable(parameters.hostsPerPage)
        thirdPartyShare = QuantileTable(parameters.thirdPartyShare)
        loadSeconds = QuantileTable(parameters.loadSeconds)
        burst = QuantileTable { pow($0, parameters.burstExponent) }
        addressLength = QuantileTable(parameters.addressLength)
        queryLength = QuantileTable(parameters.queryLength)
        pathDepth = DepthTable(weights: parameters.pathDepthWeights)
        adHeavyThreshold = Self.adHeavyThreshold(parameters)
        let fresh = Self.freshShare(parameters, requests: requests)
        try parameters.requireQueries(atLeast: fresh)
        staticQueryShare = fresh < 1 ? (parameters.queryShare - fresh) / (1 - fresh) : 0
    }

    /// Share of all requests that carry a fresh token. Large pages are ad-heavy
    /// more often, so this is above the average over pages.
    fileprivate static func freshShare(_ parameters: WebParameters, requests: QuantileTable) -> Double {
        let threshold = adHeavyThreshold(parameters)
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

    private static func adHeavyThreshold(_ parameters: WebParameters) -> Double {
        let share = parameters.adHeavyPageShare
        return share <= 0 ? .infinity : share >= 1 ? -.infinity : StandardNormal.quantile(1 - share)
    }
}

extension WebParameters {
    /// Share of URLs with a fresh token, which are queries, so that no fewer URLs have one.
    ///
    /// - Precondition: Each value passed ``validate()``.
    package var leastQueryShare: Double {
        WebTables.freshShare(self, requests: QuantileTable(requestsPerPage))
    }

    /// Checks the values that have to agree with each other, after each of them alone.
    ///
    /// - Parameter least: ``leastQueryShare``, which takes a thousand quantiles.
    package func requireQueries(atLeast least: Double) throws(BrowsingError) {
        guard queryShare < least else { return }
        let percent = (least * 1000).rounded(.up) / 1000
        throw .outOfRange(
            setting: "queryShare", value: queryShare,
            allowed: "at least \(percent), the share of URLs with a fresh token, which are queries")
    }
}

/// Numbers 1, 2, 3, ... by their weights.
struct DepthTable: Sendable {
    private let cumulativeShares: [Double]
    /// The number at the beginning of each of `guideCount` equal parts of the unit interval, less 1.
    private let guide: [UInt8]

    private static let guideCount = 256

    /// - Parameter weights: At most 256.
    init(weights: [Double]) {
        let total = weights.reduce(0, +)
        var sum = 0.0
        let shares = weights.map { weight in
            sum += weight / total
            return sum
        }
        cumulativeShares = shares
        guide = (0..<Self.guideCount).map { part in
            let least = Double(part) / Double(Self.guideCount)
            return UInt8(shares.dropLast().count { $0 <= least })
        }
    }

    /// - Parameter u: Uniform, in `0..<1`.
    @inline(__always)
    func value(at u: Double) -> Int {
        var place = Int(guide[Int(u * Double(Self.guideCount))])
        while place < cumulativeShares.count - 1, u >= cumulativeShares[place] { place += 1 }
        return place + 1
    }
}
