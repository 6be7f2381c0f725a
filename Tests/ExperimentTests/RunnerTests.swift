import Experiment
import FleetModel
import Foundation
import RunMetrics
import Synchronization
import Testing
import URLFilter

@Suite struct RunnerTests {
    private func run(_ preparation: Preparation, threads: Int) async throws -> RunResult {
        try await Runner.run(preparation, threads: threads).result
    }

    @Test func theDocumentDoesNotDependOnThreads() async throws {
        let small = try SmallScenario.calibrated()
        let preparation = try small.prepare()
        let one = try await run(preparation, threads: 1)
        #expect(one.finished)
        #expect(one.points[0].replications == 4)
        #expect(one.points[0].counts.lookupsSent > 0)
        #expect(Set(one.points[0].fingerprints).count == 4)
        let document = try one.json()
        for threads in [2, 5] {
            let other = try await run(try small.prepare(), threads: threads)
            #expect(try other.json() == document)
        }
    }

    @Test func anotherSeedIsAnotherRun() async throws {
        let small = try SmallScenario.calibrated("replications: { min: 2, max: 2 }")
        let first = try await run(try small.prepare(), threads: 2)
        let second = try await run(try small.prepare("seed=8"), threads: 2)
        #expect(first.points[0].fingerprints != second.points[0].fingerprints)
    }

    @Test func theStoppingRuleDoesNotDependOnThreads() async throws {
        let small = try SmallScenario.calibrated("replications: { min: 3, max: 200, precision: 4% }")
        let one = try await run(try small.prepare(), threads: 1)
        let count = one.points[0].replications
        #expect(one.finished)
        #expect(count > 3 && count < 200)
        let document = try one.json()
        for threads in [2, 5] {
            let other = try await run(try small.prepare(), threads: threads)
            #expect(try other.json() == document)
        }
    }

    @Test func aWarmUpIsFoundByAPilot() async throws {
        let small = try SmallScenario.calibrated(
            "warmUp: auto\nduration: 60s\nreplications: { min: 2, max: 2 }")
        let result = try await run(try small.prepare("seriesInterval=1s"), threads: 2)
        #expect(result.scenario.warmUp < 60)
        #expect(result.scenario.warmUpMethod.contains("MSER-5"))
        // A drain that is longer than the run is no part of the series that is looked at.
        let long = try await run(try small.prepare("seriesInterval=1s", "drain=1h"), threads: 2)
        #expect(long.scenario.warmUp < 60)
    }

    /// Devices begin with ten tokens, order ten when the last is gone, and spend one in two seconds: nothing is ordered in
    /// the first quarter of a minute, while lookups and their latency are steady from the first second on.
    @Test func aWarmUpWaitsForTokens() async throws {
        let small = try SmallScenario(
            """
            fidelity: calibrated
            start: steady
            history: 0s
            duration: 10min
            warmUp: auto
            replications: { min: 2, max: 2 }
            devices:
              - name: all
                count: 100
                browsing: { lookups: { perDay: 43200 } }
                tokens:
                  { fixedBatches: false, refill: 10, refillBelow: 1, refillDelay: 0s, refillSpread: 0s, background: never }
            services: { pir: { instances: 4, cores: 8, keyStore: shared } }
            objectives: [lookup.latency mean < 1s]
            """)
        let result = try await run(try small.prepare("seriesInterval=1s"), threads: 2)
        #expect((15...300).contains(result.scenario.warmUp), "\(result.scenario.warmUp)")
        #expect(result.scenario.warmUpMethod.contains(EndpointMetrics(.issue).requests.words))
    }

    @Test func onceStoppedTheFinishedReplicationsStayInOrder() async throws {
        let small = try SmallScenario.calibrated("replications: { min: 500, max: 500 }")
        let preparation = try small.prepare()
        let stop = StopSignal()
        let outcome = try await Runner.run(preparation, threads: 2, stop: stop) { state in
            if state.replications == 3 { stop.raise() }
        }
        let records = outcome.records
        #expect(!outcome.finished)
        #expect((3...6).contains(records.count))
        #expect(records.map(\.replication) == (0..<UInt32(records.count)).map { $0 })
        let result = outcome.result
        #expect(result.points[0].replications == records.count)
    }

    @Test func stoppedTwiceNothingElseIsFinished() async throws {
        let small = try SmallScenario.calibrated("warmUp: auto")
        let preparation = try small.prepare()
        let stop = StopSignal()
        stop.raise()
        stop.raise()
        let outcome = try await Runner.run(preparation, threads: 2, stop: stop)
        #expect(outcome.records.isEmpty)
        #expect(!outcome.finished)
    }

    /// A precision that is reached gives up replications of its own run only.
    @Test func aPreciseRunDoesNotStopTheNextOne() async throws {
        let small = try SmallScenario.calibrated("replications: { min: 3, max: 200, precision: 4% }")
        let stop = StopSignal()
        for _ in 0..<2 {
            let outcome = try await Runner.run(small.prepare(), threads: 3, stop: stop)
            #expect(outcome.finished)
            #expect(outcome.records.count < 200)
        }
        #expect(!stop.isUrgent)
    }

    /// A part of a point is a part of its replications, whatever its precision.
    @Test func aPartHoldsItsReplications() async throws {
        let small = try SmallScenario.calibrated("replications: { min: 2, max: 6, precision: 90% }")
        let part = try await Runner.run(small.prepare(), part: 3..<6, threads: 2)
        #expect(part.finished)
        #expect(part.records.map(\.replication) == [3, 4, 5])
    }

    @Test func progressCountsUp() async throws {
        let small = try SmallScenario.calibrated()
        let preparation = try small.prepare()
        let seen = Mutex<[Int]>([])
        _ = try await Runner.run(preparation, threads: 3) { state in
            seen.withLock { $0.append(state.replications) }
        }
        #expect(seen.withLock { $0 } == [1, 2, 3, 4])
    }
}
