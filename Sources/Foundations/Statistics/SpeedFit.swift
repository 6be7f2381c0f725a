import Foundation
package import RandomStreams

/// The phases of a machine, found in service times that were measured back to back.
///
/// The model is log(time) = level of the block + Ornstein-Uhlenbeck process + independent noise. Its likelihood comes
/// from the Kalman filter, the level of each block being unknown beforehand (Harvey, Forecasting, Structural Time
/// Series Models and the Kalman Filter, 1989, sections 3.4 and 9.1). For a given time and ratio of variances, the size
/// of the noise has a closed form; those two are searched.
package struct SpeedFit: Sendable {
    /// Services that were measured without a pause.
    package struct Block: Sendable {
        /// Lookups with their beginnings, and with what they took; seconds.
        package var services: [(start: Double, seconds: Double)]

        package init(_ services: [(start: Double, seconds: Double)]) {
            self.services = services.filter { $0.seconds > 0 }.sorted { $0.start < $1.start }
        }

        /// Mean logarithm; `nil` of nothing.
        package var level: Double? {
            services.isEmpty
                ? nil : services.reduce(0) { $0 + log($1.seconds) } / Double(services.count)
        }

        /// Deviation of the logarithms; `nil` of fewer than two.
        package var deviation: Double? {
            services.count < 2 ? nil : Moments(services.map { log($0.seconds) })?.variance.squareRoot()
        }
    }

    /// `nil` if the times show no phases: independent noise explains them as well.
    package var process: SpeedProcess?
    /// Deviation of the logarithm that one service does not share with the next.
    package var noise: Double
    /// Twice the logarithm of the likelihood ratio of phases against none.
    package var evidence: Double

    /// Beyond it phases are believed: 99 % of the chi-squared distribution with two degrees of freedom.
    package static let neededEvidence = 9.210
    /// Services below which nothing is said.
    package static let fewestServices = 50

    /// - Parameter blocks: Those with at least two services count.
    /// - Returns: `nil` with too few services.
    package init?(_ blocks: [Block]) {
        let series = blocks.filter { $0.services.count >= 2 }.map { block in
            block.services.map { (time: $0.start, value: log($0.seconds)) }
        }
        let count = series.reduce(0) { $0 + $1.count }
        guard count >= Self.fewestServices, let length = series.compactMap(Self.length).max(), length > 0
        else { return nil }
        let filter = LevelFilter(series: series)
        let none = filter.fit(time: length, ratio: 0)
        guard none.noise > 0 else { return nil }
        noise = none.noise.squareRoot()
        evidence = 0
        let shortest = length / Double(count)
        let best = Self.times(from: shortest, to: length).compactMap { time in
            filter.best(time: time).map { (time: time, ratio: $0.ratio, fit: $0.fit) }
        }.max { $0.fit.logLikelihood < $1.fit.logLikelihood }
        guard let best else { return }
        evidence = 2 * (best.fit.logLikelihood - none.logLikelihood)
        guard evidence > Self.neededEvidence else { return }
        noise = best.fit.noise.squareRoot()
        process = SpeedProcess(spread: (best.fit.noise * best.ratio).squareRoot(), time: best.time)
    }

    private static func length(_ series: [(time: Double, value: Double)]) -> Double? {
        series.last.map { $0.time - series[0].time }
    }

    private static func times(from low: Double, to high: Double) -> [Double] {
        let steps = 24
        return (0...steps).map { low * pow(high / low, Double($0) / Double(steps)) }
    }
}

/// The Kalman filter of a level that is unknown, a process that wanders, and noise of variance 1.
private struct LevelFilter {
    let series: [[(time: Double, value: Double)]]

    struct Fit {
        /// Variance.
        var noise: Double
        var logLikelihood: Double
    }

    /// The best ratio of the variance of the process to that of the noise.
    func best(time: Double) -> (ratio: Double, fit: Fit)? {
        LineMinimum.find(in: log(1e-4)...log(1e4), steps: 24) { logRatio in
            -fit(time: time, ratio: exp(logRatio)).logLikelihood
        }.map { (exp($0), fit(time: time, ratio: exp($0))) }
    }

    func fit(time: Double, ratio: Double) -> Fit {
        var squares = 0.0
        var logs = 0.0
        var count = 0
        for values in series {
            let part = pass(values, time: time, ratio: ratio)
            squares += part.squares
            logs += part.logs
            count += values.count - 1
        }
        let noise = squares / Double(count)
        return Fit(noise: noise, logLikelihood: -0.5 * (Double(count) * (log(noise) + 1) + logs))
    }

    /// - Returns: Squares of innovations over their variances, and the sum of the logarithms of these.
    private func pass(
        _ values: [(time: Double, value: Double)], time: Double, ratio: Double
    ) -> (squares: Double, logs: Double) {
        // The first value only says where the level is: level = value - process - noise.
        var level = values[0].value
        var process = 0.0
        var (levelVariance, covariance, variance) = (1 + ratio, -ratio, ratio)
        var squares = 0.0
        var logs = 0.0
        var last = values[0].time
        for (instant, value) in values.dropFirst() {
            let kept = exp((last - instant) / time)
            last = instant
            process *= kept
            covariance *= kept
            variance = kept * kept * variance + ratio * (1 - kept * kept)
            let levelGain = levelVariance + covariance
            let gain = covariance + variance
            let total = levelGain + gain + 1
            let error = value - level - process
            squares += error * error / total
            logs += log(total)
            level += levelGain / total * error
            process += gain / total * error
            levelVariance -= levelGain * levelGain / total
            covariance -= levelGain * gain / total
            variance -= gain * gain / total
        }
        return (squares, logs)
    }
}
