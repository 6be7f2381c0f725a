import Decoding
import Foundation
import RandomStreams

/// The share of a trace's requests that hit a Bloom filter, over all hash seeds that the filter could have.
///
/// Given trace, list and seed the share is a number and no estimate. With another seed other strings hit by chance,
/// each alike. Requests are not independent there: those of one host have strings in common, so that one popular host
/// that is hit makes as much as thousands of others. Here whole strings are drawn.
package struct StrayShare: Sendable {
    /// Mean over all seeds, exact.
    package let mean: Double
    /// Shares that so many of further seeds lie between.
    package let bounds: ClosedRange<Double>
    package let confidence: Double

    private static let mostDraws = 4_000
    private static let fewestDraws = 400
    /// Strings that are drawn at most, in all.
    private static let work = 4e7

    /// - Parameters:
    ///   - weights: Requests for each URL.
    ///   - strings: For each URL the numbers of its strings that the list does not have, from 0 on.
    ///   - isListed: For each URL whether a string of it is in the list, so that it hits with every seed.
    ///   - chance: That a string hits, in `0...1`.
    /// - Returns: `nil` without requests, and where it would take too long.
    package init?(
        weights: [Double], strings: [[UInt32]], isListed: [Bool], chance: Double, confidence: Double = 0.95
    ) {
        requireConfidence(confidence)
        let all = weights.reduce(0, +)
        let stringCount = Int(strings.lazy.compactMap { $0.max() }.max().map { $0 + 1 } ?? 0)
        let draws = min(Self.mostDraws, Int(Self.work / max(1, Double(stringCount) * chance)))
        guard all > 0, (0...1).contains(chance), weights.count == strings.count,
            weights.count == isListed.count, draws >= Self.fewestDraws
        else { return nil }
        var urls = Array(repeating: [UInt32](), count: stringCount)
        var (listed, expected) = (0.0, 0.0)
        for url in weights.indices {
            if isListed[url] {
                listed += weights[url]
                continue
            }
            let own = Set(strings[url])
            for string in own { urls[Int(string)].append(UInt32(url)) }
            expected -= weights[url] * expm1(Double(own.count) * log1p(-min(chance, 1 - 1e-12)))
        }
        var bits = SplitMix64(1)
        var drawnLast = Array(repeating: 0, count: weights.count)
        let shares = (1...draws).map { draw in
            var hit = listed
            Self.forEachHit(among: stringCount, chance: chance, &bits) { string in
                for url in urls[string] where drawnLast[Int(url)] != draw {
                    drawnLast[Int(url)] = draw
                    hit += weights[Int(url)]
                }
            }
            return hit / all
        }.sorted()
        let outside = (1 - confidence) / 2
        let last = Int(saturating: (outside * Double(draws)).rounded(.down))
        mean = (listed + expected) / all
        bounds = shares[last]...shares[draws - 1 - last]
        self.confidence = confidence
    }

    /// Skips from hit to hit, so that few hits among many strings take little time.
    private static func forEachHit(
        among count: Int, chance: Double, _ bits: inout SplitMix64, _ body: (Int) -> Void
    ) {
        guard chance > 0 else { return }
        guard chance < 1 else { return (0..<count).forEach(body) }
        let scale = 1 / log1p(-chance)
        var place = -1.0
        while true {
            place += 1 + (log(bits.uniform()) * scale).rounded(.down)
            guard place < Double(count) else { return }
            body(Int(place))
        }
    }
}
