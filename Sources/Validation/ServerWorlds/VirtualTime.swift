import Decoding
import EventSimulation
import LiveStack
import RandomStreams
import Synchronization

/// Time of a world: what is due in it, and the tasks that run in it, all on the thread that calls ``step(until:)``.
///
/// Tasks that were begun with ``begin(_:)`` run here and nowhere else, and so do all that they call and wait for: no
/// function and no actor of the servers chooses another executor. Which of several tasks goes on is drawn from the
/// seed, so that worlds differ in the order in which tasks meet, and one world is always the same.
final class VirtualTime: TaskExecutor {
    typealias Action = @Sendable () -> Void

    private struct State: ~Copyable {
        var now: Int64 = 0
        var queue = EventQueue<Int>()
        var actions: [Int: Action] = [:]
        var actionCount = 0
        var jobs: [UnownedJob] = []
        var random: SplitMix64
        var secondAtStart: Int64
        var cpu: Int64 = 0
        var cpuStep: Int64 = 100_000
    }

    private let state: Mutex<State>

    /// - Parameter second: What the clock of the machine says when the world begins, Unix seconds.
    init(seed: UInt64, second: Int64) {
        state = Mutex(State(random: SplitMix64(seed), secondAtStart: second))
    }

    /// Nanoseconds since the world began.
    var now: Int64 { state.withLock { $0.now } }

    /// Unix seconds by the clock of the machine.
    var second: Int64 { state.withLock { $0.secondAtStart + $0.now / .seconds(1) } }

    /// Clocks for the servers. Each look at the CPU's clock costs CPU time, so that work costs some.
    ///
    /// - Parameter isSet: Whether the steady clock is set along with the other, which is a fault.
    func clock(isSet: Bool) -> StackClock {
        StackClock(
            steady: { [self] in isSet ? .seconds(second) + now % .seconds(1) : now },
            second: { [self] in second },
            cpu: { [self] in
                state.withLock { state in
                    state.cpu += state.cpuStep
                    return state.cpu
                }
            })
    }

    /// Sets the clock of the machine.
    func stepClock(seconds: Int64) { state.withLock { $0.secondAtStart += seconds } }

    /// Notes the cost of the work that is done next.
    func setWork(nanoseconds: Int64) { state.withLock { $0.cpuStep = max(1, nanoseconds) } }

    /// Does something `seconds` from now; at the same instant after what was asked for before.
    func after(_ seconds: Double, _ action: @escaping Action) {
        state.withLock { state in
            let number = state.actionCount
            state.actionCount += 1
            state.actions[number] = action
            state.queue.push(number, at: UInt64(state.now + .seconds(max(0, seconds))))
        }
    }

    /// Begins a task of the world.
    func begin(_ body: @escaping @Sendable () async -> Void) {
        Task(executorPreference: self) { await body() }
    }

    nonisolated func enqueue(_ job: consuming ExecutorJob) {
        let job = UnownedJob(job)
        state.withLock { $0.jobs.append(job) }
    }

    /// Runs tasks until all of them wait for something.
    func runTasks() {
        while let job = takeJob() { job.runSynchronously(on: asUnownedTaskExecutor()) }
    }

    private func takeJob() -> UnownedJob? {
        state.withLock { state in
            guard !state.jobs.isEmpty else { return nil }
            return state.jobs.remove(at: state.random.index(below: state.jobs.count))
        }
    }

    /// Goes to the next event and does it, and what it makes possible.
    ///
    /// - Returns: False if there is none before `end`, in nanoseconds.
    func step(until end: Int64) -> Bool {
        let action = state.withLock { state -> Action? in
            guard let event = state.queue.popNext(due: UInt64(end)) else { return nil }
            state.now = Int64(event.time)
            return state.actions.removeValue(forKey: event.event)
        }
        guard let action else { return false }
        action()
        runTasks()
        return true
    }
}
