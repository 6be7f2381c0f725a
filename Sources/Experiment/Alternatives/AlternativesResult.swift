package import FleetModel
import Statistics

/// The same traffic and the same list, filtered by one architecture after the other.
package struct AlternativesResult: Codable, Equatable, Sendable {
    package static let schema = "urlfilter.alternatives/1"

    /// What money is made of, per month of 30 days.
    package struct Prices: Codable, Equatable, Sendable {
        /// For an hour of one core, and for 1 GB that servers send.
        package var coreHour: Double
        package var gigabyte: Double
        /// Share of a core that may be busy in the busiest interval; the rest is head-room that is bought, too.
        package var targetUtilization: Double
        /// By the names above: "given" or "assumption".
        package var sources: [String: String]

        package init(
            coreHour: Double, gigabyte: Double, targetUtilization: Double, sources: [String: String]
        ) {
            self.coreHour = coreHour
            self.gigabyte = gigabyte
            self.targetUtilization = targetUtilization
            self.sources = sources
        }

        /// - Parameters:
        ///   - cores: Busy ones at the peak.
        ///   - bytes: Sent in a day.
        func perMonth(cores: Double, bytes: Double) -> Double {
            30 * (24 * cores / targetUtilization * coreHour + bytes * 1e-9 * gigabyte)
        }
    }

    /// Listed URLs that were let through, or unlisted ones that were blocked, by cause: means over the replications.
    package struct Causes: Codable, Equatable, Sendable {
        /// The architecture sees or holds less than the list says: a host for a path.
        package var grain: Double
        /// A part of the URL looks like an entry.
        package var wildcard: Double
        /// It does not see the load.
        package var notCovered: Double
        /// The app asked for a verdict, and was told `unknown`.
        package var unknown: Double
        package var stale: Double
        /// The entry cannot match.
        package var unmatchable: Double
        /// Nothing could decide, and whatever else there is.
        package var failed: Double
    }

    /// How it stands to the first architecture of the table, on the same random numbers.
    package struct Difference: Codable, Equatable, Sendable {
        package var metric: String
        package var statistic: String
        package var unit: Metric.Unit
        package var difference: Interval
    }

    package struct Row: Codable, Equatable, Sendable {
        package var architecture: ArchitectureChoice
        package var facts: ArchitectureFacts
        package var replications: Int
        package var finished: Bool
        /// Those of ``AlternativesResult/metrics`` that the architecture has.
        package var figures: [MetricResult]
        package var leaks: Causes
        package var wrongBlocks: Causes
        package var moneyPerMonth: Double?
        /// By party.
        package var reads: [Part: [Datum]]
        package var objectives: [ObjectiveResult]
        package var differences: [Difference]
        package var warnings: [PointResult.Warning]
        package var modelled: [String]

        package enum Verdict: String, Codable, Sendable {
            case meetsAll = "meets all"
            case fails
            case cannotTell = "cannot tell"
            /// The scenario states no objectives.
            case notJudged = "not judged"
        }

        package var verdict: Verdict

        package subscript(metric: Metric) -> MetricResult? { figures.first { $0.isOf(metric) } }

        /// What a party that sees a device's address reads of what is loaded, from the least to the most; `nil` for
        /// nothing.
        package var readWithAddress: Datum? {
            let known = reads.values.filter { $0.contains(.clientAddress) }.joined()
            return [.url, .host, .hashPrefix].first { known.contains($0) }
        }
    }

    package var schema = Self.schema
    package var scenario: RunResult.ScenarioSummary
    package var blocklist: RunResult.BlockListSummary
    package var traces: [RunResult.TraceSummary]
    package var prices: Prices
    package var rows: [Row]

    /// What is shown of every architecture.
    package static let metrics: [Metric] = [
        .checked, .leakedShare, .leaked, .falselyBlocked, .pageTime(percentile: 50),
        .pageTime(percentile: 95),
        .pageTime(percentile: 99), .handOver, .brokenPages, .recovery, .operatorCores, .operatorPeakCores,
        .operatorMemory, .operatorEgress, .operatorIngress, .deviceBytes, .deviceCPU,
        .accessRequests,
    ]

    /// - Parameter results: In the order of the table; at least one.
    package init(
        _ results: [(architecture: ArchitectureChoice, result: RunResult)], prices: Prices, confidence: Double
    ) throws(ComparisonError) {
        guard let first = results.first else { throw .noReplication("alternatives") }
        scenario = first.result.scenario
        blocklist = first.result.blocklist
        traces = first.result.traces
        self.prices = prices
        rows = []
        guard let baseline = first.result.points.first else {
            throw .noReplication(first.architecture.rawValue)
        }
        for (architecture, result) in results {
            guard let point = result.points.first else { throw .noReplication(architecture.rawValue) }
            rows.append(
                Row(
                    architecture, result, point,
                    baseline: architecture == first.architecture ? nil : baseline, prices: prices,
                    confidence: confidence))
        }
    }

    /// Architectures whose verdict this is.
    package func names(_ verdict: Row.Verdict) -> [String] {
        rows.filter { $0.verdict == verdict }.map(\.facts.name)
    }
}

