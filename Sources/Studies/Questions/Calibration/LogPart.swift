import Decoding
import FleetModel
import Workload

/// Figures of a part of a server's log, in bounded memory: counts by interval, samples of times, tallies of devices.
struct LogPart: Sendable {
    /// Nanoseconds since 1970.
    let range: Range<Int64>
    /// Width of an interval of the counts over time, nanoseconds.
    let interval: Int64
    let place: LoggedPlace
    /// Answered, and not.
    private(set) var lookups = 0
    private(set) var refused = 0
    private(set) var counts: [Int]
    /// Lookups by hour of the day (UTC), and the seconds of it that the part covers.
    private(set) var hours = Array(repeating: 0, count: 24)
    private(set) var durations = Reservoir()
    private(set) var sizes = Reservoir(limit: 2_000)
    /// Seconds of requests that found a core free, by endpoint.
    private(set) var served: [LoggedEndpoint: Reservoir] = [:]
    private(set) var requests: [LoggedEndpoint: Int] = [:]
    private(set) var devices = DeviceTally()
    private(set) var gaps = Reservoir()
    private(set) var burstSizes = Reservoir()
    /// Seconds of a request at one server above those of the server behind it.
    private(set) var ways: [LoggedPlace: Reservoir] = [:]
    private(set) var busy: BusyCores
    /// Squared differences and sums of counts in neighbouring windows.
    private(set) var dispersion = (squares: 0.0, sums: 0.0)
    private var window = (number: Int64.min, count: 0, before: 0)
    private var starts: FreeStarts
    private var outer: [LoggedPlace: LoneRequests]

    /// Lookups of a device that are closer than this are one burst. Assumption: longer than a page loads.
    static let burstCut: Int64 = 10_000_000_000
    /// Windows in which lookups are counted for the dispersion.
    static let windowLength: Int64 = 10_000_000_000

    /// - Parameters:
    ///   - place: The server whose requests are looked at, whatever other logs there are.
    ///   - servers: Stations of the PIR server, one for each region.
    ///   - resolution: How exact times are, nanoseconds.
    init(
        _ range: Range<Int64>, interval: Int64, place: LoggedPlace, servers: [StationConfiguration],
        resolution: Int64
    ) {
        self.range = range
        self.interval = interval
        self.place = place
        let count = Int((range.upperBound - range.lowerBound - 1) / interval) + 1
        counts = Array(repeating: 0, count: count)
        let cores = servers.reduce(0) { $0 + $1.serverCount }
        busy = BusyCores(cores: cores, from: range.lowerBound, interval: interval, count: count)
        starts = FreeStarts(limit: servers.map(\.freeLimit).min() ?? 1, resolution: resolution)
        outer = [
            .gateway: LoneRequests(resolution: resolution), .relay: LoneRequests(resolution: resolution),
        ]
    }

    var seconds: Double { Double(nanoseconds: range.upperBound - range.lowerBound) }

    /// Hour of the day (UTC) in which an interval of ``counts`` begins.
    func hour(ofInterval number: Int) -> Int {
        Int((range.lowerBound + Int64(number) * interval) / .hours(1) % 24)
    }

    /// Share of the cores that were busy, by interval; the last one may be shorter.
    var utilizations: [Double] {
        busy.seconds.enumerated().map { number, seconds in
            let start = range.lowerBound + Int64(number) * interval
            let length = min(start + interval, range.upperBound) - start
            return seconds / Double(busy.cores) / Double(nanoseconds: length)
        }
    }

    /// Seconds of each hour of the day (UTC) that the part covers.
    var hourSeconds: [Double] {
        var seconds = Array(repeating: 0.0, count: 24)
        let hour = Int64.hours(1)
        var start = range.lowerBound
        while start < range.upperBound {
            let end = min((start / hour + 1) * hour, range.upperBound)
            seconds[Int(start / hour % 24)] += Double(nanoseconds: end - start)
            start = end
        }
        return seconds
    }

    /// - Parameter isLookup: A gateway sees lookups only by their size.
    mutating func add(_ record: ServerLogRecord, isLookup: Bool) {
        requests[record.endpoint, default: 0] += 1
        let at = record.endpoint.place
        if let duration = record.duration {
            follow(record, at)
            if at == place, record.status < 300 {
                addService(record, Double(nanoseconds: duration), isLookup: isLookup)
            } else if at == place {
                busy.add(start: record.start, end: record.end)
                keep(starts.add(start: record.start, end: record.end, endpoint: nil))
            }
        }
        if let device = record.device { devices.update(device) { _ in } }
        guard at == place, isLookup else { return }
        guard record.status < 300 else {
            refused += 1
            return
        }
        count(record)
    }

    private mutating func count(_ record: ServerLogRecord) {
        lookups += 1
        counts[Int((record.start - range.lowerBound) / interval)] += 1
        hours[Int(record.start / .hours(1) % 24)] += 1
        if let bytes = record.bytes { sizes.add(Double(bytes)) }
        countWindow(record.start)
        guard let digest = record.device else { return }
        var (gap, size): (Int64?, Int?)
        devices.update(digest) { device in
            device.lookups += 1
            let isNew = device.last == .min || record.start - device.last > Self.burstCut
            if isNew {
                if device.burst > 0 { size = device.burst }
                device.bursts += 1
                device.burst = 1
            } else {
                gap = record.start - device.last
                device.burst += 1
            }
            device.last = max(device.last, record.start)
        }
        if let gap { gaps.add(max(Double(nanoseconds: gap), 1e-6)) }
        if let size { burstSizes.add(Double(size)) }
    }

    private mutating func addService(_ record: ServerLogRecord, _ seconds: Double, isLookup: Bool) {
        if isLookup { durations.add(seconds) }
        busy.add(start: record.start, end: record.end)
        // A gateway's other requests are not told apart, and are not wanted.
        keep(
            starts.add(
                start: record.start, end: record.end, endpoint: isLookup ? .queries : record.endpoint))
    }

    private mutating func keep(_ found: [FreeStarts.Request]) {
        for request in found {
            served[request.endpoint, default: Reservoir(limit: 5_000)]
                .add(Double(nanoseconds: request.end - request.start))
        }
    }

    /// Notes the time between two servers: of one request at the outer, and one at the inner while nothing else is
    /// there.
    private mutating func follow(_ record: ServerLogRecord, _ at: LoggedPlace) {
        if at != .relay {
            let front: LoggedPlace = at == .gateway ? .relay : .gateway
            outer[front]?.addInner(start: record.start, end: record.end)
        }
        guard at == .gateway || at == .relay,
            let found = outer[at]?.add(start: record.start, end: record.end),
            found.innerCount == 1, let inner = found.inner
        else { return }
        ways[at, default: Reservoir(limit: 5_000)].add(
            max(Double(nanoseconds: found.end - found.start) - inner, 0))
    }

    private mutating func countWindow(_ time: Int64) {
        let number = (time - range.lowerBound) / Self.windowLength
        while window.number < number {
            guard window.number != .min else {
                window.number = number
                break
            }
            // Every second pair, so that pairs share no window.
            if !window.number.isMultiple(of: 2) {
                let difference = Double(window.count - window.before)
                dispersion.squares += difference * difference
                dispersion.sums += Double(window.count + window.before)
            }
            window = (window.number + 1, 0, window.count)
        }
        window.count += 1
    }

    mutating func finish() {
        busy.finish(at: range.upperBound)
        keep(starts.finish())
        for device in devices.devices.values where device.burst > 0 { burstSizes.add(Double(device.burst)) }
    }
}
