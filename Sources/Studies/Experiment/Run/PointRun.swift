package import FleetModel
import RunMetrics
import Scenarios

/// The replications of one point, taken in the order of their numbers whatever order they finish in.
///
/// The rule that stops them looks at that order only, so neither the number of threads nor an interruption
/// changes which replications count.
struct PointRun {
    /// `nil` inside for a replication that was given up.
    typealias Outcome = Result<ReplicationRecord?, any Error>

    let preparation: Preparation
    let warmUp: WarmUpChoice
    /// Configuration with the warm-up that was found.
    let configuration: FleetConfiguration
    private(set) var records: [ReplicationRecord] = []

    private let range: Range<Int>
    /// `nil` for a part of a point, all of which counts.
    private var rule: StoppingRule?
    private var waiting: [Int: Outcome] = [:]
    private var upcoming: Int

    /// - Parameter part: Replications to run; `nil` for as many as the scenario's plan takes.
    init(_ preparation: Preparation, _ warmUp: WarmUpChoice, part: Range<Int>? = nil) {
        self.preparation = preparation
        self.warmUp = warmUp
        configuration = preparation.configuration(warmUp: warmUp.length)
        let plan = preparation.scenario.replications
        range = part ?? 0..<plan.maximum
        upcoming = range.lowerBound
        if part == nil { rule = StoppingRule(preparation) }
    }

    /// No further replication counts.
    var isComplete: Bool { isPrecise || records.count == range.count }

    private var isPrecise: Bool { rule?.isPrecise ?? false }

    /// Outcome of the replications so far.
    var outcome: PointOutcome {
        PointOutcome(preparation: preparation, warmUp: warmUp, records: records, finished: isComplete)
    }

    /// The number of the replication to start now; `nil` when all have been started.
    mutating func next() -> Int? {
        var number = max(upcoming, range.lowerBound + records.count)
        // Replications that an earlier run had finished are not run again.
        while waiting[number] != nil { number += 1 }
        guard range.contains(number), !isPrecise else { return nil }
        upcoming = number + 1
        return number
    }

    /// Takes in a replication that ended.
    ///
    /// - Throws: The error of the first replication in order that has one: a single thread would never have
    ///   met a later one.
    mutating func take(_ number: Int, _ outcome: Outcome) throws {
        waiting[number] = outcome
        while !isComplete,
            let record = try waiting.removeValue(forKey: range.lowerBound + records.count)?.get()
        {
            records.append(record)
            rule?.add(
                ReplicationMetrics(record, deviceCount: configuration.deviceCount),
                number: record.replication)
        }
    }
}

/// Records of a point's replications, and the preparation and warm-up behind them.
package struct PointOutcome: Sendable {
    package let preparation: Preparation
    package let warmUp: WarmUpChoice
    /// Records in the order of their numbers.
    package let records: [ReplicationRecord]
    /// Whether these are all replications that were asked for.
    package let finished: Bool

    package var result: RunResult {
        ResultBuilder(preparation, warmUp: warmUp, records: records).result(finished: finished)
    }
}