extension AlternativesResult.Row {
    fileprivate init(
        _ architecture: ArchitectureChoice, _ result: RunResult, _ point: PointResult,
        baseline: PointResult?, prices: AlternativesResult.Prices, confidence: Double
    ) {
        let metrics = AlternativesResult.metrics
        self.init(
            architecture: architecture, facts: architecture.facts, replications: point.replications,
            finished: result.finished, figures: metrics.compactMap { point[$0] },
            leaks: Self.leaks(point), wrongBlocks: Self.wrongBlocks(point),
            moneyPerMonth: point[.operatorPeakCores].flatMap { cores in
                point[.operatorEgress].map { prices.perMonth(cores: cores.value, bytes: $0.value) }
            },
            reads: Self.reads(point), objectives: point.objectives,
            differences: baseline.map { first in
                metrics.compactMap { Self.difference($0, from: first, to: point, confidence) }
            } ?? [],
            warnings: point.warnings, modelled: result.modelled, verdict: Self.verdict(point.objectives))
    }

    private static func leaks(_ point: PointResult) -> AlternativesResult.Causes {
        func mean(_ metric: Metric) -> Double { point[metric]?.value ?? 0 }
        var causes = AlternativesResult.Causes(
            grain: mean(.leakedByGrain), wildcard: 0, notCovered: mean(.leakedUnseen) - mean(.leakedUnknown),
            unknown: mean(.leakedUnknown), stale: mean(.leakedStale), unmatchable: mean(.leakedUnmatchable),
            failed: 0)
        let rest = mean(.leaked) - causes.grain - mean(.leakedUnseen) - causes.stale - causes.unmatchable
        causes.failed = max(rest, 0)
        return causes
    }

    private static func wrongBlocks(_ point: PointResult) -> AlternativesResult.Causes {
        func mean(_ metric: Metric) -> Double { point[metric]?.value ?? 0 }
        let (grain, wildcard) = (mean(.blockedByGrain), mean(.blockedByWildcard))
        return .init(
            grain: grain, wildcard: wildcard, notCovered: 0, unknown: 0, stale: 0, unmatchable: 0,
            failed: max(mean(.falselyBlocked) - grain - wildcard, 0))
    }

    private static func reads(_ point: PointResult) -> [Part: [Datum]] {
        var reads: [Part: [Datum]] = [:]
        for disclosure in point.disclosures ?? [] {
            for (party, count) in disclosure.counts where count > 0 {
                reads[party, default: []].append(disclosure.datum)
            }
        }
        return reads
    }

    private static func verdict(_ objectives: [ObjectiveResult]) -> Verdict {
        if objectives.isEmpty { return .notJudged }
        if objectives.contains(where: { $0.verdict == .fail }) { return .fails }
        return objectives.allSatisfy { $0.verdict == .pass } ? .meetsAll : .cannotTell
    }

    private static func difference(
        _ metric: Metric, from first: PointResult, to second: PointResult, _ confidence: Double
    ) -> AlternativesResult.Difference? {
        guard let left = first[metric], let right = second[metric] else { return nil }
        let pairs = zip(left.perReplication, right.perReplication).compactMap { pair in
            pair.0.flatMap { one in pair.1.map { (one, $0) } }
        }
        let paired = PairedDifference(
            baseline: pairs.map(\.0), candidate: pairs.map(\.1), areCounts: metric.countsEvents, quantum: 0,
            confidence: confidence)
        guard let paired, paired.hasSpread else { return nil }
        let (mean, half) = (paired.difference.mean, paired.difference.halfWidth)
        return .init(
            metric: metric.name, statistic: metric.statistic, unit: metric.unit,
            difference: Interval(
                low: mean - half, high: mean + half, confidence: confidence,
                method: "Student's t over \(pairs.count) pairs"))
    }
}
