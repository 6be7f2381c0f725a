import EventSimulation
import FleetModel
import RunMetrics
import Statistics
import URLFilter

/// The line of a site beside its closed form.
extension ResultBuilder {
    /// Mean wait of a lookup at the line of its site, if the only group has one: a queue for each direction. It knows
    /// nothing of bursts, nor of waits at the device's own line.
    func siteLineForm(_ results: [MetricResult]) -> AnalyticResult? {
        let groups = preparation.configuration.groups
        let metric = Metric.stage(.lineWaiting)
        guard groups.count == 1, let site = groups[0].site, preparation.configuration.faults.isEmpty,
            let found = results.first(where: { $0.isOf(metric) }),
            let up = meanWait(at: site.uplink, \.requests, \.requestBytes, site, groups[0].count),
            let down = meanWait(at: site.downlink, \.responses, \.responseBytes, site, groups[0].count)
        else { return nil }
        return AnalyticResult(
            name: metric.words,
            formula: "Pollaczek-Khinchine at the rate of each interval, up and down, Poisson arrivals",
            unit: metric.unit, predicted: up + down, simulated: found.value, interval: found.interval)
    }

    /// - Parameter rate: Bytes per second.
    private func meanWait(
        at rate: Double, _ count: KeyPath<EndpointTraffic, Int>, _ bytes: KeyPath<EndpointTraffic, Int>,
        _ site: SiteLine, _ deviceCount: Int
    ) -> Double? {
        let seconds = records.reduce(0.0) { $0 + $1.observedSeconds }
        var (messages, sum, squares) = (0.0, 0.0, 0.0)
        for endpoint in Endpoint.allCases {
            let number = Double(
                records.reduce(0) { $0 + ($1.urlFilter.endpoints[endpoint]?[keyPath: count] ?? 0) })
            let total = Double(
                records.reduce(0) { $0 + ($1.urlFilter.endpoints[endpoint]?[keyPath: bytes] ?? 0) })
            guard number > 0 else { continue }
            messages += number
            sum += total / rate
            squares += total / number * total / (rate * rate)
        }
        guard messages > 0, sum > 0, seconds > 0 else { return nil }
        let service = sum / messages
        let sites = Double((deviceCount + site.devices - 1) / site.devices)
        let profile = rateProfile()
        var wait = 0.0
        for weight in profile {
            let queue = try? QueueingTheory.MG1(
                arrivalRate: messages / seconds / sites * weight, meanService: service,
                serviceVariability: max(0, squares / messages / (service * service) - 1))
            // No queue in equilibrium is long enough for an interval that is overloaded.
            guard let queue = queue.flatMap(\.self) else { return nil }
            wait += queue.meanWait * weight / Double(profile.count)
        }
        return wait
    }
}
