import Dispatch
import Foundation
import Timing

/// Clocks by which the parties of a process go: those of the machine, or of a simulated world.
package struct StackClock: Sendable {
    /// Nanoseconds by a clock that nobody sets.
    package let steady: @Sendable () -> Int64
    /// Unix seconds by the clock of the machine, for what outlives the process. It may be set.
    package let second: @Sendable () -> Int64
    /// CPU nanoseconds of the calling thread.
    package let cpu: @Sendable () -> Int64

    package init(
        steady: @escaping @Sendable () -> Int64, second: @escaping @Sendable () -> Int64,
        cpu: @escaping @Sendable () -> Int64
    ) {
        (self.steady, self.second, self.cpu) = (steady, second, cpu)
    }

    package static let machine = StackClock(
        steady: { Int64(clamping: DispatchTime.now().uptimeNanoseconds) },
        second: { Int64(Date().timeIntervalSince1970) }, cpu: CPUClock.nanoseconds)

    /// Runs `body` and tells what it cost the calling thread.
    func measure<Result>(_ body: () throws -> Result) rethrows -> (result: Result, nanoseconds: Int64) {
        let start = cpu()
        let result = try body()
        return (result, cpu() - start)
    }
}
