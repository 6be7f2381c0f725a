import EventSimulation
import FleetModel
import RandomStreams
import Testing
import URLFilter

/// Servers that are slow after a start, that stand still at times, and that have fewer threads than cores.
struct ServerTimesTests {
    /// Mean milliseconds of the PIR server for lookups of 100 ms.
    private func working(
        at seconds: [Double], _ faults: [Fault], _ change: (inout StationConfiguration) -> Void
    ) throws -> (working: Double, waiting: Double) {
        var world = World()
        world.duration = .seconds(200)
        world.services.change(.pir) {
            $0 = World.station(cores: 1)
            $0.balancing = .roundRobin
            change(&$0)
        }
        world.faults = faults
        world.loads = seconds.enumerated().map {
            .init(at: .seconds($1), client: $0, url: "https://listed.example/")
        }
        let work = ScriptedWork { endpoint, stage in
            endpoint == .queries && stage == .serviceAnswers ? 100_000_000 : 0
        }
        let record = try world.run(work)
        #expect(record.urlFilter.lookups.answered == seconds.count)
        let broken = record.resourceChecks.filter { !$0.check.holds }
        #expect(broken.isEmpty)
        let stages = record.urlFilter.stages
        return (
            try #require(stages[.pirWorking]?.mean).seconds * 1e3,
            try #require(stages[.pirWaiting]?.mean).seconds * 1e3
        )
    }

    /// Three times as long at 10 s, and as ever at 110 s: 100 ms before, 1 + 2 x 0.8 at 30 s, 1 + 2 x 0.3 at 80 s.
    @Test func whatBeginsSoonAfterARestartTakesLonger() throws {
        let restart = [Fault(kind: .restart(.pir), begin: .seconds(10), length: .zero)]
        let times = [5.0, 30, 80, 120]
        let cold = try working(at: times, restart) { $0.coldStart = ColdStart(factor: 3, seconds: 100) }
        // Lookups begin some 20 ms after their pages.
        #expect(abs(cold.working - (100 + 260 + 160 + 100) / 4) < 0.1)
        let warm = try working(at: times, restart) { _ in }
        #expect(abs(warm.working - 100) < 1e-6)
    }

    /// Of two instances one is away from 10 s to 20 s; at 45 s it takes 1 + 2 x 0.75 times as long, the other one 1.
    @Test func onlyTheInstanceThatCameBackIsCold() throws {
        let away = [Fault(kind: .instanceLoss(.pir, instances: 1), begin: .seconds(10), length: .seconds(10))]
        let cold = try working(at: [45, 45.5], away) {
            $0.instances = 2
            $0.coldStart = ColdStart(factor: 3, seconds: 100)
        }
        #expect(abs(cold.working - (250 + 100) / 2) < 1)
    }

    /// Half of the time is a pause, so that 100 ms of work take 100 ms more, but for what the ends of it cut off.
    @Test func aServiceGoesOnAfterThePauseOfItsInstance() throws {
        let times = stride(from: 1.0, to: 150, by: 0.5137).map { $0 }
        let paused = try working(at: times, []) { $0.pauses = ServerPauses(every: 0.02, seconds: 0.01) }
        // What begins between two pauses meets ten of them; what begins in one meets nine more, and half of its own.
        #expect(abs(paused.working - (200 + 195) / 2) < 0.6)
    }

    /// Against a walk from nanosecond to nanosecond.
    @Test func pausesAgreeWithAWalk() {
        var random = RandomStream(seed: 3, replication: 0, entity: 0, purpose: StreamPurpose("test pauses"))
        for _ in 0..<2_000 {
            // Nanoseconds of a cycle of 1 ms in steps of 10 us, in which all times are whole.
            let cycle = 100
            let pause = 1 + random.index(below: cycle - 1)
            let (first, now, work) = (
                random.index(below: cycle), random.index(below: 1_000), random.index(below: 500)
            )
            var (time, left) = (now, work)
            func isPause(_ time: Int) -> Bool { ((time - first) % cycle + cycle) % cycle < pause }
            // What begins in a pause waits for its end, even if it is no work.
            while isPause(time) { time += 1 }
            while left > 0 {
                if !isPause(time) { left -= 1 }
                time += 1
            }
            let step: Int64 = 10_000
            let pauses = ServerPauses(every: 0.001, seconds: Double(pause) * 1e-5)
            let elapsed = pauses.elapsed(
                of: .nanoseconds(Int64(work) * step), from: SimulatedTime(nanoseconds: Int64(now) * step),
                first: .nanoseconds(Int64(first) * step))
            #expect(elapsed == .nanoseconds(Int64(time - now) * step))
        }
    }

    @Test("two lookups at once", arguments: [(2, nil, 0.0), (2, 1, 50), (2, 2, 0)])
    func threadsBoundWhatIsComputedAtOnce(cores: Int, threads: Int?, wait: Double) throws {
        let seen = try working(at: [5, 5], []) {
            $0.cores = cores
            $0.threads = threads
        }
        #expect(abs(seen.waiting - wait) < 1e-6 && abs(seen.working - 100) < 1e-6)
    }
}
