import EventSimulation
import URLFilter

/// A URL that waits for the answer to its batch.
struct Waiter {
    var device: Int
    var batch: BatchNumber
    var started: SimulatedTime
    /// The owner of the list wants the URL blocked.
    var listed: Bool
    /// But the entry cannot match it.
    var isMeant: Bool
    var counted: Bool
    /// The load that the URL belongs to.
    var load: Int
    /// The load's next URL waits for this one.
    var holds: Bool
}

/// A verdict on a URL, and how it came about.
struct Decision {
    let verdict: Verdict
    let fromCache: Bool
    /// The wait for a lookup; `nil` for a URL that waited for none.
    let wait: SimulatedDuration?
    /// Why the policy decided, if it did.
    let cause: FailureCause

    init(
        _ verdict: Verdict, fromCache: Bool = false, wait: SimulatedDuration? = nil,
        cause: FailureCause = .notReady
    ) {
        self.verdict = verdict
        self.fromCache = fromCache
        self.wait = wait
        self.cause = cause
    }
}

/// How the wait of a URL ended.
enum WaitEnd {
    case decided
}

/// All URLs that wait for a verdict.
struct WaitingURLs {
    var urls = SlotPool<Waiter>()
    var ledger = FlowLedger<WaitEnd>()
    var deadlines = DeadlineLine<SlotName>()
}
