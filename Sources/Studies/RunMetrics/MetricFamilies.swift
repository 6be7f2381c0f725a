package import FleetModel
package import URLFilter

/// Metrics of each part with servers.
package struct StationMetrics: Sendable {
    package let part: Part
    package let utilization: Metric
    /// Utilization of the busiest interval of the series.
    package let busiest: Metric
    /// Utilization of the instance that was busiest over the whole period; absent for a single queue.
    package let busiestInstance: Metric
    /// Utilization of the region that was busiest over the whole period; absent where regions have no names.
    package let busiestRegion: Metric
    /// Mean number of instances, and instance-hours; absent for a service that does not scale.
    package let instances: Metric
    package let instanceHours: Metric
    package let queue: Metric
    package let longestQueue: Metric
    /// Mean time in the queue of everything that came, answered or not, by Little's law.
    package let waiting: Metric

    package init(_ part: Part) {
        self.part = part
        utilization = .amount("\(part).utilization", "mean", .share, .lower) {
            $0.stations[part]?.utilization
        }
        busiest = .amount("\(part).utilization", "max", .share) { $0.stations[part]?.peakUtilization }
        busiestInstance = .amount("\(part).utilization", "busiestInstance", .share, .lower) {
            guard let instances = $0.stations[part]?.instances, instances.count > 1 else { return nil }
            return instances.lazy.map(\.utilization).max()
        }
        busiestRegion = .amount("\(part).utilization", "busiestRegion", .share, .lower) {
            $0.regions.compactMap { $0.stations[part]?.utilization }.max()
        }
        instances = .amount("\(part).instances", "mean", .number) { record in
            guard record.observedSeconds > 0 else { return nil }
            return record.stations[part]?.instanceSeconds.map { $0 / record.observedSeconds }
        }
        instanceHours = .amount("\(part).instances", "hours", .number, .lower) {
            $0.stations[part]?.instanceSeconds.map { $0 / 3600 }
        }
        queue = .amount("\(part).queue", "mean", .number, .lower) { $0.stations[part]?.meanQueue }
        longestQueue = .peak("\(part).queue", "max", .lower) { $0.stations[part]?.longestQueue }
        waiting = .amount("\(part).waiting", "mean", .seconds, .lower) { record in
            record.stations[part].flatMap { station in
                station.arrivals > 0
                    ? station.meanQueue * record.observedSeconds / Double(station.arrivals) : nil
            }
        }
    }

    /// Metrics in the order of the report.
    package var all: [Metric] {
        [
            utilization, busiest, busiestInstance, busiestRegion, instances, instanceHours, queue,
            longestQueue,
            waiting,
        ]
    }
}

/// Metrics of each region. Its name is in the scenario, so these are not in ``Metric/all``.
package struct RegionMetrics: Sendable {
    package struct Station: Sendable {
        package let part: Part
        package let utilization: Metric
        /// Utilization of the busiest interval of the series.
        package let busiest: Metric
    }

    package let name: String
    package let perDay: Metric
    /// Requests of devices that are nearer to another region.
    package let diverted: Metric
    package let stations: [Station]

    package init(_ name: String) {
        self.name = name
        @Sendable func region(_ record: ReplicationRecord) -> RegionRecord? {
            record.regions.first { $0.name == name }
        }
        perDay = .amount("\(name).requests", "perDay", .number) { record in
            guard record.observedSeconds > 0 else { return nil }
            return region(record).map { Double($0.requests) / record.observedSeconds * 86_400 }
        }
        diverted = .share("\(name).diverted", .lower) {
            region($0)?.diverted ?? 0
        } of: {
            region($0)?.requests ?? 0
        }
        stations = URLFilterModel.stations.map { part in
            Station(
                part: part,
                utilization: .amount("\(name).\(part).utilization", "mean", .share) {
                    region($0)?.stations[part]?.utilization
                },
                busiest: .amount("\(name).\(part).utilization", "max", .share) {
                    region($0)?.stations[part]?.peakUtilization
                })
        }
    }

    /// Metrics in the order of the report.
    package var all: [Metric] { [perDay, diverted] + stations.flatMap { [$0.utilization, $0.busiest] } }
}

