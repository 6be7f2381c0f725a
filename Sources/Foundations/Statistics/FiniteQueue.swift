extension QueueingTheory {
    /// M/M/c/K: like ``MMc``, but at most `capacity` inside; who comes when it
    /// is full is lost. There is an answer for every load.
    package struct MMcK: Hashable, Sendable {
        package let arrivalRate: Double
        /// Service rate of one server.
        package let serviceRate: Double
        package let servers: Int
        /// Most inside at once, waiting or in service. At least `servers`.
        package let capacity: Int
        /// Probability that an arrival finds the system full.
        package let lossProbability: Double
        /// Mean number waiting.
        package let meanQueueLength: Double

        /// - Complexity: O(`servers` + log `capacity`).
        package init(
            arrivalRate: Double, serviceRate: Double, servers: Int, capacity: Int
        ) throws(QueueingError) {
            try checkNotNegative(arrivalRate, "arrivalRate")
            try checkPositive(serviceRate, "serviceRate")
            let load = arrivalRate / serviceRate
            let blocking = try erlangB(servers: servers, offeredLoad: load)
            guard capacity >= servers else {
                throw .capacityBelowServers(capacity, servers: servers)
            }
            self.arrivalRate = arrivalRate
            self.serviceRate = serviceRate
            self.servers = servers
            self.capacity = capacity

            // Weights of the states, with that of "all servers busy, none
            // waiting" as 1: up to there they sum to 1 / blocking, and each
            // further place multiplies by the utilization. Above utilization 1
            // the sums run down from the full system, whose weight is then 1.
            let places = capacity - servers
            let utilization = load / Double(servers)
            if blocking == 0 {
                lossProbability = 0
                meanQueueLength = 0
            } else if utilization <= 1 {
                let sums = PowerSums(ratio: utilization, count: places)
                let total = 1 / blocking + utilization * sums.plain
                lossProbability = sums.power / total
                meanQueueLength = utilization * (sums.weighted + sums.plain) / total
            } else {
                let sums = PowerSums(ratio: 1 / utilization, count: places)
                let total = sums.power / blocking + sums.plain
                lossProbability = 1 / total
                meanQueueLength = (Double(places) * sums.plain - sums.weighted) / total
            }
        }

        /// Arrivals per second that are served.
        package var throughput: Double { arrivalRate * (1 - lossProbability) }

        /// Busy share of a server, in `0...1`.
        package var utilization: Double { throughput / (Double(servers) * serviceRate) }

        /// Mean time in the queue of those who are not lost.
        package var meanWait: Double { throughput == 0 ? 0 : meanQueueLength / throughput }

        /// Mean time in queue and service of those who are not lost.
        package var meanSojourn: Double { meanWait + 1 / serviceRate }
    }

    /// Sums over the powers of a ratio in `0...1`, without the cancellation of
    /// the textbook quotients near 1: doubling only ever adds.
    private struct PowerSums {
        /// ratioᶜᵒᵘⁿᵗ
        var power = 1.0
        /// Σ ratioʲ for j in `0..<count`.
        var plain = 0.0
        /// Σ j · ratioʲ for j in `0..<count`.
        var weighted = 0.0

        init(ratio: Double, count: Int) {
            var done = 0.0
            for bit in (0..<(Int.bitWidth - count.leadingZeroBitCount)).reversed() {
                weighted += power * (weighted + done * plain)
                plain += power * plain
                power *= power
                done *= 2
                if count >> bit & 1 == 1 {
                    weighted += done * power
                    plain += power
                    power *= ratio
                    done += 1
                }
            }
        }
    }
}
