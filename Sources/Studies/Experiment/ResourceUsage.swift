package import Foundation

/// Time and memory that a run took of this machine.
package struct ResourceUsage: Sendable {
    package let started: Date
    package let wallSeconds: Double
    /// User and system time of all threads.
    package let cpuSeconds: Double
    package let peakMemoryBytes: Int

    /// Bytes of what the system counts the largest memory in.
    #if canImport(Darwin)
        private static let memoryUnit = 1
    #else
        private static let memoryUnit = 1_024
    #endif

    package static func now(since started: Date) -> ResourceUsage {
        var usage = rusage()
        // 0 is RUSAGE_SELF, whose type differs between platforms.
        getrusage(0, &usage)
        func seconds(_ time: timeval) -> Double { Double(time.tv_sec) + Double(time.tv_usec) * 1e-6 }
        return ResourceUsage(
            started: started, wallSeconds: Date().timeIntervalSince(started),
            cpuSeconds: seconds(usage.ru_utime) + seconds(usage.ru_stime),
            peakMemoryBytes: Int(usage.ru_maxrss) * memoryUnit)
    }

    package var sentence: String {
        String(
            format: "took %.1f s of wall time, %.1f s of CPU, %.0f MiB of memory at most", wallSeconds,
            cpuSeconds, Double(peakMemoryBytes) / 1_048_576)
    }

    static var hostDescription: String {
        "\(ProcessInfo.processInfo.operatingSystemVersionString), \(ProcessInfo.processInfo.processorCount) cores"
    }
}
