import Decoding
import EventSimulation
import FleetModel
import Foundation
import URLFilter

/// One event of the trace format of Chrome and Perfetto ("Trace Event Format", Google, 2016): times in microseconds.
private struct TraceEvent: Encodable {
    var name: String
    /// `X` with a duration, `i` an instant, `C` a counter, `M` a name.
    var ph: String
    var pid: Int
    var tid = 0
    var ts: Double?
    var dur: Double?
    /// Scope of an instant: `p`, over all tracks of its process.
    var s: String?
    var args: [String: Argument]?

    enum Argument: Encodable {
        case text(String), number(Int)

        func encode(to encoder: any Encoder) throws {
            var container = encoder.singleValueContainer()
            switch self {
            case .text(let text): try container.encode(text)
            case .number(let number): try container.encode(number)
            }
        }
    }
}

/// A slice of a track, with those inside it.
private struct Slice {
    var name: String
    var start: SimulatedTime
    var end: SimulatedTime
    var args: [String: TraceEvent.Argument]?
    var inner: [Slice] = []
}

extension Timeline {
    /// The document for `ui.perfetto.dev` and `chrome://tracing`: one process with a track per device, one per part
    /// with a track per instance, and one for faults. Where slices of a track overlap, it goes on in a second one.
    func json() throws -> Data {
        var writer = TraceWriter()
        writeFaults(to: &writer)
        let parts = Set(stations.map(\.part.name) + services.map(\.part.name)).sorted()
        for part in parts { write(part: part, to: &writer) }
        writeDevices(to: &writer)
        return try writer.document()
    }

    private var services: [LoggedService] { lookups.flatMap { $0.requests.flatMap(\.services) } }

    private func writeFaults(to writer: inout TraceWriter) {
        let process = writer.process("faults")
        let track = configuration.faults.map { fault in
            Slice(
                name: "\(fault)", start: .start.advanced(by: fault.begin),
                end: .start.advanced(by: min(fault.end, configuration.duration + configuration.drain)))
        }
        writer.tracks("fault", track, in: process)
    }

    private func write(part: String, to writer: inout TraceWriter) {
        let process = writer.process(part)
        for station in stations where station.part.name == part {
            if let change = station.change { writer.instant(change, at: station.time, in: process) }
            let values = ["busy": station.busy, "queue": station.queue, "instances": station.instances]
            for (name, value) in values.sorted(by: { $0.key < $1.key }) {
                writer.counter(name, value, at: station.time, in: process)
            }
        }
        let served = lookups.flatMap { lookup in
            lookup.requests.flatMap(\.services).filter { $0.part.name == part }.map { (lookup, $0) }
        }
        for (instance, services) in Dictionary(grouping: served, by: \.1.instance).sorted(by: {
            $0.key < $1.key
        }) {
            let slices = services.map { lookup, service in
                Slice(
                    name: "device \(lookup.device)", start: service.began, end: service.ended,
                    args: ["lookup": .number(Int(lookup.number))])
            }
            writer.tracks("instance \(instance + 1)", slices, in: process)
        }
    }

    private func writeDevices(to writer: inout TraceWriter) {
        let process = writer.process("devices")
        for (device, lookups) in Dictionary(grouping: lookups, by: \.device).sorted(by: { $0.key < $1.key }) {
            var slices: [Slice] = []
            for lookup in lookups {
                var whole = Slice(lookup)
                for request in lookup.requests.sorted(by: { $0.started < $1.started }) {
                    let slice = Slice(request)
                    // A second request beside the first has no place inside the same lookup.
                    if slice.start >= whole.inner.last?.end ?? whole.start, slice.end <= whole.end {
                        whole.inner.append(slice)
                    } else {
                        slices.append(slice)
                    }
                }
                if let first = whole.inner.first, first.start > whole.start {
                    whole.inner.insert(
                        Slice(name: "waits for a token", start: whole.start, end: first.start), at: 0)
                }
                slices.append(whole)
            }
            writer.tracks("device \(device)", slices, in: process)
        }
    }
}

