import FleetModel
import Foundation
import Scenarios
import Synchronization
import Workload

/// The files that follow single lookups of a run: `--records` and `--timeline`.
///
/// The rows of a replication wait in a file without a name until those of all replications before it are written, so
/// that neither memory nor the order of the rows depends on threads or on the length of the run.
package final class RunRecording: Sendable {
    private struct State {
        var records: AtomicFile?
        var timeline: AtomicFile?
        /// Traces of replications that ended, by number.
        var waiting: [Int: ReplicationTrace] = [:]
        var written = 0
    }

    private let state: Mutex<State>
    private let (hasRecords, hasTimeline): (Bool, Bool)

    /// - Parameters:
    ///   - records: File for one row per URL with a hit and per lookup.
    ///   - timeline: File for some lookups of the first replication, with all that the servers did for them.
    ///   - plan: Of a run of one point.
    package init(records: String?, timeline: String?, of plan: SweepPlan) throws {
        if let refusal = Self.refusal(of: plan) { throw refusal }
        (hasRecords, hasTimeline) = (records != nil, timeline != nil)
        let rows = try records.map { try AtomicFile(path: $0, isPrivate: true) }
        try rows?.write(RecordRow.header)
        state = Mutex(
            State(records: rows, timeline: try timeline.map { try AtomicFile(path: $0, isPrivate: true) }))
    }

    /// Why no lookups of a plan can be followed; `nil` where they can.
    package static func refusal(of plan: SweepPlan) -> SweepError? {
        guard plan.points.count == 1, let scenario = plan.points.first?.scenario else {
            return .pointsToRecord(plan.points.count)
        }
        return scenario.architecture == .urlFilter ? nil : .noLookups(scenario.architecture)
    }

    /// The log of a replication that begins.
    func log(of number: Int, _ preparation: Preparation) throws -> ReplicationLog {
        ReplicationLog(
            number, rows: hasRecords ? try RowSpool() : nil,
            timeline: hasTimeline && number == 0 ? Timeline(preparation.configuration) : nil)
    }

    /// Keeps what a replication that ended has told.
    func keep(_ trace: ReplicationTrace) { state.withLock { $0.waiting[trace.number] = trace } }

    /// Takes in all replications below `count`, which are those that count.
    func advance(to count: Int) throws {
        try state.withLock { state in
            while state.written < count, let trace = state.waiting.removeValue(forKey: state.written) {
                try trace.rows?.forEachChunk { try state.records?.write($0) }
                if let timeline = trace.timeline { try state.timeline?.write(timeline.json()) }
                state.written += 1
            }
        }
    }

    /// Gives the files their names.
    package func finish() throws {
        try state.withLock { state in
            try state.records?.commit()
            if state.written > 0 { try state.timeline?.commit() }
        }
    }
}

/// Rows and timeline of a replication, when it has ended.
struct ReplicationTrace: Sendable {
    let number: Int
    let rows: RowSpool?
    let timeline: Timeline?
}

/// Follows one replication.
final class ReplicationLog: FleetLog {
    private let number: Int
    private let rows: RowSpool?
    private var timeline: Timeline?
    private var buffer: [UInt8] = []
    private var problem: (any Error)?

    init(_ number: Int, rows: RowSpool?, timeline: Timeline?) {
        (self.number, self.rows, self.timeline) = (number, rows, timeline)
    }

    func add(_ url: LoggedURL) {
        if rows != nil { write(RecordRow.text(url, replication: number)) }
    }

    func add(_ lookup: LoggedLookup) {
        timeline?.add(lookup)
        if rows != nil, lookup.isCounted { write(RecordRow.text(lookup, replication: number)) }
    }

    func add(_ station: LoggedStation) { timeline?.add(station) }

    /// - Throws: The first error that a row met.
    func end() throws -> ReplicationTrace {
        flush()
        if let problem { throw problem }
        return ReplicationTrace(number: number, rows: rows, timeline: timeline)
    }

    private func write(_ row: String) {
        buffer.append(contentsOf: row.utf8)
        if buffer.count >= 1 << 16 { flush() }
    }

    private func flush() {
        do { try rows?.append(buffer) } catch { problem = problem ?? error }
        buffer.removeAll(keepingCapacity: true)
    }
}
