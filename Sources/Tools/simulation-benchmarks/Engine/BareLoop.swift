import EventSimulation
import RandomStreams

/// Events to come, as a loop without an engine needs to know them.
protocol EventSet: ~Copyable {
    init()
    mutating func push(_ event: UInt32, at time: UInt64)
    mutating func pop() -> (time: UInt64, event: UInt32)
}

/// The baseline of the benchmarks: one array, the earliest event first.
struct BinaryHeap: EventSet, ~Copyable {
    private typealias Entry = (time: UInt64, order: UInt64)

    private var entries = UnsafeMutablePointer<Entry>.allocate(capacity: 1024)
    private var capacity = 1024
    private var count = 0
    private var sequence: UInt64 = 0

    init() {}

    deinit { entries.deallocate() }

    @inline(__always)
    mutating func push(_ event: UInt32, at time: UInt64) {
        if count == capacity { grow() }
        let entry = (time: time, order: sequence &<< 32 | UInt64(event))
        sequence &+= 1
        var place = count
        count &+= 1
        while place > 0 {
            let parent = (place &- 1) / 2
            guard Self.isEarlier(entry, entries[parent]) else { break }
            entries[place] = entries[parent]
            place = parent
        }
        entries[place] = entry
    }

    @inline(__always)
    mutating func pop() -> (time: UInt64, event: UInt32) {
        let first = entries[0]
        count &-= 1
        let last = entries[count]
        var place = 0
        while true {
            var child = 2 &* place &+ 1
            guard child < count else { break }
            if child &+ 1 < count, Self.isEarlier(entries[child &+ 1], entries[child]) { child &+= 1 }
            guard Self.isEarlier(entries[child], last) else { break }
            entries[place] = entries[child]
            place = child
        }
        entries[place] = last
        return (first.time, UInt32(truncatingIfNeeded: first.order))
    }

    @inline(__always)
    private static func isEarlier(_ left: Entry, _ right: Entry) -> Bool {
        left.time < right.time || (left.time == right.time && left.order < right.order)
    }

    private mutating func grow() {
        let larger = UnsafeMutablePointer<Entry>.allocate(capacity: capacity * 2)
        larger.update(from: entries, count: count)
        entries.deallocate()
        entries = larger
        capacity *= 2
    }
}

/// The engine's event set without the engine around it.
struct BareWheel: EventSet, ~Copyable {
    private var queue = EventQueue<UInt32>()

    init() {}

    @inline(__always)
    mutating func push(_ event: UInt32, at time: UInt64) { queue.push(event, at: time) }

    @inline(__always)
    mutating func pop() -> (time: UInt64, event: UInt32) {
        guard let next = queue.popNext(due: .max) else { preconditionFailure("the event set is empty") }
        return (next.time, next.event)
    }
}

/// The benchmark models without engine, stations, statistics and fingerprint: plain loops over an event set.
struct BareLoop<Events: EventSet & ~Copyable>: ~Copyable {
    private var events = Events()
    private var gaps = Self.draws(StreamPurpose("gaps"))
    private var services = Self.draws(StreamPurpose("services"))
    private var hops = Self.draws(StreamPurpose("hops"))

    private static var arrival: UInt32 { .max }

    /// Exponential with a mean of 1.
    private static func draws(_ purpose: StreamPurpose) -> SampleBuffer {
        SampleBuffer(
            .exponential(mean: 1), from: RandomStream(seed: 1, replication: 0, entity: 0, purpose: purpose))
    }

    @inline(__always)
    private static func nanoseconds(_ seconds: Double) -> UInt64 { UInt64(seconds * 1e9 + 0.5) }

