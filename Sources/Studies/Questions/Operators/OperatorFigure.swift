import Experiment
import FleetModel
import Foundation
import RunMetrics
import Scenarios
import URLFilter

/// Figures that the program is asked for, and that an operator's days tell.
package enum OperatorFigure: String, CaseIterable, Codable, CodingKeyRepresentable, Sendable {
    /// Lookups of a device and day.
    case lookups
    /// Requests through the relay in the busiest minute.
    case peakMinute
    /// Seconds of a lookup.
    case p99
    /// Share of the listed visits that were let through.
    case leaks
    /// A month, of a fleet of ``OperatorFigure/scale`` times the devices.
    case money
    /// Lookups of a device and day about URLs that are not listed, and about those that are.
    case strayLookups, listedLookups
    /// Busy cores of the peak, and bytes of a day.
    case peakCores, egress, ingress

    /// Figures that are judged; the others decide about the prefilter's shape.
    static let judged: [OperatorFigure] = [.lookups, .peakMinute, .p99, .leaks, .money]

    /// Devices of the fleet that is paid for, over those simulated: a few hundred devices keep no server busy.
    static let scale = 1_000.0
    /// Cores of a bought server.
    static let coresPerServer = 2

    /// - Parameter read: A metric of a run, of a replication, or of several.
    func value(_ prices: Prices, _ read: (Metric) -> Double?) -> Double? {
        switch self {
        case .lookups: read(.lookupsPerDeviceDay)
        case .peakMinute: read(Metric.relays[0].peakMinute)
        case .p99: read(.latency(percentile: 99))
        case .leaks: read(.leakedShare)
        case .money: OperatorTraffic(read)?.month(prices, servers: nil).total
        case .strayLookups: Self.product(read(.lookupsPerDeviceDay), read(.answeredFalseHit))
        case .listedLookups: Self.product(read(.lookupsPerDeviceDay), read(.answeredListed))
        case .peakCores: read(.operatorPeakCores)
        case .egress: read(.operatorEgress)
        case .ingress: read(.operatorIngress)
        }
    }

    private static func product(_ first: Double?, _ second: Double?) -> Double? {
        first.flatMap { first in second.map { first * $0 } }
    }

    /// The value of all replications together, or that of one.
    func value(of point: PointResult, _ prices: Prices, replication: Int? = nil) -> Double? {
        value(prices) { point.value($0, replication: replication) }
    }

    func perReplication(of point: PointResult, _ prices: Prices) -> [Double] {
        (0..<point.replications).compactMap { value(of: point, prices, replication: $0) }
    }

    /// Figures that a server's log tells, whatever it is asked for.
    static let logged: [(name: String, metric: Metric)] = [
        ("lookups a device and day", .lookupsPerDeviceDay),
        ("busy share of the PIR server's cores", StationMetrics(.pir).utilization),
    ]
}

extension PointResult {
    /// A metric's value of all replications together, or that of one.
    func value(_ metric: Metric, replication: Int?) -> Double? {
        guard let replication else { return self[metric]?.value }
        let values = self[metric]?.perReplication ?? []
        return values.indices.contains(replication) ? values[replication] : nil
    }
}

/// Traffic of an operator that is paid for.
struct OperatorTraffic {
    var peakCores: Double
    var egressBytesPerDay: Double
    var ingressBytesPerDay: Double
    var downloadBytesPerDay: Double

    init?(_ read: (Metric) -> Double?) {
        guard let cores = read(.operatorPeakCores), let egress = read(.operatorEgress),
            let ingress = read(.operatorIngress), let downloads = read(.prefilterTraffic)
        else { return nil }
        (peakCores, egressBytesPerDay, ingressBytesPerDay, downloadBytesPerDay) =
            (cores, egress, ingress, downloads)
    }

    init(peakCores: Double, egress: Double, ingress: Double, downloads: Double) {
        (self.peakCores, egressBytesPerDay, ingressBytesPerDay, downloadBytesPerDay) =
            (peakCores, egress, ingress, downloads)
    }

    /// Servers that the peak needs, and the spare ones.
    func servers(_ prices: Prices) -> Int {
        Machines(
            service: .pir, peakCores: peakCores * OperatorFigure.scale,
            coresPerInstance: OperatorFigure.coresPerServer, memoryPerInstance: 0, prices: prices
        ).instances
    }

    /// - Parameter servers: `nil`: those that it needs.
    func month(_ prices: Prices, servers: Int?) -> MonthlyCost {
        let scale = OperatorFigure.scale
        let machines = Machines(
            service: .pir, instances: servers ?? self.servers(prices),
            coresPerInstance: OperatorFigure.coresPerServer, memoryPerInstance: 0)
        return MonthlyCost(
            [
                RegionResources(
                    machines: [machines], egressBytesPerDay: egressBytesPerDay * scale,
                    ingressBytesPerDay: ingressBytesPerDay * scale,
                    downloadBytesPerDay: downloadBytesPerDay * scale)
            ], prices: prices)
    }
}
