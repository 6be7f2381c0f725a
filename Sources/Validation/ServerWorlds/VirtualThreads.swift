import Decoding
import LiveStack
import RandomStreams
import Synchronization

/// Threads of a simulated server: they take jobs of the real pool, and a job is done when its time is over.
///
/// What a job does happens at one instant, when it ends: that jobs of two threads interleave inside is left to the
/// tests of the real threads.
final class VirtualThreads: PoolThreads {
    private struct State {
        var pool: ComputePool?
        var idle = 0
        var signals = 0
        var isAbandoned = false
        /// Jobs that threads work at.
        var running: [Int: ComputePool.Job] = [:]
        var jobCount = 0
        var random: SplitMix64
    }

    private let time: VirtualTime
    private let meanSeconds: Double
    private let mutant: Mutant?
    private let state: Mutex<State>

    /// - Parameter meanSeconds: Of a job.
    init(time: VirtualTime, seed: UInt64, meanSeconds: Double, mutant: Mutant?) {
        self.time = time
        self.meanSeconds = meanSeconds
        self.mutant = mutant
        state = Mutex(State(random: SplitMix64(seed)))
    }

    /// Threads that do nothing.
    var idleCount: Int { state.withLock { $0.idle } }

    func start(_ pool: ComputePool, name _: String, count: Int) {
        state.withLock { state in
            state.pool = pool
            state.idle = count
        }
    }

    func signal() {
        let begins = state.withLock { state in
            guard state.idle > 0 else {
                if mutant != .lostWakeup { state.signals += 1 }
                return false
            }
            state.idle -= 1
            return true
        }
        if begins { time.after(0) { [self] in turn() } }
    }

    private func turn() {
        guard let pool = state.withLock({ $0.isAbandoned ? nil : $0.pool }) else { return }
        switch pool.take() {
        case .job(let job): run(job, pool)
        case .none: rest()
        case .end: break
        }
    }

    private func run(_ job: ComputePool.Job, _ pool: ComputePool) {
        let (number, seconds) = state.withLock { state in
            state.jobCount += 1
            state.running[state.jobCount] = job
            // Most jobs are short, some are long.
            let draw = state.random.uniform()
            return (state.jobCount, meanSeconds * (draw < 0.9 ? draw : 6 * draw))
        }
        time.after(seconds) { [self] in
            guard state.withLock({ $0.running.removeValue(forKey: number) }) != nil else { return }
            time.setWork(nanoseconds: .seconds(seconds))
            pool.perform(job)
            if mutant == .leakedThread, number.isMultiple(of: 16) { return }
            rest()
        }
    }

    private func rest() {
        let goesOn = state.withLock { state in
            if state.signals > 0 {
                state.signals -= 1
                return true
            }
            state.idle += 1
            return false
        }
        if goesOn { time.after(0) { [self] in turn() } }
    }

    /// The end of the process: nothing is done any more, and nobody hears of it.
    func abandon() {
        let (pool, running) = state.withLock { state in
            state.isAbandoned = true
            defer { (state.running, state.pool) = ([:], nil) }
            return (state.pool, state.running)
        }
        for (_, job) in running.sorted(by: { $0.key < $1.key }) { job.refuse() }
        guard let pool else { return }
        pool.close()
        while true {
            switch pool.take() {
            case .job(let job): job.refuse()
            case .none, .end: return
            }
        }
    }
}
