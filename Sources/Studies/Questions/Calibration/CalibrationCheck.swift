import Experiment
import Foundation
import Statistics
import Workload

/// How far the synthetic traces are from the real one, figure by figure.
package struct CalibrationCheck: Codable, Sendable {
    package struct Row: Codable, Sendable {
        package let figure: TraceFigures.Name
        /// Figure of the trace. For hours and weekdays 0: the distance of a shape to itself.
        package let trace: Double
        /// Mean over the synthetic traces.
        package let synthetic: Double
        /// Standard deviation from one synthetic trace to another; `nil` for a single one.
        package let deviation: Double?
        /// Relative error; of shares and shapes the difference.
        package let error: Double
        /// A parameter was fitted to this figure. The other figures follow, and test the model.
        package let isFitted: Bool
        /// The stated error.
        package let tolerance: Double
        /// Half the width of the interval in which the error of one more synthetic trace would lie with 95 %
        /// probability; `nil` if it is not known.
        package let chance: Double?
        package let verdict: Verdict
    }

    package enum Verdict: String, Codable, Sendable {
        /// Within the stated error.
        case within
        /// Further away, but a trace of this size made by the model itself would often be so too.
        case chance
        case outside
    }

    package let rows: [Row]
    package let twinCount: Int

    /// The error that is stated: 10 % of a number, or one of the requests or hosts of a page; 25 % of how many
    /// different things there are; 0.05 of a share; for the shapes of day and week 0.1 of the page views in
    /// another hour.
    ///
    /// - Parameter value: Of the trace.
    static func tolerance(of name: TraceFigures.Name, at value: Double) -> Double {
        switch kind(of: name) {
        case .number:
            switch name {
            case .requestsPerPageP50, .requestsPerPageP90, .hostsPerPageP50, .hostsPerPageP90:
                max(0.1, 1 / value)
            default: 0.1
            }
        case .count: 0.25
        case .share: 0.05
        case .shape: 0.1
        }
    }

    package init(target: TraceFigures, twins: [TraceFigures]) {
        let mean = TraceFigures(meanOf: twins)
        twinCount = twins.count
        rows = TraceFigures.Name.allCases.compactMap { name in
            guard let error = Self.error(name, target: target, observed: mean) else { return nil }
            let isShape = Self.kind(of: name) == .shape
            let values = twins.compactMap { $0[name] }
            var deviation: Double?
            if !isShape, values.count > 1, let average = values.mean {
                let squares = values.reduce(0) { $0 + ($1 - average) * ($1 - average) }
                deviation = (squares / Double(values.count - 1)).squareRoot()
            }
            let want = isShape ? 0 : target[name] ?? 0
            let tolerance = Self.tolerance(of: name, at: want)
            let unit = Self.kind(of: name) == .share ? 1 : want
            let chance = deviation.flatMap { Self.chance(deviation: $0, count: values.count) }.map {
                $0 / unit
            }
            return Row(
                figure: name, trace: want, synthetic: isShape ? error : mean[name] ?? 0, deviation: deviation,
                error: error, isFitted: Self.isFitted(name), tolerance: tolerance, chance: chance,
                verdict: Self.verdict(error: error.magnitude, tolerance: tolerance, chance: chance))
        }
    }

    private static func verdict(error: Double, tolerance: Double, chance: Double?) -> Verdict {
        if error <= tolerance { return .within }
        return error <= chance ?? 0 ? .chance : .outside
    }

    /// Half the width of the 95 % prediction interval of one more value (Student's t).
    private static func chance(deviation: Double, count: Int) -> Double? {
        guard let t = try? ReferenceDistribution.studentT(degreesOfFreedom: Double(count - 1)).quantile(0.975)
        else { return nil }
        return t * deviation * (1 + 1 / Double(count)).squareRoot()
    }

    package enum Kind: Sendable { case number, count, share, shape }

    package static func kind(of name: TraceFigures.Name) -> Kind {
        switch name {
        case .hours, .weekdays: .shape
        case .thirdPartyShare, .distinctShareInPage, .siteTop10Share, .siteRevisitsHour, .siteRevisitsEver,
            .pageRevisitsHour, .pageRevisitsEver, .queryShare, .frontPageShare, .activeDayShare:
            .share
        case .sites, .pages, .hosts, .urls: .count
        default: .number
        }
    }

    static func isFitted(_ name: TraceFigures.Name) -> Bool {
        switch name {
        case .siteTop10Share, .sites, .pages, .hosts, .urls, .visitsPerSession,
            .visitsPerDayP50, .requestsPerPageMean, .hostsPerPageMean, .thirdPartyShare, .urlLengthMean:
            false
        default: true
        }
    }

    /// `nil` if the trace does not tell this figure.
    static func error(
        _ name: TraceFigures.Name, target: TraceFigures, observed: TraceFigures
    ) -> Double? {
        switch (name, kind(of: name)) {
        case (.hours, _):
            return target.hours.isEmpty ? nil : TraceFigures.distance(target.hours, observed.hours)
        case (.weekdays, _):
            return target.weekdays.isEmpty ? nil : TraceFigures.distance(target.weekdays, observed.weekdays)
        case (_, .share):
            guard let want = target[name], let seen = observed[name] else { return nil }
            return seen - want
        default:
            guard let want = target[name], let seen = observed[name], want != 0 else { return nil }
            return seen / want - 1
        }
    }
}
