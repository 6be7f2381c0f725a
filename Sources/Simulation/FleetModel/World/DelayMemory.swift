package import EventSimulation
import Foundation
package import RandomStreams

/// How alike the delays of one device are.
///
/// A one-way delay of an access network is the value of its distribution at a sum of three independent normal scores:
/// of the device (where it is, what it is connected to), of the present state of its network (the cell's load, others
/// on the Wi-Fi), and of the packet. The shares are those of the variance of the score, so they do not touch the
/// distribution itself. For a log-normal delay they are shares of the variance of its logarithm.
package struct DelayMemory: Hashable, Sendable {
    /// Shares of device and state, in `0...1`, with a sum of at most 1; the rest is the packet's.
    package var deviceShare: Double
    package var stateShare: Double
    /// A state lasts so long; when it changes differs among devices.
    package var stateTime: SimulatedDuration

    package init(deviceShare: Double, stateShare: Double, stateTime: SimulatedDuration) {
        precondition(
            deviceShare >= 0 && stateShare >= 0 && deviceShare + stateShare <= 1 && stateTime > .zero,
            "shares of a variance add up to 1 at most, got \(deviceShare) and \(stateShare)")
        self.deviceShare = deviceShare
        self.stateShare = stateShare
        self.stateTime = stateTime
    }

    /// Each packet for itself.
    package static let none = DelayMemory(deviceShare: 0, stateShare: 0, stateTime: .seconds(60))

    var pathShare: Double { deviceShare + stateShare }

    /// A score of the same path: what device and state have in common with a packet of its own.
    ///
    /// - Parameter path: Of variance ``pathShare``.
    func draw(
        _ distribution: Distribution, path: Double, using stream: inout RandomStream
    ) -> Double {
        if case .constant(let value) = distribution { return value }
        guard pathShare > 0 else { return distribution.sample(using: &stream) }
        let own = 1 - pathShare
        return distribution.value(
            atScore: own > 0 ? path + own.squareRoot() * stream.standardNormal() : path)
    }
}

/// Packets that get lost, and what it takes until they are there.
package enum PacketLoss {
    /// Bytes of a packet: what every path of QUIC carries (RFC 9000, section 14).
    package static let packetBytes = 1_200
    /// Lost again and again: more is a line that is down.
    private static let mostRounds = 16

    /// Round trips that a message waits for packets that are lost, each by itself.
    ///
    /// What is lost is sent again within one round trip, all of it at once, if anything behind it arrives and tells
    /// (RFC 9002, section 6.1). If the last packet is lost nothing does, and the sender probes after about one more
    /// (section 6.2).
    package static func roundTrips(
        bytes: Int, rate: Double, using stream: inout RandomStream
    ) -> Int {
        guard rate > 0, bytes > 0 else { return 0 }
        var packets = (bytes + packetBytes - 1) / packetBytes
        var trips = 0
        for _ in 0..<mostRounds {
            let lost = lostPackets(of: packets, rate: rate, uniform: stream.uniform())
            guard lost > 0 else { break }
            let losesLast = stream.uniform() * Double(packets) < Double(lost)
            trips += losesLast ? 2 : 1
            packets = lost
        }
        return trips
    }

    /// A binomial number by inversion.
    private static func lostPackets(of count: Int, rate: Double, uniform: Double) -> Int {
        var chance = pow(1 - rate, Double(count))
        var (below, lost) = (chance, 0)
        while uniform >= below, lost < count {
            chance *= Double(count - lost) / Double(lost + 1) * rate / (1 - rate)
            lost += 1
            below += chance
        }
        return lost
    }
}

/// Part of its delays that each device keeps: 16 bytes of it, none where no delay has a memory.
struct DelayLevels {
    private struct Level {
        /// Score of the device itself.
        var score = 0.0
        /// Nanoseconds by which its changes of state come sooner than those of others.
        var phase: Int64 = 0
    }

    private let seed: UInt64
    private let replication: UInt32
    private let levels: [Level]

    init(_ configuration: FleetConfiguration, replication: UInt32) {
        (seed, self.replication) = (configuration.seed, replication)
        let groups = configuration.groups
        guard groups.contains(where: { $0.access.memory.pathShare > 0 }) else {
            levels = []
            return
        }
        var levels = [Level](repeating: Level(), count: configuration.deviceCount)
        var device = 0
        for group in groups {
            for _ in 0..<group.count {
                var own = RandomStream(
                    seed: seed, replication: replication, entity: UInt32(device), purpose: .delayLevel)
                let score = own.standardNormal()
                let phase = own.uniform() * Double(group.access.memory.stateTime.nanoseconds)
                levels[device] = Level(score: score, phase: Int64(phase))
                device += 1
            }
        }
        self.levels = levels
    }

    /// Returns the score of a device at a moment.
    ///
    /// - Parameter memory: Of the device's access network.
    func score(of device: Int, _ memory: DelayMemory, at time: SimulatedTime) -> Double {
        guard memory.pathShare > 0 else { return 0 }
        let level = memory.deviceShare.squareRoot() * levels[device].score
        guard memory.stateShare > 0 else { return level }
        let state = (max(time.nanoseconds, 0) + levels[device].phase) / memory.stateTime.nanoseconds
        var moment = RandomStream(
            seed: seed, replication: replication, entity: UInt32(device), purpose: .delayState,
            position: UInt64(state))
        return level + memory.stateShare.squareRoot() * moment.standardNormal()
    }
}

extension World {
    /// Returns the score that all round trips of a message that begins now have in common; see ``DelayMemory``.
    func path(of device: Int, at time: SimulatedTime) -> Double {
        delayLevels.score(of: device, configuration.groups[group(of: device)].access.memory, at: time)
    }
}

extension StreamPurpose {
    static let delayLevel = StreamPurpose("delay of the device")
    static let delayState = StreamPurpose("delay of the moment")
}
