import Decoding
import EventSimulation
import FleetModel
import Foundation
import Scenarios
import Workload

/// The traces of a scenario, read once to learn their clients and their length.
struct TraceFiles {
    private struct Known {
        var clientCount: Int
        var origin: Int64
        var length: SimulatedDuration
    }

    private var known: [TraceSettings: Known] = [:]
    private let isStrict: Bool
    /// Summaries in order of the groups, each file once.
    private(set) var summaries: [RunResult.TraceSummary] = []
    private(set) var reports: [ReadReport] = []

    var paths: [String] { summaries.map(\.file) }

    /// The simulated length of the longest trace.
    var longest: SimulatedDuration? { known.values.map(\.length).max() }

    init(_ devices: [DeviceSettings], isStrict: Bool, progress: @Sendable (String) -> Void) throws {
        self.isStrict = isStrict
        for group in devices {
            guard case .trace(let settings) = group.browsing, known[settings] == nil else { continue }
            progress("reading \(settings.file)")
            let reader = try Self.open(settings, isStrict: isStrict)
            var summary = TraceSummary()
            while let record = try reader.next() { summary.add(record) }
            guard let times = summary.times else { throw PreparationError.traceEmpty(settings.file) }
            let span = Double(times.upperBound) - Double(times.lowerBound)
            guard span / settings.compression < 1e18 else {
                throw PreparationError.traceTooLong(settings.file, seconds: Double(nanoseconds: span))
            }
            known[settings] = Known(
                clientCount: summary.clients.count, origin: times.lowerBound,
                length: SimulatedDuration(nanoseconds: Int64(span / settings.compression) + 1))
            guard !paths.contains(settings.file) else { continue }
            reports.append(reader.report)
            summaries.append(.init(reader.report, summary))
        }
    }

    /// - Precondition: The group replays a trace that was given to `init`.
    func replay(of group: DeviceSettings) -> TraceReplay {
        guard case .trace(let settings) = group.browsing, let trace = known[settings] else {
            preconditionFailure("group \(group.name) replays no known trace")
        }
        let isStrict = isStrict
        return TraceReplay(
            open: { try Self.open(settings, isStrict: isStrict) }, clientCount: max(trace.clientCount, 1),
            origin: trace.origin, compression: settings.compression, spread: settings.spread)
    }

    static func open(_ settings: TraceSettings, isStrict: Bool) throws -> TraceReader {
        var options = TraceOptions()
        options.format = settings.format
        options.isStrict = isStrict
        if let host = settings.host { options.origin = host.contains("://") ? host : "https://\(host)" }
        return try TraceReader(path: settings.file, isReadAgain: true, options: options)
    }
}
