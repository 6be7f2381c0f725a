import Foundation
import Statistics

/// The distribution of the one-sample statistic when the distributions agree.
enum KolmogorovDistribution {
    /// P(distance ≥ `distance`) for `count` samples.
    static func tail(_ distance: Double, count: Int) -> Double? {
        let size = Double(count)
        let squared = size * distance * distance
        if squared > 3 { return oneSidedTail(distance, count: count).map { min(1, 2 * $0) } }
        if count <= 1_000 { return exactBody(distance, count: count).map { max(0, min(1, 1 - $0)) } }
        // Vrbik's correction (2018) removes the terms of order 1/√n and 1/n.
        let root = size.squareRoot()
        let x = distance * root
        return limitTail(x + 1 / (6 * root) + (x - 1) / (4 * size))
    }

    /// P(√n · distance > x) for ever more samples.
    static func limitTail(_ x: Double) -> Double {
        guard x > 0 else { return 1 }
        if x < 1 {
            // Theta function transformed, which converges fast here.
            var sum = 0.0
            for odd in stride(from: 1.0, through: 11, by: 2) {
                sum += exp(-odd * odd * Double.pi * Double.pi / (8 * x * x))
            }
            return max(0, 1 - (2 * Double.pi).squareRoot() / x * sum)
        }
        var sum = 0.0
        var sign = 1.0
        for k in stride(from: 1.0, through: 6, by: 1) {
            sum += sign * exp(-2 * k * k * x * x)
            sign = -sign
        }
        return 2 * sum
    }

    /// P(the sample is above the distribution by `distance` somewhere), by the
    /// sum of Birnbaum and Tingey (1951). Twice this is the two-sided tail, up
    /// to the chance of both, which is below e⁻²⁴ where we use it.
    private static func oneSidedTail(_ distance: Double, count: Int) -> Double? {
        guard distance < 1 else { return 0 }
        let size = Double(count)
        guard let logFactorial = SpecialFunctions.logGamma(size + 1) else { return nil }
        var sum = 0.0
        for j in 0...Int(size * (1 - distance)) {
            let index = Double(j)
            let remainder = 1 - distance - index / size
            guard remainder > 0,
                let ways = SpecialFunctions.logGamma(index + 1),
                let others = SpecialFunctions.logGamma(size - index + 1)
            else { continue }
            sum += exp(
                logFactorial - ways - others + (index - 1) * log(distance + index / size)
                    + (size - index) * log(remainder))
        }
        return distance * sum
    }

    /// P(distance < `distance`) by the matrix power of Durbin (1968), in the
    /// arrangement of Marsaglia, Tsang and Wang (2003).
    private static func exactBody(_ distance: Double, count: Int) -> Double? {
        guard distance > 0 else { return 0 }
        let size = Double(count)
        let steps = (size * distance).rounded(.down) + 1
        let slack = steps - size * distance
        let order = 2 * Int(steps) - 1
        var factorials = [1.0]
        for k in 1...order { factorials.append(factorials[k - 1] * Double(k)) }

        var matrix = SquareMatrix(order: order)
        for row in 0..<order {
            for column in 0...min(row + 1, order - 1) {
                var entry = 1.0
                // The first column and the last row lose what lies outside the band.
                if column == 0 { entry -= pow(slack, Double(row + 1)) }
                if row == order - 1 { entry -= pow(slack, Double(order - column)) }
                if column == 0, row == order - 1, 2 * slack > 1 {
                    entry += pow(2 * slack - 1, Double(order))
                }
                matrix[row, column] = entry / factorials[row - column + 1]
            }
        }
        let power = matrix.raised(to: count)
        let centre = power.matrix[Int(steps) - 1, Int(steps) - 1]
        guard centre > 0, let logFactorial = SpecialFunctions.logGamma(size + 1) else { return nil }
        return exp(
            log(centre) + Double(power.exponent) * M_LN2 + logFactorial - size * log(size))
    }
}

private struct SquareMatrix {
    let order: Int
    var entries: [Double]

    init(order: Int) {
        self.order = order
        entries = Array(repeating: 0, count: order * order)
    }

    subscript(row: Int, column: Int) -> Double {
        get { entries[row * order + column] }
        set { entries[row * order + column] = newValue }
    }

    func times(_ other: SquareMatrix) -> SquareMatrix {
        var product = SquareMatrix(order: order)
        for row in 0..<order {
            for inner in 0..<order {
                let factor = self[row, inner]
                for column in 0..<order where factor != 0 {
                    product.entries[row * order + column] += factor * other[inner, column]
                }
            }
        }
        return product
    }

    /// The power is `matrix` times 2 to the `exponent`; the plain one overflows.
    func raised(to power: Int) -> (matrix: SquareMatrix, exponent: Int) {
        var result = self
        var exponent = 0
        for bit in (0..<(Int.bitWidth - power.leadingZeroBitCount - 1)).reversed() {
            result = result.times(result)
            exponent *= 2
            if power >> bit & 1 == 1 { result = result.times(self) }
            let largest = result.entries.max() ?? 0
            if largest > 0 {
                let shift = Int(largest.exponent)
                result.entries = result.entries.map {
                    $0 * Double(sign: .plus, exponent: -shift, significand: 1)
                }
                exponent += shift
            }
        }
        return (result, exponent)
    }
}
