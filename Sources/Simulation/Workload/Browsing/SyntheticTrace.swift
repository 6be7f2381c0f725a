import RandomStreams

/// The browsing of a population, request by request in order of time: what the simulator's devices would do,
/// as a trace.
///
///     var trace = SyntheticTrace(population: [.init(name: "homes", count: 100, habits: habits)], web: web,
///         seed: 1, duration: 86_400_000_000_000)
///     while let record = trace.next() { … }
///
/// Device n of a population draws from the same stream as device n of a
/// simulated fleet with the same seed, so it opens the same pages at the same
/// times. Memory grows with the devices and with the requests that are under way.
package struct SyntheticTrace {
    /// Devices that browse alike.
    package struct Group {
        package var name: String
        package var count: Int
        package var habits: BrowsingHabits

        package init(name: String, count: Int, habits: BrowsingHabits) {
            self.name = name
            self.count = count
            self.habits = habits
        }
    }

    /// Largest number of devices: as many as streams have numbers for.
    package static let maximumDeviceCount = Int(UInt32.max)

    private struct Device {
        var browser: Browser
        var stream: RandomStream
        let group: Int
        /// The visit that is due.
        var visit: Visit?
        var visitCount = 0
    }

    private struct Request {
        let object: PageObject
        let device: Int
        let visit: Int
        let token: UInt64
    }

    private let web: SyntheticWeb
    private let groups: [Group]
    /// Nanoseconds since 1970 of the start, and the length, in universal time.
    private let origin: Int64
    private let duration: Int64
    private var devices: [Device] = []
    private var visits = TimeHeap<Int>()
    private var requests = TimeHeap<Request>()
    private var tokens: RandomStream
    private var template = PageTemplate()
    private var bytes: [UInt8] = []

    /// - Parameters:
    ///   - origin: Time of the start in nanoseconds since 1970: midnight of day 0 of the profiles, universal time.
    ///   - duration: Nanoseconds, at least 1.
    ///   - replication: As in a simulation; 0 is the first.
    package init(
        population groups: [Group], web: SyntheticWeb, seed: UInt64, replication: UInt32 = 0,
        origin: Int64 = 0, duration: Int64
    ) {
        self.web = web
        self.groups = groups
        self.origin = origin
        self.duration = duration
        tokens = RandomStream(
            seed: seed, replication: replication, entity: 0, purpose: StreamPurpose("trace tokens"))
        var number: UInt32 = 0
        for (index, group) in groups.enumerated() {
            for _ in 0..<group.count {
                var stream = RandomStream(
                    seed: seed, replication: replication, entity: number, purpose: StreamPurpose("browsing"))
                let browser = Browser(using: &stream)
                devices.append(Device(browser: browser, stream: stream, group: index))
                plan(Int(number), after: group.habits.localTime(universal: 0))
                number += 1
            }
        }
    }

    /// The next request, or `nil` at the end.
    package mutating func next() -> TraceRecord? {
        while let first = visits.first, first.time <= requests.first?.time ?? .max { open(first.payload) }
        guard let (time, request) = requests.pop(), time < duration else { return nil }
        bytes.removeAll(keepingCapacity: true)
        web.appendURL(of: request.object, token: request.token, to: &bytes)
        let name = groups[devices[request.device].group].name
        return TraceRecord(
            time: origin + time, client: "\(name)-\(request.device + 1)",
            url: String(decoding: bytes, as: UTF8.self),
            page: "\(name)-\(request.device + 1)-\(request.visit)")
    }

    private mutating func plan(_ number: Int, after now: Int64) {
        let habits = groups[devices[number].group].habits
        var stream = devices[number].stream
        let visit = devices[number].browser.nextVisit(after: now, habits: habits, web: web, stream: &stream)
        devices[number].stream = stream
        devices[number].visit = visit
        guard let visit else { return }
        let time = habits.universalTime(local: visit.time)
        if time < duration { visits.push(number, at: time) }
    }

    private mutating func open(_ number: Int) {
        guard let (time, _) = visits.pop(), let visit = devices[number].visit else { return }
        devices[number].visitCount += 1
        web.fill(&template, site: visit.site, page: visit.page)
        for object in template.objects {
            let start = time + object.offset
            guard start < duration else { continue }
            requests.push(
                Request(
                    object: object, device: number, visit: devices[number].visitCount,
                    token: object.isFresh ? tokens.next() : 0),
                at: start)
        }
        plan(number, after: visit.time)
    }
}

/// A queue by time; of equal times, the first in comes out first.
private struct TimeHeap<Payload> {
    private var entries: [(time: Int64, sequence: Int, payload: Payload)] = []
    private var sequence = 0

    var first: (time: Int64, payload: Payload)? { entries.first.map { ($0.time, $0.payload) } }

    mutating func push(_ payload: Payload, at time: Int64) {
        entries.append((time, sequence, payload))
        sequence += 1
        var child = entries.count - 1
        while child > 0, isEarlier(child, (child - 1) / 2) {
            entries.swapAt(child, (child - 1) / 2)
            child = (child - 1) / 2
        }
    }

    mutating func pop() -> (time: Int64, payload: Payload)? {
        guard let first = entries.first else { return nil }
        let last = entries.removeLast()
        guard !entries.isEmpty else { return (first.time, first.payload) }
        entries[0] = last
        var parent = 0
        while true {
            var child = 2 * parent + 1
            guard child < entries.count else { break }
            if child + 1 < entries.count, isEarlier(child + 1, child) { child += 1 }
            guard isEarlier(child, parent) else { break }
            entries.swapAt(child, parent)
            parent = child
        }
        return (first.time, first.payload)
    }

    private func isEarlier(_ left: Int, _ right: Int) -> Bool {
        let (a, b) = (entries[left], entries[right])
        return a.time != b.time ? a.time < b.time : a.sequence < b.sequence
    }
}
