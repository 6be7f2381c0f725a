import Dispatch
import Synchronization

/// Writes changes of many requests in one transaction.
///
/// A commit waits for the disk. While it does, further changes gather and become the next transaction, so that the
/// number of requests per second does not depend on how long a disk takes. A change that cannot be written is given
/// up, and whoever waits for it is told; each new one is a new try.
package final class GroupCommit<Change: Sendable>: Sendable {
    /// News that the operator should know.
    package enum Event: Sendable {
        /// First failure after all went well.
        case failing(any Error)
        /// A change as large as one that was refused is stored.
        case working
    }

    private struct Waiting: Sendable {
        let change: Change
        let byteCount: Int
        let ticket: ChangeTicket
    }

    private struct State {
        var waiting: [Waiting] = []
        /// Bytes of what waits, and of what is being written.
        var byteCount = 0
        var isWriting = false
        /// Bytes of the smallest change that was refused; nil again when one as large was stored.
        var smallestRefused: Int?
    }

    /// Result of writing a batch.
    private struct Outcome {
        var failure: (any Error)?
        var smallestRefused: Int?
        var largestStored = 0
    }

    /// Does a piece of work soon, elsewhere; pieces one after another.
    package typealias Start = @Sendable (@escaping @Sendable () -> Void) -> Void

    private let capacity: Int
    private let state = Mutex(State())
    private let start: Start
    private let report: @Sendable (Event) -> Void
    private let write: @Sendable ([Change]) throws -> Void

    /// - Parameters:
    ///   - capacity: Bytes of changes that may wait, those included that are being written. Further ones are refused
    ///     at once. One larger than that is taken alone.
    ///   - start: Where writing is done; `nil` for a queue of its own.
    ///   - write: Returns when all these changes are on the disk; throws if none of them is.
    package init(
        name: String, capacity: Int, start: Start? = nil,
        report: @escaping @Sendable (Event) -> Void = { _ in },
        write: @escaping @Sendable ([Change]) throws -> Void
    ) {
        self.start = start ?? DispatchQueue(label: name).start
        self.capacity = capacity
        self.report = report
        self.write = write
    }

    /// - Parameter byteCount: Memory that the change takes while it waits.
    package func add(_ change: Change, byteCount: Int) -> ChangeTicket {
        let ticket = ChangeTicket()
        let (isTaken, starts) = state.withLock { state in
            guard state.byteCount == 0 || state.byteCount + byteCount <= capacity else {
                return (false, false)
            }
            state.waiting.append(Waiting(change: change, byteCount: byteCount, ticket: ticket))
            state.byteCount += byteCount
            defer { state.isWriting = true }
            return (true, !state.isWriting)
        }
        if !isTaken { ticket.settle(isStored: false) }
        if starts { start { self.writeWaiting() } }
        return ticket
    }

    /// Bytes of what waits, and of what is being written.
    package var byteCount: Int { state.withLock { $0.byteCount } }

    /// Writes what waits, in one go if it can be.
    private func writeWaiting() {
        let batch = state.withLock { state in
            defer { state.waiting = [] }
            return state.waiting
        }
        var outcome = Outcome()
        store(batch[...], &outcome)
        let (before, goesOn) = state.withLock { state in
            state.byteCount -= batch.reduce(0) { $0 + $1.byteCount }
            state.isWriting = !state.waiting.isEmpty
            defer {
                if let refused = outcome.smallestRefused {
                    state.smallestRefused = min(refused, state.smallestRefused ?? .max)
                } else if let before = state.smallestRefused, outcome.largestStored >= before {
                    state.smallestRefused = nil
                }
            }
            return (state.smallestRefused, state.isWriting)
        }
        if let failure = outcome.failure {
            if before == nil { report(.failing(failure)) }
        } else if let before, outcome.largestStored >= before {
            report(.working)
        }
        if goesOn { start { self.writeWaiting() } }
    }

    /// Writes the halves of what cannot be written together, so that a change that is too large takes no others with
    /// it.
    private func store(_ batch: ArraySlice<Waiting>, _ outcome: inout Outcome) {
        do {
            try write(batch.map(\.change))
            for waiting in batch {
                outcome.largestStored = max(outcome.largestStored, waiting.byteCount)
                waiting.ticket.settle(isStored: true)
            }
        } catch {
            let middle = batch.startIndex + batch.count / 2
            if middle > batch.startIndex {
                store(batch[..<middle], &outcome)
                store(batch[middle...], &outcome)
            } else if let waiting = batch.first {
                outcome.failure = outcome.failure ?? error
                outcome.smallestRefused = min(waiting.byteCount, outcome.smallestRefused ?? .max)
                waiting.ticket.settle(isStored: false)
            }
        }
    }
}

extension DispatchQueue {
    /// Does work after what was begun before.
    fileprivate var start: @Sendable (@escaping @Sendable () -> Void) -> Void {
        { work in self.async { work() } }
    }
}

/// Tells what became of a change.
package final class ChangeTicket: Sendable {
    private struct State {
        var isStored: Bool?
        var waiters: [CheckedContinuation<Bool, Never>] = []
    }

    private let state = Mutex(State())

    /// Waits until the change is stored, or given up.
    package var isStored: Bool {
        get async {
            await withCheckedContinuation { continuation in
                let known = state.withLock { state in
                    if state.isStored == nil { state.waiters.append(continuation) }
                    return state.isStored
                }
                if let known { continuation.resume(returning: known) }
            }
        }
    }

    fileprivate func settle(isStored: Bool) {
        let waiters = state.withLock { state in
            state.isStored = isStored
            defer { state.waiters = [] }
            return state.waiters
        }
        for waiter in waiters { waiter.resume(returning: isStored) }
    }
}

/// The changes of one request, which must not be acknowledged before they are stored.
final class RequestChanges: Sendable {
    /// Changes of the request that is worked on here.
    @TaskLocal private static var current: RequestChanges?

    private let tickets = Mutex<[ChangeTicket]>([])

    /// Does some of the request's work. What it changes is the request's.
    func collect<Result>(_ body: () throws -> Result) rethrows -> Result {
        try Self.$current.withValue(self, operation: body)
    }

    /// Notes a change of the request that is worked on here, if there is one.
    static func note(_ ticket: ChangeTicket) { current?.tickets.withLock { $0.append(ticket) } }

    /// Waits for all of them.
    ///
    /// - Returns: False if one could not be stored.
    func areStored() async -> Bool {
        var areStored = true
        for ticket in tickets.withLock({ $0 }) {
            let isStored = await ticket.isStored
            areStored = areStored && isStored
        }
        return areStored
    }
}
