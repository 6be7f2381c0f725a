/// Which parts are out of order now.
struct FaultState {
    /// Faults in force at one part.
    private struct Condition {
        /// Outages in force that refuse, and that stay silent.
        var refusing = 0
        var silent = 0
        /// Factors in force. Kept one by one: a product divided again would not come back to exactly 1.
        var slowDowns: [Double] = []
        var slowDown = 1.0
        var lostInstances = 0
    }

    enum Availability {
        case up, refusing, silent
    }

    private let parts: [Part]
    private var conditions: [Condition]
    private var caps: [Int] = []
    private var captive: [Int]
    /// Faults in force in which the relay reaches no gateway.
    private var lostGateways = 0

    init(parts: [Part], groupCount: Int) {
        self.parts = parts
        conditions = Array(repeating: Condition(), count: parts.count)
        captive = Array(repeating: 0, count: groupCount)
    }

    /// - Parameter part: Place in ``World/parts``, here and below.
    func availability(of part: Int) -> Availability {
        if conditions[part].silent > 0 { return .silent }
        return conditions[part].refusing > 0 ? .refusing : .up
    }

    /// Factor of the times of a part; 1 when nothing slows it down.
    func slowDown(of part: Int) -> Double { conditions[part].slowDown }

    /// Instances of a part that take no requests.
    func lostInstances(of part: Int) -> Int { conditions[part].lostInstances }

    /// The smallest size cap in force, bytes.
    var cap: Int? { caps.min() }

    var isGatewayLost: Bool { lostGateways > 0 }

    func isCaptive(group: Int) -> Bool { captive[group] > 0 }

    mutating func apply(_ kind: Fault.Kind, groups: [DeviceGroup], begins: Bool) {
        let step = begins ? 1 : -1
        switch kind {
        case .outage(let part, let silent):
            change(part) { if silent { $0.silent += step } else { $0.refusing += step } }
        case .slowDown(let part, let factor):
            change(part) { condition in
                if begins {
                    condition.slowDowns.append(factor)
                } else if let index = condition.slowDowns.firstIndex(of: factor) {
                    condition.slowDowns.remove(at: index)
                }
                condition.slowDown = condition.slowDowns.reduce(1, *)
            }
        case .sizeCap(let bytes):
            if begins {
                caps.append(bytes)
            } else if let index = caps.firstIndex(of: bytes) {
                caps.remove(at: index)
            }
        case .relayWithoutGateway: lostGateways += step
        case .captivePortal(let name):
            for (index, group) in groups.enumerated() where name == nil || name == group.name {
                captive[index] += step
            }
        case .instanceLoss(let part, let instances): change(part) { $0.lostInstances += step * instances }
        case .regionLoss(let region, let silent):
            for place in parts.indices where parts[place].region == region {
                if silent { conditions[place].silent += step } else { conditions[place].refusing += step }
            }
        case .restart, .deployment: break
        }
    }

    private mutating func change(_ part: Part, _ body: (inout Condition) -> Void) {
        guard let place = parts.firstIndex(of: part) else {
            preconditionFailure("the world has no part '\(part)'")
        }
        body(&conditions[place])
    }
}
