import EventSimulation
import RandomStreams
import URLFilter

/// In which editions of the list an entry is.
struct EntryLife: Equatable {
    /// The first edition that has it.
    var first: UInt32 = 1
    /// The first edition that no longer has it.
    var removal = UInt32.max

    func includes(_ edition: UInt32) -> Bool { first <= edition && edition < removal }
}

extension PrefilterConfiguration {
    /// Editions differ in their entries.
    var changesEntries: Bool { newEntryShare > 0 || removedEntryShare > 0 }

    /// Edition that is published at a time; the first one is there from the start.
    func edition(at time: SimulatedTime) -> UInt32 {
        guard let republishInterval, republishInterval > .zero else { return 1 }
        return UInt32(clamping: 1 + max(0, time.nanoseconds) / republishInterval.nanoseconds)
    }

}

/// Which entries come and go with an edition. It is drawn per entry; what would come after the last edition was
/// always there, and what would go stays.
///
/// A value of its own, so that no closure that asks it has to hold the whole fleet.
struct EntryLives: BitwiseCopyable {
    /// Editions differ in their entries.
    let differ: Bool
    private let newEntryShare: Double
    private let removedEntryShare: Double
    /// Editions after the first.
    private let updates: Double

    /// - Parameter duration: Length of the run, before whose end the last edition is published.
    init(_ prefilter: PrefilterConfiguration, duration: SimulatedDuration) {
        differ = prefilter.changesEntries
        newEntryShare = prefilter.newEntryShare
        removedEntryShare = prefilter.removedEntryShare
        let end = SimulatedTime.start.advanced(by: duration - .nanoseconds(1))
        updates = Double(prefilter.edition(at: end)) - 1
    }

    /// - Parameter key: Raw value of a ``HitKey`` of the list.
    func life(of key: UInt64) -> EntryLife {
        var place = KeyedHits.uniform(key)
        if place < updates * newEntryShare { return EntryLife(first: 2 + UInt32(place / newEntryShare)) }
        place -= updates * newEntryShare
        guard place < updates * removedEntryShare else { return EntryLife() }
        return EntryLife(removal: 2 + UInt32(place / removedEntryShare))
    }

    /// - Parameter key: Raw value of a ``HitKey``.
    func isListed(_ key: UInt64, in edition: UInt32) -> Bool {
        key & 1 == 1 && (!differ || life(of: key).includes(edition))
    }
}

/// Editions of the list: what is published, what a device's prefilter knows, and what the PIR servers answer.
extension Fleet {
    func edition(at now: SimulatedTime) -> UInt32 { configuration.prefilter.edition(at: now) }

    /// Edition that the PIR servers have loaded.
    func loadedEdition(at now: SimulatedTime) -> UInt32 {
        edition(at: now.advanced(by: .zero - configuration.prefilter.reloadDelay))
    }

    /// Edition that answers a device's lookups.
    func databaseEdition(of device: Int, at now: SimulatedTime) -> UInt32 {
        let loaded = loadedEdition(at: now)
        return configurationEditions.isEmpty ? loaded : min(loaded, configurationEditions[device])
    }

    /// Whether a query names a configuration whose database the PIR servers have dropped. The device learns a newer
    /// one at its next refetch, as after a lost key (assumption).
    func asksGoneDatabase(_ slot: Int, at now: SimulatedTime) -> Bool {
        let oldest = Int(loadedEdition(at: now)) - configuration.prefilter.keptConfigurations + 1
        return exchanges[slot].endpoint == .queries && Int(exchanges[slot].databaseEdition) < oldest
            && faults.availability(of: .pir) == .up
    }

    /// Edition of the prefilter that a device's app tests URLs against; 0 for none.
    func usedEdition(of device: Int) -> UInt32 {
        appEditions.isEmpty ? devices[device].edition : appEditions[device]
    }

    /// Leaves what a URL's hits are with the prefilter that the device's app uses.
    ///
    /// - Parameter keys: Raw values of ``HitKey``; those of entries that the prefilter does not have are removed.
    ///   Without a prefilter, when the policy decides, those that are not published.
    /// - Returns: Whether the published list names the URL.
    mutating func see(_ keys: inout [UInt64], device: Int, at now: SimulatedTime) -> Bool {
        guard keys.contains(where: { $0 & 1 == 1 }) else { return false }
        guard lives.differ else { return true }
        let published = edition(at: now)
        let used = devices[device].edition == 0 ? published : usedEdition(of: device)
        var isListed = false
        var known: [UInt64] = []
        for key in keys {
            guard key & 1 == 1 else {
                known.append(key)
                continue
            }
            let life = lives.life(of: key)
            freshness?.note(key, life)
            if life.includes(published) { isListed = true }
            if life.includes(used) { known.append(key) }
        }
        keys = known
        return isListed
    }

    /// A listed URL was allowed because the device's app does not know its entry yet.
    mutating func countStale(began: SimulatedTime, at now: SimulatedTime) {
        record.series.update(at: now) { $0.leaked += 1 }
        guard counts(began) else { return }
        record.urls.listed += 1
        record.urls.leaked += 1
        record.urls.stale += 1
    }

    /// A new prefilter empties the verdict caches (article "Device", section "Caches and keys").
    mutating func prefilterArrives(_ device: Int, edition: UInt32, _ agenda: inout Agenda<FleetEvent>) {
        guard edition > devices[device].edition else { return }
        let isFirst = devices[device].edition == 0
        if isFirst { newlyReady.append(UInt32(device)) }
        // The next start of the app, whenever it is, takes what is there then.
        let waitsForStart = !isFirst && usedEdition(of: device) < devices[device].edition
        devices[device].edition = edition
        if devices[device].machine > 0 { machines[Int(devices[device].machine) - 1].clearCaches() }
        guard let restart = configuration.prefilter.appRestart, !isFirst else { return appRestarts(device) }
        guard !waitsForStart else { return }
        let pause = SimulatedDuration.seconds(max(0, restart.sample(using: &appTiming)))
        agenda.schedule(.appRestarts(device: UInt32(device)), after: pause)
    }

    mutating func appRestarts(_ device: Int) {
        if !appEditions.isEmpty { appEditions[device] = devices[device].edition }
    }
}
