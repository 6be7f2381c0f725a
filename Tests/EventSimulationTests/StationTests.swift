import EventSimulation
import RandomStreams
import Testing

private func at(_ nanoseconds: Int64) -> SimulatedTime { SimulatedTime(nanoseconds: nanoseconds) }

struct ServiceStationTests {
    @Test func jobsWaitInOrderAndTheQueueIsFinite() {
        var station = ServiceStation<String>(servers: 1, queueCapacity: 2)
        let admissions = ["a", "b", "c", "d"].map { station.arrive($0, at: at(0)) }
        #expect(admissions == [.starts, .waits, .waits, .rejected])
        let next = [station.finish(at: at(10)), station.finish(at: at(20)), station.finish(at: at(30))]
        #expect(next == ["b", "c", nil])
        let areas = station.areas(until: at(40))
        #expect(areas.busy == 30)
        #expect(areas.waiting == 2 * 10 + 10)
        #expect(areas.available == 40)
        #expect(station.utilization(to: at(40)) == 0.75)
        #expect(station.utilization(from: station.areas(until: at(30)), to: at(40)) == 0)
        #expect(station.totals.rejections == 1)
        #expect(station.totals.maximumQueueLength == 2)
    }

    @Test func anOutageKeepsArrivalsWaitingUntilRecovery() {
        var station = ServiceStation<Int>(servers: 2)
        _ = station.arrive(1, at: at(0))
        let none = station.setServers(0, at: at(5))
        let waits = [
            station.arrive(2, at: at(6)), station.arrive(3, at: at(7)), station.arrive(4, at: at(8)),
        ]
        let unstarted = station.finish(at: at(9))
        let started = station.setServers(2, at: at(20))
        #expect(none == [])
        #expect(waits == [.waits, .waits, .waits])
        #expect(unstarted == nil)
        #expect(started == [2, 3])
        #expect(station.queueLength == 1)
        #expect(station.areas(until: at(20)).available == 10)
        #expect(station.areas(until: at(20)).busy == 9)
    }

    @Test func aRestartDropsTheQueue() {
        var station = ServiceStation<Int>(servers: 1)
        for job in 0..<5 { _ = station.arrive(job, at: at(0)) }
        _ = station.setServers(0, at: at(10))
        let dropped = station.drain(at: at(10))
        let next = station.finish(at: at(20))
        let started = station.setServers(1, at: at(30))
        #expect(dropped == [1, 2, 3, 4])
        #expect(next == nil && started == [])
        let admission = station.arrive(9, at: at(30))
        #expect(admission == .starts)
        #expect(station.totals.dropped == 4)
    }

    @Test func jobsTakenAlongOccupyNoServer() {
        var station = ServiceStation<Int>(servers: 1)
        for job in 0..<4 { _ = station.arrive(job, units: 1, at: at(0)) }
        let first = station.finish(at: at(10))
        let along = station.startFollowers(of: 1, within: GroupBounds(count: 4), at: at(10))
        let none = station.startFollowers(of: 1, within: GroupBounds(count: 4), at: at(10))
        #expect(first == 1 && along == [2, 3] && none.isEmpty)
        #expect(station.busyServers == 1 && station.followers == 2 && station.queueLength == 0)
        #expect(station.identityViolations(at: at(20)) == [])
        station.finishFollower(at: at(40))
        let next = station.finish(at: at(40))
        station.finishFollower(at: at(45))
        #expect(next == nil && station.followers == 0 && station.totals.completions == 4)
        let areas = station.areas(until: at(50))
        #expect(areas.busy == 40 && areas.followers == 30 + 35 && areas.waiting == 30)
        #expect(areas.present == 40 + 65 + 30)
        #expect(station.identityViolations(at: at(50)) == [])
    }

    /// Random operations against counts and areas kept the plain way.
    @Test(arguments: [nil, 0, 7])
    func bookkeepingAgreesWithBruteForce(capacity: Int?) {
        var station = ServiceStation<Int>(servers: 3, queueCapacity: capacity)
        var stream = testStream(1)
        var now: Int64 = 0
        var (servers, busy, line) = (3, 0, [Int]())
        var (busyArea, waitingArea, serverArea) = (Int128(0), Int128(0), Int128(0))
        for job in 0..<50_000 {
            let step = Int64(stream.index(below: 1_000_000_000))
            now += step
            busyArea += Int128(busy) * Int128(step)
            waitingArea += Int128(line.count) * Int128(step)
            serverArea += Int128(servers) * Int128(step)
            switch stream.index(below: 100) {
            case 0:
                servers = stream.index(below: 6)
                let started = station.setServers(servers, at: at(now))
                let expected = Array(line.prefix(max(0, servers - busy)))
                line.removeFirst(expected.count)
                busy += expected.count
                #expect(started == expected)
            case 1:
                let dropped = station.drain(at: at(now))
                #expect(dropped == line)
                line = []
            case 2..<52:
                let admission = station.arrive(job, at: at(now))
                if busy < servers {
                    #expect(admission == .starts)
                    busy += 1
                } else if line.count < capacity ?? .max {
                    #expect(admission == .waits)
                    line.append(job)
                } else {
                    #expect(admission == .rejected)
                }
            default:
                guard busy > 0 else { continue }
                busy -= 1
                let next = station.finish(at: at(now))
                if busy < servers, !line.isEmpty {
                    busy += 1
                    #expect(next == line.removeFirst())
                } else {
                    #expect(next == nil)
                }
            }
            #expect(station.busyServers == busy && station.queueLength == line.count)
            if job.isMultiple(of: 100) {
                let violations = station.identityViolations(at: at(now))
                #expect(violations == [])
            }
        }
        let areas = station.areas(until: at(now))
        #expect(areas.busy == busyArea)
        #expect(areas.waiting == waitingArea)
        #expect(areas.available == serverArea)
        let totals = station.totals
        let gone = totals.completions + totals.rejections + totals.dropped
        #expect(totals.arrivals == gone + busy + line.count)
    }

    /// Three classes against lists kept the plain way.
    @Test func moreUrgentJobsStartFirst() {
        var station = ServiceStation<Int>(servers: 2, priorities: 3)
        var stream = testStream(2)
        var lines: [[Int]] = [[], [], []]
        var busy = 0
        for job in 0..<20_000 {
            let now = at(Int64(job) * 10)
            if busy == 0 || stream.uniform() < 0.51 {
                let priority = stream.index(below: 3)
                let admission = station.arrive(job, priority: priority, at: now)
                #expect(admission == (busy < 2 ? .starts : .waits))
                if busy < 2 { busy += 1 } else { lines[priority].append(job) }
            } else {
                let next = station.finish(at: now)
                if let urgent = lines.firstIndex(where: { !$0.isEmpty }) {
                    let expected = lines[urgent].removeFirst()
                    #expect(next == expected)
                } else {
                    #expect(next == nil)
                    busy -= 1
                }
            }
        }
        let end = at(200_000)
        #expect(station.queueLength == lines.reduce(0) { $0 + $1.count })
        #expect(station.identityViolations(at: end) == [])
        let drained = station.drain(at: end)
        #expect(drained == lines.flatMap { $0 })
        #expect(station.identityViolations(at: end) == [])
    }

    /// A century with a billion jobs waiting: 2⁹¹ nanosecond-jobs.
    @Test func areasDoNotOverflow() {
        var level = LevelIntegral()
        let century = at(3_155_760_000_000_000_000)
        level.add(1_000_000_000, at: at(1))
        level.add(-1, at: century)
        let expected = Int128(1_000_000_000) * 3_155_759_999_999_999_999
        #expect(level.area(until: century) == expected)
    }
}
