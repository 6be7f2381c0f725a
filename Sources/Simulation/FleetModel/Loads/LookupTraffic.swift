import Decoding
package import RandomStreams
import URLFilter
import Workload

/// Lookups with the rate and the rhythm of servers that were observed, without the browsing behind them.
///
/// Bursts of a device come as a Poisson process whose rate follows the hour, and differs among devices as a gamma law
/// does. A burst has a geometric number of lookups. `urlfilter calibrate` fits it to a log.
package struct LookupTraffic: Hashable, Sendable {
    /// Mean lookups of a device in a day of the mean hour. Above 0.
    package var perDay: Double
    /// Shape of the gamma law of the rates among devices: the smaller, the more do a few devices ask. `nil`: all ask
    /// alike.
    package var skewShape: Double?
    /// Rates by hour of the day, 24 weights, of which only the proportions count.
    package var hourWeights: [Double]
    /// Hour of the day at which the run begins, in `0..<24`.
    package var startHour = 0.0
    /// Mean lookups of one burst, at least 1.
    package var burstSize = 1.0
    /// Seconds between two lookups of a burst.
    package var burstGap = Distribution.constant(0)

    package init(perDay: Double, hourWeights: [Double] = Array(repeating: 1, count: 24)) {
        self.perDay = perDay
        self.hourWeights = hourWeights
    }

    var pace: Pace {
        let mean = hourWeights.reduce(0, +) / Double(hourWeights.count)
        let highest = hourWeights.max() ?? 1
        return Pace(
            peak: perDay / burstSize / 86_400 * highest / mean, shares: hourWeights.map { $0 / highest })
    }

    struct Pace {
        /// Bursts of a device per second in the busiest hour.
        let peak: Double
        /// Share of it in each hour.
        let shares: [Double]

        /// Time when the burst after one at `time` begins, by thinning the pace of the busiest hour; `.max` for none
        /// before `end`. Times are nanoseconds from the start, and at most weeks before it.
        func following(
            _ time: Int64, until end: Int64, startHour: Double, factor: Double, _ stream: inout RandomStream
        ) -> Int64 {
            let rate = peak * factor
            guard rate > 0 else { return .max }
            var seconds = Double(nanoseconds: time)
            let last = Double(nanoseconds: end)
            while seconds < last {
                seconds += stream.exponential(mean: 1 / rate)
                let hour = (24 * 365 + startHour + seconds / 3600).truncatingRemainder(dividingBy: 24)
                if stream.uniform() < shares[min(Int(hour), 23)] {
                    return seconds < last ? max(.seconds(seconds), time + 1) : .max
                }
            }
            return .max
        }
    }
}

extension LookupTraffic {
    /// The lookups of a device before the start by the same law, from a stream of their own.
    ///
    /// - Returns: Their times from `begin` on, sorted; and the device's mean rate.
    func past(
        of device: Int, _ usage: DeviceUsage, from begin: Int64, seed: UInt64, replication: UInt32
    ) -> PastLookups {
        func stream(_ purpose: StreamPurpose) -> RandomStream {
            RandomStream(seed: seed, replication: replication, entity: UInt32(device), purpose: purpose)
        }
        var own = stream(.lookups)
        let factor = factor(using: &own)
        var times: [Int64] = []
        var past = stream(.pastLookups)
        let pace = pace
        var burst = pace.following(begin, until: 0, startHour: startHour, factor: factor, &past)
        let goesOn = 1 - 1 / burstSize
        while burst < 0 {
            var time = burst
            for _ in 0..<LookupLoads.longestBurst where time < 0 {
                times.append(time)
                guard past.uniform() < goesOn else { break }
                time += .seconds(min(max(burstGap.sample(using: &past), 0), 1e6))
            }
            burst = pace.following(burst, until: 0, startHour: startHour, factor: factor, &past)
        }
        times.sort()
        return PastLookups(begin: begin, times: times, perDay: perDay * factor)
    }

    /// A device's rate against that of the mean one: the first that is drawn of it.
    fileprivate func factor(using stream: inout RandomStream) -> Double {
        let law = skewShape.map { Distribution.gamma(shape: $0, scale: 1 / $0) }
        return law?.sample(using: &stream) ?? 1
    }
}

/// The lookups of some devices of one group, one window after the other.
struct LookupLoads {
    private let traffic: LookupTraffic
    private let pace: LookupTraffic.Pace
    private let firstDevice: Int
    private let settings: LoadSettings
    private let catalog: URLCatalog
    private var devices: [Asking] = []
    /// Lookups of bursts that have begun, which come after the window.
    private var begun: [Moment] = []
    private var buffer = LookupStringBuffer()
    /// All entries were tried, and none can match.
    private var isUseless = false
    /// Whether an entry that comes again is another one to the caches: servers see what no cache knows, so a short list
    /// must not make a device ask less.
    private let isNewEachRound: Bool

