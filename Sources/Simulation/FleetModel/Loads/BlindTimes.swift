import Decoding
import EventSimulation
import RandomStreams
import URLFilter

/// Times, known beforehand, at which a mechanism may be unable to decide for devices of a group: faults of its server,
/// and the time after a hand-over until its tunnel is there again.
struct BlindTimes: Sendable {
    /// Nanoseconds since the start.
    private var outages: [Range<Int64>] = []
    private var hangs: [Range<Int64>] = []
    /// After an outage, while devices may not have noticed that it is over, nanoseconds.
    private var after: Int64 = 0
    /// One hand-over in each period; 0 for none.
    private var period: Int64 = 0
    private var gap: Int64 = 0
    private var seed: UInt64 = 0

    /// Cause that keeps a mechanism from deciding.
    enum Reason {
        case outage, hang, moving
    }

    init() {}

    init(_ configuration: FleetConfiguration, group number: Int) {
        guard let mechanism = configuration.mechanism else { return }
        let group = configuration.groups[number]
        after = mechanism.passesBy?.nanoseconds ?? 0
        for fault in configuration.faults {
            let time = fault.begin.nanoseconds..<max(fault.end, fault.begin).nanoseconds
            if mechanism.isBlinded(by: fault.kind, group: group.name) { outages.append(time) }
            if case .outage(let part, silent: _) = fault.kind, part == mechanism.provider {
                hangs.append(time)
            }
        }
        guard mechanism.whileMoving != nil, group.usage.handOversPerDay > 0 else { return }
        period = Int64(Double(Int64.days(1)) / group.usage.handOversPerDay)
        gap = min(mechanism.path.meanSetUp(access: group.access.oneWayDelay).nanoseconds, period)
        seed = configuration.seed
    }

    var isEmpty: Bool { outages.isEmpty && hangs.isEmpty && gap == 0 }

    /// Whether something may keep the mechanism from deciding.
    func contains(_ time: Int64, device: Int) -> Bool {
        reason(at: time, device: device) != nil
            || after > 0 && outages.contains { $0.upperBound <= time && time < $0.upperBound + after }
    }

    func reason(at time: Int64, device: Int) -> Reason? {
        if hangs.contains(where: { $0.contains(time) }) { return .hang }
        if outages.contains(where: { $0.contains(time) }) { return .outage }
        return isMoving(time, device) ? .moving : nil
    }

    /// Whether a hand-over was so shortly before.
    private func isMoving(_ time: Int64, _ device: Int) -> Bool {
        guard gap > 0 else { return false }
        let number = time / period
        // The gap of a period begins in it, and ends in it.
        let key = (seed ^ UInt64(device) &* 0x9E37_79B9_7F4A_7C15) &+ UInt64(bitPattern: number)
        let begin = number * period + Int64(KeyedHits.uniform(key) * Double(period - gap))
        return time >= begin && time < begin + gap
    }
}

extension MechanismConfiguration {
    /// Whether a fault leaves its server, or the way to it, out of reach.
    fileprivate func isBlinded(by fault: Fault.Kind, group: String) -> Bool {
        switch (fault, server) {
        case (.outage(let part, silent: _), let server?): part == server
        case (.captivePortal(let name), _?): name == nil || name == group
        default: false
        }
    }
}
