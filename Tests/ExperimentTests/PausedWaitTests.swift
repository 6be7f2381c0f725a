import Experiment
import FleetModel
import Foundation
import Questions
import RandomStreams
import Scenarios
import TestSupport
import Testing

/// Waits at servers that stand still at times: the closed form of plans.
struct PausedWaitTests {
    /// Requests in their order at one instance, each followed through the pauses that it meets.
    private static func waits(
        _ count: Int, cores: Int, busy: Double, seconds: Double, _ pauses: ServerPauses
    ) -> [Double] {
        var random = RandomStream(seed: 7, replication: 0, entity: 0, purpose: StreamPurpose("paused"))
        var free = Array(repeating: 0.0, count: cores)
        var (now, waits) = (0.0, [Double]())
        for _ in 0..<count {
            now += random.exponential(mean: seconds / (busy * Double(cores)))
            // Two stages make a squared variability of a half.
            let work = random.exponential(mean: seconds / 2) + random.exponential(mean: seconds / 2)
            let core = free.indices.min { free[$0] < free[$1] } ?? 0
            var (time, left) = (max(now, free[core]), work)
            // Periods are counted, so that no rounding stops the clock at the end of one.
            var period = (time / pauses.every).rounded(.down)
            while left > 0 {
                time = max(time, period * pauses.every + pauses.seconds)
                period += 1
                let done = min(left, max(0, period * pauses.every - time))
                time += done
                left -= done
            }
            free[core] = time
            waits.append(time - now - work)
        }
        return waits.sorted()
    }

    /// At 99 %: short pauses that nearly nobody meets, such that everybody does, and long ones.
    @Test(arguments: [
        (1, 0.3, 10.0, 0.05), (1, 0.6, 0.1, 0.02), (1, 0.6, 10, 0.5), (4, 0.6, 1, 0.05), (4, 0.8, 10, 0.5),
        (16, 0.6, 10, 1), (16, 0.8, 1, 0.05),
    ])
    func theClosedFormIsThatOfSingleRequests(cores: Int, busy: Double, every: Double, pause: Double) throws {
        let pauses = ServerPauses(every: every, seconds: pause)
        let waits = Self.waits(150_000, cores: cores, busy: busy, seconds: 0.02, pauses)
        let simulated = waits[waits.count * 99 / 100]
        var form = StationForm(load: busy * Double(cores), serviceSeconds: 0.02)
        let without = try #require(form.wait(0.99, instances: 1, cores: cores))
        form.pauses = pauses
        let wait = try #require(form.wait(0.99, instances: 1, cores: cores))
        #expect((0.85...1.15).contains(wait / simulated), "\(wait) where \(simulated) was seen")
        #expect(wait > without)
        // The limit of CPU time below the threads makes nothing shorter.
        #expect(try #require(form.wait(0.99, instances: 1, cores: cores, threads: 2 * cores)) >= wait)
    }

    /// With next to no load nobody waits but for the end of a pause: P(W > t) = (P - t) / E.
    @Test func nextToNoLoadWaitsForTheEndOfAPauseOnly() throws {
        var form = StationForm(load: 1e-6, serviceSeconds: 1e-6)
        form.pauses = ServerPauses(every: 10, seconds: 1)
        for (percentile, wait) in [(0.95, 0.5), (0.99, 0.9), (0.91, 0.1)] {
            let found = try #require(form.wait(percentile, instances: 1, cores: 4))
            #expect(abs(found - wait) < 1e-3)
        }
        #expect(form.wait(0.89, instances: 1, cores: 4) == 0)
        form = StationForm(load: 0.45, serviceSeconds: 0.01)
        form.pauses = ServerPauses(every: 1, seconds: 0.5)
        #expect(form.utilization(instances: 1, cores: 1) == 0.9)
        form.load = 0.5
        #expect(form.wait(0.99, instances: 1, cores: 1) == nil)
        #expect(form.wait(0.99, instances: 1, cores: 2) != nil)
    }

    /// Where servers pause, samples are made without: the closed form adds what they make of it.
    @Test func samplesHaveNoPauses() throws {
        let small = try SmallScenario.calibrated()
        let paused = try small.scenario(
            "services.pir.pauses={every: 10s, length: 50ms}")
        func left(_ scenario: Scenario) -> [String] {
            FleetDemand.assignments(for: scenario).filter { $0.contains("pauses") }
        }
        #expect(left(paused) == ["services.pir.pauses=none"])
        #expect(left(try small.scenario()).isEmpty)
    }
}