    /// A lookup that a device is to make.
    struct Moment {
        let time: Int64
        let device: Int
    }

    private struct Asking {
        /// Against the mean device.
        let factor: Double
        /// Lookups before it are of nobody's interest.
        let start: Int64
        /// Time of its next burst, nanoseconds; `.max` for none before the end.
        var next: Int64
        /// Numbers drawn so far.
        var position: UInt64
        /// Place of the next entry that it asks for. All entries have their turn.
        var entry: Int
        /// How often all had it.
        var round: UInt64 = 0
    }

    init(
        _ traffic: LookupTraffic, firstDevice: Int, deviceCount: Int, usage: DeviceUsage,
        settings: LoadSettings, catalog: URLCatalog, isNewEachRound: Bool, isSteady: Bool
    ) {
        self.traffic = traffic
        self.isNewEachRound = isNewEachRound
        self.firstDevice = firstDevice
        self.settings = settings
        self.catalog = catalog
        pace = traffic.pace
        // A burst that began before a steady start goes on in it.
        let lead = isSteady ? min(Self.lead * traffic.burstSize * max(traffic.burstGap.mean, 0), 86_400) : 0
        for device in firstDevice..<(firstDevice + deviceCount) {
            var stream = settings.stream(device, .lookups)
            let factor = traffic.factor(using: &stream)
            let entry = stream.index(below: max(catalog.entryCount, 1))
            let start = settings.activation(of: device, usage)
            let next = following(start - .seconds(lead), factor: factor, &stream)
            devices.append(
                Asking(
                    factor: factor, start: start, next: next, position: stream.position, entry: entry))
        }
    }

    /// The lookups that are made before `end`, by time.
    mutating func take(until end: Int64) -> [Moment] {
        for place in devices.indices {
            while devices[place].next < end { addBurst(place) }
        }
        begun.sort { ($0.time, $0.device) < ($1.time, $1.device) }
        let count = begun.firstIndex { $0.time >= end } ?? begun.count
        let due = Array(begun[..<count])
        begun.removeFirst(count)
        return due
    }

    /// Returns the outcome of the device's next entry; `nil` if no entry of the list can match.
    mutating func outcome(of device: Int) -> URLOutcome? {
        guard !isUseless else { return nil }
        let place = device - firstDevice
        for _ in 0..<catalog.entryCount {
            let url = catalog.url(ofEntry: devices[place].entry)
            devices[place].entry = (devices[place].entry + 1) % catalog.entryCount
            if devices[place].entry == 0 { devices[place].round += 1 }
            var outcome = catalog.outcome(ofURL: url, buffer: &buffer)
            guard outcome.keys.contains(where: \.isListed) else { continue }
            if isNewEachRound {
                let salt = devices[place].round &* 0x9E37_79B9_7F4A_7C16
                outcome.keys = outcome.keys.map {
                    HitKey(digest: $0.rawValue ^ salt, isListed: $0.isListed)
                }
            }
            return outcome
        }
        isUseless = true
        return nil
    }

    /// Mean lengths of a burst: one in 150 lasts longer.
    private static let lead = 5.0
    /// Lookups of one burst; a longer one is cut.
    fileprivate static let longestBurst = 100_000

    private mutating func addBurst(_ place: Int) {
        let device = firstDevice + place
        var stream = settings.stream(device, .lookups, devices[place].position)
        var time = devices[place].next
        let goesOn = 1 - 1 / traffic.burstSize
        for _ in 0..<Self.longestBurst {
            guard time < settings.duration else { break }
            if time >= devices[place].start { begun.append(Moment(time: time, device: device)) }
            guard stream.uniform() < goesOn else { break }
            let gap = max(traffic.burstGap.sample(using: &stream), 0)
            time += .seconds(min(gap, 1e6))
        }
        devices[place].next = following(devices[place].next, factor: devices[place].factor, &stream)
        devices[place].position = stream.position
    }

    private func following(_ time: Int64, factor: Double, _ stream: inout RandomStream) -> Int64 {
        pace.following(
            time, until: settings.duration, startHour: traffic.startHour, factor: factor, &stream)
    }
}

extension URLCatalog {
    var entryCount: Int { list.list.count }

    /// A URL that the entry names.
    fileprivate func url(ofEntry index: Int) -> [UInt8] { Array("https://".utf8) + Array(list.list[index]) }
}

extension StreamPurpose {
    static let lookups = StreamPurpose("lookups")
    static let pastLookups = StreamPurpose("lookups before the start")
}
