import Experiment
import Testing

/// Causes of the busiest second.
@Suite struct BusiestSecondTests {
    private func busiest(_ preparation: Preparation) async throws -> BusiestSecond {
        try #require(try await Runner.run(preparation, threads: 1).result.points[0].busiestSecond)
    }

    /// Nobody has anything at the start, and the first edition of the list comes then, too.
    @Test func aColdStartIsALaunch() async throws {
        let small = try SmallScenario.calibrated()
        let busiest = try await busiest(small.prepare("start=cold", "history=null", "warmUp=0s"))
        #expect(busiest.cause == .launch && busiest.time <= 60)
        #expect(busiest.setting == "devices[*].rollOut")
    }

    @Test func aSteadyFleetDoesNotBegin() async throws {
        let small = try SmallScenario.calibrated()
        #expect(try await busiest(small.prepare()).cause != .launch)
    }
}
