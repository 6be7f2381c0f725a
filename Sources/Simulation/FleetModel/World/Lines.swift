import EventSimulation

/// The line to the network that the devices of a site share, such as a school's.
package struct SiteLine: Hashable, Sendable {
    /// Site to network, and network to site, bytes per second.
    package var uplink: Double
    package var downlink: Double
    /// Devices of one site: the first so many of the groups with its group's name, then the next. The last site may
    /// have fewer.
    package var devices: Int

    package init(uplink: Double, downlink: Double, devices: Int) {
        precondition(devices >= 1, "a site has at least one device, got \(devices)")
        self.uplink = uplink
        self.downlink = downlink
        self.devices = devices
    }

    func rate(_ way: Way) -> Double { way == .up ? uplink : downlink }
}

extension AccessNetwork {
    func rate(_ way: Way) -> Double { way == .up ? uplink : downlink }
}

/// The lines that messages share: first come, first served in each direction.
///
/// Real lines share their rate among the messages under way. A line is busy at the same times both ways, so of equal
/// messages that come together the last ends at the same time, and nearly all messages are equal: lookups. Where they
/// meet by chance, the mean wait is half of what fair sharing costs (M/D/1 against M/D/1 with processor sharing), and
/// those behind a much longer one, an evaluation key once in days, wait longer than they would.
struct Lines {
    /// Each device's own line is shared by its messages.
    private let areOwnShared: Bool
    /// Number of each group's first site, and of its first device.
    private let sites: [(line: SiteLine, first: Int, firstDevice: Int)?]
    /// Times when lines are free, nanoseconds, uplink and downlink in turn: of devices, 16 bytes each, none when their
    /// lines are not shared; and of sites.
    private var ownFree: [Int64]
    private var siteFree: [Int64]

    init(_ configuration: FleetConfiguration) {
        areOwnShared = configuration.sharesLines
        ownFree = Array(repeating: 0, count: areOwnShared ? 2 * configuration.deviceCount : 0)
        var (siteCount, deviceCount) = (0, 0)
        var sites: [(line: SiteLine, first: Int, firstDevice: Int)?] = []
        for (number, group) in configuration.groups.enumerated() {
            let goesOn = number > 0 && configuration.groups[number - 1].name == group.name
            let own = group.site.map { ($0, siteCount, deviceCount) }
            sites.append(goesOn ? sites[number - 1] : own)
            deviceCount += group.count
            if let last = sites[number] {
                siteCount =
                    last.first + (deviceCount - last.firstDevice + last.line.devices - 1) / last.line.devices
            }
        }
        self.sites = sites
        siteFree = Array(repeating: 0, count: 2 * siteCount)
    }

    /// Whether any message of this run can meet another one on its line.
    var areShared: Bool { areOwnShared || !siteFree.isEmpty }

    func areShared(byGroup group: Int) -> Bool { areOwnShared || sites[group] != nil }

    func siteRate(_ way: Way, group: Int) -> Double { sites[group]?.line.rate(way) ?? .infinity }

    /// Takes the device's place on its own line.
    ///
    /// - Returns: When the line begins to send.
    mutating func takeOwn(_ device: Int, _ way: Way, for time: SimulatedDuration, at now: SimulatedTime)
        -> SimulatedTime
    {
        areOwnShared ? Self.take(&ownFree[2 * device + way.rawValue], for: time, at: now) : now
    }

    /// Takes the device's place on the line of its site.
    mutating func takeSite(
        of device: Int, group: Int, _ way: Way, bytes: Int, at now: SimulatedTime
    ) -> SimulatedTime {
        guard let site = sites[group] else { return now }
        let number = site.first + (device - site.firstDevice) / site.line.devices
        let time = SimulatedDuration.seconds(Double(bytes) / site.line.rate(way))
        return Self.take(&siteFree[2 * number + way.rawValue], for: time, at: now)
    }

    private static func take(
        _ free: inout Int64, for time: SimulatedDuration, at now: SimulatedTime
    ) -> SimulatedTime {
        let start = max(free, now.nanoseconds)
        free = start + time.nanoseconds
        return SimulatedTime(nanoseconds: start)
    }
}

extension World {
    /// Lets a message through the lines of one direction, as soon as each is free for its first byte.
    ///
    /// The last byte follows when the slowest of the lines has sent the message: packets do not wait for each other.
    mutating func cross<Own>(
        _ slot: Int, _ leg: Leg, _ way: Way, _ agenda: inout Agenda<FleetEvent<Own>>
    ) {
        let device = post.messages[slot].device
        let group = group(of: device)
        let bytes = post.messages[slot].bytes(way)
        while post.messages[slot].linesPassed < 2 {
            // On the way up the device's own line comes first.
            let isOwn = (post.messages[slot].linesPassed == 0) == (way == .up)
            post.messages[slot].linesPassed += 1
            let start =
                isOwn
                ? lines.takeOwn(
                    device, way, for: .seconds(Double(bytes) / access(of: device).rate(way)), at: agenda.now)
                : lines.takeSite(of: device, group: group, way, bytes: bytes, at: agenda.now)
            guard start == agenda.now else {
                post.messages[slot].lineWaiting += start - agenda.now
                return schedule(slot, .arrives, after: start - agenda.now, &agenda)
            }
        }
        post.messages[slot].linesPassed = 0
        let sending = transmission(slot, way, at: agenda.now)
        let onItsWay = delay(of: leg, slot)
        travel(slot, from: post.messages[slot].hop + 1, after: sending + onItsWay, &agenda)
    }
}
