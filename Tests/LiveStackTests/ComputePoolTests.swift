import Dispatch
import EventSimulation
import LiveStack
import Synchronization
import TestSupport
import Testing

/// The live pool with one thread beside the station of the model with one server: the same jobs come to both.
struct ComputePoolTests {
    /// The pool, and what its jobs did. A job that has begun goes on until it is told to end.
    private final class Witness: Sendable {
        let pool: ComputePool
        private let record = Mutex((begun: [Int](), refused: [Int]()))
        private let begins = DispatchSemaphore(value: 0)
        private let ends = DispatchSemaphore(value: 0)

        init(queueLimit: Int, queueSeconds: Double) {
            pool = ComputePool(
                name: "test", threadCount: 1, queueLimit: queueLimit, queueSeconds: queueSeconds
            ) { _ in }
        }

        func submit(_ job: Int, owner: Int, cost: Double) {
            pool.submit(
                .init(
                    owner: "\(owner)", cost: cost,
                    run: { [self] in
                        record.withLock { $0.begun.append(job) }
                        begins.signal()
                        ends.wait()
                    },
                    refuse: { [self] in record.withLock { $0.refused.append(job) } }))
        }

        func waitForBegin() -> Bool { begins.wait(timeout: .now() + .seconds(Patience.seconds)) == .success }

        func endJob() { ends.signal() }

        var begun: [Int] { record.withLock { $0.begun } }
        var refused: [Int] { record.withLock { $0.refused } }
    }

    /// - Parameters:
    ///   - seconds: The limit of the wait.
    ///   - comes: Whether a job comes next; else one ends.
    private func compare(
        seed: UInt64, queueLimit: Int, seconds: Double, jobs: Int, comes: (inout SplitMix, Int) -> Bool
    ) throws {
        var random = SplitMix(seed: seed)
        let live = Witness(queueLimit: queueLimit, queueSeconds: seconds)
        var model = ServiceStation<Int>(
            servers: 1, discipline: .fair, queueCapacity: queueLimit, waitLimit: .seconds(seconds))
        var (begun, refused): ([Int], [Int]) = ([], [])
        var (job, isDone) = (0, false)
        while !isDone {
            if job < jobs, comes(&random, job) {
                let (owner, cost) = (random.below(6), Double(1 + random.below(40)) / 8)
                live.submit(job, owner: owner, cost: cost)
                switch model.arrive(job, owner: UInt32(owner), work: .seconds(cost), at: .start) {
                case .starts:
                    begun.append(job)
                    try #require(live.waitForBegin())
                case .waits: break
                case .rejected: refused.append(job)
                case .displaces(let others): refused += others
                }
                job += 1
            } else if model.busyServers > 0 {
                let next = model.finish(at: .start)
                live.endJob()
                if let next {
                    begun.append(next)
                    try #require(live.waitForBegin())
                }
            } else {
                isDone = job == jobs
            }
            try #require(live.refused == refused && live.begun == begun, "after job \(job)")
            #expect(live.pool.queueLength == model.queueLength)
        }
        live.pool.close()
        #expect(begun.count + refused.count == jobs && !refused.isEmpty)
    }

    /// All come while the first one is served, so that what the pool learns of its pace plays no part.
    @Test(arguments: UInt64(0)..<10)
    func theLimitOfTheWaitRefusesTheSame(seed: UInt64) throws {
        try compare(seed: seed, queueLimit: 1_000, seconds: 100, jobs: 300) { _, _ in true }
    }

    /// Jobs come and end in any order; nobody waits as long as the limit.
    @Test(arguments: UInt64(0)..<10)
    func theLimitOfTheNumberRefusesTheSame(seed: UInt64) throws {
        try compare(seed: seed, queueLimit: 12, seconds: 1e8, jobs: 400) { random, _ in random.chance(60) }
    }
}
