package import EventSimulation
import URLFilter

/// How the devices followed one update of the list, from its publication on.
package struct FreshnessSeries: Codable, Hashable, Sendable {
    /// The update's edition, and when it was published.
    package let edition: UInt32
    package let published: SimulatedTime
    /// Time from one point to the next; the first is at the publication.
    package let step: SimulatedDuration
    /// Devices looked at: all, or a regular sample of a large fleet.
    package let deviceCount: Int
    package internal(set) var points: [Point] = []

    /// Shares of the devices. Each of the first five requires the ones before it.
    package struct Point: Codable, Hashable, Sendable {
        /// The device has fetched the update's prefilter or a later one.
        package var fetched = 0.0
        /// And its app has started since.
        package var started = 0.0
        /// And the PIR servers answer from the update.
        package var loaded = 0.0
        /// And the device has the configuration of that database.
        package var configured = 0.0
        /// And no cached answer, and no inactive filter, keeps it from blocking a new entry.
        package var blocks = 0.0
        /// The PIR servers answer from the update, and the device has the configuration of that database.
        package var asksUpdate = 0.0
        /// And no cached answer still says that a removed entry is listed.
        package var hearsUpdate = 0.0
        /// That, or the app uses a prefilter without the entry: a removed entry no longer blocks.
        package var allows = 0.0
    }
}

/// The watch over one update: the first one that is published in the observed period.
struct FreshnessWatch: Sendable {
    var series: FreshnessSeries
    /// Every so many devices are looked at.
    let stride: Int
    /// Entries of the update that devices met, for a look into caches.
    private(set) var added: [UInt64] = []
    private(set) var removed: [UInt64] = []

    private static let pointCount = 48
    private static let largestSample = 10_000
    private static let probeCount = 4

    /// - Returns: `nil` if nothing is published between the end of the warm-up and the end of the run.
    init?(_ configuration: FleetConfiguration) {
        guard let interval = configuration.prefilter.republishInterval, interval > .zero else { return nil }
        let update = max(
            1, (configuration.warmUp.nanoseconds + interval.nanoseconds - 1) / interval.nanoseconds)
        let (time, overflows) = update.multipliedReportingOverflow(by: interval.nanoseconds)
        guard !overflows, time < configuration.duration.nanoseconds else { return nil }
        let rest = configuration.duration.nanoseconds - time
        stride = max(1, configuration.deviceCount / Self.largestSample)
        series = FreshnessSeries(
            edition: UInt32(clamping: update + 1), published: SimulatedTime(nanoseconds: time),
            step: SimulatedDuration(nanoseconds: max(rest / Int64(Self.pointCount), 1)),
            deviceCount: (configuration.deviceCount + stride - 1) / stride)
    }

    /// A device met an entry of the list.
    mutating func note(_ key: UInt64, _ life: EntryLife) {
        if life.first == series.edition, added.count < Self.probeCount, !added.contains(key) {
            added.append(key)
        }
        if life.removal == series.edition, removed.count < Self.probeCount, !removed.contains(key) {
            removed.append(key)
        }
    }
}

extension Fleet {
    /// Adds a point to the watch over the update.
    mutating func sampleFreshness(at now: SimulatedTime, _ agenda: inout Agenda<FleetEvent>) {
        guard let watch = freshness else { return }
        let edition = watch.series.edition
        let isLoaded = loadedEdition(at: now) >= edition
        var point = FreshnessSeries.Point()
        for device in stride(from: 0, to: devices.count, by: watch.stride) {
            let isFetched = devices[device].edition >= edition
            let isStarted = isFetched && usedEdition(of: device) >= edition
            let isConfigured = isLoaded && databaseEdition(of: device, at: now) >= edition
            if isFetched { point.fetched += 1 }
            if isStarted { point.started += 1 }
            if isStarted && isLoaded { point.loaded += 1 }
            if isStarted && isConfigured {
                point.configured += 1
                if devices[device].isActive {
                    point.blocks += 1 - cachedShare(of: watch.added, saying: false, device: device, at: now)
                }
            }
            let hears =
                isConfigured ? 1 - cachedShare(of: watch.removed, saying: true, device: device, at: now) : 0
            if isConfigured { point.asksUpdate += 1 }
            point.hearsUpdate += hears
            point.allows += isStarted ? 1 : hears
        }
        freshness?.series.append(point)
        let next = now.advanced(by: watch.series.step)
        if next.nanoseconds <= configuration.duration.nanoseconds { agenda.schedule(.freshness, at: next) }
    }

    /// Share of the keys for which a device's caches hold this answer.
    private func cachedShare(
        of keys: [UInt64], saying answer: Bool, device: Int, at now: SimulatedTime
    ) -> Double {
        guard !keys.isEmpty, devices[device].machine > 0 else { return 0 }
        let machine = Int(devices[device].machine) - 1
        var count = 0
        for key in keys where machines[machine].cachedAnswer(for: key, at: now.nanoseconds) == answer {
            count += 1
        }
        return Double(count) / Double(keys.count)
    }
}

extension FreshnessSeries {
    /// - Parameter counts: Numbers of devices.
    fileprivate mutating func append(_ counts: Point) {
        let scale = 1 / Double(max(deviceCount, 1))
        points.append(
            Point(
                fetched: counts.fetched * scale, started: counts.started * scale,
                loaded: counts.loaded * scale,
                configured: counts.configured * scale, blocks: counts.blocks * scale,
                asksUpdate: counts.asksUpdate * scale, hearsUpdate: counts.hearsUpdate * scale,
                allows: counts.allows * scale))
    }

    /// Seconds from the publication until a share of the devices has come so far, between two points by a straight
    /// line.
    ///
    /// - Returns: `nil` if fewer devices did before the end of the run.
    package func seconds(untilShare share: Double, of value: (Point) -> Double) -> Double? {
        guard let index = points.firstIndex(where: { value($0) >= share }) else { return nil }
        guard index > 0 else { return 0 }
        let (before, after) = (value(points[index - 1]), value(points[index]))
        return (Double(index - 1) + (share - before) / (after - before)) * step.seconds
    }

    /// Seconds over which the devices were watched.
    package var watchedSeconds: Double { Double(max(points.count - 1, 0)) * step.seconds }
}
