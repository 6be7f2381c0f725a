import Experiment
extension FleetDemand {
    /// The most that the sample leaves open: every peak, and the way of a lookup, at the upper end of its interval.
    var atHighEnd: FleetDemand {
        var demand = self
        for place in demand.regions.indices {
            demand.regions[place].loads = regions[place].loads.map { load in
                load.peakCores > 0 ? load.scaled(load.peakHigh / load.peakCores, seconds: 1) : load
            }
        }
        demand.percentiles = percentiles.map {
            Latency(percentile: $0.percentile, seconds: max($0.seconds, $0.high ?? $0.seconds))
        }
        demand.multiplyBytes(by: lookupsInterval.map { $0.high / lookupsPerDeviceDay })
        return demand
    }

    /// The least that the sample leaves open of peaks and bytes; the way of a lookup stays.
    var atLowEnd: FleetDemand {
        var demand = self
        for place in demand.regions.indices {
            demand.regions[place].loads = regions[place].loads.map { load in
                load.peakCores > 0 ? load.scaled(load.peakLow / load.peakCores, seconds: 1) : load
            }
        }
        demand.multiplyBytes(by: lookupsInterval.map { $0.low / lookupsPerDeviceDay })
        return demand
    }

    /// Bytes of lookups go with their number; prefilters go with devices.
    private mutating func multiplyBytes(by factor: Double?) {
        guard let factor, factor.isFinite else { return }
        egressBytesPerDay *= factor
        ingressBytesPerDay *= factor
    }
}
