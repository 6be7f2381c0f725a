import EventSimulation

/// Log of what devices send and what servers work, event by event, with the second and the unit of each. The peaks of a
/// larger fleet are computed from it.
///
/// A unit is every sixteenth device, so that each has devices of all groups and what units do is independent.
package struct ArrivalLog: Codable, Sendable {
    package enum Flow: Codable, Hashable, Sendable {
        /// Requests that devices begin to send through the relay, by their continent.
        case requests(Continent?)
        /// Seconds that servers work, counted when they begin.
        case work(region: Int, Part)
    }

    package static let unitCount = 16

    package private(set) var flows: [Flow] = []
    // Columns: rows would take twice the room.
    package private(set) var seconds: [Int32] = []
    package private(set) var units: [UInt8] = []
    package private(set) var numbers: [UInt16] = []
    package private(set) var amounts: [Float] = []

    package init() {}

    mutating func add(_ flow: Flow, of device: Int, amount: Double, at now: SimulatedTime) {
        let number = flows.firstIndex(of: flow) ?? flows.count
        if number == flows.count { flows.append(flow) }
        seconds.append(Int32(clamping: now.wholeSeconds))
        units.append(UInt8(device % Self.unitCount))
        numbers.append(UInt16(clamping: number))
        amounts.append(Float(amount))
    }
}