    /// M/M/c with a mean service of 1 s; returns the mean time in the system.
    mutating func station(load: Double, servers: Int, customers: Int) -> Double {
        let meanGap = 1 / (load * Double(servers))
        var arrivedAt: [UInt64] = []
        var free: [UInt32] = []
        var line = Line()
        var (idle, created, total, now) = (servers, 0, 0.0, UInt64(0))
        events.push(Self.arrival, at: Self.nanoseconds(meanGap * gaps.next()))
        for _ in 0..<(2 * customers) {
            let next = events.pop()
            now = next.time
            if next.event == Self.arrival {
                let customer = Self.take(now, &arrivedAt, &free)
                if idle > 0 {
                    idle -= 1
                    events.push(customer, at: now + Self.nanoseconds(services.next()))
                } else {
                    line.append(customer)
                }
                created += 1
                if created < customers {
                    events.push(Self.arrival, at: now + Self.nanoseconds(meanGap * gaps.next()))
                }
            } else {
                total += Double(now - arrivedAt[Int(next.event)])
                free.append(next.event)
                if let waiting = line.popFirst() {
                    events.push(waiting, at: now + Self.nanoseconds(services.next()))
                } else {
                    idle += 1
                }
            }
        }
        return total / Double(customers) / 1e9
    }

    /// The model of ``PipeModel``; returns the mean time in the system.
    mutating func pipe(requests: Int) -> Double {
        var arrivedAt: [UInt64] = []
        var free: [UInt32] = []
        var stages: [UInt8] = []
        var lines = [Line(), Line(), Line()]
        var idle = PipeModel.stations.map(\.servers)
        let means = PipeModel.stations.map(\.meanService)
        var (created, total) = (0, 0.0)
        events.push(Self.arrival, at: Self.nanoseconds(PipeModel.meanGap * gaps.next()))
        for _ in 0..<(10 * requests) {
            let (now, event) = events.pop()
            if event == Self.arrival {
                let request = Self.take(now, &arrivedAt, &free)
                if Int(request) == stages.count { stages.append(0) }
                stages[Int(request)] = 0
                events.push(request, at: now + Self.nanoseconds(PipeModel.meanHop * hops.next()))
                created += 1
                if created < requests {
                    let gap = PipeModel.meanGap * gaps.next()
                    events.push(Self.arrival, at: now + Self.nanoseconds(gap))
                }
                continue
            }
            let stage = Int(stages[Int(event)])
            stages[Int(event)] += 1
            switch stage {
            case 0, 2, 4:
                let station = stage / 2
                if idle[station] > 0 {
                    idle[station] -= 1
                    let service = means[station] * services.next()
                    events.push(event, at: now + Self.nanoseconds(service))
                } else {
                    lines[station].append(event)
                }
            case 1, 3, 5:
                let station = stage / 2
                if let waiting = lines[station].popFirst() {
                    let service = means[station] * services.next()
                    events.push(waiting, at: now + Self.nanoseconds(service))
                } else {
                    idle[station] += 1
                }
                events.push(event, at: now + Self.nanoseconds(PipeModel.meanHop * hops.next()))
            case 6, 7:
                events.push(event, at: now + Self.nanoseconds(PipeModel.meanHop * hops.next()))
            default:
                total += Double(now - arrivedAt[Int(event)])
                free.append(event)
            }
        }
        return total / Double(requests) / 1e9
    }

    /// A loop of ``HoldModel`` before its first event.
    mutating func fill(pending: Int, delays: inout Delays) {
        for event in 0..<UInt32(pending) { events.push(event, at: UInt64(delays.next().nanoseconds)) }
    }

    mutating func hold(steps: Int, delays: inout Delays) {
        for _ in 0..<steps {
            let (now, event) = events.pop()
            events.push(event, at: now + UInt64(delays.next().nanoseconds))
        }
    }

    @inline(__always)
    private static func take(_ now: UInt64, _ arrivedAt: inout [UInt64], _ free: inout [UInt32]) -> UInt32 {
        guard let slot = free.popLast() else {
            arrivedAt.append(now)
            return UInt32(arrivedAt.count - 1)
        }
        arrivedAt[Int(slot)] = now
        return slot
    }
}

/// First in, first out.
private struct Line {
    private var places = [UInt32](repeating: 0, count: 1024)
    private var head = 0
    private var tail = 0

    @inline(__always)
    mutating func append(_ element: UInt32) {
        if tail &- head == places.count {
            let mask = places.count - 1
            places = (head..<tail).map { places[$0 & mask] }
            (head, tail) = (0, places.count)
            places += places
        }
        places[tail & (places.count &- 1)] = element
        tail &+= 1
    }

    @inline(__always)
    mutating func popFirst() -> UInt32? {
        guard head != tail else { return nil }
        let element = places[head & (places.count &- 1)]
        head &+= 1
        return element
    }
}
