import Foundation
import RandomStreams
import Testing

struct SampleBufferTests {
    static let distributions: [Distribution] = [
        .exponential(mean: 0.3), .uniform(lower: 2, upper: 5), .gamma(shape: 0.7, scale: 2),
        .lognormal(mu: 0, sigma: 1), .constant(4), .empirical([1, 2, 3]),
    ]
    static let positions: [UInt64] = [0, 1, 2, 7, 8_589_934_589]

    @Test("buffered values are those of the stream", arguments: distributions, positions)
    func sameSequence(distribution: Distribution, position: UInt64) {
        var stream = RandomStream(
            seed: 9, replication: 1, entity: 2, purpose: StreamPurpose("buffer"), position: position)
        var buffer = SampleBuffer(distribution, from: stream)
        for index in 0..<1000 {
            let (expected, buffered) = (distribution.sample(using: &stream), buffer.next())
            #expect(buffered == expected, "value \(index)")
        }
    }
}

struct ExponentialTests {
    /// Against the logarithm of the C library, over the whole range of the uniform numbers.
    @Test func drawsAreTheLogarithmOfTheStream() {
        var draws = testStream(3)
        var uniforms = testStream(3)
        var worst = 0.0
        for _ in 0..<300_000 {
            let (draw, expected) = (draws.exponential(mean: 1), -log(uniforms.uniform()))
            worst = max(worst, abs(draw - expected) / expected.ulp)
        }
        #expect(worst <= 4, "\(worst) units in the last place")
    }

    /// Antithetic and compared designs rely on it.
    @Test func largerUniformNumbersGiveSmallerDraws() {
        var draws = testStream(5)
        var uniforms = testStream(5)
        let pairs = (0..<100_000).map { _ in (uniforms.uniform(), draws.exponential(mean: 2)) }
            .sorted { $0.0 < $1.0 }
        #expect(zip(pairs, pairs.dropFirst()).allSatisfy { $0.1 >= $1.1 })
        #expect(draws.position == uniforms.position)
    }
}
