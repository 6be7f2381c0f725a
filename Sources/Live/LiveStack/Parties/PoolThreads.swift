import Dispatch
import Foundation

/// Threads of a pool: those of the machine, or of a simulated world. They take jobs with ``ComputePool/take()`` and do
/// them with ``ComputePool/perform(_:)``, once for each ``signal()``.
package protocol PoolThreads: Sendable {
    /// Begins to work for a pool.
    func start(_ pool: ComputePool, name: String, count: Int)

    /// Tells that there is one more job, or that the pool is closed.
    func signal()
}

/// Threads of the machine.
package final class MachineThreads: PoolThreads {
    /// Counts jobs in the line, and once per thread at the end.
    private let available = DispatchSemaphore(value: 0)

    package init() {}

    package func signal() { available.signal() }

    package func start(_ pool: ComputePool, name: String, count: Int) {
        for number in 0..<count {
            let thread = Thread { [available] in
                while true {
                    available.wait()
                    switch pool.take() {
                    case .job(let job): pool.perform(job)
                    case .none: continue
                    case .end: return
                    }
                }
            }
            thread.name = "\(name)-\(number)"
            // Number-theoretic transforms keep rows on the stack.
            thread.stackSize = 8 << 20
            thread.start()
        }
    }
}
