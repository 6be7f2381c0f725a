import Decoding
import EventSimulation
package import FleetModel
import RandomStreams
package import Workload

/// Page loads of a fleet, each of which is one lookup of one keyword: the same for the live stack and for the model.
package struct LookupTrace: Sendable {
    package struct Load: Hashable, Sendable {
        /// Nanoseconds since the start.
        package var time: Int64
        package var device: Int
        /// Number of the URL. A device never loads one twice, so that no cache can answer.
        package var url: Int
    }

    /// Loads in order of time; the first is at 0.
    package let loads: [Load]
    package let deviceCount: Int

    /// Poisson arrivals at devices that are drawn evenly, and bursts after them.
    ///
    /// - Parameters:
    ///   - rate: Loads per second.
    ///   - end: Seconds.
    ///   - bursts: After `end`: so many times one load, and a quarter of a second later so many at one instant; half
    ///     a second apart.
    ///   - number: Of the trace: other numbers give independent ones.
    package init(
        rate: Double, end: Double, bursts: (count: Int, size: Int) = (0, 0), deviceCount: Int, urlCount: Int,
        seed: UInt64, number: UInt32
    ) throws(LiveValidationError) {
        var arrivals = RandomStream(
            seed: seed, replication: number, entity: 0, purpose: StreamPurpose("validation arrivals"))
        var devices = RandomStream(
            seed: seed, replication: number, entity: 0, purpose: StreamPurpose("validation devices"))
        var made = Array(repeating: 0, count: deviceCount)
        var loads: [Load] = []
        func add(at seconds: Double) {
            let device = devices.index(below: deviceCount)
            // Devices begin at different places, so that not all of them ask the same.
            let url = (device * (urlCount / deviceCount + 1) + made[device]) % urlCount
            made[device] += 1
            loads.append(Load(time: .seconds(seconds), device: device, url: url))
        }
        var time = 0.0
        while time < end {
            add(at: time)
            time += arrivals.exponential(mean: 1 / rate)
        }
        for burst in 0..<bursts.count {
            let start = end + 1 + Double(burst) / 2
            add(at: start)
            for _ in 0..<bursts.size { add(at: start + 0.25) }
        }
        let most = made.max() ?? 0
        guard most <= urlCount else { throw .tooFewURLs(urlCount, needed: most) }
        self.loads = loads
        self.deviceCount = deviceCount
    }

    /// Most loads of one device.
    package var mostPerDevice: Int {
        var made = Array(repeating: 0, count: deviceCount)
        for load in loads { made[load.device] += 1 }
        return made.max() ?? 0
    }

    /// Seconds from the first load to the last.
    package var length: Double { Double(nanoseconds: loads.last?.time ?? 0) }

    private var clientCount: Int { Set(loads.map(\.device)).count }

    /// - Parameter urls: By number.
    package func records(urls: [String]) -> [TraceRecord] {
        loads.map { TraceRecord(time: $0.time, client: "d\($0.device)", url: urls[$0.url]) }
    }

    /// The trace as the model replays it.
    ///
    /// - Parameter urls: By number; none has a tab or a line break in it.
    package func replay(urls: [String]) -> (trace: TraceReplay, clientCount: Int) {
        var text = "time\tclient\turl\n"
        for record in records(urls: urls) { text += "\(record.time)\t\(record.client)\t\(record.url)\n" }
        let bytes = Array(text.utf8)
        var options = TraceOptions(
            format: .delimited(separator: "\t"),
            columns: TraceColumns(time: "time", client: "client", url: "url", timeUnit: .nanoseconds),
            isStrict: true)
        options.order = .sorted(limit: loads.count)
        let fixed = options
        let trace = TraceReplay(
            open: { try TraceReader(ByteSource(bytes: bytes, name: "validation trace"), options: fixed) },
            clientCount: clientCount, origin: 0, compression: 1, spread: .zero)
        return (trace, clientCount)
    }
}
