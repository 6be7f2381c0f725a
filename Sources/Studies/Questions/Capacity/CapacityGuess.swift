import Decoding
package import Experiment
import FleetModel
import RunMetrics
import Statistics
import URLFilter

/// Begin of the search for a capacity: closed forms on what one run measured.
package enum CapacityGuess {
    /// The size at which PIR servers, or those of the mechanism that filters, reach their limit.
    ///
    /// The limit is that of an objective on `pir.utilization`, else the load at which the mean wait of
    /// Allen-Cunneen, with Poisson arrivals at the busiest second's rate, is as long as the service.
    ///
    /// - Parameters:
    ///   - point: Of a run at `size`.
    ///   - seconds: That were observed.
    ///   - servers: PIR cores in that run; a mechanism's own are in its result.
    ///   - objectives: Of the scenario.
    package static func size(
        from point: PointResult, size: Int, goal: CapacitySearch.Goal, seconds: Double, servers: Int
    ) -> Int {
        if let size = mechanismSize(from: point, size: size, goal: goal) { return size }
        let pir = StationMetrics(.pir)
        let queries = EndpointMetrics(.queries)
        guard let utilization = point[pir.utilization]?.value, utilization > 0,
            let requests = point[queries.requests]?.value, requests > 0, seconds > 0
        else { return size }
        let service = utilization * Double(servers) * seconds / requests
        let limit = point.objectives.first { $0.metric == pir.utilization.name }?.limit
        let byUtilization = limit.map { $0 / utilization }
        let peak = point[queries.peak]?.value ?? requests / seconds
        // How much more load per server, relative to this run, either rule allows.
        let byWaiting = largestLoad { load in
            let wait = try? QueueingTheory.allenCunneenMeanWait(
                arrivalRate: peak * load, meanService: service, servers: servers, arrivalVariability: 1,
                serviceVariability: 0)
            return (wait ?? .infinity) <= service
        }
        let factor = min(byUtilization ?? .infinity, byWaiting)
        guard factor.isFinite, factor > 0 else { return size }
        return scaled(size, by: factor, goal)
    }

    /// The same of a mechanism's servers, by the load of their busiest interval.
    ///
    /// - Returns: `nil` where there are none, or no load.
    private static func mechanismSize(
        from point: PointResult, size: Int, goal: CapacitySearch.Goal
    ) -> Int? {
        guard let peak = point[.mechanismBusiest]?.value, peak > 0,
            let cores = point[.mechanismCores].map({ max(Int($0.value), 1) })
        else { return nil }
        let limit = point.objectives.first { $0.isOn(.mechanismBusiest) }?.limit
        // In units of the mean service time, which the wait is compared with.
        let byWaiting = largestLoad { load in
            let wait = try? QueueingTheory.allenCunneenMeanWait(
                arrivalRate: peak * load * Double(cores), meanService: 1, servers: cores,
                arrivalVariability: 1, serviceVariability: 1)
            return (wait ?? .infinity) <= 1
        }
        let factor = limit.map { $0 / peak } ?? byWaiting
        return factor.isFinite && factor > 0 ? scaled(size, by: factor, goal) : size
    }

    private static func scaled(_ size: Int, by factor: Double, _ goal: CapacitySearch.Goal) -> Int {
        let scaled = goal == .largest ? Double(size) * factor : Double(size) / factor
        return max(1, Int(saturating: min(scaled.rounded(.up), 1e9)))
    }

    /// The largest factor that is allowed, to one percent.
    private static func largestLoad(isAllowed: (Double) -> Bool) -> Double {
        var low = 0.0
        var high = 1.0
        while isAllowed(high), high < 1e9 { (low, high) = (high, high * 2) }
        while high - low > 0.01 * high, high > 1e-9 {
            let middle = (low + high) / 2
            if isAllowed(middle) { low = middle } else { high = middle }
        }
        return low
    }
}
