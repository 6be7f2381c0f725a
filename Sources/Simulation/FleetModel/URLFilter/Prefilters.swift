import EventSimulation
import RandomStreams
import URLFilter

/// The prefilter of a device: fetched from the operator's own server, not through the relay.
extension URLFilterModel {
    mutating func fetchPrefilter(_ device: Int, in world: inout World, _ agenda: inout Future) {
        guard world.isOpen(agenda.now) else { return }
        let isDone = origins.fetch(by: device, having: devices[device].edition, in: &world, &agenda)
        // Without any prefilter the filter cannot start, so the device keeps trying.
        guard isDone || devices[device].edition > 0 else {
            let pause = SimulatedDuration(
                max(exchangeRules[world.group(of: device)].retryPause, ExchangeRules.shortestPause))
            return agenda.schedule(.filter(.prefilterFetch(device: UInt32(device))), after: pause)
        }
        scheduleFetch(device, in: world, &agenda)
    }

    private mutating func scheduleFetch(_ device: Int, in world: World, _ agenda: inout Future) {
        let interval = max(constants.prefilterFetchInterval, ExchangeRules.shortestPause)
        let time = agenda.now.advanced(by: SimulatedDuration(interval))
        guard world.isOpen(time) else { return }
        timers.fetches.append(UInt32(device), at: time)
        timers.fetches.arm(.filter(.prefilterFetches), &agenda)
    }

    /// A new prefilter empties the verdict caches (article "Device", section "Caches and keys").
    package mutating func takeDownload(
        _ edition: UInt32, device: Int, in world: inout World, _ agenda: inout Future
    ) {
        guard edition > devices[device].edition else { return }
        let isFirst = devices[device].edition == 0
        if isFirst { world.loads.newlyReady.append(UInt32(device)) }
        // The next start of the app, whenever it is, takes what is there then.
        let waitsForStart = !isFirst && usedEdition(of: device) < devices[device].edition
        devices[device].edition = edition
        if devices[device].machine > 0 { machines[Int(devices[device].machine) - 1].clearCaches() }
        guard let restart = prefilter.appRestart, !isFirst else { return appRestarts(device) }
        guard !waitsForStart else { return }
        let pause = SimulatedDuration.seconds(max(0, restart.sample(using: &editions.appTiming)))
        agenda.schedule(.filter(.appRestarts(device: UInt32(device))), after: pause)
    }

    mutating func appRestarts(_ device: Int) {
        if !editions.ofApps.isEmpty { editions.ofApps[device] = devices[device].edition }
    }
}
