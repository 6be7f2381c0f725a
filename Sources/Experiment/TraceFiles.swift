import EventSimulation
import FleetModel
import Foundation
import Workload

/// The traces of a scenario, read once to learn their clients and their length.
struct TraceFiles {
    private struct Known {
        var clientCount: Int
        var times: ClosedRange<Int64>
        var settings: TraceSettings
    }

    private var known: [String: Known] = [:]
    private let isStrict: Bool

    var paths: [String] { known.keys.sorted() }

    /// The simulated length of the longest trace.
    var longest: SimulatedDuration? {
        known.values.map { trace in
            let span = Double(trace.times.upperBound - trace.times.lowerBound) / trace.settings.compression
            return SimulatedDuration(nanoseconds: Int64(span) + 1)
        }.max()
    }

    init(_ devices: [DeviceSettings], isStrict: Bool, progress: @Sendable (String) -> Void) throws {
        self.isStrict = isStrict
        for group in devices {
            guard case .trace(let settings) = group.browsing, known[settings.file] == nil else { continue }
            progress("reading \(settings.file)")
            let reader = try Self.open(settings, isStrict: isStrict)
            var summary = TraceSummary()
            while let record = try reader.next() { summary.add(record) }
            guard let times = summary.times else { throw PreparationError.traceEmpty(settings.file) }
            known[settings.file] = Known(
                clientCount: summary.clients.count, times: times, settings: settings)
        }
    }

    /// - Precondition: The group replays a trace that was given to `init`.
    func replay(of group: DeviceSettings) -> TraceReplay {
        guard case .trace(let settings) = group.browsing, let trace = known[settings.file] else {
            preconditionFailure("group \(group.name) replays no known trace")
        }
        let isStrict = isStrict
        return TraceReplay(
            open: { try Self.open(settings, isStrict: isStrict) }, clientCount: max(trace.clientCount, 1),
            origin: trace.times.lowerBound, compression: settings.compression, spread: settings.spread)
    }

    private static func open(_ settings: TraceSettings, isStrict: Bool) throws -> TraceReader {
        var options = TraceOptions()
        options.format = settings.format
        options.isStrict = isStrict
        if let host = settings.host { options.origin = host.contains("://") ? host : "https://\(host)" }
        return try TraceReader(path: settings.file, options: options)
    }
}
