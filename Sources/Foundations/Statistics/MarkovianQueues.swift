import Foundation

/// Closed forms for queues, to check a simulation against and to start a
/// search from.
///
/// Rates are per second and times in seconds; any other unit works as well, if
/// it is the same everywhere. Offered load is the arrival rate times the mean
/// service time: the servers needed if nobody ever waited.
///
/// Every function throws ``QueueingError`` for a number that makes no queue,
/// and returns `nil` for a queue that grows without limit (utilization 1 or
/// more).
package enum QueueingTheory {
    /// Servers that the recursion of ``erlangB(servers:offeredLoad:)`` accepts:
    /// it takes a step for each.
    package static let maximumServerCount = 10_000_000

    /// Probability that an arrival finds all servers busy and is lost, in a
    /// system without a queue (M/G/c/c).
    ///
    /// - Complexity: O(`servers`); stable up to ``maximumServerCount``.
    package static func erlangB(servers: Int, offeredLoad: Double) throws(QueueingError) -> Double {
        try checkServers(servers)
        try checkNotNegative(offeredLoad, "offeredLoad")
        // Starting from no servers, where everybody is lost.
        var blocking = 1.0
        for server in 1...servers {
            blocking = offeredLoad * blocking / (Double(server) + offeredLoad * blocking)
        }
        return blocking
    }

    /// Probability that an arrival has to wait, in a system with an unlimited
    /// queue (M/M/c). `nil` when `offeredLoad >= servers`.
    package static func erlangC(servers: Int, offeredLoad: Double) throws(QueueingError) -> Double? {
        let blocking = try erlangB(servers: servers, offeredLoad: offeredLoad)
        let count = Double(servers)
        guard offeredLoad < count else { return nil }
        return count * blocking / (count - offeredLoad + offeredLoad * blocking)
    }

    /// Poisson arrivals, exponential service, `servers` servers, one queue
    /// without limit, first come first served. One server: M/M/1.
    package struct MMc: Hashable, Sendable {
        package let arrivalRate: Double
        /// Service rate of one server.
        package let serviceRate: Double
        package let servers: Int
        /// Probability that an arrival has to wait (Erlang C).
        package let waitProbability: Double

        /// - Returns: `nil` when `arrivalRate >= servers * serviceRate`.
        package init?(arrivalRate: Double, serviceRate: Double, servers: Int = 1) throws(QueueingError) {
            try checkNotNegative(arrivalRate, "arrivalRate")
            try checkPositive(serviceRate, "serviceRate")
            let load = arrivalRate / serviceRate
            guard let probability = try erlangC(servers: servers, offeredLoad: load) else { return nil }
            self.arrivalRate = arrivalRate
            self.serviceRate = serviceRate
            self.servers = servers
            waitProbability = probability
            // Rounding can let a load pass that leaves nothing over.
            guard surplusRate > 0 else { return nil }
        }

        /// Busy share of a server, in `0..<1`.
        package var utilization: Double { arrivalRate / (Double(servers) * serviceRate) }

        /// Mean time in the queue.
        package var meanWait: Double { waitProbability / surplusRate }

        /// Mean time in queue and service.
        package var meanSojourn: Double { meanWait + 1 / serviceRate }

        /// Mean number waiting.
        package var meanQueueLength: Double { arrivalRate * meanWait }

        /// P(time in queue and service > `time`), for a time of 0 or more.
        package func sojournTail(_ time: Double) -> Double {
            // Wait and service are independent exponentials with these rates,
            // the wait with probability `waitProbability`.
            let slower = min(serviceRate, surplusRate)
            let gap = (serviceRate - surplusRate).magnitude
            let both = gap == 0 ? time : -expm1(-gap * time) / gap
            return exp(-serviceRate * time) + waitProbability * serviceRate * exp(-slower * time) * both
        }

        /// Quantile of the time in queue and service. `nil` unless
        /// `0 <= probability < 1`.
        package func sojournQuantile(_ probability: Double) -> Double? {
            guard probability >= 0, probability < 1 else { return nil }
            return Inversion.firstDouble(in: 0...Double.greatestFiniteMagnitude) {
                sojournTail($0) <= 1 - probability
            }
        }

        /// Services that the servers could do beyond what arrives, per second.
        private var surplusRate: Double { Double(servers) * serviceRate - arrivalRate }
    }
}

/// Why numbers describe no queue.
package enum QueueingError: Error, Equatable {
    case serversOutOfRange(Int, allowed: ClosedRange<Int>)
    case capacityBelowServers(Int, servers: Int)
    case notPositive(Double, parameter: String)
    case negative(Double, parameter: String)
}

extension QueueingError: CustomStringConvertible {
    package var description: String {
        switch self {
        case .serversOutOfRange(let got, let allowed):
            "servers is \(got); it must be in \(allowed.lowerBound)...\(allowed.upperBound)"
        case .capacityBelowServers(let got, let servers):
            "capacity is \(got); it counts those in service too and must be at least the \(servers) servers"
        case .notPositive(let got, let parameter):
            "\(parameter) is \(got); it must be finite and more than 0"
        case .negative(let got, let parameter):
            "\(parameter) is \(got); it must be finite and not negative"
        }
    }
}

extension QueueingTheory {
    static func checkServers(_ servers: Int) throws(QueueingError) {
        guard (1...maximumServerCount).contains(servers) else {
            throw .serversOutOfRange(servers, allowed: 1...maximumServerCount)
        }
    }

    static func checkPositive(_ value: Double, _ parameter: String) throws(QueueingError) {
        guard value > 0, value.isFinite else { throw .notPositive(value, parameter: parameter) }
    }

    static func checkNotNegative(_ value: Double, _ parameter: String) throws(QueueingError) {
        guard value >= 0, value.isFinite else { throw .negative(value, parameter: parameter) }
    }
}
