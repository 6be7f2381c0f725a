package import Experiment
import RunMetrics
import Statistics
import Synchronization
import URLFilter
import Workload

extension PrefilterTuner {
    /// Behaviour of built filters of one shape, over several hash seeds.
    package struct Observed: Codable, Equatable, Sendable {
        package var seeds: Int
        /// Stray hits among the traffic's distinct unlisted strings.
        package var stringRate: Interval
        package var hitShare: Estimate
        package var lookupsPerDeviceDay: Estimate
        package var keywordsPerLookup: Double
        package var moneyPerMonth: Estimate
    }

    package struct Estimate: Codable, Equatable, Sendable {
        package var value: Double
        package var interval: Interval?
        package var perSeed: [Double]

        init(_ samples: [Double], confidence: Double) {
            perSeed = samples
            value = samples.mean ?? .nan
            interval = Interval(samples, in: .amount, confidence: confidence)
            interval?.method = "Student's t over \(samples.count) hash seeds"
        }
    }

    /// Builds each shape with each seed, and runs the traffic through it.
    ///
    /// Seeds are worked on in parallel; which ones does not depend on the number of threads.
    ///
    /// - Parameter progress: Called after each filter, with the number of those done.
    package func observe(
        _ designs: [Design], seeds: Int, confidence: Double, threads: Int,
        progress: @escaping @Sendable (Int) -> Void
    ) async throws -> [Observed] {
        guard seeds >= 2 else { throw TuningError.tooFewSeeds(seeds) }
        let done = Counter()
        let bySeed = try await withThrowingTaskGroup(of: (Int, [[TuningObservation]]).self) { group in
            var results = Array(repeating: [[TuningObservation]](), count: seeds)
            var next = 0
            func start() {
                guard next < seeds else { return }
                let number = next
                next += 1
                group.addTask {
                    let murmurSeed = UInt32(number + 1)
                    let entries = (0..<list.count).map {
                        PrefilterBuilder.digest(of: list, at: $0, murmurSeed: murmurSeed)
                    }
                    let digests = parts.map { $0.traffic.digests(murmurSeed: murmurSeed) }
                    return (
                        number,
                        try designs.map { design in
                            try Task.checkCancellation()
                            var filter = BloomFilter(
                                parameters: try BloomParameters(
                                    bitCount: design.bitCount, hashCount: design.hashCount,
                                    murmurSeed: murmurSeed))
                            filter.insert(count: entries.count) { entries[$0] }
                            let observations = zip(parts, digests).map { part, digests in
                                TuningObservation(
                                    filter, traffic: part.traffic, digests: digests, constants: constants)
                            }
                            progress(done.next())
                            return observations
                        }
                    )
                }
            }
            for _ in 0..<max(1, threads) { start() }
            while let (number, observations) = try await group.next() {
                results[number] = observations
                start()
            }
            return results
        }
        return designs.indices.map { index in
            observed(designs[index], bySeed.map { $0[index] }, confidence: confidence)
        }
    }

    /// - Parameter runs: For each seed, what the filter did to each part of the fleet.
    private func observed(_ design: Design, _ runs: [[TuningObservation]], confidence: Double) -> Observed {
        /// The mean over the fleet, seed by seed.
        func mean(_ value: (TuningTraffic, TuningObservation) -> Double) -> [Double] {
            runs.map { run in
                zip(parts, run).reduce(0) { $0 + $1.0.share * value($1.0.traffic, $1.1) }
            }
        }
        let strayStrings = runs.joined().reduce(0) { $0 + $1.strayStrings }
        let strings = runs.joined().reduce(0) { $0 + $1.unlistedStrings }
        let rate = ProportionEstimate(
            successes: strayStrings, trials: max(strings, 1), confidence: confidence)
        let lookups = mean { Double($1.lookups) / $0.deviceDays }
        let strays = mean { Double($1.strayLookups) / $0.deviceDays }
        let keywords = mean { Double($1.keywords) / $0.deviceDays }
        let busiest = runs.map { run in self.busiest(run.map { $0.lookupsByHour.map(Double.init) }) }
        let allLookups = lookups.reduce(0, +)
        return Observed(
            seeds: runs.count,
            stringRate: Interval(
                low: rate?.bounds.lowerBound ?? 0, high: rate?.bounds.upperBound ?? 1, confidence: confidence,
                method: "Clopper-Pearson over \(strings) strings"),
            hitShare: Estimate(mean { Double($1.hits) / Double($0.requestCount) }, confidence: confidence),
            lookupsPerDeviceDay: Estimate(lookups, confidence: confidence),
            keywordsPerLookup: allLookups > 0 ? keywords.reduce(0, +) / allLookups : 0,
            moneyPerMonth: Estimate(
                runs.indices.map { seed in
                    let demand = TuningCost.Demand(
                        lookups: lookups[seed], strayLookups: strays[seed],
                        extraKeywords: keywords[seed] - lookups[seed], busiestLookups: busiest[seed])
                    let perDay = cost.perDay(
                        byteCount: Double(design.byteCount), listedVisits: listedVisits, demand)
                    return cost.month(perDay, demand).total
                }, confidence: confidence))
    }
}

/// Counts what several threads finish.
private final class Counter: Sendable {
    private let value = Atomic(0)

    func next() -> Int { value.add(1, ordering: .relaxed).newValue }
}
