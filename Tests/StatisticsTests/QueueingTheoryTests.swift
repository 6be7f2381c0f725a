import Foundation
import Statistics
import Testing

@Suite struct QueueingTheoryTests {
    /// The recursion in Python's `decimal` with 60 digits. C(10, 8) = 0.409 and
    /// B(10, 8) = 0.1217 are also in printed Erlang tables.
    @Test(
        "Erlang B and C to twelve digits",
        arguments: [
            (1, 0.5, 0.33333333333333331, 0.5), (2, 1, 0.2, 0.33333333333333331),
            (10, 8, 0.12166106425295151, 0.40918015079644354),
            (100, 90, 0.026957380464359214, 0.21694048090636639),
            (1_000, 990, 0.018965776430814613, 0.65908042188085447),
            (100_000, 99_500, 0.00038144239405902956, 0.070906199355113303),
            (100_000, 100_000, 0.0025188934235469062, nil),
            (100_000, 120_000, 0.16670830836826089, nil), (100_000, 50_000, 0, 0),
            (3, 0, 0, 0),
        ] as [(Int, Double, Double, Double?)])
    func erlang(servers: Int, load: Double, blocking: Double, waiting: Double?) throws {
        #expect(agree(try QueueingTheory.erlangB(servers: servers, offeredLoad: load), blocking))
        let found = try QueueingTheory.erlangC(servers: servers, offeredLoad: load)
        if let waiting { #expect(agree(found, waiting)) } else { #expect(found == nil) }
    }

    /// Erlang's sums as Erlang wrote them.
    @Test func erlangAgainstDirectSummation() throws {
        for servers in 1...20 {
            for load in [0.1, 1, 3.7, 19] {
                var term = 1.0
                var sum = 1.0
                for n in 1...servers {
                    term *= load / Double(n)
                    sum += term
                }
                #expect(agree(try QueueingTheory.erlangB(servers: servers, offeredLoad: load), term / sum))
                guard load < Double(servers) else { continue }
                let waiting = term * Double(servers) / (Double(servers) - load)
                let expected = waiting / (sum - term + waiting)
                #expect(agree(try QueueingTheory.erlangC(servers: servers, offeredLoad: load), expected))
            }
        }
    }

    /// M/M/1 at 80 %: everything is 1 / (100 - 80) and its exponential.
    @Test func oneServer() throws {
        let queue = try #require(try QueueingTheory.MMc(arrivalRate: 80, serviceRate: 100))
        #expect(agree(queue.utilization, 0.8))
        #expect(agree(queue.waitProbability, 0.8))
        #expect(agree(queue.meanSojourn, 0.05))
        #expect(agree(queue.meanWait, 0.04))
        #expect(agree(queue.meanQueueLength, 3.2))
        #expect(agree(queue.sojournQuantile(0.99), log(100.0) / 20))
        #expect(agree(queue.sojournTail(0.1), exp(-2.0)))
    }

    /// Little's law on the states of M/M/3, and the sojourn tail against the
    /// sum over what an arrival finds: an Erlang wait, then an own service.
    @Test func threeServersAgainstTheirStates() throws {
        let (arrivals, services) = (2.5, 1.0)
        let queue = try #require(
            try QueueingTheory.MMc(arrivalRate: arrivals, serviceRate: services, servers: 3))
        var weights = [1.0]
        for n in 1...2_000 { weights.append(weights[n - 1] * arrivals / (services * Double(min(n, 3)))) }
        let total = weights.reduce(0, +)
        let waiting = weights.enumerated().reduce(0) { $0 + Double(max(0, $1.offset - 3)) * $1.element }
        #expect(agree(queue.meanQueueLength, waiting / total, within: 1e-10))
        #expect(agree(queue.waitProbability, weights[3...].reduce(0, +) / total, within: 1e-10))

        let time = 1.7
        let steps = 200_000
        // P(T > t) = P(S > t) + ∫ density of S at s · P(W > t - s) ds; who waits does so at the rate 3 · 1 - 2.5.
        let width = time / Double(steps)
        let overlap = (0..<steps).reduce(0.0) { sum, step in
            let s = (Double(step) + 0.5) * width
            return sum + exp(-s) * queue.waitProbability * exp(-0.5 * (time - s)) * width
        }
        #expect(agree(queue.sojournTail(time), exp(-time) + overlap, within: 1e-8))
        let quantile = try #require(queue.sojournQuantile(0.9))
        #expect(agree(queue.sojournTail(quantile), 0.1))
    }

