import EventSimulation
import Foundation
import Testing

struct QueueingTheoryTests {
    struct Case {
        let arrivalRate: Double
        let servers: Int
        let places: Int?
    }

    @Test(
        "measured means agree with theory",
        arguments: [
            Case(arrivalRate: 80, servers: 1, places: nil), Case(arrivalRate: 50, servers: 1, places: nil),
            Case(arrivalRate: 1280, servers: 16, places: nil),
            Case(arrivalRate: 240, servers: 3, places: nil),
            Case(arrivalRate: 90, servers: 1, places: 5), Case(arrivalRate: 450, servers: 4, places: 8),
            Case(arrivalRate: 500, servers: 4, places: 0),
        ])
    func againstTheory(_ queue: Case) throws {
        let theory = QueueTheory(
            arrivalRate: queue.arrivalRate, serviceRate: 100, servers: queue.servers, places: queue.places)
        let warmUp = SimulatedTime(nanoseconds: 20_000_000_000)
        let end = SimulatedTime(nanoseconds: 120_000_000_000)
        var utilization: [Double] = []
        var timeInSystem: [Double] = []
        var queueLength: [Double] = []
        var rejections: [Double] = []
        for replication in UInt32(0)..<20 {
            var kernel = Kernel(
                model: QueueModel(
                    arrivalRate: queue.arrivalRate, serviceRate: 100, servers: queue.servers,
                    places: queue.places, replication: replication))
            kernel.run(until: warmUp)
            let before = kernel.model.station.areas(until: warmUp)
            let spent = kernel.model.totalTimeInSystem
            let totals = kernel.model.station.totals
            kernel.run(until: end)
            let after = kernel.model.station.totals
            let areas = kernel.model.station.areas(until: end) - before
            utilization.append(try #require(areas.utilization))
            queueLength.append(try #require(areas.meanQueueLength))
            timeInSystem.append(
                (kernel.model.totalTimeInSystem - spent).seconds
                    / Double(after.completions - totals.completions))
            rejections.append(
                Double(after.rejections - totals.rejections) / Double(after.arrivals - totals.arrivals))
        }
        for (name, samples, expected) in [
            ("utilization", utilization, theory.utilization),
            ("queue length", queueLength, theory.meanQueueLength),
            ("time in system", timeInSystem, theory.meanTimeInSystem),
            ("rejections", rejections, theory.rejectionShare),
        ] {
            let (mean, halfWidth) = interval(of: samples)
            #expect(abs(mean - expected) <= halfWidth, "\(name) is \(mean) ± \(halfWidth), not \(expected)")
        }
    }

    /// With every job gone, the area of jobs present is the sum of their times.
    @Test func littlesLawHoldsToTheNanosecond() {
        var kernel = Kernel(
            model: QueueModel(arrivalRate: 90, serviceRate: 100, servers: 1, places: 20, replication: 1))
        var end = SimulatedTime(nanoseconds: 50_000_000_000)
        kernel.run(until: end)
        while kernel.model.station.busyServers > 0 {
            end = end.advanced(by: .microseconds(10))
            kernel.run(until: end)
        }
        let areas = kernel.model.station.areas(until: end)
        #expect(areas.present == Int128(kernel.model.totalTimeInSystem.nanoseconds))
        #expect(kernel.model.histogram.count == kernel.model.station.totals.completions)
    }

    @Test func theSameSeedGivesTheSameRun() {
        func run(_ replication: UInt32) -> (UInt64, StationCounts) {
            var kernel = Kernel(
                model: QueueModel(
                    arrivalRate: 90, serviceRate: 50, servers: 2, places: nil, replication: replication))
            kernel.run(until: SimulatedTime(nanoseconds: 30_000_000_000))
            return (kernel.fingerprint, kernel.model.station.totals)
        }
        #expect(run(1) == run(1))
        #expect(run(1).0 != run(2).0)
    }

    /// The model's failure ends the run and reaches the caller as what it is.
    struct Failing: SimulationModel {
        struct Broken: Error, Equatable { let at: Int64 }

        mutating func start(_ agenda: inout Agenda<Int>) throws(Broken) {
            agenda.schedule(0, after: .nanoseconds(7))
        }

        mutating func handle(
            _ event: Int, at now: SimulatedTime, _ agenda: inout Agenda<Int>
        ) throws(Broken) {
            throw Broken(at: now.nanoseconds)
        }
    }

    @Test func aModelsErrorStopsTheRun() throws {
        var kernel = try Kernel(model: Failing())
        var caught: Failing.Broken?
        do throws(Failing.Broken) {
            try kernel.run(until: .distantFuture)
        } catch {
            caught = error
        }
        #expect(caught == Failing.Broken(at: 7))
        let (count, now) = (kernel.eventCount, kernel.now)
        #expect(count == 1)
        #expect(now == SimulatedTime(nanoseconds: 7))
    }
}
