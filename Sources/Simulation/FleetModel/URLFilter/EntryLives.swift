package import EventSimulation
import RandomStreams
import URLFilter

/// Entries of a list of threats: they are known to be bad before they are published, and many live shortly.
package struct ThreatEntries: Hashable, Sendable {
    /// Share of the visits that go to entries which live shortly; in `0...1`.
    package var shortLivedShare: Double
    /// How long these live from the moment in which they are known; they are visited evenly in that time. Positive.
    package var shortLife: SimulatedDuration

    package init(shortLivedShare: Double, shortLife: SimulatedDuration) {
        self.shortLivedShare = shortLivedShare
        self.shortLife = shortLife
    }
}

/// Editions of the list that have an entry.
struct EntryLife: Equatable {
    /// The first edition that has it.
    var first: UInt32 = 1
    /// The first edition that no longer has it.
    var removal = UInt32.max

    func includes(_ edition: UInt32) -> Bool { first <= edition && edition < removal }
}

/// Which entries come and go with an edition. It is drawn per entry; what would come after the last edition was always
/// there, and what would go stays. Of the editions before the start only what they brought is drawn (assumption): what
/// they removed is no longer listed, and few devices still block it. Entries that live shortly are drawn per visit:
/// each visit finds one of its own, at an age of its own.
///
/// A value of its own, so that no closure that asks it has to hold the whole filter.
struct EntryLives: BitwiseCopyable {
    /// Editions differ in their entries.
    let differ: Bool
    private let newEntryShare: Double
    private let removedEntryShare: Double
    /// Entries are known before they are published; this share of the visits meets others, that live so many
    /// nanoseconds.
    private let areThreats: Bool
    private let shortLivedShare: Double
    private let shortLife: Int64
    /// Editions of the run that bring and remove entries.
    private let updates: Double
    /// Editions before the start whose entries steady devices may not have yet.
    private let earlier: UInt32
    private let publications: Publications

    init(_ configuration: FleetConfiguration) {
        let prefilter = configuration.urlFilter.prefilter
        differ = prefilter.changesEntries
        newEntryShare = prefilter.newEntryShare
        removedEntryShare = prefilter.removedEntryShare
        areThreats = prefilter.threats != nil
        shortLivedShare = prefilter.threats?.shortLivedShare ?? 0
        shortLife = prefilter.threats?.shortLife.nanoseconds ?? 0
        publications = prefilter.publications
        let end = SimulatedTime.start.advanced(by: configuration.duration - .nanoseconds(1))
        // Some of what comes after the end is known before it.
        let last = prefilter.edition(at: end) + (areThreats ? 1 : 0)
        updates = Double(last - min(last, PrefilterConfiguration.startingEdition))
        // What is drawn for the run has to fit in before; the quotient may be a little less than a whole number.
        let room =
            (1 - updates * (newEntryShare + removedEntryShare)) / max(newEntryShare, .leastNormalMagnitude)
        earlier = UInt32(max(0, min(configuration.followedEditions, room + 1e-9, 1e6)))
    }

    /// - Parameter key: Of the list.
    func life(of key: HitKey) -> EntryLife {
        let next = PrefilterConfiguration.startingEdition + 1
        var place = KeyedHits.uniform(key.rawValue)
        let new = (updates + Double(earlier)) * newEntryShare
        if place < new { return EntryLife(first: next - earlier + UInt32(place / newEntryShare)) }
        place -= new
        guard place < updates * removedEntryShare else { return EntryLife() }
        return EntryLife(removal: next + UInt32(place / removedEntryShare))
    }

    func isListed(_ key: HitKey, in edition: UInt32) -> Bool {
        key.isListed && (!differ || life(of: key).includes(edition))
    }
}

/// Entry as a visit finds it.
struct MetEntry: Equatable {
    var life = EntryLife()
    /// Somebody wants it blocked at the time of the visit.
    var isKnown: Bool
    var isShortLived = false
}

extension EntryLives {
    /// - Parameters:
    ///   - key: Of the list.
    ///   - device: That makes the visit.
    func met(_ key: HitKey, by device: Int, at now: SimulatedTime) -> MetEntry {
        guard differ else { return MetEntry(isKnown: true) }
        if let first = shortLived(key, device, now) {
            return MetEntry(life: EntryLife(first: first), isKnown: true, isShortLived: true)
        }
        let life = life(of: key)
        guard life.first > 1 else { return MetEntry(life: life, isKnown: !isGone(life, at: now)) }
        var known = publications.time(of: life.first)
        if areThreats {
            // Even over the time from the edition before.
            let place = KeyedHits.uniform(key.rawValue ^ 0x9E37_79B9_7F4A_7C15)
            known -= Int64(place * Double(publications.interval))
        }
        return MetEntry(life: life, isKnown: now.nanoseconds >= known)
    }

    /// An entry that no edition brings or removes, for visits to short-lived ones that a device knows: their answer is
    /// about an entry of its own, and not about this key's.
    func lasting(_ key: HitKey) -> HitKey {
        var digest = key.rawValue
        // Of a list that changes nearly altogether there may be none.
        for _ in 0..<64 where life(of: HitKey(digest: digest, isListed: true)) != EntryLife() {
            digest = digest &* 0xD6E8_FEB8_6659_FD93 &+ 2
        }
        return HitKey(digest: digest, isListed: true)
    }

    private func isGone(_ life: EntryLife, at now: SimulatedTime) -> Bool {
        life.removal < .max && now.nanoseconds >= publications.time(of: life.removal)
    }

    /// - Returns: The first edition that has the entry, if it lives shortly.
    private func shortLived(_ key: HitKey, _ device: Int, _ now: SimulatedTime) -> UInt32? {
        guard shortLivedShare > 0 else { return nil }
        let visit = UInt64(bitPattern: now.nanoseconds) &* 0x9E37_79B9_7F4A_7C15 ^ UInt64(device)
        var draws = KeyedHits(key.rawValue ^ visit)
        guard draws.uniform() < shortLivedShare else { return nil }
        let birth = now.nanoseconds - Int64(draws.uniform() * Double(shortLife))
        return publications.edition(at: birth) + 1
    }
}
