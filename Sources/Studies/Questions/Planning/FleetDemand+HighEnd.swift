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
        return demand
    }
}
