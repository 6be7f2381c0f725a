import Decoding
import Foundation
import RandomStreams
import Scenarios
import Workload

/// Which parameter answers for which figure, and how far it is moved.
enum CalibrationKnobs {
    static func turn(
        _ model: inout BrowsingModel, target: TraceFigures, observed: TraceFigures, gain: Double
    ) {
        let turn = Turn(target: target, observed: observed, gain: gain)
        turn.pages(&model.web)
        turn.popularity(&model.web)
        guard model.isPeople else { return }
        turn.habits(&model.profile)
        turn.times(&model.profile)
    }

    private struct Turn {
        let target: TraceFigures
        let observed: TraceFigures
        let gain: Double

        /// Adjusts what the page loads are made of.
        func pages(_ web: inout WebParameters) {
            web.requestsPerPage = curve(.requestsPerPage, web.requestsPerPage, 1...100_000)
            web.hostsPerPage = curve(.hostsPerPage, web.hostsPerPage, 1...1_000)
            web.thirdPartyShare = curve(.thirdPartyShare, web.thirdPartyShare, 1e-3...1)
            web.loadSeconds = curve(.loadSeconds, web.loadSeconds, 0.001...3_600)
            web.addressLength = curve(.addressLength, web.addressLength, 10...8_000)
            web.queryLength = curve(.queryLength, web.queryLength, 3...64_000)
            web.queryShare = max(
                share(.queryShare, web.queryShare), max(web.adHeavyFreshShare, web.plainFreshShare))
            web.frontPageShare = share(.frontPageShare, web.frontPageShare)
            if let want = target[.lookupStringsMean], let seen = observed[.lookupStringsMean], seen > 0 {
                let part = web.subdomainShare + gain * min(max(want / seen - 1, -0.5), 0.5)
                web.subdomainShare = BrowsingModel.rounded(min(max(part, 0), 1))
            }
            if let want = target[.distinctShareInPage], let seen = observed[.distinctShareInPage] {
                let repeated = web.repeatedObjectShare + gain * (seen - want)
                web.repeatedObjectShare = BrowsingModel.rounded(min(max(repeated, 0), 0.95))
            }
        }

        func popularity(_ web: inout WebParameters) {
            web.siteExponent = scaled(.siteExponent, web.siteExponent, Schema.web.siteExponent.bounds)
            web.pageExponent = scaled(.pageExponent, web.pageExponent, Schema.web.pageExponent.bounds)
            if let want = target.pageReturns, let seen = observed.pageReturns {
                // The more pages are opened once only, the fewer returns.
                let step = min(max(Self.logOdds(seen) - Self.logOdds(want), -2), 2)
                let inside = Self.logOdds(max(web.uniquePageShare, 0.01)) + gain * step
                web.uniquePageShare = BrowsingModel.rounded(1 / (1 + exp(-inside)))
            }
            web.thirdPartyExponent = scaled(
                .hostExponent, web.thirdPartyExponent, Schema.web.thirdPartyExponent.bounds)
            web.siteCount = count(.sites, web.siteCount)
            web.thirdPartyHostCount = count(.hosts, web.thirdPartyHostCount)
            let factor = ratio(.pages) ?? 1
            for index in web.pagesPerSite.knots.indices {
                let value = web.pagesPerSite.knots[index].value * factor
                web.pagesPerSite.knots[index].value = BrowsingModel.rounded(min(max(value, 1), 65_536))
            }
        }

        /// Changes of where people go.
        func habits(_ profile: inout BrowsingProfile) {
            profile.siteRevisitShare = share(.siteRevisitsHour, profile.siteRevisitShare)
            profile.pageRevisitShare = min(
                share(.pageRevisitsHour, profile.pageRevisitShare), profile.siteRevisitShare)
            profile.favouriteShare = share(.siteRevisitsEver, profile.favouriteShare)
        }

        /// Changes of when they go there.
        func times(_ profile: inout BrowsingProfile) {
            profile.activeDayShare = max(share(.activeDayShare, profile.activeDayShare), 0.001)
            profile.sessionsPerActiveDay = scaled(.sessionsPerDay, profile.sessionsPerActiveDay, 1...50)
            if case .empirical(let visits) = profile.visitsPerActiveDay {
                let factor = ratio(.visitsPerDayMean) ?? 1
                profile.visitsPerActiveDay = .empirical(
                    visits.map { BrowsingModel.rounded(max($0 * factor, 0.5)) })
            }
            let think = CalibrationKnobs.moved(
                profile.thinkSeconds, scale: ratio(.thinkP50) ?? 1, spread: spread() ?? 1)
            let usable = think.cumulative(profile.thinkCutSeconds)
            if (try? think.validate()) != nil, usable >= 0.55 { profile.thinkSeconds = think }
            profile.hourWeights = weights(profile.hourWeights, target.hours, observed.hours)
            profile.weekdayWeights = weights(profile.weekdayWeights, target.weekdays, observed.weekdays)
        }

        /// Target over observed, tempered; `nil` if one of them is missing or 0.
        private func ratio(_ name: TraceFigures.Name) -> Double? {
            guard let want = target[name], let seen = observed[name], want > 0, seen > 0 else { return nil }
            return pow(min(max(want / seen, 0.25), 4), gain)
        }

