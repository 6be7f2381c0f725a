import Foundation
import RandomStreams

/// Largest distance between the empirical and the given distribution function,
/// times the square root of the sample size. Above 1.95 once in a thousand samples.
func kolmogorovStatistic(_ samples: [Double], _ cumulative: (Double) -> Double) -> Double {
    let count = Double(samples.count)
    var largest = 0.0
    for (index, value) in samples.sorted().enumerated() {
        let expected = cumulative(value)
        largest = max(largest, expected - Double(index) / count, Double(index + 1) / count - expected)
    }
    return largest * count.squareRoot()
}

/// Pearson's statistic as deviations from its mean: roughly normal for many cells.
func chiSquareDeviations(_ observed: [Int], _ expected: [Double]) -> Double {
    let statistic = zip(observed, expected).reduce(0) { sum, cell in
        sum + (Double(cell.0) - cell.1) * (Double(cell.0) - cell.1) / cell.1
    }
    let freedom = Double(observed.count - 1)
    return (statistic - freedom) / (2 * freedom).squareRoot()
}

func testStream(_ seed: UInt64 = 1) -> RandomStream {
    RandomStream(seed: seed, replication: 0, entity: 0, purpose: StreamPurpose("test"))
}
