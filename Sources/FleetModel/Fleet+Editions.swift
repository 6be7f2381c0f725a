import EventSimulation
import RandomStreams
import URLFilter

/// Entries that are new in an edition of the prefilter, and devices that do not have it yet.
extension Fleet {
    /// Edition that is published now.
    func edition(at now: SimulatedTime) -> UInt32 {
        guard let interval = configuration.prefilter.republishInterval, interval > .zero else { return 1 }
        return UInt32(clamping: 1 + now.nanoseconds / interval.nanoseconds)
    }

    /// What is left of a URL's hits with the edition that the device's app uses.
    ///
    /// - Parameter keys: Raw values of ``HitKey``; those of entries that the app does not know are removed.
    /// - Returns: Whether the list names the URL by an entry that is published but not yet in use.
    func removeUnknown(_ keys: inout [UInt64], device: Int, at now: SimulatedTime) -> Bool {
        guard configuration.prefilter.newEntryShare > 0, keys.contains(where: { $0 & 1 == 1 }) else {
            return false
        }
        let published = edition(at: now)
        keys.removeAll { firstEdition(of: $0) > published }
        guard devices[device].edition > 0 else { return false }
        let used = appEditions.isEmpty ? devices[device].edition : appEditions[device]
        let before = keys.count
        keys.removeAll { firstEdition(of: $0) > used }
        return keys.count < before
    }

    /// The edition that an entry came with. The share of the list that is new in each edition is drawn per entry;
    /// what would come after the end of the run was always there.
    private func firstEdition(of key: UInt64) -> UInt32 {
        guard key & 1 == 1 else { return 1 }
        let place = KeyedHits.uniform(key) / configuration.prefilter.newEntryShare
        let end = SimulatedTime.start.advanced(by: configuration.duration - .nanoseconds(1))
        let last = edition(at: end)
        return place < Double(last) - 1 ? 2 + UInt32(place) : 1
    }

    /// A listed URL was allowed because the device's app does not know its entry yet.
    mutating func countStale(began: SimulatedTime, at now: SimulatedTime) {
        record.series.update(at: now) { $0.leaked += 1 }
        guard counts(began) else { return }
        record.urls.listed += 1
        record.urls.leaked += 1
        record.urls.stale += 1
    }

    /// A new prefilter empties the verdict caches (fact sheet, section 8).
    mutating func prefilterArrives(_ device: Int, edition: UInt32, _ agenda: inout Agenda<FleetEvent>) {
        guard edition > devices[device].edition else { return }
        let isFirst = devices[device].edition == 0
        if isFirst { newlyReady.append(UInt32(device)) }
        devices[device].edition = edition
        if devices[device].machine > 0 { machines[Int(devices[device].machine) - 1].clearCaches() }
        guard let restart = configuration.prefilter.appRestart, !isFirst else {
            return appRestarts(device, edition: edition)
        }
        let pause = SimulatedDuration.seconds(max(0, restart.sample(using: &appTiming)))
        agenda.schedule(.appRestarts(device: UInt32(device), edition: edition), after: pause)
    }

    mutating func appRestarts(_ device: Int, edition: UInt32) {
        if !appEditions.isEmpty { appEditions[device] = max(appEditions[device], edition) }
    }
}
