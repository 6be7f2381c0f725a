import Foundation
import Timing

/// CPU time of the whole machine and of this process so far, to tell who else was working.
package struct MachineLoad: Sendable {
    /// Seconds of all cores together in which they were busy, and what the hypervisor gave to others.
    package let busy: Double
    package let own: Double

    /// - Returns: Nil where the system does not tell (Linux does).
    package static func now() -> MachineLoad? {
        guard let text = try? String(contentsOfFile: "/proc/stat", encoding: .utf8) else { return nil }
        return MachineLoad(
            stat: text, ticksPerSecond: Double(max(1, sysconf(Int32(_SC_CLK_TCK)))),
            own: Double(CPUClock.processNanoseconds()) / 1e9)
    }

    /// - Parameter stat: The first line counts ticks: user, nice, system, idle, iowait, irq, softirq, steal.
    package init?(stat: String, ticksPerSecond: Double, own: Double) {
        let fields = stat.prefix { $0 != "\n" }.split(separator: " ")
        guard fields.count >= 9, fields[0] == "cpu" else { return nil }
        let ticks = fields.dropFirst().prefix(8).compactMap { Double($0) }
        guard ticks.count == 8 else { return nil }
        busy = (ticks[0] + ticks[1] + ticks[2] + ticks[5] + ticks[6] + ticks[7]) / ticksPerSecond
        self.own = own
    }

    /// Cores that others kept busy since `earlier`, at least 0.
    package func others(since earlier: MachineLoad, seconds: Double) -> Double {
        max(0, (busy - earlier.busy) - (own - earlier.own)) / seconds
    }
}
