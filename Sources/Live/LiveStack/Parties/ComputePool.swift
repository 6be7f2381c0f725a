import Decoding
import EventSimulation
import Synchronization

/// Threads for work that would hold up an event loop, with a bounded line in front of them.
///
/// Swift's own threads are as many as the machine has cores and serve all tasks; a pool of our own leaves the servers
/// responsive while every core computes.
///
/// **Who may wait.** At most `queueLimit` jobs, and each for at most `queueSeconds`: a device gives up after 3 s, so a
/// later answer would help nobody. Each job comes with its probable cost in CPU time and with its owner, and a fair
/// ``WaitingLine`` orders and drops by these and by age: one owner that sends all he can waits for himself. CPU time is
/// not time where the threads share their cores with something else; the pool measures by how much.
///
/// **Who is an owner.** There is little to charge. Tokens cannot be linked, connections come from a gateway that mixes
/// all its clients, and the user identifier is a pseudonym that a client chooses. It is the owner nevertheless: a
/// client that asks as many has to upload a key for each. What bounds a client for good is the number of tokens that
/// the issuer gives to his user token per day, which is the owner of his token requests.
package final class ComputePool: Sendable {
    /// Work of one request.
    package struct Job: Sendable {
        /// Whose work it is.
        let owner: String
        /// CPU seconds that it will probably take.
        let cost: Double
        /// Item that others of its kind may take along, and the units of work in it; see ``takeFollowers(of:within:)``.
        var item: (any Sendable)?
        var units = 0
        let run: @Sendable () -> Void
        /// Called instead when there is no room, at once or later.
        package let refuse: @Sendable () -> Void

        package init(
            owner: String, cost: Double, item: (any Sendable)? = nil, units: Int = 0,
            run: @escaping @Sendable () -> Void, refuse: @escaping @Sendable () -> Void
        ) {
            self.owner = owner
            self.cost = cost
            self.item = item
            self.units = units
            self.run = run
            self.refuse = refuse
        }
    }

    private let threadCount: Int
    private let state: Mutex<State>
    private let clock: StackClock
    private let threads: any PoolThreads
    private let noteRefusal: @Sendable (StackLimit) -> Void

    /// Work of a thread that was told that there is some.
    package enum Turn: Sendable {
        case job(Job)
        /// Others were faster, or what there was had waited too long.
        case none
        /// The pool is closed and the line empty.
        case end
    }

    /// Seconds of work that ``State/pace`` remembers: some hundred lookups. Assumption.
    private static let memory = 1.0

    private struct State {
        var line: WaitingLine<String, Job>
        /// Time and CPU time of the latest jobs, older ones weighing less.
        var pace = (seconds: ComputePool.memory, cpu: ComputePool.memory)
        var isClosed = false
    }

    /// - Parameters:
    ///   - queueLimit: Jobs that may wait.
    ///   - queueSeconds: How long a job may wait.
    ///   - surroundings: Clock and threads.
    ///   - noteRefusal: Told of each job without room which limit it was, with the line locked.
    package init(
        name: String, threadCount: Int, queueLimit: Int, queueSeconds: Double,
        on surroundings: (clock: StackClock, threads: any PoolThreads) = (.machine, MachineThreads()),
        noteRefusal: @escaping @Sendable (StackLimit) -> Void
    ) {
        precondition(threadCount > 0, "a pool needs at least one thread, got \(threadCount)")
        precondition(queueLimit > 0, "a queue must hold at least one job, got \(queueLimit)")
        self.threadCount = threadCount
        self.noteRefusal = noteRefusal
        (clock, threads) = surroundings
        state = Mutex(
            State(
                line: WaitingLine(
                    .fair, servers: threadCount, countLimit: queueLimit, waitLimit: .seconds(queueSeconds))))
        threads.start(self, name: name, count: threadCount)
    }

    /// Jobs that wait.
    package var queueLength: Int { state.withLock { $0.line.count } }

    /// Seconds of work that wait, of one thread.
    package var queuedSeconds: Double { state.withLock { $0.line.work.seconds } }

    /// Adds a job to the line, or refuses it or others that are due later.
    package func submit(_ job: Job) {
        let dropped = state.withLock { state in
            guard !state.isClosed else { return [job] }
            let late = removeLate(&state)
            let isLong = state.line.count >= state.line.countLimit ?? .max
            let room = state.line.add(
                job, owner: job.owner, work: .seconds(job.cost), units: job.units, at: now)
            let dropped =
                switch room {
                case .free: [Job]()
                case .none: [job]
                case .insteadOf(let others): others.map(\.element)
                }
            for _ in dropped { noteRefusal(isLong ? .queue : .queueTime) }
            return dropped + late
        }
        for job in dropped { job.refuse() }
        threads.signal()
    }

    private var now: SimulatedTime { SimulatedTime(nanoseconds: clock.steady()) }

    private func removeLate(_ state: inout State) -> [Job] {
        let late = state.line.removeLate(at: now).map(\.element)
        for _ in late { noteRefusal(.queueTime) }
        return late
    }

    /// Takes jobs with items out of the line: the caller does their work along with that of one that it was given, and
    /// they are not run. All items of a pool are of one type.
    ///
    /// - Parameter units: Those of the one that it was given.
    func takeFollowers<Item: Sendable>(of units: Int, within bounds: GroupBounds) -> [Item] {
        state.withLock { state in
            state.line.takeFollowers(of: units, within: bounds).compactMap { $0.element.item as? Item }
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
    package func close() {
        state.withLock { $0.isClosed = true }
        for _ in 0..<threadCount { threads.signal() }
    }

    /// Takes the job that is next, for a thread that was told that there is one.
    package func take() -> Turn {
        let (late, job, isClosed) = state.withLock { state in
            (removeLate(&state), state.line.next()?.element, state.isClosed)
        }
        for job in late { job.refuse() }
        return job.map(Turn.job) ?? (isClosed ? .end : .none)
    }

    /// Does a job on the calling thread.
    package func perform(_ job: Job) {
        let started = now
        let cpu = clock.measure(job.run).nanoseconds
        note(seconds: (now - started).seconds, cpu: Double(nanoseconds: cpu))
    }

    private func note(seconds: Double, cpu: Double) {
        state.withLock { state in
            let kept = max(0, 1 - cpu / Self.memory)
            state.pace = (state.pace.seconds * kept + seconds, state.pace.cpu * kept + cpu)
            state.line.pace = max(1, state.pace.seconds / max(state.pace.cpu, 1e-9))
        }
    }
}
