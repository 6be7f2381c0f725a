import Decoding
import FleetModel
import Scenarios

/// Several tenants on the same gateway, issuer and PIR servers, as one fleet: the plan of servers then is the one that
/// any fleet has.
///
/// Loads are added by the time of the day, on each tenant's busiest weekday, since scenarios have one clock. Poisson
/// arrivals stay so when they are added; service times are the mixture. Every PIR server has all databases, and the
/// keys of each tenant as one of that tenant's servers would. The objectives of each tenant are about its devices.
package struct SharedCluster: Sendable {
    package let tenants: [Tenant]
    package internal(set) var planner: ServerPlanner
    /// Tenant of each latency limit of the planner's rule.
    let owners: [Int]

    package init(_ tenants: [Tenant]) {
        precondition(!tenants.isEmpty, "a cluster has tenants")
        self.tenants = tenants
        let planners = tenants.map(\.planner)
        func name(_ tenant: Int, _ group: String?) -> String {
            tenants[tenant].name + (group.map { ": \($0)" } ?? "")
        }
        var rule = planners[0].rule
        rule.latencies = []
        var owners: [Int] = []
        for (index, planner) in planners.enumerated() {
            for var latency in planner.rule.latencies {
                latency.group = name(index, latency.group)
                rule.latencies.append(latency)
                owners.append(index)
            }
            rule.targetUtilization = min(rule.targetUtilization, planner.rule.targetUtilization)
        }
        rule.mostMemory = planners.compactMap(\.rule.mostMemory).min()
        rule.servedIn = nil
        self.owners = owners
        let geographies = planners.map(\.geography)
        var geography = Geography(
            delays: geographies.flatMap(\.delays), devices: geographies.flatMap(\.devices),
            allowed: geographies.contains { $0.allowed != nil }
                ? geographies.flatMap { own in
                    own.allowed ?? own.delays.map { $0.map { _ in true } }
                } : nil,
            names: geographies.enumerated().flatMap { index, own in
                own.names?.map { name(index, $0) } ?? own.devices.map { _ in "" }
            })
        geography.owners = geographies.enumerated().flatMap { index, own in
            own.devices.map { _ in tenants[index].name }
        }
        var demand = FleetDemand(planners.map(\.demand))
        demand.percentiles = planners.enumerated().flatMap { index, planner in
            planner.demand.percentiles.map { latency in
                var latency = latency
                latency.group = name(index, latency.group)
                return latency
            }
        }
        planner = ServerPlanner(
            demand, rule: rule, prices: planners[0].prices, geography: geography, keys: planners[0].keys)
        (planner.scaling, planner.threads) = (planners[0].scaling, planners[0].threads)
        planner.fetchesPerDeviceDay =
            planners.reduce(0) { $0 + $1.fetchesPerDay } / Double(max(1, demand.devices))
    }
}

extension FleetDemand {
    /// The demand of several fleets together, without times of lookups and without days of other kinds.
    ///
    /// - Parameter demands: With the same regions in the same order.
    fileprivate init(_ demands: [FleetDemand]) {
        self = demands[0]
        func sum(_ value: (FleetDemand) -> Double) -> Double { demands.reduce(0) { $0 + value($1) } }
        devices = demands.reduce(0) { $0 + $1.devices }
        sample = demands.reduce(0) { $0 + $1.sample }
        replications = demands.map(\.replications).min() ?? 0
        let all = Double(max(1, devices))
        lookupsPerDeviceDay = sum { $0.lookupsPerDeviceDay * Double($0.devices) } / all
        evaluationKeyBytes = sum { $0.evaluationKeyBytes * Double($0.devices) } / all
        (lookupsInterval, lookupsPerMeanDay) = (nil, nil)
        egressBytesPerDay = sum(\.egressBytesPerDay)
        ingressBytesPerDay = sum(\.ingressBytesPerDay)
        downloadBytesPerDay = sum(\.downloadBytesPerDay)
        databaseBytes = sum(\.databaseBytes)
        shards = demands.map(\.shards).max() ?? 1
        if demands.contains(where: { $0.week != demands[0].week }) { week = nil }
        (leakedShare, askedShare, listedShare) = (nil, nil, nil)
        (percentiles, days) = ([], [])
        let days = demands.map(\.byTimeOfDay)
        // Money goes by the bytes that are sent.
        let bytes = sum(\.egressBytesPerDay)
        regions = regions.indices.map { place in
            Region(
                name: demands[0].regions[place].name,
                loads: URLFilterModel.stations.map { part in
                    Load.sum(days.map { ($0[place][part], 1) }, service: part)
                },
                share: zip(demands, days).reduce(0) { sum, own in
                    let weight =
                        bytes > 0 ? own.0.egressBytesPerDay / bytes : Double(own.0.devices) / all
                    return sum + weight * own.1[place].share
                })
        }
        (seriesStart, interval) = (0, Double(Load.width))
    }

    /// Regions whose loads have a value for each five minutes of a day.
    var byTimeOfDay: [Region] {
        regions.map { region in
            var region = region
            region.loads = region.loads.map { $0.byTimeOfDay(from: seriesStart, width: interval) }
            return region
        }
    }
}

extension FleetDemand.Load {
    /// The busiest of all days at each time of a day; what was not simulated is as the busiest time of all.
    ///
    /// - Parameters:
    ///   - start: Of the series, seconds of the simulated clock.
    ///   - width: Of its intervals, seconds.
    func byTimeOfDay(from start: Double, width: Double) -> Self {
        let slots = 86_400 / Self.width
        var day: [Double?] = Array(repeating: nil, count: slots)
        for index in series.indices {
            let (begin, end) = (start + Double(index) * width, start + Double(index + 1) * width)
            let first = Int(saturating: (begin / Double(Self.width)).rounded(.down))
            let last = max(first + 1, Int(saturating: (end / Double(Self.width)).rounded(.up)))
            for slot in first..<min(last, first + slots) {
                day[slot % slots] = max(day[slot % slots] ?? 0, series[index])
            }
        }
        var load = self
        load.series = day.map { $0 ?? series.max() ?? 0 }
        load.minutes = nil
        load.variability = variability ?? StationForm(self).variability
        return load
    }
}
