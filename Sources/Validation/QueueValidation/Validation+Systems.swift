import Decoding
import EventSimulation
import RandomStreams
package import Statistics

extension Validation {
    /// Every system, the simplest first. Times in seconds; the mean service is 1 s unless told otherwise.
    ///
    /// A quantile is checked by the share of customers beyond the one that theory names: that needs no bins.
    package static func all() throws(QueueingError) -> [Validation] {
        [
            try markovian("M/M/1 at 0.8", servers: 1, load: 0.8),
            try markovian("M/M/16 at 0.9", servers: 16, load: 0.9),
            try lognormal(load: 0.7, variability: 2),
            try finite(servers: 4, capacity: 12, load: 1.1),
            try tandem(arrivalRate: 0.7, serviceRates: (1, 1.25)),
            try priorities(arrivalRates: [0.9, 1.2, 1.2], servers: 4),
            try priorityMG1(),
            try balancedAtRandom(instances: 4, servers: 2, load: 0.8),
            try balancedInTurn(instances: 4, load: 0.8),
        ].compactMap { $0 }
    }

    private static let quantiles = [0.5, 0.95, 0.99]

    private static func markovian(
        _ name: String, servers: Int, load: Double
    ) throws(QueueingError) -> Validation? {
        let rate = load * Double(servers)
        guard let theory = try QueueingTheory.MMc(arrivalRate: rate, serviceRate: 1, servers: servers) else {
            return nil
        }
        let thresholds = quantiles.compactMap { theory.sojournQuantile($0) }
        return stations(
            name, classes: [.init(arrivalRate: rate)],
            stages: [.init(servers: servers, service: .exponential(mean: 1))], thresholds: thresholds,
            quantities: [("mean time in system", theory.meanSojourn), ("mean wait", theory.meanWait)]
                + shares(thresholds)
        ) { tallies in
            [tallies[0].meanTimeInSystem, tallies[0].meanWait] + quantiles.indices.map(tallies[0].shareLonger)
        }
    }

    private static func lognormal(load: Double, variability: Double) throws(QueueingError) -> Validation? {
        guard
            let theory = try QueueingTheory.MG1(
                arrivalRate: load, meanService: 1, serviceVariability: variability)
        else { return nil }
        return stations(
            "M/G/1, lognormal", classes: [.init(arrivalRate: load)],
            stages: [.init(servers: 1, service: .lognormal(mean: 1, variability: variability))],
            quantities: [("mean time in system", theory.meanSojourn), ("mean wait", theory.meanWait)]
        ) { [$0[0].meanTimeInSystem, $0[0].meanWait] }
    }

    private static func finite(servers: Int, capacity: Int, load: Double) throws(QueueingError) -> Validation
    {
        let rate = load * Double(servers)
        let theory = try QueueingTheory.MMcK(
            arrivalRate: rate, serviceRate: 1, servers: servers, capacity: capacity)
        return stations(
            "M/M/\(servers)/\(capacity) at \(load)", classes: [.init(arrivalRate: rate)],
            stages: [
                .init(servers: servers, queueCapacity: capacity - servers, service: .exponential(mean: 1))
            ],
            quantities: [("mean time in system", theory.meanSojourn), ("loss", theory.lossProbability)]
        ) { [$0[0].meanTimeInSystem, $0[0].lossShare] }
    }

    private static func tandem(
        arrivalRate: Double, serviceRates: (Double, Double)
    ) throws(QueueingError) -> Validation? {
        guard
            let theory = try QueueingTheory.TandemMM1(arrivalRate: arrivalRate, serviceRates: serviceRates)
        else { return nil }
        let thresholds = quantiles.compactMap { theory.sojournQuantile($0) }
        return stations(
            "M/M/1 then M/M/1", classes: [.init(arrivalRate: arrivalRate)],
            stages: [serviceRates.0, serviceRates.1].map {
                .init(servers: 1, service: .exponential(mean: 1 / $0))
            },
            thresholds: thresholds,
            quantities: [("mean time in both", theory.meanSojourn)] + shares(thresholds)
        ) { tallies in [tallies[0].meanTimeInSystem] + quantiles.indices.map(tallies[0].shareLonger) }
    }

