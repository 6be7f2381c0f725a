import Dispatch
import Synchronization

/// Writes changes of many requests in one transaction.
///
/// A commit waits for the disk. While it does, further changes gather and become the next transaction, so that the
/// number of requests per second does not depend on how long a disk takes.
final class GroupCommit<Change: Sendable>: Sendable {
    private struct State {
        var pending: [Change] = []
        /// Number of the latest change, and of the latest that is stored.
        var added = 0
        var stored = 0
        var isWriting = false
        var waiters: [(number: Int, continuation: CheckedContinuation<Bool, Never>)] = []
    }

    private let state = Mutex(State())
    private let queue: DispatchQueue
    private let write: @Sendable ([Change]) throws -> Void
    private let report: @Sendable (any Error) -> Void

    /// - Parameters:
    ///   - report: Told when changes cannot be written; they are tried again with the next ones.
    ///   - write: Returns when the changes are on the disk.
    init(
        name: String, report: @escaping @Sendable (any Error) -> Void,
        write: @escaping @Sendable ([Change]) throws -> Void
    ) {
        queue = DispatchQueue(label: name)
        self.report = report
        self.write = write
    }

    func add(_ change: Change) {
        let starts = state.withLock { state in
            state.pending.append(change)
            state.added += 1
            defer { state.isWriting = true }
            return !state.isWriting
        }
        if starts { queue.async { self.drain() } }
    }

    /// Waits until all changes added before are stored.
    ///
    /// - Returns: False if they could not be stored.
    func settled() async -> Bool {
        await withCheckedContinuation { continuation in
            let (isStored, starts) = state.withLock { state in
                guard state.stored < state.added else { return (true, false) }
                state.waiters.append((state.added, continuation))
                // Only after a failure is there something pending that nobody writes.
                defer { state.isWriting = true }
                return (false, !state.isWriting)
            }
            if isStored { continuation.resume(returning: true) }
            if starts { queue.async { self.drain() } }
        }
    }

    private func drain() {
        while true {
            let changes = state.withLock { state -> [Change] in
                defer { state.pending = [] }
                if state.pending.isEmpty { state.isWriting = false }
                return state.pending
            }
            guard !changes.isEmpty else { return }
            do {
                try write(changes)
                finish(changes.count)
            } catch {
                report(error)
                abandon(changes)
                return
            }
        }
    }

    private func finish(_ count: Int) {
        let done = state.withLock { state in
            state.stored += count
            let stored = state.stored
            defer { state.waiters.removeAll { $0.number <= stored } }
            return state.waiters.filter { $0.number <= stored }
        }
        for waiter in done { waiter.continuation.resume(returning: true) }
    }

    private func abandon(_ changes: [Change]) {
        let waiters = state.withLock { state in
            state.pending = changes + state.pending
            state.isWriting = false
            defer { state.waiters = [] }
            return state.waiters
        }
        for waiter in waiters { waiter.continuation.resume(returning: false) }
    }
}
