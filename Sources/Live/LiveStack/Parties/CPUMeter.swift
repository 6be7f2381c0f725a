import Decoding
import Synchronization
import Timing

/// CPU time that parties of this process used for their own work, without that for HTTP and TLS.
///
/// Work is counted on the thread that does it, so it must not wait for anything meanwhile.
package final class CPUMeter: Sendable {
    private let nanoseconds = Mutex<[Party: Int64]>([:])

    package init() {}

    /// CPU seconds so far.
    package subscript(party: Party) -> Double {
        Double(nanoseconds: nanoseconds.withLock { $0[party, default: 0] })
    }

    func measure<Result>(_ party: Party, _ body: () throws -> Result) rethrows -> Result {
        let start = CPUClock.nanoseconds()
        defer {
            let spent = CPUClock.nanoseconds() - start
            nanoseconds.withLock { $0[party, default: 0] += spent }
        }
        return try body()
    }
}
