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
    /// A month of a fleet, by ``OperatorBill``.
    case money
    /// Lookups of a device and day about URLs that are not listed, and about those that are.
    case strayLookups, listedLookups
    /// Busy share of the PIR cores, and bytes of a day: sent and received for lookups, and prefilters.
    case busy, egress, ingress, downloads

    /// Figures that are judged; the others decide about the prefilter's shape.
    static let judged: [OperatorFigure] = [.lookups, .peakMinute, .p99, .leaks, .money]

    /// - Parameter read: A metric of a run, of a replication, or of several.
    func value(_ bill: OperatorBill, _ read: (Metric) -> Double?) -> Double? {
        switch self {
        case .lookups: read(.lookupsPerDeviceDay)
        case .peakMinute: read(Metric.relays[0].peakMinute)
        case .p99: read(.latency(percentile: 99))
        case .leaks: read(.leakedShare)
        case .money: OperatorTraffic(read).map { bill.month($0) }
        case .strayLookups: Self.product(read(.lookupsPerDeviceDay), read(.answeredFalseHit))
        case .listedLookups: Self.product(read(.lookupsPerDeviceDay), read(.answeredListed))
        case .busy: read(StationMetrics(.pir).utilization)
        case .egress: OperatorTraffic(read)?.egressBytesPerDay
        case .ingress: read(.operatorIngress)
        case .downloads: read(.prefilterTraffic)
        }
    }

    private static func product(_ first: Double?, _ second: Double?) -> Double? {
        first.flatMap { first in second.map { first * $0 } }
    }

    /// The value of all replications together, or that of one.
    func value(of point: PointResult, _ bill: OperatorBill, replication: Int? = nil) -> Double? {
        value(bill) { point.value($0, replication: replication) }
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

extension OperatorTraffic {
    /// - Parameter read: A metric of a day.
    init?(_ read: (Metric) -> Double?) {
        guard let busy = read(StationMetrics(.pir).utilization), let egress = read(.operatorEgress),
            let ingress = read(.operatorIngress), let downloads = read(.prefilterTraffic)
        else { return nil }
        // What the operator sends has the prefilters in it, which the content network delivers.
        self.init(
            busy: busy, egressBytesPerDay: max(0, egress - downloads), ingressBytesPerDay: ingress,
            downloadBytesPerDay: downloads)
    }
}
