import Foundation
import RandomStreams
import Scenarios
import Workload

/// A calibrated population as the lines of a scenario file, ready to paste.
package enum ScenarioBlock {
    /// - Parameters:
    ///   - source: The trace, for a comment.
    ///   - group: Name of the device group.
    package static func render(_ model: BrowsingModel, source: String, group: String) -> String {
        var lines = ["# fitted by urlfilter trace describe to \(source.filter { !$0.isNewline })", "web:"]
        lines += web(model.web).map { "  " + bounded($0) }
        lines.append("devices:")
        lines.append("  - name: \(group)")
        lines.append("    count: \(model.clientCount)")
        lines.append("    browsing:")
        if model.isPeople {
            lines += habits(model.profile).map { "      " + $0 }
        } else {
            lines.append("      profile: adult  # the trace does not tell how people browse")
        }
        return lines.joined(separator: "\n") + "\n"
    }

    /// Bounds of settings of the web, where a calibration stops.
    private static let bounds: [String: (least: Double, most: Double)] = {
        let web = Schema.web
        return Dictionary(
            uniqueKeysWithValues: [
                web.siteCount.info, web.thirdPartyHostCount.info, web.siteExponent.info,
                web.pageExponent.info,
                web.thirdPartyExponent.info, web.burstExponent.info,
            ].compactMap { setting in
                setting.kind.bounds.map { (setting.key, ($0.lowerBound, $0.upperBound)) }
            })
    }()

    /// A value at its bound says where the fit was stopped and not what the trace is: it is no setting to use, so it
    /// becomes a comment.
    private static func bounded(_ line: String) -> String {
        let parts = line.split(separator: ":", maxSplits: 1)
        guard parts.count == 2, let bound = bounds[String(parts[0])],
            let value = Double(parts[1].trimmingCharacters(in: .whitespaces))
        else { return line }
        guard value >= bound.most || (value <= bound.least && bound.least != 1) else { return line }
        return
            "# \(line): the fit was stopped at its bound, so the trace does not tell this; left at its default"
    }

    private static func web(_ web: WebParameters) -> [String] {
        [
            "siteCount: \(web.siteCount)",
            "siteExponent: \(number(web.siteExponent))",
            "pagesPerSite: \(curve(web.pagesPerSite))",
            "pageExponent: \(number(web.pageExponent))",
            "uniquePageShare: \(number(web.uniquePageShare))",
            "frontPageShare: \(number(web.frontPageShare))",
            "subdomainShare: \(number(web.subdomainShare))",
            "siteSimilarity: \(number(web.siteSimilarity))",
            "thirdPartyHostCount: \(web.thirdPartyHostCount)",
            "thirdPartyExponent: \(number(web.thirdPartyExponent))",
            "requestsPerPage: \(curve(web.requestsPerPage))",
            "hostsPerPage: \(curve(web.hostsPerPage))",
            "thirdPartyShare: \(curve(web.thirdPartyShare))",
            "repeatedObjectShare: \(number(web.repeatedObjectShare))",
            "loadSeconds: \(curve(web.loadSeconds))",
            "burstExponent: \(number(web.burstExponent))",
            "addressLength: \(curve(web.addressLength))",
            "minimumPathLength: \(web.minimumPathLength)",
            "pathDepthWeights: \(list(web.pathDepthWeights))",
            "queryLength: \(curve(web.queryLength))",
            "queryShare: \(number(web.queryShare))",
            "adHeavyFreshShare: \(number(web.adHeavyFreshShare))",
            "plainFreshShare: \(number(web.plainFreshShare))",
        ]
    }

    private static func habits(_ profile: BrowsingProfile) -> [String] {
        var lines = ["profile: adult"]
        if case .empirical(let visits) = profile.visitsPerActiveDay {
            lines.append("visitsPerDay: \(list(visits))")
        }
        lines += [
            "maximumVisitsPerDay: \(profile.maximumVisitsPerDay)",
            "sessionsPerDay: \(number(profile.sessionsPerActiveDay))",
            "thinkTime: \(law(profile.thinkSeconds))",
            "thinkCut: \(number(profile.thinkCutSeconds))s",
            "activeDayShare: \(number(profile.activeDayShare))",
            "hourWeights: \(list(profile.hourWeights))",
            "weekdayWeights: \(list(profile.weekdayWeights))",
            "weekdayOfDayZero: \(profile.weekdayOfDayZero)",
            "timeZoneHours: \(number(Double(profile.timeZoneOffsetSeconds) / 3600))",
            "siteRevisitShare: \(number(profile.siteRevisitShare))",
            "pageRevisitShare: \(number(profile.pageRevisitShare))",
            "favouriteShare: \(number(profile.favouriteShare))",
            "favouriteCount: \(profile.favouriteCount)",
        ]
        return lines
    }

    /// A time by its law, as a scenario writes it.
    static func law(_ distribution: Distribution) -> String {
        switch distribution {
        case .exponential(let mean): "{ exponential: { mean: \(number(mean))s } }"
        case .gamma(let shape, let scale):
            "{ gamma: { shape: \(number(shape)), scale: \(number(scale))s } }"
        case .weibull(let shape, let scale):
            "{ weibull: { shape: \(number(shape)), scale: \(number(scale))s } }"
        case .lognormal(let mu, let sigma):
            "{ lognormal: { median: \(number(exp(mu)))s, p95: "
                + "\(number(exp(mu + sigma * StandardNormal.quantile95)))s } }"
        default: "\(number(distribution.mean))s"
        }
    }

    private static func curve(_ curve: QuantileCurve) -> String {
        let knots = curve.knots.map { "p\(number($0.probability * 100)): \(number($0.value))" }
        let ends = ["min: \(number(curve.minimum))", "max: \(number(curve.maximum))"]
        return "{ \((knots + ends).joined(separator: ", ")) }"
    }

    private static func list(_ values: [Double]) -> String {
        "[\(values.map(number).joined(separator: ", "))]"
    }

    /// At most four digits behind the point, without zeros at the end.
    private static func number(_ value: Double) -> String {
        var text = String(format: "%.4f", value)
        while text.hasSuffix("0") { text.removeLast() }
        if text.hasSuffix(".") { text.removeLast() }
        return text
    }
}
