import Decoding
package import Experiment
package import FleetModel
package import Foundation
package import RunMetrics
package import Scenarios
import Statistics

/// The same traffic and the same list, filtered by one architecture after the other.
package struct AlternativesResult: Codable, Equatable, Sendable {
    package static let schema = "urlfilter.alternatives/6"

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
        /// Those that were seen, with their causes.
        package var harms: [HarmResult]
        /// `nil` for an architecture whose servers the model does not know.
        package var moneyPerMonth: Double?
        package var cost: MonthlyCost?
        /// Servers that stand there, of all regions; they are in ``cost``.
        package var machines: [Machines]
        /// Data that each party reads.
        package var reads: [Part: [Datum]]
        package var objectives: [ObjectiveResult]
        /// Expressions of those objectives that are about something that others have and this one has none of, such as
        /// PIR servers: they say nothing for it or against it.
        package var unasked: [String]
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
        /// Absent for waits without a closed form.
        package var delay: ChangeDelay?

        package subscript(metric: Metric) -> MetricResult? { figures.first { $0.isOf(metric) } }

        /// Mean over the replications.
        package func count(_ harm: Harm, _ cause: HarmCause) -> Double {
            let causes = harms.first { $0.harm == harm }?.causes ?? []
            return causes.filter { $0.cause == cause }.reduce(0) { $0 + $1.count }
        }

        /// Most telling of URL, host and hash prefix that a party reads of what is loaded, if it sees a device's
        /// address; `nil` for nothing.
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
    package var choice: AlternativesChoice
    /// The same over what nobody knows; absent where chance alone was asked for, where nothing is left to know, and in
    /// documents of earlier versions.
    package var plausibility: AlternativesPlausibility?
    /// Why ``plausibility`` is not told; absent where it is, and where nobody asked.
    package var plausibilityNote: String?

    /// Metrics that are shown of every architecture.
    package static let metrics: [Metric] = [
        .checked, .leakedShare, .leakedOutsideFaults, .leaked, .falselyBlocked, .falselyBlockedOutsideFaults,
        .pageTime(percentile: 50),
        .pageTime(percentile: 95),
        .pageTime(percentile: 99), .handOver, .brokenPages, .brokenOutsideFaults, .recovery, .operatorCores,
        .operatorPeakCores,
        .operatorMemory, .operatorEgress, .operatorIngress, .deviceBytes, .deviceCPU,
        .accessRequests, .mechanismBusiest, .mechanismWaiting,
    ]

    /// - Parameters:
    ///   - results: In the order of the table; at least one.
    ///   - scenario: Of all of them, but for the architecture.
    ///   - delays: How soon each follows a change of the list.
    ///   - have: What there is, of what architectures need; `nil`: everything.
    package init(
        _ results: [(architecture: ArchitectureChoice, result: RunResult)], of scenario: Scenario,
        prices: Prices, delays: [ArchitectureChoice: ChangeDelay] = [:],
        have: Set<ArchitectureFacts.Need>? = nil, confidence: Double
    ) throws(ComparisonError) {
        guard let first = results.first else { throw .noReplication("alternatives") }
        self.scenario = first.result.scenario
        blocklist = first.result.blocklist
        traces = first.result.traces
        self.prices = prices
        guard let baseline = first.result.points.first else {
            throw .noReplication(first.architecture.rawValue)
        }
        var rows: [Row] = []
        let known = Set(
            results.flatMap { $0.result.points.first?.objectives ?? [] }.filter { $0.observed != nil }
                .map(\.expression))
        for (architecture, result) in results {
            guard let point = result.points.first else { throw .noReplication(architecture.rawValue) }
            var row = Row(
                architecture, result, point,
                baseline: architecture == first.architecture ? nil : baseline,
                cost: AlternativesCost(result, point, of: scenario, prices: prices), known: known,
                confidence: confidence)
            row.delay = delays[architecture]
            rows.append(row)
        }
        self.rows = rows
        choice = AlternativesChoice(rows, have: have)
    }

    package subscript(architecture: ArchitectureChoice) -> Row? {
        rows.first { $0.architecture == architecture }
    }

    /// - Throws: `DecodingError` for anything that is not a result.
    package static func decode(_ data: Data) throws -> AlternativesResult {
        let result = try JSONReader.read(AlternativesResult.self, from: data)
        if let number = PlausibleNumbers(limit: RunResult.largestNumber).first(outside: result) {
            throw RunResult.problem("the number \(number)", "no run reaches it")
        }
        return result
    }

    /// Architectures whose verdict this is.
    package func names(_ verdict: Row.Verdict) -> [String] {
        rows.filter { $0.verdict == verdict }.map(\.facts.name)
    }
}

extension AlternativesResult.Row {
    /// - Parameter known: Expressions of objectives that some architecture has a value for.
    fileprivate init(
        _ architecture: ArchitectureChoice, _ result: RunResult, _ point: PointResult,
        baseline: PointResult?, cost: AlternativesCost?, known: Set<String>, confidence: Double
    ) {
        let metrics = AlternativesResult.metrics
        let unasked = point.objectives.filter { objective in
            // What is only too rare here stays open.
            objective.observed == nil && known.contains(objective.expression)
                && !point.thinTails.contains {
                    $0.name == objective.metric && $0.statistic == objective.statistic
                }
        }.map(\.expression)
        self.init(
            architecture: architecture, facts: architecture.facts, replications: point.replications,
            finished: result.finished, figures: metrics.compactMap { point[$0] },
            harms: point.harms ?? [],
            moneyPerMonth: cost?.month.total, cost: cost?.month, machines: cost?.machines ?? [],
            reads: Self.reads(point), objectives: point.objectives, unasked: unasked,
            differences: baseline.map { first in
                metrics.compactMap { Self.difference($0, from: first, to: point, confidence) }
            } ?? [],
            warnings: point.warnings, modelled: result.modelled,
            verdict: Self.verdict(point.objectives.filter { !unasked.contains($0.expression) }))
    }

    private static func reads(_ point: PointResult) -> [Part: [Datum]] {
        var reads: [Part: [Datum]] = [:]
        for disclosure in point.disclosures {
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

extension ResultFile {
    /// The other mechanisms beside a result.
    ///
    /// - Returns: `nil` when nobody asked for them.
    package static func alternatives(path: String) throws -> AlternativesResult? {
        let (folder, name) = (folder(of: path), ResultDirectory.alternatives)
        guard isThere(path: folder, name: name) else { return nil }
        return try read(
            path: folder, name: name, schema: AlternativesResult.schema, AlternativesResult.decode)
    }
}
