import Foundation

/// Queues behind a load balancer.
extension QueueingTheory {
    /// One of several equal queues with one server each that get the customers of a Poisson stream in turn: the gaps
    /// at each are sums of `queues` exponential ones (E_n/M/1).
    ///
    /// What an arrival finds is geometric (Kendall, doi:10.1214/aoms/1177728975), so the time in the system is
    /// exponential.
    package struct InTurn: Hashable, Sendable {
        package let serviceRate: Double
        /// Probability that an arrival finds its server busy.
        package let waitProbability: Double

        /// - Parameter arrivalRate: Of the whole stream.
        /// - Returns: `nil` when the servers cannot keep up.
        package init?(arrivalRate: Double, serviceRate: Double, queues: Int) throws(QueueingError) {
            try checkNotNegative(arrivalRate, "arrivalRate")
            try checkPositive(serviceRate, "serviceRate")
            try checkServers(queues)
            guard arrivalRate < serviceRate * Double(queues) else { return nil }
            self.serviceRate = serviceRate
            // The root below 1 of the transform of the gaps; above it the transform is smaller than its argument.
            let root = Inversion.firstDouble(in: 0...1) { share in
                pow(arrivalRate / (arrivalRate + serviceRate * (1 - share)), Double(queues)) <= share
            }
            guard let root, root < 1 else { return nil }
            waitProbability = root
        }

        /// Mean time in queue and service.
        package var meanSojourn: Double { 1 / (serviceRate * (1 - waitProbability)) }

        /// Mean time in the queue.
        package var meanWait: Double { meanSojourn - 1 / serviceRate }
    }
}
