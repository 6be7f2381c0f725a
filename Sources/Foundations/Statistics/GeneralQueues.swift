extension QueueingTheory {
    /// Poisson arrivals, any service time, one server (M/G/1), by the formula
    /// of Pollaczek and Khinchine.
    package struct MG1: Hashable, Sendable {
        package let arrivalRate: Double
        package let meanService: Double
        /// Variance of the service time over its squared mean: 0 constant,
        /// 1 exponential.
        package let serviceVariability: Double

        /// - Returns: `nil` when `arrivalRate * meanService >= 1`.
        package init?(
            arrivalRate: Double, meanService: Double, serviceVariability: Double
        ) throws(QueueingError) {
            try checkNotNegative(arrivalRate, "arrivalRate")
            try checkPositive(meanService, "meanService")
            try checkNotNegative(serviceVariability, "serviceVariability")
            guard arrivalRate * meanService < 1 else { return nil }
            self.arrivalRate = arrivalRate
            self.meanService = meanService
            self.serviceVariability = serviceVariability
        }

        /// Busy share of the server, in `0..<1`.
        package var utilization: Double { arrivalRate * meanService }

        /// Mean time in the queue.
        package var meanWait: Double {
            utilization / (1 - utilization) * (1 + serviceVariability) / 2 * meanService
        }

        /// Mean time in queue and service.
        package var meanSojourn: Double { meanWait + meanService }

        /// Mean number waiting.
        package var meanQueueLength: Double { arrivalRate * meanWait }
    }

    /// Mean time in the queue of G/G/c, by the approximation of Allen and
    /// Cunneen: the M/M/c wait times the mean of the two variabilities.
    ///
    /// Exact for M/M/c and M/G/1. Elsewhere it knows two moments only, and is a
    /// starting point, not a result (Allen, Probability, Statistics, and Queueing
    /// Theory with Computer Science Applications, 1990).
    ///
    /// - Parameters:
    ///   - arrivalVariability: Variance of the time between arrivals over its
    ///     squared mean: 0 constant, 1 Poisson.
    ///   - serviceVariability: The same for the service time.
    /// - Returns: `nil` when `arrivalRate * meanService >= servers`.
    package static func allenCunneenMeanWait(
        arrivalRate: Double, meanService: Double, servers: Int, arrivalVariability: Double,
        serviceVariability: Double
    ) throws(QueueingError) -> Double? {
        try checkPositive(meanService, "meanService")
        try checkNotNegative(arrivalVariability, "arrivalVariability")
        try checkNotNegative(serviceVariability, "serviceVariability")
        let markovian = try MMc(arrivalRate: arrivalRate, serviceRate: 1 / meanService, servers: servers)
        return markovian.map { $0.meanWait * (arrivalVariability + serviceVariability) / 2 }
    }
}
