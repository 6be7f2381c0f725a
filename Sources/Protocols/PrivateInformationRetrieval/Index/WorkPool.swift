import Dispatch
import Foundation
import Synchronization

/// Cores that queries may use together.
///
/// A query that is alone gets all of them; when as many queries are being answered as there are cores, each keeps to
/// its own thread. What is computed does not depend on it.
package final class WorkPool: Sendable {
    /// Everything on the thread that asks.
    package static let callersThread = WorkPool(coreCount: 1)

    /// All cores of the machine.
    package static let allCores = WorkPool(coreCount: ProcessInfo.processInfo.activeProcessorCount)

    package let coreCount: Int

    /// Threads at work, the callers' included.
    private let busyCount = Atomic(0)

    package init(coreCount: Int) {
        precondition(coreCount > 0, "work needs at least one core, got \(coreCount)")
        self.coreCount = coreCount
    }

    /// Counts the calling thread as busy while it answers a query.
    func occupied<Result>(_ body: () throws -> Result) rethrows -> Result {
        busyCount.add(1, ordering: .relaxed)
        defer { busyCount.subtract(1, ordering: .relaxed) }
        return try body()
    }

    /// Calls `body` with every number below `count`, in any order, on this thread and on idle cores.
    ///
    /// - Parameter body: Calls must not touch what others write. The compiler cannot check that for parts of one
    ///   piece of memory, which is what they are for.
    package func run(_ count: Int, _ body: (Int) -> Void) {
        let helpers = reserve(atMost: count - 1)
        defer { busyCount.subtract(helpers, ordering: .relaxed) }
        guard helpers > 0 else {
            for number in 0..<count { body(number) }
            return
        }
        let next = Atomic(0)
        withoutActuallyEscaping(body) { body in
            nonisolated(unsafe) let body = body
            DispatchQueue.concurrentPerform(iterations: helpers + 1) { _ in
                while true {
                    let number = next.add(1, ordering: .relaxed).oldValue
                    guard number < count else { return }
                    body(number)
                }
            }
        }
    }

    /// Takes idle cores out of the pool.
    private func reserve(atMost wanted: Int) -> Int {
        var busy = busyCount.load(ordering: .relaxed)
        while true {
            let helpers = min(wanted, coreCount - max(busy, 1))
            guard helpers > 0 else { return 0 }
            let (exchanged, original) = busyCount.compareExchange(
                expected: busy, desired: busy + helpers, ordering: .relaxed)
            if exchanged { return helpers }
            busy = original
        }
    }
}
