import FleetModel
package import Scenarios
import Workload

/// Traffic of an operator that is paid for, as his simulated devices make it.
package struct OperatorTraffic {
    /// Busy share of the simulated PIR cores.
    package var busy: Double
    /// Without prefilters.
    package var egressBytesPerDay: Double
    package var ingressBytesPerDay: Double
    package var downloadBytesPerDay: Double

    package init(
        busy: Double, egressBytesPerDay: Double, ingressBytesPerDay: Double, downloadBytesPerDay: Double
    ) {
        self.busy = busy
        self.egressBytesPerDay = egressBytesPerDay
        self.ingressBytesPerDay = ingressBytesPerDay
        self.downloadBytesPerDay = downloadBytesPerDay
    }

    /// The same with so many times the lookups, and so many times the prefilter's bytes.
    func times(lookups: Double, downloads: Double) -> OperatorTraffic {
        OperatorTraffic(
            busy: busy * lookups, egressBytesPerDay: egressBytesPerDay * lookups,
            ingressBytesPerDay: ingressBytesPerDay * lookups,
            downloadBytesPerDay: downloadBytesPerDay * downloads)
    }
}

/// PIR servers and a month's money, that of bytes too, of an operator whose fleet is many times what is simulated.
///
/// The rule is that of a plan: mean rates are multiplied, and the shape of the day stays. A fleet of that size has next
/// to no chance about its peak. The largest interval of a few devices is mostly chance, and a thousand times that would
/// be nobody's peak.
package struct OperatorBill {
    /// Devices of the fleet over those that are simulated.
    package static let devices = 1_000.0
    /// Cores of a bought server.
    package static let coresPerServer = 2

    package let prices: Prices
    /// Simulated ones.
    package let cores: Int
    /// Load of the busiest hour over that of the mean one. Assumption: lookups follow visits over the day.
    package let busiestHour: Double

    package init(_ scenario: Scenario) {
        prices = scenario.prices
        cores = scenario.services.byRegion(.pir).reduce(0) { $0 + $1.serverCount }
        var hours = Array(repeating: 0.0, count: 24)
        for group in scenario.devices {
            let weights = group.browsing.hourWeights
            let sum = weights.reduce(0, +)
            for (hour, weight) in weights.enumerated() where sum > 0 {
                hours[hour] += Double(group.count) * weight / sum
            }
        }
        let all = hours.reduce(0, +)
        busiestHour = all > 0 ? (hours.max() ?? 0) / all * Double(hours.count) : 1
    }

    /// Servers that the peak needs, and the spare ones.
    package func servers(_ traffic: OperatorTraffic) -> Int {
        let peak = traffic.busy * Double(cores) * busiestHour * Self.devices
        return Machines(
            service: .pir, peakCores: peak, coresPerInstance: Self.coresPerServer, memoryPerInstance: 0,
            prices: prices
        ).instances
    }

    /// - Parameter servers: `nil`: those that it needs.
    package func month(_ traffic: OperatorTraffic, servers: Int? = nil) -> Double {
        let machines = Machines(
            service: .pir, instances: servers ?? self.servers(traffic),
            coresPerInstance: Self.coresPerServer, memoryPerInstance: 0)
        return MonthlyCost(
            [
                RegionResources(
                    machines: [machines], egressBytesPerDay: traffic.egressBytesPerDay * Self.devices,
                    ingressBytesPerDay: traffic.ingressBytesPerDay * Self.devices,
                    downloadBytesPerDay: traffic.downloadBytesPerDay * Self.devices)
            ], prices: prices
        ).total
    }
}

extension DeviceSettings.Browsing {
    /// Weights of the hours of a day; none where a trace has its own.
    fileprivate var hourWeights: [Double] {
        switch self {
        case .profile(let profile): profile.hourWeights
        case .lookups(let traffic): traffic.hourWeights
        case .trace: []
        }
    }
}
