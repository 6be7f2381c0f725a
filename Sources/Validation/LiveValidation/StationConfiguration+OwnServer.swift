import EventSimulation
import FleetModel
import Parties
import Timing

extension StationConfiguration {
    /// Lets lookups wait, and be answered together, as at our own PIR server.
    mutating func takeWaiting(followerShare: Double) {
        queue = .fair
        queueTime = .nanoseconds(PIRParty.queueTime.nanoseconds)
        grouping = LookupGrouping(
            limit: PIRParty.groupLimit, followerShare: followerShare,
            questionLimit: PIRParty.groupQuestionLimit)
    }
}
