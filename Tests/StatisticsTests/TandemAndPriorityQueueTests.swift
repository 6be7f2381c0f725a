import Foundation
import Statistics
import Testing

struct PriorityQueueTests {
    @Test func oneClassIsThePlainQueue() throws {
        let priority = try #require(
            try QueueingTheory.PriorityMMc(arrivalRates: [3.2], serviceRate: 1, servers: 4))
        let plain = try #require(try QueueingTheory.MMc(arrivalRate: 3.2, serviceRate: 1, servers: 4))
        #expect(abs(priority.meanWaits[0] - plain.meanWait) < 1e-12)
        let general = try #require(
            try QueueingTheory.PriorityMG1(
                classes: [.init(arrivalRate: 0.7, meanService: 1, serviceVariability: 2)]))
        let khinchine = try #require(
            try QueueingTheory.MG1(arrivalRate: 0.7, meanService: 1, serviceVariability: 2))
        #expect(abs(general.meanWaits[0] - khinchine.meanWait) < 1e-12)
    }

    /// Kleinrock's conservation law: the order of service cannot change the mean work waiting.
    @Test func prioritiesOnlyMoveTheWait() throws {
        let rates = [0.1, 0.25, 0.45]
        let waits = try #require(
            try QueueingTheory.PriorityMG1(
                classes: rates.map { .init(arrivalRate: $0, meanService: 1, serviceVariability: 3) })
        ).meanWaits
        let together = try #require(
            try QueueingTheory.MG1(arrivalRate: 0.8, meanService: 1, serviceVariability: 3))
        let sum = zip(rates, waits).reduce(0) { $0 + $1.0 * $1.1 }
        #expect(abs(sum - 0.8 * together.meanWait) < 1e-12)
        #expect(waits == waits.sorted())
    }

    @Test func fullServersHaveNoAnswer() throws {
        #expect(try QueueingTheory.PriorityMMc(arrivalRates: [1, 1], serviceRate: 1, servers: 2) == nil)
        #expect(try QueueingTheory.PriorityMMc(arrivalRates: [], serviceRate: 1, servers: 2) == nil)
        #expect(try QueueingTheory.PriorityMG1(classes: []) == nil)
        #expect(throws: QueueingError.negative(-1, parameter: "arrivalRate")) {
            try QueueingTheory.PriorityMMc(arrivalRates: [-1], serviceRate: 1, servers: 2)
        }
    }
}

struct TandemQueueTests {
    /// Two exponential times with rates 0.3 and 0.55, by hand.
    @Test func theTailIsThatOfASum() throws {
        let tandem = try #require(
            try QueueingTheory.TandemMM1(arrivalRate: 0.7, serviceRates: (1, 1.25)))
        let (a, b) = (0.3, 0.55)
        #expect(abs(tandem.meanSojourn - (1 / a + 1 / b)) < 1e-12)
        for time in [0, 0.5, 3, 20.0] {
            let expected = (b * exp(-a * time) - a * exp(-b * time)) / (b - a)
            #expect(abs(tandem.sojournTail(time) - expected) < 1e-12)
        }
        let median = try #require(tandem.sojournQuantile(0.5))
        #expect(abs(tandem.sojournTail(median) - 0.5) < 1e-12)
    }

    /// Equal servers give an Erlang time.
    @Test func equalServersAreNoSpecialCase() throws {
        let tandem = try #require(try QueueingTheory.TandemMM1(arrivalRate: 0.5, serviceRates: (1, 1)))
        let erlang = try ReferenceDistribution.gamma(shape: 2, scale: 2)
        for time in [0.1, 1, 5, 30] {
            #expect(abs(tandem.sojournTail(time) - (1 - erlang.cdf(time))) < 1e-12)
        }
    }
}
