#if canImport(Glibc)
    import Glibc
#else
    import Darwin
#endif

/// CPU time of the calling thread.
///
/// The wall clock would also charge an operation for whatever else the machine is doing.
package enum CPUClock {
    package static func nanoseconds() -> Int64 {
        var time = timespec()
        clock_gettime(CLOCK_THREAD_CPUTIME_ID, &time)
        return Int64(time.tv_sec) * 1_000_000_000 + Int64(time.tv_nsec)
    }

    /// CPU time of all threads of this process together.
    package static func processNanoseconds() -> Int64 {
        var time = timespec()
        clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &time)
        return Int64(time.tv_sec) * 1_000_000_000 + Int64(time.tv_nsec)
    }

    /// Runs `body` and tells what it cost the calling thread.
    package static func measure<Result>(
        _ body: () throws -> Result
    ) rethrows -> (result: Result, nanoseconds: Int64) {
        let start = nanoseconds()
        let result = try body()
        return (result, nanoseconds() - start)
    }
}
