import Decoding
import EventSimulation
package import FleetModel
package import Foundation
package import Scenarios

/// Replications as bytes, to go on from after a kill or on another machine.
package enum RecordFile {
    /// - Throws: `DecodingError` for anything that is not a record of a replication.
    package static func decode(_ data: Data) throws -> ReplicationRecord {
        try JSONReader.read(ReplicationRecord.self, from: data)
    }

    /// Why the numbers of a record from elsewhere cannot be those of a replication of this point.
    ///
    /// Its sums are formed without checks for overflow, so every count has to be one that a run can reach.
    package static func problem(
        of record: ReplicationRecord, replication: Int, scenario: Scenario
    ) -> String? {
        guard Int(record.replication) == replication else {
            return "replication \(record.replication) stands where \(replication) belongs"
        }
        guard record.series.interval == scenario.seriesInterval, record.health.rule == scenario.health,
            record.recoveries.count == scenario.faults.count,
            record.urlFilter.freshness.map({ $0.step > .zero }) ?? true, record.observedSeconds > 0,
            record.regions.map(\.name) == scenario.services.regions.compactMap(\.name)
        else { return "replication \(replication) has another seriesInterval, health, faults or regions" }
        let stations = Array(record.stations.keys) + record.regions.flatMap(\.stations.keys)
        if let part = stations.first(where: { !URLFilterModel.stations.contains($0) }) {
            return "replication \(replication) has a station '\(part.name)', which no run has"
        }
        return PlausibleNumbers().first(outside: record).map {
            "replication \(replication) has the count \($0)"
        }
    }
}
