import EventSimulation
import RandomStreams
import URLFilter
import Workload

/// The reading position of one group's trace.
///
/// The file is opened with the first event, so that a missing file is an error of the run and not of the
/// model's construction.
struct TraceFeed {
    let replay: TraceReplay
    let group: Int
    /// First device of the group.
    let firstDevice: Int
    let deviceCount: Int
    var reader: TraceReader?
    /// Trace clients by name, in order of appearance.
    var clients: [String: Int] = [:]
    /// The record whose time is next.
    var pending: TraceRecord?

    /// Simulated time of a record.
    func time(of record: TraceRecord) -> SimulatedTime {
        let (length, isTooLong) = record.time.subtractingReportingOverflow(replay.origin)
        let offset = Double(length) / replay.compression
        // A slowed-down trace may end later than any clock can tell.
        guard !isTooLong, offset < 0x1p63 else { return .distantFuture }
        return SimulatedTime(nanoseconds: Int64(max(offset, 0)))
    }
}

extension Fleet {
    mutating func startTraces(_ agenda: inout Agenda<FleetEvent>) {
        var firstDevice = 0
        for (index, group) in configuration.groups.enumerated() {
            if case .trace(let replay) = group.workload {
                feeds.append(
                    TraceFeed(
                        replay: replay, group: index, firstDevice: firstDevice, deviceCount: group.count))
                agenda.schedule(.traceRecord(feed: UInt32(feeds.count - 1)), at: .start)
            }
            firstDevice += group.count
        }
    }

    /// Lets every device of the record's client check the URL, and goes on to the next record.
    mutating func replayRecord(
        feed index: Int, at now: SimulatedTime, _ agenda: inout Agenda<FleetEvent>
    ) throws {
        if feeds[index].reader == nil { feeds[index].reader = try feeds[index].replay.open() }
        if let record = feeds[index].pending { try replay(record, feed: index, at: now, &agenda) }
        feeds[index].pending = try feeds[index].reader?.next()
        guard let next = feeds[index].pending else { return }
        let time = max(feeds[index].time(of: next), now)
        if isOpen(time) { agenda.schedule(.traceRecord(feed: UInt32(index)), at: time) }
    }

    private mutating func replay(
        _ trace: TraceRecord, feed index: Int, at now: SimulatedTime, _ agenda: inout Agenda<FleetEvent>
    ) throws {
        let client = feeds[index].clients[trace.client] ?? feeds[index].clients.count
        feeds[index].clients[trace.client] = client
        let feed = feeds[index]
        let outcome = catalogs[feed.group].outcome(ofURL: Array(trace.url.utf8), buffer: &buffer)
        // Device `d` replays client `d mod clients`; with fewer devices than clients, client `c` is
        // replayed by device `c mod devices`.
        var device = client % feed.deviceCount
        while device < feed.deviceCount {
            replay(
                outcome, device: feed.firstDevice + device, copy: device / feed.replay.clientCount, feed, now,
                &agenda)
            device += feed.replay.clientCount
        }
    }

    private mutating func replay(
        _ outcome: URLOutcome, device: Int, copy: Int, _ feed: TraceFeed, _ now: SimulatedTime,
        _ agenda: inout Agenda<FleetEvent>
    ) {
        var delay = SimulatedDuration.zero
        if copy > 0 {
            var stream = RandomStream(
                seed: configuration.seed, replication: replication, entity: UInt32(device),
                purpose: .traceSpread)
            delay = feed.replay.spread * stream.uniform()
        }
        let time = now.advanced(by: delay)
        guard isOpen(time) else { return }
        let counted = counts(time)
        guard outcome.stringCount > 0 else {
            if counted { record.urls.unparseable += 1 }
            return
        }
        record.series.update(at: time) { $0.urls += 1 }
        if counted {
            record.urls.checked += 1
            record.urls.strings += outcome.stringCount
        }
        if outcome.hits.isEmpty {
            countMisses(1, device: device, counted: counted, at: time)
        } else {
            let check = checks.insert(PendingCheck(device: device, hits: outcome.hits, counted: counted))
            agenda.schedule(.check(UInt32(check)), at: time)
        }
    }
}
