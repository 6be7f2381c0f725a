import Foundation
import RandomStreams
import Testing

struct SpecialFunctionTests {
    /// The cumulative function comes from the C library's `erfc`, the quantile
    /// from AS 241: they must undo each other in both tails.
    @Test func theNormalQuantileInvertsTheCumulativeFunction() {
        for exponent in stride(from: -300.0, through: -0.31, by: 0.37) {
            let p = pow(10, exponent)
            let back = StandardNormal.cumulative(StandardNormal.quantile(p))
            #expect(abs(back / p - 1) < 2e-13 * max(1, -exponent), "p = \(p)")
        }
        #expect(StandardNormal.quantile(0.5) == 0)
        #expect(StandardNormal.quantile(1 - 0x1p-10) == -StandardNormal.quantile(0x1p-10))
        #expect(abs(StandardNormal.quantile(0.95) - StandardNormal.quantile95) < 3e-15)
        #expect(abs(StandardNormal.quantile(0.99) - StandardNormal.quantile99) < 3e-15)
    }

    @Test func normalNumbersAreNormal() {
        var stream = testStream()
        let samples = (0..<100_000).map { _ in stream.standardNormal() }
        #expect(kolmogorovStatistic(samples, StandardNormal.cumulative) < 1.95)
        #expect(stream.position == 100_000)
    }

    /// For whole shapes the gamma distribution is a Poisson sum.
    @Test func theGammaCumulativeFunctionIsAPoissonSum() {
        for shape in [1, 2, 3, 7, 20, 100] {
            for x in [0.01, 0.5, 1, 3, 7, 19, 21, 90, 110, 300] {
                var term = exp(-x)
                var sum = term
                for index in 1..<max(shape, 2) where index < shape {
                    term *= x / Double(index)
                    sum += term
                }
                let cumulative = Distribution.gamma(shape: Double(shape), scale: 1).cumulative(x)
                #expect(abs(cumulative - (1 - sum)) < 1e-12, "shape \(shape), x \(x)")
            }
        }
    }

    /// Shape 1/2 is the square of a normal variable.
    @Test func theGammaCumulativeFunctionHoldsForFractions() {
        for x in [1e-6, 0.01, 0.3, 1, 2, 5, 12] {
            let cumulative = Distribution.gamma(shape: 0.5, scale: 1).cumulative(x)
            #expect(abs(cumulative - erf(x.squareRoot())) < 1e-13)
        }
    }
}
