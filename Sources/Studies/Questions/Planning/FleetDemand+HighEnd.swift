import Experiment

extension FleetDemand {
    /// The most that the sample leaves open: every peak, and the way of a lookup, at the upper end of its interval.
    var atHighEnd: FleetDemand {
        var demand = atEnd(peak: \.peakHigh, lookups: \.high)
        demand.percentiles = percentiles.map {
            $0.with(max($0.seconds, $0.high ?? $0.seconds), high: nil)
        }
        return demand
    }

    /// The least that the sample leaves open of peaks and bytes; the way of a lookup stays.
    var atLowEnd: FleetDemand { atEnd(peak: \.peakLow, lookups: \.low) }

    /// Peaks at an end of their intervals, and bytes as the lookups there; prefilters go with devices.
    private func atEnd(
        peak: KeyPath<Load, Double>, lookups: KeyPath<Interval, Double>
    ) -> FleetDemand {
        var demand = self
        for place in demand.regions.indices {
            demand.regions[place].loads = regions[place].loads.map { load in
                load.peakCores > 0 ? load.scaled(load[keyPath: peak] / load.peakCores, seconds: 1) : load
            }
        }
        let factor = lookupsInterval.map { $0[keyPath: lookups] / lookupsPerDeviceDay } ?? 1
        if factor.isFinite {
            demand.egressBytesPerDay *= factor
            demand.ingressBytesPerDay *= factor
        }
        return demand
    }
}