/// Metrics of the traffic of each endpoint.
package struct EndpointMetrics: Sendable {
    /// Encapsulated messages of one direction.
    package struct Sizes: Sendable {
        package let mean: Metric
        package let p50: Metric
        package let p99: Metric
        package let max: Metric

        var all: [Metric] { [mean, p50, p99, max] }
    }

    package let endpoint: Endpoint
    package let requests: Metric
    /// Requests of the busiest second.
    package let peak: Metric
    package let request: Sizes
    package let response: Sizes

    package init(_ endpoint: Endpoint) {
        self.endpoint = endpoint
        let name = endpoint.rawValue
        requests = .count("\(name).requests") { $0.urlFilter.endpoints[endpoint]?.requests }
            .with(\.series, endpoint == .issue ? .init { Double($0.tokens) } : nil)
        peak = .peak("\(name).requests", "peak") { $0.urlFilter.endpoints[endpoint]?.peakPerSecond }
        func size(
            _ direction: String, _ statistic: String,
            _ read: @escaping @Sendable (EndpointTraffic) -> Double?
        ) -> Metric {
            .amount("\(name).\(direction)", statistic, .bytes) {
                $0.urlFilter.endpoints[endpoint].flatMap(read)
            }
        }
        // Without a request there is no size, neither of it nor of its response.
        @Sendable func some(_ traffic: EndpointTraffic, _ size: Int?) -> Double? {
            traffic.requests > 0 ? size.map(Double.init) : nil
        }
        request = Sizes(
            mean: size("request", "mean") { Metric.ratio($0.requestBytes, $0.requests) },
            p50: size("request", "p50") { some($0, $0.requestSizes.quantile(0.5)) },
            p99: size("request", "p99") { some($0, $0.requestSizes.quantile(0.99)) },
            max: size("request", "max") { some($0, $0.largestRequest) }.with(\.isLargest, true))
        response = Sizes(
            mean: size("response", "mean") { Metric.ratio($0.responseBytes, $0.responses) },
            p50: size("response", "p50") { some($0, $0.responseSizes.quantile(0.5)) },
            p99: size("response", "p99") { some($0, $0.responseSizes.quantile(0.99)) },
            max: size("response", "max") { some($0, $0.largestResponse) }.with(\.isLargest, true))
    }

    /// Metrics in the order of the report.
    package var all: [Metric] { [requests, peak] + request.all + response.all }
}

/// Metrics of what crosses the relay from one continent, or from everywhere.
package struct RelayMetrics: Sendable {
    /// `EU` or another code of a continent; `all` for everything.
    package let region: String
    package let perDay: Metric
    package let peakSecond: Metric
    package let peakMinute: Metric
    /// Requests above the quotas; absent without quotas.
    package let refused: Metric

    package init(_ continent: Continent?) {
        region = continent?.rawValue ?? "all"
        let name = "relay.requests" + (continent.map { "." + $0.rawValue } ?? "")
        @Sendable func traffic(_ record: ReplicationRecord) -> RelayTraffic? {
            continent.map { record.continents[$0] } ?? record.relay
        }
        // The series does not tell continents apart.
        let series = continent == nil ? Metric.Series { Double($0.requests) } : nil
        perDay = .amount(name, "perDay", .number) { record in
            guard record.observedSeconds > 0 else { return nil }
            return traffic(record).map { Double($0.requests) / record.observedSeconds * 86_400 }
        }.with(\.series, series)
        peakSecond = .peak(name, "peakSecond") { traffic($0)?.peakPerSecond }
        peakMinute = .peak(name, "peakMinute") { traffic($0)?.peakPerMinute }
        refused = .count(name, "refused", .lower) { traffic($0)?.refused }
    }

    /// Metrics in the order of the report.
    package var all: [Metric] { [perDay, peakSecond, peakMinute, refused] }
}
