import Decoding
import RandomStreams

/// A sample of bounded size of numbers that come one by one, each equally likely in it (Vitter's algorithm R).
struct Reservoir: Sendable {
    private(set) var values: [Double] = []
    private(set) var count = 0
    private let limit: Int
    private var generator = SplitMix64(1)

    init(limit: Int = 20_000) { self.limit = limit }

    mutating func add(_ value: Double) {
        count += 1
        if values.count < limit {
            values.append(value)
        } else {
            let place = generator.index(below: count)
            if place < limit { values[place] = value }
        }
    }
}

/// Counts of what each device asked for, of as many devices as memory allows: by a digest of their names, so that
/// the ones that are kept are like the others.
struct DeviceTally: Sendable {
    struct Device: Sendable {
        var lookups = 0
        var bursts = 0
        /// Lookups of the last burst so far.
        var burst = 0
        var last = Int64.min
    }

    private(set) var devices: [UInt64: Device] = [:]
    private var shift: UInt64 = 0
    private static let limit = 200_000

    /// Devices that were seen; an estimate when there are too many to be kept.
    var count: Int { devices.count << Int(shift) }

    /// - Returns: `nil` for a device that is not kept.
    mutating func update(_ digest: UInt64, _ change: (inout Device) -> Void) {
        guard digest & ((1 << shift) - 1) == 0 else { return }
        change(&devices[digest, default: Device()])
        while devices.count > Self.limit {
            shift += 1
            devices = devices.filter { $0.key & ((1 << shift) - 1) == 0 }
        }
    }
}

/// How many cores of a server are busy, from when its requests begin and end: as many as there are requests, up to all.
struct BusyCores: Sendable {
    let cores: Int
    private let origin: Int64
    private let interval: Int64
    private var now: Int64
    /// Ends of the requests that are there, the latest first.
    private var ends: [Int64] = []
    /// Core seconds by interval.
    private(set) var seconds: [Double]

    init(cores: Int, from origin: Int64, interval: Int64, count: Int) {
        self.cores = cores
        self.origin = origin
        self.interval = interval
        now = origin
        seconds = Array(repeating: 0, count: count)
    }

    /// A request that begins no earlier than the ones before it.
    mutating func add(start: Int64, end: Int64) {
        advance(to: start)
        var (low, high) = (0, ends.count)
        while low < high {
            let middle = (low + high) / 2
            if ends[middle] > end { low = middle + 1 } else { high = middle }
        }
        ends.insert(end, at: low)
    }

    mutating func finish(at time: Int64) { advance(to: time) }

    private mutating func advance(to time: Int64) {
        while let end = ends.last, end <= time {
            count(until: end)
            ends.removeLast()
        }
        count(until: time)
    }

    private mutating func count(until time: Int64) {
        guard time > now else { return }
        defer { now = time }
        let busy = Double(min(ends.count, cores))
        guard busy > 0 else { return }
        var from = max(now, origin)
        while from < time {
            let place = Int((from - origin) / interval)
            guard place < seconds.count else { return }
            let to = min(time, origin + Int64(place + 1) * interval)
            seconds[place] += Double(nanoseconds: busy * Double(to - from))
            from = to
        }
    }
}

/// Requests that met no other one at their server, so that one at the server behind is theirs.
struct LoneRequests: Sendable {
    private var candidate: ServerLogCandidate?
    private var lastEnd = Int64.min
    /// How exact times are, nanoseconds.
    private let resolution: Int64

    struct ServerLogCandidate: Sendable {
        var start: Int64
        var end: Int64
        /// Seconds of the one request behind the server that it led to; `nil` for none so far.
        var inner: Double?
        var innerCount = 0
    }

    init(resolution: Int64) { self.resolution = resolution }

    /// - Returns: The one before it, if that was alone to its end.
    mutating func add(start: Int64, end: Int64) -> ServerLogCandidate? {
        let before = candidate.flatMap { start >= $0.end + resolution ? $0 : nil }
        // The largest value stands for no request yet.
        let isFree = lastEnd == .min || start >= lastEnd + resolution
        candidate = isFree ? ServerLogCandidate(start: start, end: end) : nil
        lastEnd = max(lastEnd, end)
        return before
    }

    /// A request at the server behind.
    mutating func addInner(start: Int64, end: Int64) {
        guard var known = candidate, start >= known.start - 1_000_000, end <= known.end + 1_000_000 else {
            return
        }
        known.innerCount += 1
        known.inner = Double(nanoseconds: end - start)
        candidate = known
    }
}