        private func scaled(
            _ name: TraceFigures.Name, _ value: Double, _ allowed: ClosedRange<Double>
        ) -> Double {
            guard let ratio = ratio(name) else { return value }
            return BrowsingModel.rounded(min(max(value * ratio, allowed.lowerBound), allowed.upperBound))
        }

        private func count(_ name: TraceFigures.Name, _ value: Int) -> Int {
            guard let ratio = ratio(name) else { return value }
            return min(max(Int(saturating: (Double(value) * ratio).rounded()), 1), 1 << 24)
        }

        /// Moves a share on the scale of log odds.
        private func share(_ name: TraceFigures.Name, _ value: Double) -> Double {
            guard let want = target[name], let seen = observed[name] else { return value }
            let step = min(max(Self.logOdds(want) - Self.logOdds(seen), -2), 2)
            let moved = Self.logOdds(value) + gain * step
            let result = BrowsingModel.rounded(1 / (1 + exp(-moved)))
            return want <= 0 ? 0 : result
        }

        private static func logOdds(_ share: Double) -> Double {
            let inside = min(max(share, 1e-4), 1 - 1e-4)
            return log(inside / (1 - inside))
        }

        private func curve(
            _ curve: TraceFigures.Curve, _ current: QuantileCurve, _ allowed: ClosedRange<Double>
        ) -> QuantileCurve {
            guard let want = target.curves[curve], let seen = observed.curves[curve],
                current.knots.count == want.count, seen.allSatisfy(\.isFinite)
            else { return current }
            // Where a value stands among those observed, there it is moved to among those
            // wanted: the popular sites make some values more frequent than the curve says.
            let values = current.knots.map { knot in
                let place = Self.place(of: knot.value, in: seen, near: knot.probability)
                let ratio = Self.value(at: place, in: want) / knot.value
                guard ratio.isFinite, ratio > 0 else { return knot.value }
                return knot.value * pow(min(max(ratio, 0.25), 4), gain)
            }
            return WebFit.curve(values, minimum: current.minimum, maximum: current.maximum, allowed)
        }

        /// The probability at which a list of quantiles passes a value; inside a range
        /// of equal quantiles the one nearest to `near`.
        private static func place(of value: Double, in quantiles: [Double], near: Double) -> Double {
            let probabilities = TraceFigures.probabilities
            guard let below = quantiles.lastIndex(where: { $0 < value }) else {
                let end = quantiles.lastIndex { $0 <= value } ?? 0
                return min(near, probabilities[end])
            }
            guard let above = quantiles.firstIndex(where: { $0 > value }) else {
                return max(near, probabilities[below])
            }
            if above - below > 1 { return min(max(near, probabilities[below + 1]), probabilities[above - 1]) }
            let part = (value - quantiles[below]) / (quantiles[above] - quantiles[below])
            return probabilities[below] + part * (probabilities[above] - probabilities[below])
        }

        private static func value(at probability: Double, in quantiles: [Double]) -> Double {
            let probabilities = TraceFigures.probabilities
            guard let above = probabilities.firstIndex(where: { $0 >= probability }) else {
                return quantiles[quantiles.count - 1]
            }
            guard above > 0, probability < probabilities[above] else { return quantiles[above] }
            let part =
                (probability - probabilities[above - 1]) / (probabilities[above] - probabilities[above - 1])
            return quantiles[above - 1] + part * (quantiles[above] - quantiles[above - 1])
        }

        private func weights(_ values: [Double], _ want: [Double], _ seen: [Double]) -> [Double] {
            guard want.count == values.count, seen.count == values.count else { return values }
            return values.indices.map { place in
                guard want[place] > 0, seen[place] > 0 else { return values[place] }
                let ratio = min(max(want[place] / seen[place], 0.5), 2)
                return BrowsingModel.rounded(max(values[place] * pow(ratio, gain), 1e-4))
            }
        }

        /// How much wider the upper half of the think times should be, on the scale of logarithms.
        private func spread() -> Double? {
            guard let wantHigh = target[.thinkP90], let wantLow = target[.thinkP50],
                let seenHigh = observed[.thinkP90], let seenLow = observed[.thinkP50],
                wantLow > 0, seenLow > 0, wantHigh > wantLow, seenHigh > seenLow
            else { return nil }
            return pow(min(max(log(wantHigh / wantLow) / log(seenHigh / seenLow), 0.5), 2), gain)
        }
    }

    /// The same family with another median and spread.
    private static func moved(_ distribution: Distribution, scale: Double, spread: Double) -> Distribution {
        func rounded(_ value: Double) -> Double { BrowsingModel.rounded(max(value, 1e-3)) }
        return switch distribution {
        case .lognormal(let mu, let sigma):
            .lognormal(mu: BrowsingModel.rounded(mu + log(scale)), sigma: rounded(sigma * spread))
        case .weibull(let shape, let factor):
            .weibull(shape: rounded(shape / spread), scale: rounded(factor * scale))
        case .gamma(let shape, let factor):
            .gamma(shape: rounded(shape / spread), scale: rounded(factor * scale * spread))
        case .exponential(let mean): .exponential(mean: rounded(mean * scale))
        default: distribution
        }
    }
}
