import Foundation
import Synchronization
import Timing

/// Threads for work that would hold up an event loop, with a bounded line in front of them.
///
/// Swift's own threads are as many as the machine has cores and serve all tasks; a pool of our own leaves the servers
/// responsive while every core computes.
///
/// **Who may wait.** At most `queueLimit` jobs, and each for at most `queueSeconds`: a device gives up after 3 s, so a
/// later answer would help nobody. Each job comes with its probable cost in CPU time and with its owner, and
/// ``FairLine`` orders and drops by these and by age: one owner that sends all he can waits for himself. CPU time is
/// not time where the threads share their cores with something else; the pool measures by how much.
///
/// **Who is an owner.** There is little to charge. Tokens cannot be linked, connections come from a gateway that mixes
/// all its clients, and the user identifier is a pseudonym that a client chooses. It is the owner nevertheless: a
/// client that asks as many has to upload a key for each. What bounds a client for good is the number of tokens that
/// the issuer gives to his user token per day, which is the owner of his token requests.
final class ComputePool: Sendable {
    /// Work of one request.
    struct Job: Sendable {
        /// Whose work it is.
        let owner: String
        /// CPU seconds that it will probably take.
        let cost: Double
        /// Item that others of its kind may take along; see ``takeFollowers(_:take:)``.
        var item: (any Sendable)?
        let run: @Sendable () -> Void
        /// Called instead when there is no room, at once or later.
        let refuse: @Sendable () -> Void
    }

    let threadCount: Int
    private let state: Mutex<State>
    private let hits: LimitHits
    /// Counts jobs in the line, and once per thread at the end.
    private let available = DispatchSemaphore(value: 0)

    /// Seconds of work that ``State/pace`` remembers: some hundred lookups. Assumption.
    private static let memory = 1.0

    private struct State {
        var line: FairLine<Job>
        /// Time and CPU time of the latest jobs, older ones weighing less.
        var pace = (seconds: ComputePool.memory, cpu: ComputePool.memory)
        var isClosed = false
    }

    /// - Parameters:
    ///   - queueLimit: Jobs that may wait.
    ///   - queueSeconds: How long a job may wait.
    init(name: String, threadCount: Int, queueLimit: Int, queueSeconds: Double, hits: LimitHits) {
        precondition(threadCount > 0, "a pool needs at least one thread, got \(threadCount)")
        precondition(queueLimit > 0, "a queue must hold at least one job, got \(queueLimit)")
        self.threadCount = threadCount
        self.hits = hits
        state = Mutex(
            State(
                line: FairLine(
                    countLimit: queueLimit, waitLimit: queueSeconds, serverCount: threadCount)))
        for number in 0..<threadCount {
            let thread = Thread { [self] in work() }
            thread.name = "\(name)-\(number)"
            // Number-theoretic transforms keep rows on the stack.
            thread.stackSize = 8 << 20
            thread.start()
        }
    }

    /// Jobs that wait.
    var queueLength: Int { state.withLock { $0.line.count } }

    /// Seconds of work that wait, of one thread.
    var queuedSeconds: Double { state.withLock { $0.line.cost } }

    /// Adds a job to the line, or refuses it or others that are due later.
    func submit(_ job: Job) {
        let dropped = state.withLock { state in
            guard !state.isClosed else { return [job] }
            let late = removeLate(&state)
            let isLong = state.line.count >= state.line.countLimit
            let dropped = state.line.add(job, owner: job.owner, cost: job.cost, at: Self.now)
            for _ in dropped { hits.note(isLong ? .queue : .queueTime) }
            return dropped + late
        }
        for job in dropped { job.refuse() }
        available.signal()
    }

    private static var now: Double { Double(DispatchTime.now().uptimeNanoseconds) * 1e-9 }

    private func removeLate(_ state: inout State) -> [Job] {
        let late = state.line.removeLate(at: Self.now)
        for _ in late { hits.note(.queueTime) }
        return late
    }

    /// Takes jobs out of the line whose item is an `Item`: the caller does their work, and they are not run.
    ///
    /// - Parameter take: Decides on each, after those that were taken before and by the number of them that wait.
    ///   Called with the line locked.
    func takeFollowers<Item: Sendable>(
        _ type: Item.Type, take: @Sendable (_ item: Item, _ taken: [Item], _ waiting: Int) -> Bool
    ) -> [Item] {
        state.withLock { state in
            let waiting = state.line.count { $0.item is Item }
            var items: [Item] = []
            while let job = state.line.next(where: { job in
                (job.item as? Item).map { take($0, items, waiting) } ?? false
            }), let item = job.item as? Item {
                items.append(item)
            }
            return items
        }
    }

    /// Runs `body` on one of the threads.
    ///
    /// - Returns: Nil if there was no room.
    func run<Result: Sendable>(
        owner: String, cost: Double, _ body: @escaping @Sendable () -> Result
    ) async -> Result? {
        await withCheckedContinuation { continuation in
            submit(
                Job(
                    owner: owner, cost: cost, run: { continuation.resume(returning: body()) },
                    refuse: { continuation.resume(returning: nil) }))
        }
    }

    /// Lets the threads end when the line is empty.
    func close() {
        state.withLock { $0.isClosed = true }
        for _ in 0..<threadCount { available.signal() }
    }

    private func work() {
        while true {
            available.wait()
            let (late, job, isClosed) = state.withLock { state in
                (removeLate(&state), state.line.next(), state.isClosed)
            }
            for job in late { job.refuse() }
            if let job {
                let started = Self.now
                let cpu = CPUClock.measure(job.run).nanoseconds
                note(seconds: Self.now - started, cpu: Double(cpu) * 1e-9)
            } else if isClosed {
                return
            }
        }
    }

    private func note(seconds: Double, cpu: Double) {
        state.withLock { state in
            let kept = max(0, 1 - cpu / Self.memory)
            state.pace = (state.pace.seconds * kept + seconds, state.pace.cpu * kept + cpu)
            state.line.pace = max(1, state.pace.seconds / max(state.pace.cpu, 1e-9))
        }
    }
}
