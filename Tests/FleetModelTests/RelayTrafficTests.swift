import FleetModel
import Testing

/// Peaks and sizes against counting by hand.
@Suite struct RelayTrafficTests {
    @Test func theBusiestSecondAndMinuteAreCounted() {
        var traffic = RelayTraffic()
        // Two in second 59, three in second 60: they are in different minutes.
        for second: Int64 in [0, 59, 59, 60, 60, 60, 61, 3_600] { traffic.count(second: second) }
        #expect(traffic.requests == 8)
        #expect(traffic.peakPerSecond == 3)
        #expect(traffic.peakPerMinute == 4)
        #expect(RelayTraffic().peakPerSecond == 0)
    }

    @Test func quantilesOfSizesAreNearestRanks() {
        var tally = SizeTally()
        #expect(tally.quantile(0.5) == nil)
        for size in [50, 10, 40, 20, 30] { tally.count(size) }
        let expected = [(0.0, 10), (0.2, 10), (0.21, 20), (0.5, 30), (0.8, 40), (0.81, 50), (1, 50)]
        for (share, size) in expected { #expect(tally.quantile(share) == size, "\(share)") }
        for _ in 0..<95 { tally.count(7) }
        #expect(tally.quantile(0.95) == 7)
        #expect(tally.quantile(0.96) == 10)
    }
}
