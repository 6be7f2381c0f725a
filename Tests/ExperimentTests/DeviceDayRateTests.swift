import Experiment
import RunMetrics
import Testing

/// Numbers of events in the one unit of headlines.
struct DeviceDayRateTests {
    /// Three devices for a minute are 3 / 1 000 / 1 440 of a thousand device-days: an event in it is one of 480 000.
    @Test func countsAreOfAThousandDevicesInADay() async throws {
        let small = try SmallScenario(
            """
            duration: 60s
            replications: { min: 3, max: 3 }
            devices: [{ name: all, count: 3, browsing: { trace: trace.csv, spread: 0s } }]
            services: { gateway: { cores: 1 }, issuer: { cores: 1 }, pir: { cores: 1 } }
            """)
        let result = try await Runner.run(try small.prepare(), threads: 1).result
        let point = try #require(result.points.first)
        let sent = try #require(point[.lookupsSent])
        let rate = try #require(sent.rate)
        #expect(sent.value > 0 && abs(rate.value / (sent.value * 480_000) - 1) < 1e-12)
        #expect(sent.perThousandDeviceDays?.extrapolatedFrom == 60)
        // A percentile is no number of events.
        #expect(point[.latency(percentile: 50)]?.rate == nil)
        #expect(try RunResult.decode(try result.json()) == result)
    }
}