    /// At load c - 1 the wait and the service have the same rate.
    @Test func equalRatesHaveALimit() throws {
        let queue = try #require(try QueueingTheory.MMc(arrivalRate: 2, serviceRate: 1, servers: 3))
        let near = try #require(try QueueingTheory.MMc(arrivalRate: 2 + 1e-9, serviceRate: 1, servers: 3))
        #expect(agree(queue.sojournTail(3), near.sojournTail(3), within: 1e-8))
        #expect(queue.sojournTail(0) == 1)
        #expect(queue.sojournTail(.greatestFiniteMagnitude) == 0)
    }

    @Test("M/M/c/K against its states", arguments: [0.2, 0.9, 1, 1.0000001, 1.7, 30])
    func finiteQueue(utilization: Double) throws {
        for (servers, capacity) in [(1, 1), (1, 2), (1, 50), (4, 4), (4, 5), (4, 37)] {
            let arrivals = utilization * Double(servers) * 2
            let queue = try QueueingTheory.MMcK(
                arrivalRate: arrivals, serviceRate: 2, servers: servers, capacity: capacity)
            var weights = [1.0]
            for n in 1...capacity {
                weights.append(weights[n - 1] * arrivals / (2 * Double(min(n, servers))))
            }
            let total = weights.reduce(0, +)
            let waiting = weights.enumerated().reduce(0) {
                $0 + Double(max(0, $1.offset - servers)) * $1.element
            }
            let loss = weights[capacity] / total
            #expect(agree(queue.lossProbability, loss, within: 1e-10))
            #expect(agree(queue.meanQueueLength, waiting / total, within: 1e-10))
            #expect(agree(queue.meanWait, waiting / total / (arrivals * (1 - loss)), within: 1e-9))
            #expect(queue.utilization <= 1 + 1e-12)
        }
    }

