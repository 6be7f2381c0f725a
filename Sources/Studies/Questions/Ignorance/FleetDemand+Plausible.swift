package import Experiment
import FleetModel
import RunMetrics

/// The demand over what nobody knows.
extension FleetDemand {
    /// The demand at each point of a design about a sample.
    ///
    /// - Parameters:
    ///   - sample: The run that the design is about.
    /// - Returns: `nil` for a sample that is none of a demand.
    package func plausible(_ design: IgnoranceDesign, of sample: RunResult) -> [FleetDemand]? {
        guard let now = FleetDemand(sample, devices: devices) else { return nil }
        return design.shifted.map { shifted in
            guard let then = Self.shifted(shifted, from: sample, devices: devices) else { return self }
            return changed(from: now, to: then)
        }
    }

    /// - Parameter shifted: The sample as a point has it, whose arrivals are still the sample's own.
    private static func shifted(
        _ shifted: RunResult, from sample: RunResult, devices: Int
    ) -> FleetDemand? {
        guard var demand = FleetDemand(shifted, devices: devices), let then = shifted.points.first,
            let now = sample.points.first
        else { return nil }
        func factor(_ metric: Metric) -> Double? {
            guard let from = now[metric]?.value, from > 0, let to = then[metric]?.value else { return nil }
            return to / from
        }
        for place in demand.regions.indices {
            demand.regions[place].loads = demand.regions[place].loads.map { load in
                let busy = factor(StationMetrics(load.service).utilization) ?? 1
                return load.scaled(busy, seconds: busy)
            }
        }
        // What too few lookups tell at a point changes as the percentile below it.
        var last = 1.0
        demand.percentiles = demand.percentiles.map {
            last = $0.metric.flatMap(factor) ?? last
            return $0.scaled(last)
        }
        return demand
    }

    /// The same where everything changes as from one demand to another of the same regions.
    private func changed(from base: FleetDemand, to other: FleetDemand) -> FleetDemand {
        func ratio(_ from: Double?, _ to: Double?) -> Double {
            guard let from, let to, from > 0 else { return 1 }
            return to / from
        }
        var demand = self
        demand.lookupsPerDeviceDay *= ratio(base.lookupsPerDeviceDay, other.lookupsPerDeviceDay)
        demand.egressBytesPerDay *= ratio(base.egressBytesPerDay, other.egressBytesPerDay)
        demand.ingressBytesPerDay *= ratio(base.ingressBytesPerDay, other.ingressBytesPerDay)
        demand.downloadBytesPerDay *= ratio(base.downloadBytesPerDay, other.downloadBytesPerDay)
        demand.percentiles = percentiles.map { latency in
            latency.scaled(
                ratio(
                    base.latency(latency.percentile, of: latency.group),
                    other.latency(latency.percentile, of: latency.group)))
        }
        for place in demand.regions.indices {
            let (from, to) = (
                base.regions.first { $0.name == regions[place].name },
                other.regions.first { $0.name == regions[place].name }
            )
            demand.regions[place].loads = regions[place].loads.map { load in
                load.scaled(
                    ratio(from?[load.service]?.meanCores, to?[load.service]?.meanCores),
                    seconds: ratio(from?[load.service]?.serviceSeconds, to?[load.service]?.serviceSeconds))
            }
        }
        return demand
    }
}

extension FleetDemand.Latency {
    fileprivate func scaled(_ factor: Double) -> Self {
        with(seconds * factor, high: high.map { $0 * factor })
    }
}
