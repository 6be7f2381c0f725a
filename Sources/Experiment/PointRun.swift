import FleetModel

/// The replications of one point, taken in the order of their numbers whatever order they finish in.
///
/// The rule that stops them looks at that order only, so neither the number of threads nor an interruption
/// changes which replications count.
struct PointRun {
    /// `nil` inside for a replication that was given up.
    typealias Outcome = Result<ReplicationRecord?, any Error>

    let preparation: Preparation
    /// With the warm-up that was found.
    let configuration: FleetConfiguration
    private(set) var records: [ReplicationRecord] = []
    /// Replications that count are enough for the precision asked for.
    var isPrecise: Bool { rule.isPrecise }

    private let plan: ReplicationPlan
    private var rule: StoppingRule
    private var waiting: [Int: Outcome] = [:]
    private var upcoming = 0

    init(_ preparation: Preparation, _ configuration: FleetConfiguration) {
        self.preparation = preparation
        self.configuration = configuration
        plan = preparation.scenario.replications
        rule = StoppingRule(plan, expectedVisits: preparation.plannedVisits.expectation)
    }

    /// No further replication counts.
    var isComplete: Bool { isPrecise || records.count == plan.maximum }

    /// The number of the replication to start now; `nil` when all have been started.
    mutating func next() -> Int? {
        guard let number = upcomingNumber else { return nil }
        upcoming = number + 1
        return number
    }

    var hasNext: Bool { upcomingNumber != nil }

    /// Replications that an earlier run had finished are not run again.
    private var upcomingNumber: Int? {
        var number = max(upcoming, records.count)
        while waiting[number] != nil { number += 1 }
        return number < plan.maximum && !isPrecise ? number : nil
    }

    /// Takes in a replication that ended.
    ///
    /// - Returns: Those whose turn it is now, in order.
    /// - Throws: The error of the first replication in order that has one: a single thread would never have
    ///   met a later one.
    mutating func take(_ number: Int, _ outcome: Outcome) throws -> [ReplicationRecord] {
        waiting[number] = outcome
        let known = records.count
        while !isComplete, let record = try waiting.removeValue(forKey: records.count)?.get() {
            records.append(record)
            rule.add(
                ReplicationMetrics(record, deviceCount: configuration.deviceCount),
                plannedVisits: preparation.plannedVisits.count(replication: record.replication))
        }
        return Array(records[known...])
    }
}
