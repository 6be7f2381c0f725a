/// Result of a run for one shard.
package struct ShardSummary: Hashable, Sendable {
    /// The source of the shard's files.
    package enum Origin: String, Codable, Hashable, Sendable {
        /// Made in this run.
        case made
        /// Finished by an earlier run with the same rows and settings, and found untouched.
        case finishedBefore
        /// Taken from the database that is updated; its rows have not changed.
        case unchanged
    }

    /// Difference to the rows of the database that is updated.
    package struct Change: Codable, Hashable, Sendable {
        package var addedRows = 0
        package var removedRows = 0
        /// Rows that stay and have another value.
        package var changedValues = 0

        package init(addedRows: Int = 0, removedRows: Int = 0, changedValues: Int = 0) {
            self.addedRows = addedRows
            self.removedRows = removedRows
            self.changedValues = changedValues
        }

        package var isEmpty: Bool { self == Change() }
    }

    package let shard: Int
    package let rowCount: Int
    package let parameters: PIRParameters
    package let databaseByteCount: Int
    /// Test queries that were made, all with the right answer.
    package let trialCount: Int
    /// Smallest noise budget seen in them before low bits were left out, in bits. Nil without trials.
    package let smallestNoiseBudget: Double?
    package let origin: Origin
    /// Nil unless a database was updated.
    package var change: Change?
}
