import EventSimulation
import FleetModel
import TestSupport
import Testing
import URLFilter

/// A limit of CPU time below the threads of an instance.
struct CPUQuotaTests {
    private static func time(_ milliseconds: Double) -> SimulatedTime {
        .start.advanced(by: .milliseconds(milliseconds))
    }

    /// One core, by hand: two jobs of 80 ms use up 100 ms in 50, and one that comes at 60 waits until 100. Then three
    /// threads advance 33.3 ms in what is left of the next 100 ms of CPU time; nobody is stopped again.
    @Test func threadsStopUntilTheNextPeriod() {
        var quota = CPUQuota(cores: 1)
        quota.begin(0, work: .milliseconds(80), computes: true, at: Self.time(0))
        quota.begin(1, work: .milliseconds(80), computes: true, at: Self.time(0))
        quota.begin(2, work: .milliseconds(10), computes: true, at: Self.time(60))
        #expect(quota.end(2, at: Self.time(70)) == Self.time(110))
        #expect(quota.end(0, at: Self.time(80)) == Self.time(130))
        #expect(quota.cpu(until: Self.time(99)) == 100_000_000)
        #expect(quota.end(2, at: Self.time(110)) == nil)
        #expect(quota.end(0, at: Self.time(130)) == nil && quota.end(1, at: Self.time(130)) == nil)
        #expect(quota.cpu(until: Self.time(500)) == 170_000_000)
        // What is answered along with another job takes no thread.
        quota.begin(3, work: .milliseconds(60), computes: true, at: Self.time(500))
        quota.begin(4, work: .milliseconds(60), computes: false, at: Self.time(500))
        #expect(quota.end(3, at: Self.time(560)) == nil && quota.end(4, at: Self.time(560)) == nil)
    }

    /// A second way of reckoning, with the work that each job has left.
    @Test(arguments: [
        (1, 2, 0.03, 0.6), (2, 8, 0.01, 0.8), (4, 16, 0.08, 0.8), (1, 16, 0.08, 0.7), (3, 4, 0.3, 0.5),
    ])
    func jobsEndAsTheyDoOneByOne(cores: Int, threads: Int, seconds: Double, busy: Double) {
        let jobs = LimitedPod.jobs(2_000, busy: busy * Double(cores), seconds: seconds, seed: 5)
        let (ends, cpu) = Self.ends(jobs, cores: cores, threads: threads)
        for (found, expected) in zip(ends, LimitedPod(cores: cores, threads: threads).ends(jobs)) {
            #expect(abs(found - expected) < 1e-5)
        }
        #expect(abs(cpu - jobs.reduce(0) { $0 + $1.work }) < 1e-4)
    }

    private static func ends(
        _ jobs: [LimitedPod.Job], cores: Int, threads: Int
    ) -> (ends: [Double], cpu: Double) {
        var quota = CPUQuota(cores: cores)
        var ends = jobs.map { _ in 0.0 }
        var due: [(time: SimulatedTime, job: Int)] = []
        var (come, begun) = (0, 0)
        var now = SimulatedTime.start
        while come < jobs.count || !due.isEmpty {
            let first = due.indices.min { due[$0].time < due[$1].time }
            let arrival = come < jobs.count ? time(jobs[come].arrival * 1e3) : nil
            if let first, arrival.map({ due[first].time <= $0 }) ?? true {
                let (at, job) = due.remove(at: first)
                now = at
                if let later = quota.end(job, at: now) {
                    due.append((later, job))
                } else {
                    ends[job] = (now - .start).seconds
                }
            } else if let arrival {
                now = arrival
                come += 1
            }
            while due.count < threads, begun < come {
                let work = SimulatedDuration.seconds(jobs[begun].work)
                quota.begin(begun, work: work, computes: true, at: now)
                due.append((now.advanced(by: work), begun))
                begun += 1
            }
        }
        return (ends, Double(quota.cpu(until: now)) * 1e-9)
    }

    /// Two lookups of a second each come at once. With two cores nobody waits, with one core the second waits for the
    /// first: 0.5 s in the mean. Two threads with the time of one core are stopped for half of the time, so that both
    /// wait for a second, give or take a period.
    @Test func lookupsOfALimitedPodAreStopped() throws {
        func record(cores: Int, threads: Int?) throws -> ReplicationRecord {
            var world = World()
            world.services.pir = World.station(cores: cores)
            world.services.pir.threads = threads
            world.loads = (0..<2).map { .init(at: .seconds(1), client: $0) }
            return try world.run(
                ScriptedWork { endpoint, stage in
                    endpoint == .queries && stage == .serviceAnswers ? 1_000_000_000 : 0
                })
        }
        func wait(_ record: ReplicationRecord) throws -> Double {
            try #require(record.urlFilter.stages[.pirWaiting]?.mean).seconds
        }
        #expect(abs(try wait(record(cores: 2, threads: nil))) < 1e-6)
        #expect(abs(try wait(record(cores: 1, threads: nil)) - 0.5) < 0.01)
        let limited = try record(cores: 1, threads: 2)
        #expect(abs(try wait(limited) - 1) <= 0.1)
        let station = try #require(limited.stations[.pir])
        // CPU time, of the time of one core.
        #expect(abs(station.busySeconds - 2) < 1e-6 && abs(station.availableSeconds - 60) < 1e-6)
        // As many threads as cores are no limit, and one thread uses one core.
        #expect(try record(cores: 2, threads: 2).fingerprint == record(cores: 2, threads: nil).fingerprint)
        #expect(abs(try wait(record(cores: 2, threads: 1)) - 0.5) < 0.01)
    }
}
