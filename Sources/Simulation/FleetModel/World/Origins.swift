import EventSimulation
import URLFilter

/// The operator's servers that devices fetch from what is published: a prefilter, or the list itself.
struct Origins {
    private let published: PrefilterConfiguration
    /// One for each region.
    private var links: [Link]

    init(_ published: PrefilterConfiguration, in world: World) {
        self.published = published
        links = world.regions.map { Link(bandwidth: $0.originBandwidth) }
    }

    /// Lets a device ask for what is newer than what it has.
    ///
    /// - Parameter edition: That it has; 0 for none.
    /// - Returns: Whether it got an answer.
    mutating func fetch<Own>(
        by device: Int, having edition: UInt32, in world: inout World,
        _ agenda: inout Agenda<FleetEvent<Own>>
    ) -> Bool {
        let now = agenda.now
        let region = world.region(for: device)
        guard
            let part = world.partsOfRegions[region].first(where: { world.parts[$0].role == .prefilterOrigin })
        else { preconditionFailure("a region has an origin of what devices fetch") }
        if world.faults.isCaptive(group: world.group(of: device))
            || world.faults.availability(of: part) != .up
        {
            if world.counts(now) { world.record.urlFilter.prefilter.failures += 1 }
            return false
        }
        let newest = published.edition(at: now)
        let isNew = newest > edition
        let bytes =
            isNew ? published.byteCount(from: edition, to: newest) : published.unchangedByteCount
        if world.counts(now) {
            world.record.urlFilter.prefilter.bytes += bytes
            if isNew {
                world.record.urlFilter.prefilter.downloads += 1
            } else {
                world.record.urlFilter.prefilter.unchanged += 1
            }
        }
        // A line at half the speed is one that has twice as many bytes to send.
        let load = Double(bytes) * world.faults.slowDown(of: part)
        let sent = links[region].transmit(bytes: Int(min(load, 0x1p62)), at: now)
        if isNew { world.download(bytes, tag: newest, device: device, sending: sent - now, &agenda) }
        return true
    }

    func resourceChecks(at end: SimulatedTime) -> [ResourceCheck] {
        links.flatMap { ResourceCheck.checks(of: Part.prefilterOrigin.name, $0.identityChecks(at: end)) }
    }
}
