import Foundation

/// The regularized incomplete gamma function, lower part `P` and upper part `Q = 1 - P`.
enum IncompleteGamma {
    /// `P(shape, x)`: the probability that a gamma variable of scale 1 is at most `x`.
    static func lower(_ shape: Double, _ x: Double) -> Double {
        guard x > 0 else { return 0 }
        guard x < .infinity else { return 1 }
        return x < shape + 1 ? series(shape, x) : 1 - continuedFraction(shape, x)
    }

    /// `Q(shape, x)`, accurate also where it is tiny.
    static func upper(_ shape: Double, _ x: Double) -> Double {
        guard x > 0 else { return 1 }
        guard x < .infinity else { return 0 }
        return x < shape + 1 ? 1 - series(shape, x) : continuedFraction(shape, x)
    }

    /// Terms needed grow like the square root of the shape.
    private static func termLimit(_ shape: Double) -> Int {
        1_000 + Int(min(10 * shape.squareRoot(), 1e6))
    }

    private static func series(_ shape: Double, _ x: Double) -> Double {
        var term = 1 / shape
        var sum = term
        var denominator = shape
        for _ in 0..<termLimit(shape) {
            denominator += 1
            term *= x / denominator
            sum += term
            if term < sum * 1e-17 { break }
        }
        return sum * front(shape, x)
    }

    /// Lentz's evaluation of the continued fraction of `Q`.
    private static func continuedFraction(_ shape: Double, _ x: Double) -> Double {
        let tiny = 1e-300
        var b = x + 1 - shape
        var c = 1 / tiny
        var d = 1 / b
        var value = d
        for index in 1...termLimit(shape) {
            let step = Double(index)
            let a = -step * (step - shape)
            b += 2
            d = a * d + b
            if abs(d) < tiny { d = tiny }
            c = b + a / c
            if abs(c) < tiny { c = tiny }
            d = 1 / d
            let factor = d * c
            value *= factor
            if abs(factor - 1) < 1e-16 { break }
        }
        return value * front(shape, x)
    }

    private static func front(_ shape: Double, _ x: Double) -> Double {
        exp(shape * log(x) - x - logGamma(shape))
    }
}

/// Logarithm of the gamma function for positive arguments.
///
/// The C library's `lgamma` writes a global sign; this one has no side effect.
func logGamma(_ x: Double) -> Double {
    // Stirling's series is good to 10⁻¹⁶ from 10 on; smaller arguments are
    // shifted up by the recurrence.
    var shifted = x
    var product = 1.0
    while shifted < 10 {
        product *= shifted
        shifted += 1
    }
    let inverse = 1 / shifted
    let square = inverse * inverse
    let tail = 1 / 1680.0 - square * (1 / 1188.0 - square * (691 / 360_360.0 - square / 156))
    let series = inverse * (1 / 12.0 - square * (1 / 360.0 - square * (1 / 1260.0 - square * tail)))
    return (shifted - 0.5) * log(shifted) - shifted + 0.5 * log(2 * Double.pi) + series - log(product)
}
