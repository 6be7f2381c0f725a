import EventSimulation
import URLFilter

/// The watch over one update: the first one that is published in the observed period.
struct FreshnessWatch: Sendable {
    var series: FreshnessSeries
    /// Every so many devices are looked at.
    let stride: Int
    /// Entries of the update that devices met, for a look into caches.
    private(set) var added: [HitKey] = []
    private(set) var removed: [HitKey] = []

    private static let pointCount = 48
    private static let largestSample = 10_000
    private static let probeCount = 4

    /// - Returns: `nil` if nothing that is to be watched is published between the end of the warm-up and the end of the
    ///   run.
    init?(_ configuration: FleetConfiguration) {
        let prefilter = configuration.urlFilter.prefilter
        guard let interval = prefilter.republishInterval, interval > .zero, prefilter.isWatched else {
            return nil
        }
        let first = prefilter.publications.first
        let early = max(0, configuration.warmUp.nanoseconds - first)
        let later = (early + interval.nanoseconds - 1) / interval.nanoseconds
        let (added, overflows) = later.multipliedReportingOverflow(by: interval.nanoseconds)
        let (time, isTooLate) = first.addingReportingOverflow(added)
        guard !overflows, !isTooLate, time < configuration.duration.nanoseconds else { return nil }
        let rest = configuration.duration.nanoseconds - time
        stride = max(1, configuration.deviceCount / Self.largestSample)
        series = FreshnessSeries(
            edition: prefilter.publications.edition(at: time), published: SimulatedTime(nanoseconds: time),
            step: SimulatedDuration(nanoseconds: max(rest / Int64(Self.pointCount), 1)),
            deviceCount: (configuration.deviceCount + stride - 1) / stride)
    }

    /// A device met an entry of the list.
    mutating func note(_ key: HitKey, _ life: EntryLife) {
        if life.first == series.edition, added.count < Self.probeCount, !added.contains(key) {
            added.append(key)
        }
        if life.removal == series.edition, removed.count < Self.probeCount, !removed.contains(key) {
            removed.append(key)
        }
    }
}

extension URLFilterModel {
    /// Adds a point to the watch over the update.
    mutating func sampleFreshness(in world: World, _ agenda: inout Future) {
        let now = agenda.now
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
                if devices[device].exchanges.isActive {
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
        if next.nanoseconds <= world.configuration.duration.nanoseconds {
            agenda.schedule(.filter(.freshness), at: next)
        }
    }

    /// Share of the keys for which a device's caches hold this answer.
    private func cachedShare(
        of keys: [HitKey], saying answer: Bool, device: Int, at now: SimulatedTime
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
