import EventSimulation
import Foundation
import QueueValidation
import RandomStreams
import Statistics
import Testing

/// Balancers against Markov chains that are solved by iteration, and against limits.
struct BalancingTests {
    /// Mean time in the system at single-server instances with a mean service of 1 s.
    private static func simulate(
        _ balancing: Balancing, instances: Int, load: Double, seconds: Double
    ) -> MeanEstimate? {
        let means = (0..<UInt32(8)).map { replication in
            var kernel = Kernel(
                model: StationsModel(
                    classes: [.init(arrivalRate: load * Double(instances))],
                    stages: [
                        .init(
                            servers: 1, service: .exponential(mean: 1), instances: instances,
                            balancing: balancing)
                    ],
                    seed: 3, replication: replication))
            kernel.run(until: .start.advanced(by: .seconds(100)))
            kernel.model.restartTallies()
            let end = SimulatedTime.start.advanced(by: .seconds(100 + seconds))
            kernel.run(until: end)
            #expect(kernel.model.identityViolations(at: end).isEmpty)
            return kernel.model.tallies[0].meanTimeInSystem
        }
        return MeanEstimate(replicationMeans: means, confidence: 0.999)
    }

    /// Mean time in the system of two M/M/1 queues of which an arrival joins the shorter one: the stationary law of
    /// the chain of both lengths, up to `limit`, by power iteration.
    private static func joiningTheShorterOfTwo(load: Double, limit: Int) -> Double {
        let rate = 2 * load
        let total = rate + 2
        var law = [Double](repeating: 0, count: limit * limit)
        law[0] = 1
        for _ in 0..<20_000 {
            var next = [Double](repeating: 0, count: limit * limit)
            for first in 0..<limit {
                for second in 0..<limit {
                    let mass = law[first * limit + second] / total
                    func move(_ first: Int, _ second: Int, _ rate: Double) {
                        next[min(first, limit - 1) * limit + min(second, limit - 1)] += mass * rate
                    }
                    if first == second {
                        move(first + 1, second, rate / 2)
                        move(first, second + 1, rate / 2)
                    } else {
                        move(first < second ? first + 1 : first, first < second ? second : second + 1, rate)
                    }
                    move(max(0, first - 1), second, 1)
                    move(first, max(0, second - 1), 1)
                }
            }
            law = next
        }
        var present = 0.0
        for first in 0..<limit {
            for second in 0..<limit { present += Double(first + second) * law[first * limit + second] }
        }
        return present / rate
    }

    @Test func twoQueuesOfWhichTheShorterIsJoined() throws {
        let exact = Self.joiningTheShorterOfTwo(load: 0.8, limit: 40)
        // Between one queue for both and two queues of their own.
        let pooled = try #require(try QueueingTheory.MMc(arrivalRate: 1.6, serviceRate: 1, servers: 2))
        #expect(exact > pooled.meanSojourn && exact < 5)
        // The shorter of two random ones among two is the shorter of the two.
        for balancing in [Balancing.leastOutstanding, .powerOfTwo] {
            let estimate = try #require(
                Self.simulate(balancing, instances: 2, load: 0.8, seconds: 20_000))
            #expect(estimate.bounds.contains(exact), "\(balancing): \(estimate.bounds), exact \(exact)")
        }
    }

    /// For so many queues that they are independent the mean is 1 + 0.9² + 0.9⁶ + 0.9¹⁴ + 0.9³⁰ + 0.9⁶² + …
    /// (Mitzenmacher, doi:10.1109/71.963420).
    @Test func theShorterOfTwoAmongManyComesNearItsLimit() throws {
        let limit = [0.0, 2, 6, 14, 30, 62, 126].reduce(0) { $0 + pow(0.9, $1) }
        let estimate = try #require(Self.simulate(.powerOfTwo, instances: 400, load: 0.9, seconds: 200))
        #expect(abs(estimate.mean / limit - 1) < 0.03)
    }

    /// E_1/M/1 is M/M/1; the more queues, the more regular the gaps, down to D/M/1.
    @Test func queuesInTurn() throws {
        let one = try #require(try QueueingTheory.InTurn(arrivalRate: 0.8, serviceRate: 1, queues: 1))
        #expect(abs(one.meanSojourn - 5) < 1e-9)
        let many = try #require(try QueueingTheory.InTurn(arrivalRate: 8000, serviceRate: 1, queues: 10_000))
        // The root of x = exp(-(1 - x) / 0.8).
        #expect(abs(many.waitProbability - 0.6287) < 1e-3)
        #expect(try QueueingTheory.InTurn(arrivalRate: 4, serviceRate: 1, queues: 4) == nil)
    }

    @Test func aUserStaysWhereHeIs() {
        var balancer = Balancer(.stickyByUser, instances: 10)
        func place(_ user: UInt64) -> Int? {
            balancer.choose(user: user, load: { _ in 0 }, draw: { _ in 0 })
        }
        let before = (0..<5000).map { place($0) }
        for instance in 0..<10 {
            // 500 expected; five standard deviations.
            #expect(abs(before.count { $0 == instance } - 500) < 110)
        }
        balancer.set(3, isUp: false)
        let without = (0..<5000).map { place($0) }
        for (old, new) in zip(before, without) { #expect(old == 3 ? new != 3 : new == old) }
        balancer.set(3, isUp: true)
        #expect((0..<5000).map { place($0) } == before)
    }

    @Test func onlyInstancesThatAreUpGetRequests() {
        for balancing in Balancing.allCases {
            var balancer = Balancer(balancing, instances: 3)
            balancer.set(1, isUp: false)
            balancer.set(1, isUp: false)
            let chosen = (0..<90).map { number in
                balancer.choose(user: UInt64(number), load: { $0 }, draw: { number % $0 })
            }
            #expect(!chosen.contains(1) && !chosen.contains(nil))
            balancer.set(0, isUp: false)
            balancer.set(2, isUp: false)
            #expect(balancer.choose(user: 1, load: { $0 }, draw: { _ in 0 }) == nil)
        }
    }
}
