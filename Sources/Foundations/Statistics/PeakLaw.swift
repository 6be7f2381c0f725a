import Foundation

/// The law of the largest of many independent windows of a compound process.
///
/// What falls into a window has a known mean, variance and third central moment; its distribution is taken as a gamma
/// distribution that is moved to them (the translated gamma approximation of aggregate claims: Bowers et al., Actuarial
/// Mathematics, section 12.5). Windows that follow each other are taken as independent, and counts as
/// continuous; both make the largest a little too large, the second by up to one where a window has less than one event
/// on average.
package struct PeakLaw: Codable, Equatable, Sendable {
    /// Windows of one law.
    package struct Windows: Codable, Equatable, Sendable {
        package var mean: Double
        package var variance: Double
        package var third: Double
        package var count: Int

        package init(mean: Double, variance: Double, third: Double, count: Int) {
            self.mean = mean
            self.variance = variance
            self.third = third
            self.count = count
        }
    }

    package var windows: [Windows]

    package init(_ windows: [Windows]) { self.windows = windows.filter { $0.mean > 0 && $0.count > 0 } }

    /// Makes the law of a fleet that is so many times as large as what was observed.
    ///
    /// - Parameter width: One of ``ArrivalIntensity/widths``.
    package init(_ intensity: ArrivalIntensity, width: Int, times factor: Double) {
        let window = intensity.windows.first { $0.seconds == width }
        self.init(
            intensity.windowMeans(width).map { means in
                let dispersion = means.isStorm ? window?.storm ?? window?.steady : window?.steady
                let mean = means.mean * factor
                return Windows(
                    mean: mean, variance: mean * (dispersion?.variance ?? 0),
                    third: mean * (dispersion?.third ?? 0), count: means.count)
            })
    }

    /// The largest mean of a window: what remains of the peak in a fleet without an end.
    package var floor: Double { windows.map(\.mean).max() ?? 0 }

    /// ln P(none is above).
    private func logProbability(_ value: Double) -> Double {
        windows.reduce(0) { sum, windows in
            let tail = min(1, max(0, windows.upperTail(value)))
            return sum + (tail < 1 ? Double(windows.count) * log1p(-tail) : -.infinity)
        }
    }

    /// Value that the largest stays at or below with a probability in (0, 1); 0 without any window.
    package func quantile(_ probability: Double) -> Double {
        precondition(probability > 0 && probability < 1, "probability is \(probability); allowed is (0, 1)")
        let goal = log(probability)
        var (low, high) = (0.0, floor)
        guard high > 0 else { return 0 }
        var step = max(windows.map { $0.variance.squareRoot() }.max() ?? 0, 1e-9 * high)
        while logProbability(high) < goal, high < 1e300 {
            high = low + step
            step *= 2
        }
        for _ in 0..<60 where high - low > 1e-9 * high {
            let middle = (low + high) / 2
            if logProbability(middle) < goal { low = middle } else { high = middle }
        }
        return high
    }

    /// Mean of the largest, by twenty slices of equal probability.
    package var mean: Double {
        let slices = 20
        return (0..<slices).reduce(0) { $0 + quantile((Double($1) + 0.5) / Double(slices)) } / Double(slices)
    }
}

extension PeakLaw.Windows {
    /// P(X > value).
    fileprivate func upperTail(_ value: Double) -> Double {
        guard variance > 0 else { return value < mean ? 1 : 0 }
        let deviation = variance.squareRoot()
        let skewness = third / (variance * deviation)
        guard skewness > 1e-6 else {
            return 1 - (SpecialFunctions.normalCDF((value - mean) / deviation) ?? 1)
        }
        let shape = 4 / (skewness * skewness)
        let scale = skewness * deviation / 2
        let place = (value - mean) / scale + shape
        return place <= 0 ? 1 : SpecialFunctions.gammaUpperTail(place, shape: shape) ?? 0
    }
}
