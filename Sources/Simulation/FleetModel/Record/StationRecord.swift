import EventSimulation

/// One region over the observed period.
package struct RegionRecord: Codable, Hashable, Sendable {
    package let name: String
    /// Requests that devices sent there, and those of devices that are nearer to another region.
    package var requests = 0
    package var diverted = 0
    /// One for each role.
    package var stations: [Part: StationRecord] = [:]

    package init(name: String) { self.name = name }
}

/// One station over the observed period.
package struct StationRecord: Codable, Hashable, Sendable {
    package var servers = 0
    /// Mean share of servers that were busy.
    package var utilization = 0.0
    package var meanQueue = 0.0
    package var longestQueue = 0
    /// Requests that came; equals completions, rejections and dropped requests, and those present at the end, less
    /// those present at the start.
    package var arrivals = 0
    package var completions = 0
    package var rejections = 0
    /// Waiting requests that were lost when the part went down.
    package var dropped = 0
    /// Requests that wait or are in service at the end, and at the start of the observed period.
    package var present = 0
    package var presentAtStart = 0
    /// Requests at the station over time, and busy servers over time, in seconds.
    package var presentSeconds = 0.0
    package var busySeconds = 0.0
    /// Servers in operation over time, in seconds.
    package var availableSeconds = 0.0
    /// Instances over time, in seconds; `nil` for a service that does not scale.
    package var instanceSeconds: Double?
    /// Mean share of busy servers in each interval of the series inside the observed period.
    package var intervalUtilizations: [Double] = []
    /// Mean number of waiting requests in each of those intervals.
    package var intervalQueues: [Double] = []
    /// Each by itself; a single one for `pooled`.
    package var instances: [InstanceRecord] = []

    /// Mean share of busy servers in the busiest interval of the series; over the whole observed period when that
    /// is shorter than an interval.
    package var peakUtilization: Double { intervalUtilizations.max() ?? utilization }
}

/// One instance of a station over the observed period.
package struct InstanceRecord: Codable, Hashable, Sendable {
    package var arrivals: Int
    /// Mean share of its servers that were busy.
    package var utilization: Double
    package var meanQueue: Double
}

extension World {
    mutating func endObservation(at now: SimulatedTime) {
        let interval = configuration.seriesInterval
        for station in stations.indices { stations[station].endObservation(at: now, interval: interval) }
        for role in Set(stations.map(\.part.role)) {
            record.stations[role] = Station.record(
                of: stations.filter { $0.part.role == role }, at: now, interval: interval)
        }
        for region in record.regions.indices {
            for station in stations where station.region == region {
                record.regions[region].stations[station.part.role] = Station.record(
                    of: [station], at: now, interval: interval)
            }
        }
    }
}
