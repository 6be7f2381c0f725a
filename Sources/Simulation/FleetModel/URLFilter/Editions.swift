import Decoding
package import EventSimulation
import RandomStreams
import ServiceRules
import URLFilter

extension PrefilterConfiguration {
    /// Editions differ in their entries.
    var changesEntries: Bool { newEntryShare > 0 || removedEntryShare > 0 || threats != nil }

    /// The edition before the first that is published in the run; those before it have lower numbers, and 0 is none.
    package static let startingEdition: UInt32 = 1 << 24

    /// Time from the start to the publication of the first edition of the run; `nil` for a list that stays.
    package var firstPublication: SimulatedDuration? { republishInterval.map { firstUpdate ?? $0 } }

    var publications: Publications {
        Publications(
            first: firstPublication?.nanoseconds ?? 0, interval: republishInterval?.nanoseconds ?? 0)
    }

    /// Edition that is published at a time, which may be before the start.
    func edition(at time: SimulatedTime) -> UInt32 { publications.edition(at: time.nanoseconds) }
}

/// Time when editions of the list are published, nanoseconds from the start.
struct Publications: BitwiseCopyable {
    /// Publication of the first edition of the run.
    let first: Int64
    /// Time from one to the next; 0 for a list that stays.
    let interval: Int64

    func edition(at time: Int64) -> UInt32 {
        guard interval > 0 else { return PrefilterConfiguration.startingEdition }
        let later = (time - first).floorDivided(by: interval)
        return UInt32(clamping: max(1, Int64(PrefilterConfiguration.startingEdition) + 1 + later))
    }

    func time(of edition: UInt32) -> Int64 {
        first + (Int64(edition) - Int64(PrefilterConfiguration.startingEdition) - 1) * interval
    }
}

extension FleetConfiguration {
    /// Editions before the start that a steady device may not have followed yet: those of a fetch, a refetch and a
    /// long wait for the app.
    package var followedEditions: Double {
        let prefilter = urlFilter.prefilter
        guard start == .steady, let interval = prefilter.republishInterval?.seconds, interval > 0 else {
            return 0
        }
        let wait =
            Double(nanoseconds: urlFilter.device.prefilterFetchInterval)
            + behaviour.configurationRefetch.seconds + prefilter.reloadDelay.seconds
            + PastFetches.meanWaits * (prefilter.appRestart?.mean ?? 0)
        return (wait / interval).rounded(.up)
    }
}

extension Int64 {
    /// The quotient rounded towards minus infinity, by a positive divisor.
    func floorDivided(by divisor: Int64) -> Int64 {
        let (quotient, rest) = quotientAndRemainder(dividingBy: divisor)
        return rest < 0 ? quotient - 1 : quotient
    }
}

/// Editions of the list: what is in them, and which ones devices use.
struct Editions {
    let lives: EntryLives
    /// Edition that each device's app uses; empty when apps take every edition at once.
    var ofApps: [UInt32] = []
    /// Edition whose PIR configuration each device has; empty when editions share one configuration.
    var ofConfigurations: [UInt32] = []
    var appTiming: RandomStream

    init(_ configuration: FleetConfiguration, replication: UInt32) {
        lives = EntryLives(configuration)
        appTiming = RandomStream(
            seed: configuration.seed, replication: replication, entity: 0, purpose: .appRestarts)
        let first = configuration.start == .steady ? PrefilterConfiguration.startingEdition : 0
        if configuration.urlFilter.prefilter.appRestart != nil {
            ofApps = Array(repeating: first, count: configuration.deviceCount)
        }
        if configuration.urlFilter.prefilter.changesConfiguration {
            ofConfigurations = Array(repeating: first, count: configuration.deviceCount)
        }
    }
}

/// Editions of the list: what is published, what a device's prefilter knows, and what the PIR servers answer.
extension URLFilterModel {
    /// Edition that the PIR servers have loaded.
    func loadedEdition(at now: SimulatedTime) -> UInt32 {
        prefilter.edition(at: now.advanced(by: .zero - prefilter.reloadDelay))
    }

    /// Edition that answers a device's lookups.
    func databaseEdition(of device: Int, at now: SimulatedTime) -> UInt32 {
        let loaded = loadedEdition(at: now)
        return editions.ofConfigurations.isEmpty ? loaded : min(loaded, editions.ofConfigurations[device])
    }

    /// Whether a query names a configuration whose database the PIR servers have dropped. The device learns a newer
    /// one at its next refetch, as after a lost key (assumption).
    func asksGoneDatabase(_ slot: Int, at now: SimulatedTime) -> Bool {
        guard exchanges[slot].endpoint == .queries, !editions.ofConfigurations.isEmpty else { return false }
        let newer = Int(loadedEdition(at: now)) - Int(exchanges[slot].databaseEdition)
        return !VersionLimit(prefilter.keptConfigurations).serves(newerVersions: newer)
    }

    /// A device has fetched the configuration of an edition.
    mutating func noteConfiguration(of device: Int, edition: UInt32) {
        if !editions.ofConfigurations.isEmpty { editions.ofConfigurations[device] = edition }
    }

    /// Edition of the prefilter that a device's app tests URLs against; 0 for none.
    func usedEdition(of device: Int) -> UInt32 {
        editions.ofApps.isEmpty ? devices[device].edition : editions.ofApps[device]
    }

    /// Leaves what a URL's hits are with the prefilter that the device's app uses.
    ///
    /// - Parameter keys: Those of entries that the prefilter does not have are removed. Without a prefilter, when the
    ///   policy decides, those that are not published.
    /// - Returns: Whether the published list names the URL, or one that is known to be bad is about to.
    mutating func see(_ keys: inout [HitKey], device: Int, at now: SimulatedTime) -> Bool {
        guard keys.contains(where: \.isListed) else { return false }
        guard editions.lives.differ else { return true }
        let published = prefilter.edition(at: now)
        let used = devices[device].edition == 0 ? published : usedEdition(of: device)
        var isListed = false
        var known: [HitKey] = []
        for key in keys {
            guard key.isListed else {
                known.append(key)
                continue
            }
            let met = editions.lives.met(key, by: device, at: now)
            if met.isKnown { isListed = true }
            guard !met.isShortLived else {
                // A device asks only where it would be blocked.
                let first = met.life.first
                if first <= used, first <= databaseEdition(of: device, at: now) {
                    known.append(editions.lives.lasting(key))
                }
                continue
            }
            freshness?.note(key, met.life)
            if met.life.includes(used) { known.append(key) }
        }
        keys = known
        return isListed
    }
}
