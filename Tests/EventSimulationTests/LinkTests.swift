import EventSimulation
import RandomStreams
import Testing

private func at(_ nanoseconds: Int64) -> SimulatedTime { SimulatedTime(nanoseconds: nanoseconds) }

struct LinkTests {
    @Test func messagesFollowOneAnother() {
        var link = Link(bandwidth: 1_000_000)
        let ends = [
            link.transmit(bytes: 1000, at: at(0)), link.transmit(bytes: 500, at: at(100_000)),
            link.transmit(bytes: 1000, at: at(5_000_000)),
        ]
        #expect(ends == [at(1_000_000), at(1_500_000), at(6_000_000)])
        #expect(link.bytesSent == 2500)
        #expect(link.messagesSent == 3)
        #expect(link.busyTime == .milliseconds(2.5))
        #expect(link.delay(at: at(5_500_000)) == .microseconds(500))
        #expect(link.delay(at: at(7_000_000)) == .zero)
    }

    @Test func withoutABandwidthNothingTakesTime() {
        var link = Link(bandwidth: nil)
        let end = link.transmit(bytes: 1_000_000_000, at: at(5))
        #expect(end == at(5))
        #expect(link.delay(at: at(5)) == .zero)
        #expect(link.bytesSent == 1_000_000_000)
    }

    @Test func propagationComesAfterTransmission() {
        var link = Link(bandwidth: 1_000_000, propagation: .milliseconds(20))
        let deliveries = [link.send(bytes: 1000, at: at(0)), link.send(bytes: 500, at: at(0))]
        #expect(deliveries == [.arrives(at(21_000_000)), .arrives(at(21_500_000))])
    }

    @Test func theGivenShareOfMessagesIsLost() {
        var link = Link(bandwidth: 1e9, lossProbability: 0.03)
        var stream = testStream(3)
        for message in 0..<100_000 {
            _ = link.send(bytes: 100, at: at(Int64(message) * 1000), draw: stream.uniform())
        }
        // 99.9 % of all runs lie within 3.3 deviations of the mean.
        let deviation = (100_000 * 0.03 * 0.97).squareRoot()
        #expect(abs(Double(link.messagesLost) - 3000) < 3.3 * deviation, "\(link.messagesLost) lost")
        #expect(link.messagesSent == 100_000)
        #expect(link.identityViolations(at: at(100_000_000)) == [])
    }

    @Test func aFullBufferRefuses() {
        var link = Link(bandwidth: 1_000_000, bufferBytes: 1500)
        let first = [1000, 500, 1].map { link.send(bytes: $0, at: at(0)) }
        #expect(first == [.arrives(at(1_000_000)), .arrives(at(1_500_000)), .refused])
        // After half a millisecond there is room for 500 bytes again.
        let second = [501, 500].map { link.send(bytes: $0, at: at(500_000)) }
        #expect(second == [.refused, .arrives(at(2_000_000))])
        #expect(link.messagesRefused == 2 && link.bytesSent == 2000)
    }

    @Test func busyTimeAgreesWithTheBytes() {
        var link = Link(bandwidth: 123_457)
        var stream = testStream(4)
        var now: Int64 = 0
        for _ in 0..<50_000 {
            now += Int64(stream.index(below: 20_000_000))
            _ = link.transmit(bytes: stream.index(below: 3000), at: at(now))
        }
        #expect(link.identityViolations(at: at(now)) == [])
    }
}
