import Decoding
import Foundation
import Timing

/// CPU time of the whole machine and of this process so far, to tell who else was working.
package struct MachineLoad: Sendable {
    /// Seconds of all cores together in which they were busy.
    package let busy: Double
    package let own: Double
    /// Seconds that the host of a virtual machine gave to others while there was work; 0 where it does not tell.
    package let stolen: Double

    private init(busy: Double, own: Double, stolen: Double) {
        self.busy = busy
        self.own = own
        self.stolen = stolen
    }

    /// - Returns: Nil where the system does not tell.
    package static func now() -> MachineLoad? {
        let ticksPerSecond = Double(max(1, sysconf(Int32(_SC_CLK_TCK))))
        let own = Double(nanoseconds: CPUClock.processNanoseconds())
        #if canImport(Darwin)
            var load = host_cpu_load_info()
            let words = MemoryLayout<host_cpu_load_info>.size / MemoryLayout<integer_t>.size
            var count = mach_msg_type_number_t(words)
            let status = withUnsafeMutablePointer(to: &load) { load in
                load.withMemoryRebound(to: integer_t.self, capacity: words) {
                    host_statistics(mach_host_self(), HOST_CPU_LOAD_INFO, $0, &count)
                }
            }
            guard status == KERN_SUCCESS else { return nil }
            let (user, system, _, nice) = load.cpu_ticks
            return MachineLoad(
                busy: (Double(user) + Double(system) + Double(nice)) / ticksPerSecond, own: own, stolen: 0)
        #else
            guard let text = try? String(contentsOfFile: "/proc/stat", encoding: .utf8) else { return nil }
            return MachineLoad(stat: text, ticksPerSecond: ticksPerSecond, own: own)
        #endif
    }

    /// - Parameter stat: Linux's `/proc/stat`. The first line counts ticks: user, nice, system, idle, iowait, irq,
    ///   softirq, steal.
    package init?(stat: String, ticksPerSecond: Double, own: Double) {
        let fields = stat.prefix { $0 != "\n" }.split(separator: " ")
        guard fields.count >= 9, fields[0] == "cpu" else { return nil }
        let ticks = fields.dropFirst().prefix(8).compactMap { Double($0) }
        guard ticks.count == 8 else { return nil }
        let busy = ticks[0] + ticks[1] + ticks[2] + ticks[5] + ticks[6]
        self.init(busy: busy / ticksPerSecond, own: own, stolen: ticks[7] / ticksPerSecond)
    }

    /// Cores that others kept busy since `earlier`, at least 0.
    package func others(since earlier: MachineLoad, seconds: Double) -> Double {
        max(0, (busy - earlier.busy) - (own - earlier.own)) / seconds
    }

    /// Cores that the host took away since `earlier`.
    package func stolen(since earlier: MachineLoad, seconds: Double) -> Double {
        max(0, stolen - earlier.stolen) / seconds
    }
}
