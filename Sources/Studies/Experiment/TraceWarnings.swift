import Decoding
import Foundation

/// Faults that make a trace a poor picture of how a fleet browses, each with its remedy.
package struct TraceWarnings {
    /// A trace with fewer records says little about hosts.
    private static let fewestRecords = 100
    /// Devices that may replay one client without a word.
    private static let devicesPerClient = 10
    /// Observations that are at least so long, in seconds, count as a day.
    static let day = 20.0 * 3600

    package private(set) var all: [PointResult.Warning] = []

    /// - Parameters:
    ///   - devices: That replay the trace.
    ///   - seconds: Of simulated time from the trace's first record to its last; those that are simulated.
    package init(_ trace: RunResult.TraceSummary, devices: Int, seconds: (trace: Double, simulated: Double)) {
        addHost(trace)
        if devices > Self.devicesPerClient * trace.clients {
            warn(
                .traceFewClients,
                "\(devices) devices replay the \(trace.clients) clients of \(trace.fileName) over and over: they open"
                    + " the same URLs; give a trace of more people, fewer devices, or a browsing profile")
        }
        if seconds.trace < 0.9 * seconds.simulated {
            warn(
                .traceShort,
                "\(trace.fileName) ends after \(Self.text(seconds.trace)) of \(Self.text(seconds.simulated)), and"
                    + " nothing is loaded afterwards; that is right for whole days only, else leave duration out"
            )
        } else if seconds.trace > 1.1 * seconds.simulated {
            warn(
                .traceCut,
                "of \(trace.fileName) only the first \(Self.text(seconds.simulated)) of \(Self.text(seconds.trace)) are"
                    + " replayed; leave duration out for all of it")
        }
        if seconds.simulated < Self.day {
            addStretch(trace, factor: 86_400 / seconds.simulated, remedy: "duration: 24h")
        }
    }

    /// Warnings of figures per day that come from the trace alone.
    ///
    /// - Parameter countsWholeDays: Less than a day counts as a day.
    package init(_ trace: RunResult.TraceSummary, devices: Int, countsWholeDays: Bool) {
        addHost(trace)
        if devices > Self.devicesPerClient * trace.clients {
            warn(
                .traceFewClients,
                "the \(trace.clients) clients of \(trace.fileName) stand for \(devices) devices; give a trace of more"
                    + " people"
            )
        }
        if trace.seconds < Self.day, !countsWholeDays {
            addStretch(trace, factor: 86_400 / max(trace.seconds, 1), remedy: "--whole-days")
        }
    }

    private mutating func warn(_ code: WarningCode, _ message: String) {
        all.append(.init(code: code, message: message))
    }

    private mutating func addHost(_ trace: RunResult.TraceSummary) {
        guard trace.hasOneHost, trace.records >= Self.fewestRecords else { return }
        warn(
            .traceOneHost,
            "all \(trace.records) records of \(trace.fileName) go to one host: that is a server's own log, and no"
                + " browsing; give the log of a proxy, a resolver or a browser")
    }

    private mutating func addStretch(_ trace: RunResult.TraceSummary, factor: Double, remedy: String) {
        warn(
            .dayStretched,
            "figures per day are stretched \((factor * 10).rounded() / 10) times from \(trace.fileName), which has"
                + " records in \(trace.hoursOfDay) of the 24 hours of a day; if nothing is loaded in the others, say"
                + " '\(remedy)'")
    }

    private static func text(_ seconds: Double) -> String {
        seconds < 3600 ? "\(Int(saturating: seconds.rounded())) s" : "\((seconds / 360).rounded() / 10) h"
    }
}
