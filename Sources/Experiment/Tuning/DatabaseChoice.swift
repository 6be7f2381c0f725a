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
        _ profile: CostProfile, cost: TuningCost, design: PrefilterTuner.Design
    ) throws -> TuningResult.Database {
        var cost = cost
        cost.lookup = try TuningCost.Lookup(profile)
        let perDay = cost.perDay(
            byteCount: Double(design.byteCount), lookups: design.lookupsPerDeviceDay, extraKeywords: 0)
        return TuningResult.Database(
            shards: profile.subject.shards, rlweParameters: profile.subject.rlweParameters,
            entriesPerShard: profile.subject.entries, databaseBytes: profile.subject.databaseBytes,
            lookup: cost.lookup, evaluationKeyBytes: profile.evaluationKeyBytes,
            coreSecondsPerDay: perDay.coreSeconds, moneyPerDay: perDay.money)
    }
}
