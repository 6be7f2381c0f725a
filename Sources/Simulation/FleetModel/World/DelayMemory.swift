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

extension World {
    /// Returns the score that all round trips of a message that begins now have in common; see ``DelayMemory``.
    func path(of device: Int, at time: SimulatedTime) -> Double {
        let memory = access(of: device).memory
        guard memory.pathShare > 0 else { return 0 }
        func stream(_ purpose: StreamPurpose, _ position: UInt64) -> RandomStream {
            RandomStream(
                seed: configuration.seed, replication: replication, entity: UInt32(device), purpose: purpose,
                position: position)
        }
        var own = stream(.delayLevel, 0)
        let level = own.standardNormal()
        guard memory.stateShare > 0 else { return memory.deviceShare.squareRoot() * level }
        let length = memory.stateTime.nanoseconds
        let phase = Int64(own.uniform() * Double(length))
        var state = stream(.delayState, UInt64((max(time.nanoseconds, 0) + phase) / length))
        return memory.deviceShare.squareRoot() * level
            + memory.stateShare.squareRoot() * state.standardNormal()
    }
}

extension StreamPurpose {
    static let delayLevel = StreamPurpose("delay of the device")
    static let delayState = StreamPurpose("delay of the moment")
}
