import RandomStreams
package import Scenarios
import Statistics
package import URLFilter
package import Workload

/// Maker of a prefilter from a block list, and of what it costs in false hits.
package enum PrefilterBuilder {
    /// Random strings tested to find the rate of stray hits: at least these, and on until ``wantedHits`` hit or
    /// ``mostProbes`` were tested. 10 000 hits give the rate to 1 %.
    private static let fewestProbes = 1 << 22
    private static let mostProbes = 1 << 26
    private static let wantedHits = 10_000

    package struct StrayHits: Sendable {
        package var hits: Int
        package var probes: Int

        package var rate: Double { Double(hits) / Double(probes) }
    }

    /// - Parameter itemCount: Entries that the size is chosen for.
    package static func build(
        _ list: BlockList, itemCount: Int, settings: FilterSettings
    ) throws -> BloomFilter {
        build(list, parameters: try parameters(itemCount: itemCount, settings: settings))
    }

    /// - Parameter itemCount: Entries that the size is chosen for.
    package static func parameters(itemCount: Int, settings: FilterSettings) throws -> BloomParameters {
        switch settings.shape {
        case .falsePositiveTolerance(let tolerance):
            try BloomParameters(
                entryCount: itemCount, falsePositiveTolerance: tolerance, murmurSeed: settings.murmurSeed)
        case .exactly(let bitCount, let hashCount):
            try BloomParameters(bitCount: bitCount, hashCount: hashCount, murmurSeed: settings.murmurSeed)
        }
    }

    package static func build(_ list: BlockList, parameters: BloomParameters) -> BloomFilter {
        var filter = BloomFilter(parameters: parameters)
        filter.insert(count: list.count) { digest(of: list, at: $0, murmurSeed: parameters.murmurSeed) }
        return filter
    }

    package static func digest(of list: BlockList, at index: Int, murmurSeed: UInt32) -> KeyDigest {
        list.withEntry(at: index) { entry in
            entry.withUnsafeBufferPointer { KeyDigest($0, murmurSeed: murmurSeed) }
        }
    }

    /// The parameters whose seed makes the fewest random strings hit, among `count` seeds from that of `first` on.
    ///
    /// Which strings err is luck: for a list of a few entries the best seed errs a tenth as often as an unlucky one.
    package static func bestSeed(
        of count: Int, for list: BlockList, _ first: BloomParameters
    ) throws -> BloomParameters {
        var best = (parameters: first, rate: Double.infinity)
        for offset in 0..<UInt32(clamping: count) {
            let seed = first.murmurSeed &+ offset
            let parameters = try BloomParameters(
                bitCount: first.bitCount, hashCount: first.hashCount, murmurSeed: seed == 0 ? 1 : seed)
            let stray = try strayHits(of: build(list, parameters: parameters))
            let rate = Double(stray.hits) / Double(stray.probes)
            if rate < best.rate { best = (parameters, rate) }
        }
        return best.parameters
    }

    /// How often a string hits a filter of a few random entries: where the positions of one string coincide often,
    /// formulas are too low.
    ///
    /// - Returns: `nil` for more entries than ``mostForMeasuring``, where the formula holds.
    package static func measuredRate(_ size: PrefilterSize) throws -> Double? {
        guard (1...mostForMeasuring).contains(size.entryCount) else { return nil }
        var stream = RandomStream(seed: 2, replication: 0, entity: 0, purpose: StreamPurpose("stray hits"))
        func digest() -> KeyDigest {
            let value = stream.next()
            return KeyDigest(
                start: UInt32(truncatingIfNeeded: value), step: UInt32(truncatingIfNeeded: value >> 32))
        }
        let parameters = try BloomParameters(
            bitCount: size.bitCount, hashCount: size.hashCount, murmurSeed: 1)
        var hits = 0
        for _ in 0..<measuredFilters {
            var filter = BloomFilter(parameters: parameters)
            filter.insert(count: size.entryCount) { _ in digest() }
            for _ in 0..<probesOfAFilter where filter.mayContain(digest()) { hits += 1 }
        }
        return Double(hits) / Double(measuredFilters * probesOfAFilter)
    }

    /// Entries up to which the formula may be wrong by more than a few percent.
    package static let mostForMeasuring = 500
    private static let measuredFilters = 200
    private static let probesOfAFilter = 1 << 13

    /// Counts how many random strings hit.
    package static func strayHits(of filter: BloomFilter) throws -> StrayHits {
        var stream = RandomStream(seed: 1, replication: 0, entity: 0, purpose: StreamPurpose("stray hits"))
        var result = StrayHits(hits: 0, probes: 0)
        while result.probes < fewestProbes || result.hits < wantedHits && result.probes < mostProbes {
            for _ in 0..<fewestProbes {
                let value = stream.next()
                let digest = KeyDigest(
                    start: UInt32(truncatingIfNeeded: value), step: UInt32(truncatingIfNeeded: value >> 32))
                if filter.mayContain(digest) { result.hits += 1 }
            }
            result.probes += fewestProbes
        }
        return result
    }

    package static func summary(
        of filter: BloomFilter, entryCount: Int, stray: StrayHits
    ) -> RunResult.FilterSummary {
        let parameters = filter.parameters
        let interval = ProportionEstimate(successes: stray.hits, trials: stray.probes, confidence: 0.95)
        return RunResult.FilterSummary(
            bitCount: parameters.bitCount, hashCount: parameters.hashCount, murmurSeed: parameters.murmurSeed,
            byteCount: parameters.byteCount, fillRatio: filter.fillRatio,
            predictedStringRate: parameters.falsePositiveRate(entryCount: entryCount),
            countedStringRate: Interval(
                low: interval?.bounds.lowerBound ?? 0, high: interval?.bounds.upperBound ?? 1,
                confidence: 0.95,
                method: "Clopper-Pearson"), probes: stray.probes)
    }
}
