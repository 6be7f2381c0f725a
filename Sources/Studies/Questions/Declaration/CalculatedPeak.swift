import Foundation
package import Statistics

/// Traffic of a fleet, from the law of a day and what days of one fleet have in common.
package struct CalculatedPeak: Codable, Equatable, Sendable {
    /// Law of one day at the mean level.
    package var law: PeakLaw
    /// Standard deviation of a day's level over the mean level, beyond what devices do by themselves.
    package var commonDeviation: Double
    /// Days that it was seen in.
    package var days: Int

    /// - Parameter intensity: Whose ``ArrivalIntensity/totals`` say how levels differ.
    init(_ law: PeakLaw, of intensity: ArrivalIntensity) {
        self.law = law
        commonDeviation = intensity.commonVariance.squareRoot()
        days = intensity.totals.count
    }

    package var mean: Double { law.mean }

    /// Returns what another day stays at or below: by the law of a day, and by Student's prediction of its level
    /// where levels differ at all.
    package func quantile(_ probability: Double) -> Double {
        let mean = mean
        let chance = max(0, law.quantile(probability) - mean)
        guard commonDeviation > 0,
            let deviations = PredictionBound.deviations(.normal, count: days, probability: probability)
        else { return mean + chance }
        let level = mean * commonDeviation * deviations
        return mean + (chance * chance + level * level).squareRoot()
    }
}