    @Test func hugeFiniteQueuesStayNumbers() throws {
        let endless = try #require(
            try QueueingTheory.MMc(arrivalRate: 99_500, serviceRate: 1, servers: 100_000))
        let long = try QueueingTheory.MMcK(
            arrivalRate: 99_500, serviceRate: 1, servers: 100_000, capacity: .max)
        #expect(agree(long.meanWait, endless.meanWait, within: 1e-9))
        #expect(long.lossProbability == 0)
        let flooded = try QueueingTheory.MMcK(
            arrivalRate: 200_000, serviceRate: 1, servers: 100_000, capacity: 1_000_000)
        #expect(agree(flooded.lossProbability, 0.5, within: 1e-9))
        #expect(agree(flooded.meanQueueLength, 899_999, within: 1e-9))
        let critical = try QueueingTheory.MMcK(
            arrivalRate: 1, serviceRate: 1, servers: 1, capacity: 1_000_000_000)
        #expect(agree(critical.lossProbability, 1 / 1_000_000_001, within: 1e-9))
        let idle = try QueueingTheory.MMcK(arrivalRate: 0, serviceRate: 1, servers: 2, capacity: 3)
        #expect(idle.lossProbability == 0 && idle.meanWait == 0 && idle.meanSojourn == 1)
    }

    /// M/M/1 as a case; M/D/1 waits half as long.
    @Test func generalService() throws {
        let exponential = try #require(
            try QueueingTheory.MG1(arrivalRate: 80, meanService: 0.01, serviceVariability: 1))
        #expect(agree(exponential.meanWait, 0.04))
        #expect(agree(exponential.meanSojourn, 0.05))
        let constant = try #require(
            try QueueingTheory.MG1(arrivalRate: 80, meanService: 0.01, serviceVariability: 0))
        #expect(agree(constant.meanWait, 0.02))
        #expect(agree(constant.meanQueueLength, 1.6))
    }

    @Test func allenCunneenIsExactWhereItShouldBe() throws {
        let mm4 = try #require(try QueueingTheory.MMc(arrivalRate: 3, serviceRate: 1, servers: 4))
        let same = try QueueingTheory.allenCunneenMeanWait(
            arrivalRate: 3, meanService: 1, servers: 4, arrivalVariability: 1, serviceVariability: 1)
        #expect(agree(same, mm4.meanWait))
        let mg1 = try #require(
            try QueueingTheory.MG1(arrivalRate: 0.7, meanService: 1, serviceVariability: 3))
        let single = try QueueingTheory.allenCunneenMeanWait(
            arrivalRate: 0.7, meanService: 1, servers: 1, arrivalVariability: 1, serviceVariability: 3)
        #expect(agree(single, mg1.meanWait))
    }

    @Test func aQueueThatGrowsWithoutLimitIsNone() throws {
        #expect(try QueueingTheory.MMc(arrivalRate: 100, serviceRate: 100) == nil)
        #expect(try QueueingTheory.MMc(arrivalRate: 401, serviceRate: 100, servers: 4) == nil)
        #expect(try QueueingTheory.MG1(arrivalRate: 1, meanService: 1, serviceVariability: 0) == nil)
        let wait = try QueueingTheory.allenCunneenMeanWait(
            arrivalRate: 2, meanService: 1, servers: 2, arrivalVariability: 1, serviceVariability: 1)
        #expect(wait == nil)
    }

    @Test func numbersThatMakeNoQueueAreNamed() {
        #expect(throws: QueueingError.serversOutOfRange(0, allowed: 1...10_000_000)) {
            try QueueingTheory.erlangB(servers: 0, offeredLoad: 1)
        }
        #expect(throws: QueueingError.serversOutOfRange(.max, allowed: 1...10_000_000)) {
            try QueueingTheory.erlangC(servers: .max, offeredLoad: 1)
        }
        #expect(throws: QueueingError.negative(-1, parameter: "offeredLoad")) {
            try QueueingTheory.erlangB(servers: 1, offeredLoad: -1)
        }
        #expect(throws: QueueingError.notPositive(0, parameter: "serviceRate")) {
            try QueueingTheory.MMc(arrivalRate: 1, serviceRate: 0)
        }
        #expect(throws: QueueingError.negative(.infinity, parameter: "arrivalRate")) {
            try QueueingTheory.MMcK(arrivalRate: .infinity, serviceRate: 1, servers: 1, capacity: 1)
        }
        #expect(throws: QueueingError.capacityBelowServers(3, servers: 4)) {
            try QueueingTheory.MMcK(arrivalRate: 1, serviceRate: 1, servers: 4, capacity: 3)
        }
        #expect(throws: QueueingError.self) {
            try QueueingTheory.MG1(arrivalRate: 1, meanService: 0.1, serviceVariability: .nan)
        }
    }

    @Test func theMessageNamesTheValueAndTheRange() {
        #expect(
            QueueingError.serversOutOfRange(0, allowed: 1...10).description
                == "servers is 0; it must be in 1...10")
        #expect(
            QueueingError.capacityBelowServers(3, servers: 4).description
                == "capacity is 3; it counts those in service too and must be at least the 4 servers")
        #expect(
            QueueingError.notPositive(-2, parameter: "serviceRate").description
                == "serviceRate is -2.0; it must be finite and more than 0")
        #expect(
            QueueingError.negative(-2, parameter: "arrivalRate").description
                == "arrivalRate is -2.0; it must be finite and not negative")
    }
}
