import Foundation
import Synchronization

/// Threads for work that would hold up an event loop, with a bounded queue in front of them.
///
/// Swift's own threads are as many as the machine has cores and serve all tasks; a pool of our own leaves the servers
/// responsive while every core computes.
final class ComputePool: Sendable {
    typealias Job = @Sendable () -> Void

    let threadCount: Int
    /// Jobs that may wait.
    let queueLimit: Int
    private let state = Mutex(State())
    private let hits: LimitHits
    /// Counts jobs in the queue, and once per thread at the end.
    private let available = DispatchSemaphore(value: 0)

    private struct State {
        var jobs: [Job] = []
        var head = 0
        var isClosed = false

        var count: Int { jobs.count - head }

        mutating func pop() -> Job? {
            guard head < jobs.count else { return nil }
            let job = jobs[head]
            head += 1
            if head > 64, head * 2 > jobs.count {
                jobs.removeFirst(head)
                head = 0
            }
            return job
        }
    }

    init(name: String, threadCount: Int, queueLimit: Int, hits: LimitHits) {
        precondition(threadCount > 0, "a pool needs at least one thread, got \(threadCount)")
        precondition(queueLimit > 0, "a queue must hold at least one job, got \(queueLimit)")
        self.threadCount = threadCount
        self.queueLimit = queueLimit
        self.hits = hits
        for number in 0..<threadCount {
            let thread = Thread { [self] in work() }
            thread.name = "\(name)-\(number)"
            // Number-theoretic transforms keep rows on the stack.
            thread.stackSize = 8 << 20
            thread.start()
        }
    }

    /// Jobs that wait.
    var queueLength: Int { state.withLock { $0.count } }

    /// Adds a job to the end of the queue.
    ///
    /// - Returns: False if the queue is full or the pool is closed; the job is dropped then.
    func submit(_ job: @escaping Job) -> Bool {
        let accepted = state.withLock { state in
            guard !state.isClosed, state.count < queueLimit else {
                hits.note(.queue)
                return false
            }
            state.jobs.append(job)
            return true
        }
        if accepted { available.signal() }
        return accepted
    }

    /// Runs `body` on one of the threads.
    ///
    /// - Returns: Nil if the queue is full.
    func run<Result: Sendable>(_ body: @escaping @Sendable () -> Result) async -> Result? {
        await withCheckedContinuation { continuation in
            let accepted = submit { continuation.resume(returning: body()) }
            if !accepted { continuation.resume(returning: nil) }
        }
    }

    /// Lets the threads end when the queue is empty.
    func close() {
        state.withLock { $0.isClosed = true }
        for _ in 0..<threadCount { available.signal() }
    }

    private func work() {
        while true {
            available.wait()
            let (job, isClosed) = state.withLock { ($0.pop(), $0.isClosed) }
            if let job {
                job()
            } else if isClosed {
                return
            }
        }
    }
}
