package import EventSimulation

/// Observations of the devices of one group in a replication, where somebody asks about them alone.
///
/// URLs without a hit are counted together with those of other groups, so shares are of listed URLs and of lookups.
package struct GroupRecord: Codable, Sendable {
    package let name: String
    package let devices: Int
    /// Time from check to verdict, as in ``ReplicationRecord/verdictLatency``.
    package var verdictLatency = LatencyHistogram()
    /// Listed URLs and harms, as in ``URLCounts``.
    package var listed = 0
    package var leaked = 0
    package var falselyBlocked = 0
    /// Page loads, and URLs of traces.
    package var brokenPages = 0
    /// Lookups, as in ``LookupCounts``.
    package var lookupsSent = 0
    package var lookupsAnswered = 0
    package var lookupsFailed = 0

    package var lookupsEnded: Int { lookupsAnswered + lookupsFailed }

    package init(name: String, devices: Int) {
        self.name = name
        self.devices = devices
    }

    fileprivate mutating func apply(_ change: (inout GroupRecord) -> Void) { change(&self) }
}

/// Groups of devices that somebody asks about, with the place of each device's in the record.
struct WatchedGroups {
    private var places: [Int?] = []

    /// - Returns: Also what stands in a record before anything happens; `nil` where nobody asks.
    static func begin(_ configuration: FleetConfiguration) -> (groups: WatchedGroups, records: [GroupRecord]?)
    {
        var watched = WatchedGroups()
        guard !configuration.watchedGroups.isEmpty else { return (watched, nil) }
        var records: [GroupRecord] = []
        for group in configuration.groups {
            guard configuration.watchedGroups.contains(group.name) else {
                watched.places.append(nil)
                continue
            }
            // Groups of one name, its systems, are one.
            if records.last?.name != group.name {
                let parts = configuration.groups.filter { $0.name == group.name }
                records.append(
                    GroupRecord(name: group.name, devices: parts.reduce(0) { $0 + $1.count }))
            }
            watched.places.append(records.count - 1)
        }
        return (watched, records)
    }

    var isEmpty: Bool { places.isEmpty }

    /// - Returns: `nil` for a group that nobody asks about.
    subscript(group: Int) -> Int? { places[group] }
}

extension World {
    /// Counts something of a device for its group, too.
    mutating func countInGroup(of device: Int, _ change: (inout GroupRecord) -> Void) {
        guard !watchedGroups.isEmpty, let place = watchedGroups[group(of: device)] else { return }
        record.groups?[place].apply(change)
    }
}
