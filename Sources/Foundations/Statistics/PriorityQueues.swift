extension QueueingTheory {
    /// M/G/1 whose classes wait by urgency; a service under way is never interrupted (Cobham, Operations
    /// Research 2, 1954).
    package struct PriorityMG1: Hashable, Sendable {
        /// One class of customers.
        package struct Class: Hashable, Sendable {
            package let arrivalRate: Double
            package let meanService: Double
            /// Variance of the service time over its squared mean.
            package let serviceVariability: Double

            package init(arrivalRate: Double, meanService: Double, serviceVariability: Double) {
                self.arrivalRate = arrivalRate
                self.meanService = meanService
                self.serviceVariability = serviceVariability
            }
        }

        /// Mean time in the queue of each class, the most urgent first.
        package let meanWaits: [Double]

        /// - Returns: `nil` when all classes together load the server fully, or when there is no class.
        package init?(classes: [Class]) throws(QueueingError) {
            var residual = 0.0
            for group in classes {
                try checkNotNegative(group.arrivalRate, "arrivalRate")
                try checkPositive(group.meanService, "meanService")
                try checkNotNegative(group.serviceVariability, "serviceVariability")
                let square = group.meanService * group.meanService * (1 + group.serviceVariability)
                residual += group.arrivalRate * square / 2
            }
            let loads = classes.map { $0.arrivalRate * $0.meanService }
            guard let waits = priorityWaits(loads: loads, alone: residual) else { return nil }
            meanWaits = waits
        }
    }

    /// M/M/c whose classes need the same mean service and wait by urgency; a service under way is never
    /// interrupted (Kella and Yechiali, doi:10.1002/1520-6750(198512)32:4).
    package struct PriorityMMc: Hashable, Sendable {
        /// Mean time in the queue of each class, the most urgent first.
        package let meanWaits: [Double]

        /// - Parameter arrivalRates: Of each class, the most urgent first.
        /// - Returns: `nil` when all classes together load the servers fully, or when there is no class.
        package init?(arrivalRates: [Double], serviceRate: Double, servers: Int) throws(QueueingError) {
            for rate in arrivalRates { try checkNotNegative(rate, "arrivalRate") }
            let total = arrivalRates.reduce(0, +)
            guard
                let queue = try MMc(arrivalRate: total, serviceRate: serviceRate, servers: servers),
                let waits = priorityWaits(
                    loads: arrivalRates.map { $0 / (serviceRate * Double(servers)) },
                    alone: queue.waitProbability / (serviceRate * Double(servers)))
            else { return nil }
            meanWaits = waits
        }
    }

    /// Mean wait in each class: for the work under way, those ahead, and those more urgent who come
    /// meanwhile.
    private static func priorityWaits(loads: [Double], alone: Double) -> [Double]? {
        var more = 0.0
        var waits: [Double] = []
        for load in loads {
            guard more + load < 1 else { return nil }
            waits.append(alone / ((1 - more) * (1 - more - load)))
            more += load
        }
        return waits.isEmpty ? nil : waits
    }
}