extension Slice {
    fileprivate init(_ lookup: LoggedLookup) {
        let outcome =
            switch lookup.outcome {
            case .answered(isListed: true): "listed"
            case .answered(isListed: false): "not listed"
            case .failed(let cause): "failed: \(cause.rawValue)"
            case .unfinished: "unfinished"
            }
        self.init(
            name: "lookup, \(outcome)", start: lookup.started, end: lookup.ended,
            args: ["lookup": .number(Int(lookup.number)), "keywords": .number(lookup.keywords)])
    }

    /// A request, with waiting and work at each part inside it.
    fileprivate init(_ request: LoggedRequest) {
        self.init(
            name: request.failure.map { $0 == 0 ? "request without answer" : "request, status \($0)" }
                ?? "request",
            start: request.started, end: request.ended,
            args: [
                "requestBytes": .number(request.requestBytes),
                "responseBytes": .number(request.responseBytes),
            ])
        if let region = request.region { args?["region"] = .text(region) }
        for service in request.services where service.began <= end {
            if service.began > service.queued {
                inner.append(
                    Slice(name: "waits at \(service.part)", start: service.queued, end: service.began))
            }
            // Servers do not know that the device has given up.
            inner.append(Slice(name: "\(service.part)", start: service.began, end: min(service.ended, end)))
        }
    }
}

/// Collects events and numbers processes and tracks.
private struct TraceWriter {
    private var events: [TraceEvent] = []
    private var processes = 0
    private var trackCount = 0

    mutating func process(_ name: String) -> Int {
        processes += 1
        events.append(TraceEvent(name: "process_name", ph: "M", pid: processes, args: ["name": .text(name)]))
        events.append(
            TraceEvent(
                name: "process_sort_index", ph: "M", pid: processes, args: ["sort_index": .number(processes)])
        )
        return processes
    }

    mutating func instant(_ name: String, at time: SimulatedTime, in process: Int) {
        events.append(TraceEvent(name: name, ph: "i", pid: process, ts: time.microseconds, s: "p"))
    }

    mutating func counter(_ name: String, _ value: Int, at time: SimulatedTime, in process: Int) {
        events.append(
            TraceEvent(
                name: name, ph: "C", pid: process, ts: time.microseconds, args: [name: .number(value)]))
    }

    /// Puts slices into as few tracks of a name as let none of them overlap.
    mutating func tracks(_ name: String, _ slices: [Slice], in process: Int) {
        var ends: [(track: Int, end: SimulatedTime)] = []
        for slice in slices.sorted(by: { ($0.start, $0.end) < ($1.start, $1.end) }) {
            var place = ends.firstIndex { $0.end <= slice.start }
            if place == nil {
                trackCount += 1
                ends.append((trackCount, slice.end))
                place = ends.count - 1
                events.append(
                    TraceEvent(
                        name: "thread_name", ph: "M", pid: process, tid: trackCount,
                        args: ["name": .text(ends.count > 1 ? "\(name) (\(ends.count))" : name)]))
            }
            guard let place else { continue }
            ends[place].end = max(ends[place].end, slice.end)
            write(slice, process, track: ends[place].track)
        }
    }

    private mutating func write(_ slice: Slice, _ process: Int, track: Int) {
        events.append(
            TraceEvent(
                name: slice.name, ph: "X", pid: process, tid: track, ts: slice.start.microseconds,
                dur: Double((slice.end - slice.start).nanoseconds) / 1_000, args: slice.args))
        for inner in slice.inner { write(inner, process, track: track) }
    }

    /// One event per line.
    func document() throws -> Data {
        var data = Data("{\"displayTimeUnit\":\"ms\",\"traceEvents\":[\n".utf8)
        for (index, event) in events.enumerated() {
            if index > 0 { data.append(contentsOf: ",\n".utf8) }
            data.append(try JSONText.line(event))
        }
        data.append(contentsOf: "\n]}\n".utf8)
        return data
    }
}

extension SimulatedTime {
    fileprivate var microseconds: Double { Double(nanoseconds) / 1_000 }
}
