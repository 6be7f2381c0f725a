package import EventSimulation
import RandomStreams
import URLFilter

/// How devices report what they blocked (article "Device", section "Reports").
package struct ReportRules: Hashable, Sendable {
    /// Time from one report to the next; a device without a new entry sends none.
    package var interval: SimulatedDuration
    /// Bytes of an entry in a report.
    package var entryBytes: Int

    package init(interval: SimulatedDuration, entryBytes: Int) {
        self.interval = interval
        self.entryBytes = entryBytes
    }
}

/// Entries that devices have blocked and not reported yet, each once.
struct BlockedReports {
    /// Whether any device reports.
    let isOn: Bool
    /// One for each group.
    private let rules: [ReportRules?]
    private var entries: [Int: Set<HitKey>] = [:]
    private(set) var sentCount = 0

    init(_ configuration: FleetConfiguration) {
        rules = configuration.groups.map(\.reports)
        isOn = rules.contains { $0 != nil }
    }

    func rules(ofGroup group: Int) -> ReportRules? { rules[group] }

    func entryBytes(ofGroup group: Int) -> Int { rules[group]?.entryBytes ?? 0 }

    func hasEntries(of device: Int) -> Bool { entries[device] != nil }

    /// Returns the entries that a report tells now, in an order that is the same in every run.
    mutating func send(of device: Int) -> [HitKey] {
        sentCount += 1
        return (entries[device] ?? []).sorted { $0.rawValue < $1.rawValue }
    }

    /// - Returns: Whether these are the first since the last report.
    mutating func add(_ keys: some Sequence<HitKey>, of device: Int) -> Bool {
        let isFirst = entries[device] == nil
        entries[device, default: []].formUnion(keys)
        return isFirst
    }

    /// The servers have them.
    mutating func remove(_ keys: [HitKey], of device: Int) {
        entries[device]?.subtract(keys)
        if entries[device]?.isEmpty == true { entries[device] = nil }
    }
}

extension URLFilterModel {
    /// - Parameter keys: What the device asked for; those that are no entries are no reason of a verdict.
    mutating func noteBlocked(
        _ keys: [HitKey], by device: Int, in world: inout World, _ agenda: inout Future
    ) {
        guard reports.rules(ofGroup: world.group(of: device)) != nil else { return }
        let edition = databaseEdition(of: device, at: agenda.now)
        let listed = keys.filter { editions.lives.isListed($0, in: edition) }
        guard !listed.isEmpty, reports.add(listed, of: device) else { return }
        awaitReport(device, in: &world, &agenda)
    }

    /// Waits for the device's next time to report, if there is something to report. Each device has times of its own.
    func awaitReport(_ device: Int, in world: inout World, _ agenda: inout Future) {
        guard let rules = reports.rules(ofGroup: world.group(of: device)), reports.hasEntries(of: device)
        else { return }
        var stream = RandomStream(
            seed: seed, replication: replication, entity: UInt32(device), purpose: .reports)
        let interval = max(rules.interval.nanoseconds, 1)
        let phase = Int64(stream.uniform() * Double(interval))
        let since = agenda.now.nanoseconds - phase
        let pause = since < 0 ? -since : interval - since % interval
        let time = agenda.now.advanced(by: SimulatedDuration(nanoseconds: pause))
        guard world.isOpen(time) else { return }
        agenda.schedule(.filter(.report(device: UInt32(device))), at: time)
    }

    /// Sends what is there, or tries again when there may be a token.
    mutating func report(_ device: Int, in world: inout World, _ agenda: inout Future) throws {
        guard reports.hasEntries(of: device) else { return }
        let before = reports.sentCount
        try tell(device, .reportNeeded, in: &world, &agenda)
        guard reports.sentCount == before, world.isOpen(agenda.now) else { return }
        agenda.schedule(
            .filter(.report(device: UInt32(device))), after: world.configuration.behaviour.retryPause)
    }
}

extension StreamPurpose {
    fileprivate static let reports = StreamPurpose("report times")
}
