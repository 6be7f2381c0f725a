package import FleetModel
import Parties
import PrivateInformationRetrieval

/// Ways to cut the PIR database, priced with the lookups of one prefilter.
package enum DatabaseChoice {
    /// Shards that `run` and `pir process` choose by themselves.
    package static func usualShardCount(entries: Int) throws -> Int {
        try PIRDatabase.sharding(shardCount: nil).shardCount(rowCount: entries)
    }

    package static func result(
        _ profile: CostProfile, tuner: PrefilterTuner, design: PrefilterTuner.Design
    ) throws -> TuningResult.Database {
        var cost = tuner.cost
        cost.lookup = try TuningCost.Lookup(profile)
        cost.servers = TuningCost.Servers(
            coresPerInstance: cost.servers.coresPerInstance, keys: cost.servers.keys, profile)
        let demand = tuner.demand(design.stringRate)
        let perDay = cost.perDay(
            byteCount: Double(design.byteCount), listedVisits: tuner.listedVisits, demand)
        return TuningResult.Database(
            shards: profile.subject.shards, rlweParameters: profile.subject.rlweParameters,
            entriesPerShard: profile.subject.entries, databaseBytes: profile.subject.databaseBytes,
            lookup: cost.lookup, evaluationKeyBytes: profile.evaluationKeyBytes,
            coreSecondsPerDay: perDay.coreSeconds, moneyPerMonth: cost.month(perDay, demand).total)
    }
}
