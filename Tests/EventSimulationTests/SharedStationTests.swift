import EventSimulation
import RandomStreams
import Testing

private func at(_ nanoseconds: Int64) -> SimulatedTime { SimulatedTime(nanoseconds: nanoseconds) }

struct SharedStationTests {
    @Test func twoJobsShareOneServer() {
        var station = SharedStation<String>(servers: 1)
        _ = station.arrive("long", work: .nanoseconds(100), at: at(0))
        #expect(station.nextCompletion == at(100))
        _ = station.arrive("short", work: .nanoseconds(20), at: at(40))
        // Both get half from now on.
        #expect(station.nextCompletion == at(80))
        let first = [station.finish(at: at(80)), station.finish(at: at(80))]
        #expect(first == ["short", nil])
        #expect(station.nextCompletion == at(120))
        let last = station.finish(at: at(120))
        #expect(last == "long")
        #expect(station.nextCompletion == nil)
        #expect(station.areas(until: at(200)).busy == 120)
        #expect(station.meanPresent(until: at(160)) == 1)
    }

    @Test func anOutageStopsJobsWhereTheyAre() {
        var station = SharedStation<Int>(servers: 2)
        _ = station.arrive(1, work: .nanoseconds(100), at: at(0))
        station.setServers(0, at: at(30))
        #expect(station.nextCompletion == nil)
        station.setServers(2, at: at(1000))
        #expect(station.nextCompletion == at(1070))
        let jobs = station.abandon(at: at(1010))
        #expect(jobs == [1])
        #expect(station.totals.abandoned == 1)
        #expect(station.identityViolations(at: at(2000)) == [])
    }

    @Test func tooManyJobsAreRefused() {
        var station = SharedStation<Int>(servers: 1, jobLimit: 2)
        let admissions = (0..<3).map { station.arrive($0, work: .nanoseconds(10), at: at(0)) }
        #expect(admissions == [.starts, .starts, .rejected])
        #expect(station.totals.rejections == 1)
    }

    /// Random arrivals and changes against the same fluid in floating point, job by job.
    @Test(arguments: [1, 3])
    func sharesAgreeWithBruteForce(servers: Int) {
        var station = SharedStation<Int>(servers: servers)
        var stream = testStream(11)
        var (now, next, capacity) = (0.0, 0, servers)
        var rest: [Int: Double] = [:]
        func advance(by elapsed: Double) {
            guard !rest.isEmpty else { return }
            let speed = min(1, Double(capacity) / Double(rest.count))
            for job in rest.keys { rest[job, default: 0] -= elapsed * speed }
        }
        for _ in 0..<20_000 {
            let arrival = now + (stream.exponential(mean: 1000.0 / Double(servers))).rounded(.up)
            while let due = station.nextCompletion, Double(due.nanoseconds) <= arrival {
                advance(by: Double(due.nanoseconds) - now)
                now = Double(due.nanoseconds)
                var ended = 0
                while let job = station.finish(at: due) {
                    ended += 1
                    let left = rest.removeValue(forKey: job) ?? .infinity
                    // It got all its work, and at most a nanosecond more.
                    #expect(left < 1e-3 && left > -1.001, "job \(job) has \(left) ns left")
                }
                #expect(ended > 0)
            }
            advance(by: arrival - now)
            now = arrival
            #expect(rest.values.allSatisfy { $0 > -1e-3 })
            if stream.uniform() < 0.05 {
                capacity = stream.index(below: servers + 1)
                station.setServers(capacity, at: at(Int64(now)))
            } else {
                let work = stream.exponential(mean: 700).rounded()
                _ = station.arrive(next, work: .nanoseconds(Int64(work)), at: at(Int64(now)))
                rest[next] = work
                next += 1
            }
            if rest.count > 200 {
                _ = station.abandon(at: at(Int64(now)))
                rest = [:]
            }
            #expect(station.jobCount == rest.count)
        }
        #expect(station.identityViolations(at: at(Int64(now) + 5)) == [])
    }
}
