/// A fault that is put into a double of an interface on purpose, to see that the invariants notice it.
///
/// The servers' own code is never changed: each of these is what the servers would see if their disk, their threads,
/// their clock or a part of their store had it.
package enum Mutant: String, CaseIterable, Sendable {
    /// Disk: what was written last is not yet there after a crash.
    case lostSync
    /// Disk: a full one says that it has written.
    case silentFullDisk
    /// Disk: the changes of a batch are applied last first.
    case reversedBatch
    /// Disk: tokens of today are looked up under yesterday.
    case epochOffByOne
    /// Disk: the gateway's keys stay there when a server takes them.
    case keysTakenTwice
    /// Disk: what was opened with the gateway's keys is not stored with them.
    case lostMarks
    /// Disk: earlier databases are not there after a restart.
    case lostVersion
    /// Threads: one job in sixteen keeps its thread.
    case leakedThread
    /// Threads: a signal while all are busy is lost.
    case lostWakeup
    /// Ledger: a token is looked up when it comes and noted when it is kept.
    case checkThenNote
    /// Ledger: a token is stored after its request was answered.
    case rememberedAfterAnswer
    /// Ledger: a token of a request without room stays spent.
    case notGivenBack
    /// Key store: an upload is stored in a transaction of its own, which its answer does not wait for.
    case keyAcknowledgedEarly
    /// Clock: the steady clock is the one that is set.
    case steadyClockIsSet

    /// The interface whose double has it.
    package var place: String {
        switch self {
        case .lostSync, .silentFullDisk, .reversedBatch, .epochOffByOne, .keysTakenTwice, .lostMarks:
            "StateDatabase"
        case .lostVersion: "VersionCopies"
        case .leakedThread, .lostWakeup: "PoolThreads"
        case .checkThenNote, .rememberedAfterAnswer, .notGivenBack: "SpendLedger"
        case .keyAcknowledgedEarly: "EvaluationKeyStore"
        case .steadyClockIsSet: "StackClock"
        }
    }
}