    private static func priorities(arrivalRates: [Double], servers: Int) throws(QueueingError) -> Validation?
    {
        guard
            let theory = try QueueingTheory.PriorityMMc(
                arrivalRates: arrivalRates, serviceRate: 1, servers: servers)
        else { return nil }
        return stations(
            "M/M/\(servers), priorities",
            classes: arrivalRates.enumerated().map { .init(arrivalRate: $1, priority: $0) },
            stages: [.init(servers: servers, service: .exponential(mean: 1))],
            quantities: theory.meanWaits.enumerated().map { ("mean wait, class \($0)", $1) }
        ) { $0.map(\.meanWait) }
    }

    private static func priorityMG1() throws(QueueingError) -> Validation? {
        let rates = [0.2, 0.5]
        guard
            let theory = try QueueingTheory.PriorityMG1(
                classes: rates.map { .init(arrivalRate: $0, meanService: 1, serviceVariability: 2) })
        else { return nil }
        return stations(
            "M/G/1, priorities", classes: rates.enumerated().map { .init(arrivalRate: $1, priority: $0) },
            stages: [.init(servers: 1, service: .lognormal(mean: 1, variability: 2))],
            quantities: theory.meanWaits.enumerated().map { ("mean wait, class \($0)", $1) }
        ) { $0.map(\.meanWait) }
    }

    /// Each instance is a queue by itself, with its share of the Poisson stream.
    private static func balancedAtRandom(
        instances: Int, servers: Int, load: Double
    ) throws(QueueingError) -> Validation? {
        let rate = load * Double(servers)
        guard let theory = try QueueingTheory.MMc(arrivalRate: rate, serviceRate: 1, servers: servers) else {
            return nil
        }
        return balanced(
            "\(instances) x M/M/\(servers), random", .random, rate: rate * Double(instances),
            instances: instances, servers: servers,
            quantities: [("mean time in system", theory.meanSojourn), ("mean wait", theory.meanWait)])
    }

    private static func balancedInTurn(instances: Int, load: Double) throws(QueueingError) -> Validation? {
        let rate = load * Double(instances)
        guard let theory = try QueueingTheory.InTurn(arrivalRate: rate, serviceRate: 1, queues: instances)
        else { return nil }
        return balanced(
            "\(instances) x M/M/1, round robin", .roundRobin, rate: rate, instances: instances, servers: 1,
            quantities: [("mean time in system", theory.meanSojourn), ("mean wait", theory.meanWait)])
    }

    private static func balanced(
        _ name: String, _ balancing: Balancing, rate: Double, instances: Int, servers: Int,
        quantities: [(name: String, theory: Double)]
    ) -> Validation {
        stations(
            name, classes: [.init(arrivalRate: rate)],
            stages: [
                .init(
                    servers: servers, service: .exponential(mean: 1), instances: instances,
                    balancing: balancing)
            ],
            quantities: quantities
        ) { [$0[0].meanTimeInSystem, $0[0].meanWait] }
    }

    private static func shares(_ thresholds: [Double]) -> [(name: String, theory: Double)] {
        zip(quantiles, thresholds).map { quantile, threshold in
            let milliseconds = Int(saturating: (threshold * 1000).rounded())
            return ("share beyond the \(Int(quantile * 100)) % point, \(milliseconds) ms", 1 - quantile)
        }
    }

    private static func stations(
        _ name: String, classes: [StationsModel.Class], stages: [StationsModel.Stage],
        thresholds: [Double] = [], quantities: [(name: String, theory: Double)],
        _ values: @escaping @Sendable ([Tally]) -> [Double]
    ) -> Validation {
        let rate = classes.reduce(0) { $0 + $1.arrivalRate }
        return Validation(name: name, arrivalRate: rate, quantities: quantities) { replication, warmUp, end in
            var kernel = Kernel(
                model: StationsModel(
                    classes: classes, stages: stages, thresholds: thresholds, seed: 1,
                    replication: replication))
            kernel.run(until: warmUp)
            kernel.model.restartTallies()
            kernel.run(until: end)
            return Observation(
                values: values(kernel.model.tallies), violations: kernel.model.identityViolations(at: end))
        }
    }
}
