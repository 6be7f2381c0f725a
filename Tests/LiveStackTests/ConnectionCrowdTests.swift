import LiveStack
import NIOCore
import NIOEmbedded
import Testing

/// Who makes room when all connections are taken.
struct ConnectionCrowdTests {
    private static func channel(_ address: String) throws -> EmbeddedChannel {
        let channel = EmbeddedChannel()
        try channel.connect(to: SocketAddress(ipAddress: address, port: 1)).wait()
        return channel
    }

    private static let begin = NIODeadline.uptimeNanoseconds(1_000_000_000_000)

    /// Lets connections of these addresses come one second after another.
    ///
    /// - Returns: Which of them were closed, by number.
    private static func closed(
        _ addresses: [String], limit: Int, working: Set<Int> = [], trusted: [String] = []
    ) throws -> [Int] {
        let crowd = ConnectionCrowd(limit: limit, trusted: trusted.compactMap { PeerNetwork.Block($0) })
        var channels: [EmbeddedChannel] = []
        var closed: [Int] = []
        for (number, address) in addresses.enumerated() {
            let channel = try Self.channel(address)
            channels.append(channel)
            crowd.enter(channel, now: begin + .seconds(Int64(number)))
            if working.contains(number) { crowd.workBegan(channel) }
            for (other, channel) in channels.enumerated() where !channel.isActive && !closed.contains(other) {
                closed.append(other)
            }
        }
        for channel in channels where channel.isActive { _ = try channel.finish() }
        return closed
    }

    @Test func theLongestWaitingOfTheLargestNetworkGoes() throws {
        let attacker = ["192.0.2.1", "192.0.2.2", "192.0.2.250"]
        let addresses = ["198.51.100.1"] + attacker + ["203.0.113.1", "203.0.113.2", "203.0.113.3"]
        // Five places: when the fifth is taken the attacker's first goes, and so on until the networks are of a size.
        #expect(try Self.closed(addresses, limit: 5) == [1, 2, 4])
    }

    @Test func whatIsWorkedOnStays() throws {
        let addresses = Array(repeating: "192.0.2.1", count: 5)
        #expect(try Self.closed(addresses, limit: 4, working: [0, 1]) == [2, 3])
        #expect(try Self.closed(addresses, limit: 4, working: [0, 1, 2, 3]) == [])
    }

    @Test func aRelayHasManyUsers() throws {
        let relay = Array(repeating: "17.1.2.3", count: 5)
        let addresses = relay + ["192.0.2.1", "198.51.100.2"] + relay
        #expect(try Self.closed(addresses, limit: 7) == [0, 1, 2, 3, 4, 7])
        // Each on its own, so that the longest wait decides, and those of one network that has two go before.
        #expect(
            try Self.closed(
                relay + ["192.0.2.1", "192.0.2.2"] + relay, limit: 7, trusted: ["17.0.0.0/8"]
            ).first == 5)
    }

    @Test func whoEndedWorkWaitsFromThenOn() throws {
        let crowd = ConnectionCrowd(limit: 3)
        let channels = try (0..<3).map { _ in try Self.channel("192.0.2.1") }
        crowd.enter(channels[0], now: Self.begin)
        crowd.enter(channels[1], now: Self.begin + .seconds(1))
        crowd.workBegan(channels[0])
        crowd.workEnded(channels[0], now: Self.begin + .seconds(2))
        crowd.enter(channels[2], now: Self.begin + .seconds(3))
        #expect(channels.map(\.isActive) == [true, false, true])
    }

    @Test func networksAreWhatOneCustomerHas() throws {
        func network(_ address: String) throws -> PeerNetwork {
            PeerNetwork(try SocketAddress(ipAddress: address, port: 9), trusted: [], alone: 5)
        }
        #expect(try network("192.0.2.1") == network("192.0.2.255"))
        #expect(try network("192.0.2.1") != network("192.0.3.1"))
        #expect(try network("2001:db8:0:ff00::1") == network("2001:db8:0:ff77:9::1"))
        #expect(try network("2001:db8:0:ff00::1") != network("2001:db8:0:fe00::1"))
        #expect(try network("::ffff:192.0.2.1") == network("192.0.2.9"))
        for text in ["", "192.0.2.0/33", "192.0.2.0/-1", "192.0.2", "a/8", "192.0.2.0/", "2001:db8::/129"] {
            #expect(PeerNetwork.Block(text) == nil, "\(text)")
        }
    }
}
