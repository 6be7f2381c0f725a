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

    @Test func aCrashForgetsServicesAndARestartDropsTheQueue() {
        var station = ServiceStation<Int>(servers: 1)
        for job in 0..<5 { _ = station.arrive(job, at: at(0)) }
        _ = station.setServers(0, at: at(10))
        let abandoned = station.abandonServices(at: at(10))
        let dropped = station.drain(at: at(10))
        let started = station.setServers(1, at: at(30))
        #expect(abandoned == 1)
        #expect(dropped == [1, 2, 3, 4])
        #expect(started == [])
        let admission = station.arrive(9, at: at(30))
        #expect(admission == .starts)
        #expect(station.totals.abandoned == 1)
        #expect(station.totals.dropped == 4)
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
            case 2:
                let abandoned = station.abandonServices(at: at(now))
                #expect(abandoned == busy)
                busy = 0
                let started = station.setServers(servers, at: at(now))
                let expected = Array(line.prefix(servers))
                line.removeFirst(expected.count)
                busy = expected.count
                #expect(started == expected)
            case 3..<52:
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
        }
        let areas = station.areas(until: at(now))
        #expect(areas.busy == busyArea)
        #expect(areas.waiting == waitingArea)
        #expect(areas.available == serverArea)
        let totals = station.totals
        let gone = totals.completions + totals.rejections + totals.dropped + totals.abandoned
        #expect(totals.arrivals == gone + busy + line.count)
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
        #expect(link.utilization(until: at(10_000_000)) == 0.25)
        #expect(link.utilization(until: at(5_500_000)) == 2.0 / 5.5)
    }

    @Test func withoutABandwidthNothingTakesTime() {
        var link = Link(bandwidth: nil)
        let end = link.transmit(bytes: 1_000_000_000, at: at(5))
        #expect(end == at(5))
        #expect(link.delay(at: at(5)) == .zero)
        #expect(link.bytesSent == 1_000_000_000)
    }
}
