import Decoding
package import Experiment
import Statistics
package import Workload

/// Findings of `bloom tune`: the shapes, the best one, and how sure that is.
package struct TuningResult: Codable, Equatable, Sendable {
    package static let schema = "urlfilter.bloom-tune/2"

    package struct Choice: Codable, Equatable, Sendable {
        /// The design's name, for example `optimum` or `Apple's default`.
        package var name: String
        package var design: PrefilterTuner.Design
        package var observed: PrefilterTuner.Observed
    }

    /// The optimum's filter when the list has grown and the shape has not.
    package struct Age: Codable, Equatable, Sendable {
        /// Entries over those the shape was chosen for.
        package var growth: Double
        package var entries: Int
        package var design: PrefilterTuner.Design
    }

    /// A way to cut and encrypt the PIR database, with the optimum's lookups.
    package struct Database: Codable, Equatable, Sendable {
        package var shards: Int
        package var rlweParameters: String
        package var entriesPerShard: Int
        package var databaseBytes: Int
        package var lookup: TuningCost.Lookup
        package var evaluationKeyBytes: Int
        package var coreSecondsPerDay: Double
        package var moneyPerMonth: Double
    }

    /// Error of the former pricing by busy core-seconds and one download a day, as this program counted before.
    package struct Former: Codable, Equatable, Sendable {
        /// Design that would have been chosen, with what it really costs.
        package var design: PrefilterTuner.Design
        /// Money that it would have been said to cost, a month.
        package var statedMoney: Double
    }

    /// How often the list is published, with the optimum's shape.
    package struct Edition: Codable, Equatable, Sendable {
        /// Seconds.
        package var republishInterval: Double
        package var downloadsPerDay: Double
        /// Seconds until a device blocks a new entry, in the mean.
        package var meanDelay: Double
        /// Visits of the fleet to new entries that are not blocked yet.
        package var exposedVisitsPerDay: Double
        package var moneyPerMonth: Double
    }

    package struct Traffic: Codable, Equatable, Sendable {
        package var file: String
        /// How the devices expand URLs, with shares if they differ. Numbers of strings are those of the first.
        package var rules: String
        package var requests: Int
        package var unparseable: Int
        package var urls: Int
        package var strings: Int
        package var clients: Int
        package var days: Double
    }

    package var schema = Self.schema
    package var list: String
    package var keys: KeyPolicy
    package var entries: Int
    /// On every system.
    package var unmatchable: [UnmatchableSummary]
    package var traffic: Traffic
    package var cost: TuningCost
    /// The source of each price and assumption.
    package var sources: [String: String]
    package var plane: [PrefilterTuner.Design]
    package var choices: [Choice]
    /// Money of Apple's default over money of the optimum, paired by hash seed.
    package var gain: PrefilterTuner.Estimate?
    package var former: Former
    package var editions: [Edition]
    package var ageing: [Age]
    package var databases: [Database]
    /// Reasons to distrust the traffic.
    package var warnings: [PointResult.Warning]
    /// The same over what nobody knows; absent where chance alone is asked for, where everything is known, and in
    /// documents of earlier versions.
    package var plausibility: TuningPlausibility?

    /// Savings below it are no reason to leave Apple's default; an assumption.
    package static let leastSaving = 0.02

    /// Whether the optimum was seen to cost less than Apple's default, and by more than ``leastSaving``.
    package var isWorthwhile: Bool {
        gain.map { ($0.interval?.low ?? $0.value) > 1 && $0.value >= 1 / (1 - Self.leastSaving) } ?? true
    }
}

extension PrefilterTuner {
    /// Names of what was read, as the user gave them.
    package struct Names: Sendable {
        package var list: String
        package var trace: String
        package var rules: String
        /// How the list was read.
        package var keys: KeyPolicy

        package init(list: String, keys: KeyPolicy, trace: String, rules: String) {
            self.list = list
            self.keys = keys
            self.trace = trace
            self.rules = rules
        }
    }

    /// Everything in one document. The first choice is the optimum, the second what it is compared with.
    package func result(
        _ names: Names, sources: [String: String], choices: [(name: String, design: Design)],
        observed: [Observed], databases: [TuningResult.Database], confidence: Double
    ) throws -> TuningResult {
        let traffic = parts[0].traffic
        return TuningResult(
            list: names.list, keys: names.keys, entries: list.count,
            unmatchable: UnmatchableSummary.all(of: list),
            traffic: .init(
                file: names.trace, rules: names.rules, requests: traffic.requestCount,
                unparseable: traffic.unparseable, urls: traffic.urlCount, strings: traffic.stringCount,
                clients: traffic.clientCount, days: traffic.days),
            cost: cost, sources: sources, plane: try plane(),
            choices: zip(choices, observed).map { .init(name: $0.name, design: $0.design, observed: $1) },
            gain: Self.gain(observed[1], observed[0], confidence: confidence),
            former: try former(), editions: try editions(choices[0].design),
            ageing: try ageing(of: choices[0].design), databases: databases,
            warnings: TraceWarnings(
                traffic.summary, devices: cost.devices, countsWholeDays: traffic.countsWholeDays
            ).all)
    }

    /// Money of one observed design over that of another, seed by seed.
    package static func gain(
        _ numerator: Observed, _ denominator: Observed, confidence: Double
    ) -> Estimate? {
        let pairs = zip(numerator.moneyPerMonth.perSeed, denominator.moneyPerMonth.perSeed)
        guard pairs.allSatisfy({ $0.1 > 0 }) else { return nil }
        return Estimate(pairs.map { $0.0 / $0.1 }, confidence: confidence)
    }

    package func former() throws -> TuningResult.Former {
        var tuner = self
        tuner.cost.basis = .meanCoreSeconds
        let chosen = try tuner.optimum()
        return TuningResult.Former(
            design: try design(bitCount: chosen.bitCount, hashCount: chosen.hashCount),
            statedMoney: chosen.cost.total)
    }

    private static let republishIntervals = [1.0, 6, 24, 168].map { $0 * 3600 }

    /// The same shape, published at other intervals.
    private func editions(_ design: Design) throws -> [TuningResult.Edition] {
        guard cost.editions.givenDownloads == nil else { return [] }
        return try Set(Self.republishIntervals + [cost.editions.republishInterval]).sorted().map { interval in
            var tuner = self
            tuner.cost.editions.republishInterval = interval
            let design = try tuner.design(bitCount: design.bitCount, hashCount: design.hashCount)
            return TuningResult.Edition(
                republishInterval: interval, downloadsPerDay: tuner.cost.editions.downloadsPerDay,
                meanDelay: tuner.cost.editions.meanDelay,
                exposedVisitsPerDay: design.perDay.harm.exposedVisitsPerDay,
                moneyPerMonth: design.cost.total)
        }
    }

    /// The same shape for a list that grows.
    package func ageing(
        of design: Design, growths: [Double] = [1, 1.1, 1.25, 1.5, 2]
    ) throws -> [TuningResult.Age] {
        try growths.map { growth in
            let entries = Int(saturating: (Double(list.count) * growth).rounded())
            return TuningResult.Age(
                growth: growth, entries: entries,
                design: try self.design(
                    bitCount: design.bitCount, hashCount: design.hashCount, entries: entries))
        }
    }
}
