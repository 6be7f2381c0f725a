import Decoding
import Foundation

/// CPU time that the servers have used so far.
package enum ServerUsage: Hashable, Sendable {
    /// Processes of this machine, by their ids.
    case processes([Int32])
    /// A Prometheus page with `process_cpu_seconds_total`.
    case metrics(url: String)
    /// A container of this machine, by the folder of its control group (Linux).
    case container(folder: String)

    /// CPU seconds so far.
    package struct Reading: Hashable, Sendable {
        package var total: Double
        /// CPU seconds of each party's own work, where the page tells; without HTTP and TLS.
        package var parties: [String: Double] = [:]
        /// Unix seconds at which the servers began to count; nil where nobody tells.
        package var start: Double?

        package init(total: Double, parties: [String: Double] = [:], start: Double? = nil) {
            self.total = total
            self.parties = parties
            self.start = start
        }

        /// Usage between two readings.
        ///
        /// - Returns: Nil when the servers were restarted meanwhile and so counted from zero again.
        package func since(_ earlier: Reading) -> Reading? {
            guard start == earlier.start, total >= earlier.total else { return nil }
            return Reading(
                total: total - earlier.total, parties: parties.merging(earlier.parties) { $0 - $1 },
                start: start)
        }
    }

    /// Nil when it cannot be read (now).
    package func reading(_ caller: any HTTPCalls) async -> Reading? {
        switch self {
        case .processes(let ids):
            let times = ids.map(Self.seconds(ofProcess:))
            return times.contains(nil) ? nil : Reading(total: times.compactMap { $0 }.reduce(0, +))
        case .container(let folder):
            return Self.seconds(ofControlGroup: folder).map { Reading(total: $0) }
        case .metrics(let url):
            guard let reply = try? await caller.get(url), reply.status == 200 else { return nil }
            return Self.reading(ofMetrics: String(decoding: reply.body, as: UTF8.self))
        }
    }

    #if canImport(Darwin)
        package static func seconds(ofProcess id: Int32) -> Double? {
            var usage = rusage_info_v2()
            let status = withUnsafeMutablePointer(to: &usage) { usage in
                usage.withMemoryRebound(to: rusage_info_t?.self, capacity: 1) {
                    proc_pid_rusage(id, RUSAGE_INFO_V2, $0)
                }
            }
            // In ticks of the system's clock, which are nanoseconds on Intel's processors only.
            var tick = mach_timebase_info_data_t()
            guard status == 0, mach_timebase_info(&tick) == KERN_SUCCESS else { return nil }
            let ticks = Double(usage.ri_user_time) + Double(usage.ri_system_time)
            return Double(nanoseconds: ticks * Double(tick.numer) / Double(tick.denom))
        }
    #else
        package static func seconds(ofProcess id: Int32) -> Double? {
            // To the nanosecond, where the file below counts hundredths of a second.
            var clock = clockid_t()
            var time = timespec()
            if id > 0, clock_getcpuclockid(id, &clock) == 0, clock_gettime(clock, &time) == 0 {
                return Double(time.tv_sec) + Double(nanoseconds: time.tv_nsec)
            }
            return ticks(ofProcess: id)
        }

        /// Fields 14 and 15 of `/proc/ID/stat`, counted behind the process name, which may contain anything.
        private static func ticks(ofProcess id: Int32) -> Double? {
            guard let text = try? String(contentsOfFile: "/proc/\(id)/stat", encoding: .utf8),
                let name = text.lastIndex(of: ")")
            else { return nil }
            let fields = text[text.index(after: name)...].split(separator: " ")
            guard fields.count > 12, let user = Double(fields[11]), let system = Double(fields[12]) else {
                return nil
            }
            return (user + system) / Double(max(1, sysconf(Int32(_SC_CLK_TCK))))
        }
    #endif

    /// CPU seconds of all processes of a control group: `usage_usec` of `cpu.stat`, or in version 1 the nanoseconds of
    /// `cpuacct.usage` (Linux, Documentation/admin-guide/cgroup-v2.rst and cgroup-v1/cpuacct.rst).
    package static func seconds(ofControlGroup folder: String) -> Double? {
        func text(_ name: String) -> String? {
            try? String(contentsOfFile: "\(folder)/\(name)", encoding: .utf8)
        }
        if let lines = text("cpu.stat")?.split(separator: "\n") {
            for line in lines {
                let words = line.split(separator: " ")
                if words.count == 2, words[0] == "usage_usec" {
                    return UInt64(words[1]).map { Double($0) * 1e-6 }
                }
            }
        }
        guard let usage = text("cpuacct.usage") else { return nil }
        return UInt64(usage.prefix { !$0.isNewline }).map { Double(nanoseconds: $0) }
    }

    /// Reads finite values of `process_cpu_seconds_total`, `process_start_time_seconds`, and of each party
    /// `urlfilter_party_cpu_seconds_total`.
    package static func reading(ofMetrics page: String) -> Reading? {
        var total: Double?
        var start: Double?
        var parties: [String: Double] = [:]
        for line in page.split(separator: "\n") {
            let words = line.split(separator: " ")
            guard words.count >= 2, let value = Double(words[1]), value.isFinite, value >= 0 else { continue }
            if words[0] == "process_cpu_seconds_total" { total = value }
            if words[0] == "process_start_time_seconds" { start = value }
            let label = words[0].split(separator: "\"", omittingEmptySubsequences: false)
            if label.count == 3, label[0] == "urlfilter_party_cpu_seconds_total{party=" {
                parties[String(label[1])] = value
            }
        }
        return total.map { Reading(total: $0, parties: parties, start: start) }
    }
}
