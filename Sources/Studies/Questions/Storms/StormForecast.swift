import Decoding
import EventSimulation
import Experiment
import FleetModel
package import Scenarios
import URLFilter

/// Storms that a plan's servers have to bear at their busiest time, what each costs of a month's error budget, and how
/// far a bad roll-out reaches.
package struct StormForecast: Codable, Equatable, Sendable {
    package enum Kind: String, Codable, Sendable, CaseIterable {
        /// Lookups that failed while the servers were gone, once more each.
        case retries
        /// All devices that are told something open one page that needs a lookup.
        case push
        /// All devices fetch an edition when it is there, and not each at its own time.
        case edition
        /// Devices of a region that is back, which asked another one before a health check saw it.
        case regionReturn
        /// Servers that restarted are slow for a while; only where the scenario has a cold start.
        case coldStart
    }

    /// One storm at the region that it is worst for.
    package struct Row: Codable, Equatable, Sendable {
        package var kind: Kind
        package var region: String?
        /// Seconds over which it comes, and where that is from.
        package var spread: Double
        package var source: String
        /// Cores, or for an edition bytes a second: there, busy anyway, and asked for.
        package var capacity: Double?
        package var base: Double
        package var demand: Double
        /// Longest wait and length, seconds, and share that is refused.
        package var longestWait: Double
        package var length: Double?
        package var refusedShare: Double
        /// Lookups that are refused.
        package var refused: Double
        /// Seconds of spread, or cores, that bear it within the plan's target.
        package var leastSpread: Double?
        package var needed: Double
        /// The setting that spreads it; absent where none does.
        package var knob: String?
        package var minutes: [StormLaw.Minute]
    }

    /// Lookups that one event of a kind costs, as a share of those that a month may lose.
    package struct Loss: Codable, Equatable, Sendable {
        package var event: String
        package var lookups: Double
        package var budgetShare: Double
    }

    /// A roll-out to a share first: what a bad one reaches until it is seen.
    package struct Canary: Codable, Equatable, Sendable {
        package enum Subject: String, Codable, Sendable {
            /// Devices that have a bad edition.
            case edition
            /// Lookups that a bad version of the PIR server answers.
            case server
        }

        package var subject: Subject
        package var share: Double
        /// Seconds until a bad one is seen.
        package var detection: Double
        package var reached: Double
    }

    package var rows: [Row]
    /// Share of lookups that has to succeed, and how many a month may fail.
    package var objective: Double
    package var budget: Double
    package var losses: [Loss]
    package var canaries: [Canary]

    /// An outage that lookups are repeated after, seconds. Assumption.
    package static let outage = 1_200.0
    /// Share of the devices that open what they are told, and the seconds in which they do. Assumption.
    package static let push = (share: 0.02, seconds: 60.0)
    /// Devices that are told of an edition fetch it within so long, seconds. Assumption.
    package static let edition = 60.0
    /// Share of lookups that has to succeed. Assumption.
    package static let objective = 0.999
    /// A bad edition or server is seen after so long, seconds. Assumption.
    package static let detection = 600.0

    /// - Parameters:
    ///   - planner: With the demand that the plan is for.
    ///   - scenario: As it is asked about.
    package init(_ planner: ServerPlanner, _ plan: ServerPlan, _ scenario: Scenario) {
        let placement = planner.placement(of: plan)
        let sites = zip(placement.there, plan.regions).compactMap { place, region -> Site? in
            region[.pir].map {
                Site(
                    name: region.name,
                    cores: Double($0.instances * $0.coresPerInstance)
                        * (placement.pauses(place, .pir)?.availability ?? 1),
                    load: placement.load(place, .pir), share: placement.share(place),
                    coldStart: scenario.services.byRegion(.pir)[place].coldStart)
            }
        }
        let maker = RowMaker(planner: planner, scenario: scenario)
        rows = Kind.allCases.compactMap { kind in
            sites.compactMap { maker.row(kind, at: $0, of: sites.count) }
                .max { ($0.demand / ($0.capacity ?? .infinity)) < ($1.demand / ($1.capacity ?? .infinity)) }
        }
        objective = Self.objective
        let lookups = planner.demand.lookupsPerDeviceDay * Double(planner.demand.devices) / 86_400
        let allowed = lookups * Prices.daysPerMonth * 86_400 * (1 - Self.objective)
        budget = allowed
        losses =
            rows.filter { $0.kind != .edition }.map { row in
                Loss(event: row.kind.rawValue, lookups: row.refused, budgetShare: row.refused / allowed)
            }
            + plan.states.compactMap { state in
                state.failedShare.map { share in
                    let failed = share * lookups * 86_400
                    return Loss(
                        event: state.situation.rawValue, lookups: failed, budgetShare: failed / allowed)
                }
            }
        canaries = Self.canaries(planner, plan, scenario, lookups: lookups)
    }

    private static func canaries(
        _ planner: ServerPlanner, _ plan: ServerPlan, _ scenario: Scenario, lookups: Double
    ) -> [Canary] {
        let interval = Double(nanoseconds: scenario.device.prefilterFetchInterval)
        // Devices fetch evenly over the interval.
        let fetched = min(1, detection / max(interval, 1))
        let editions = [0.01, 0.1, 1].map { share in
            Canary(
                subject: .edition, share: share, detection: detection,
                reached: Double(planner.demand.devices) * share * fetched)
        }
        let instances = plan.regions.compactMap { $0[.pir]?.instances }.reduce(0, +)
        let servers = Set([1, max(1, instances)]).sorted().map { count in
            let share = Double(count) / Double(max(1, instances))
            return Canary(
                subject: .server, share: share, detection: detection, reached: lookups * share * detection)
        }
        return editions + servers
    }

    /// A region's PIR servers.
    struct Site {
        var name: String?
        var cores: Double
        var load: FleetDemand.Load
        /// Share of the devices.
        var share: Double
        var coldStart: ColdStart?
    }
}

extension Scenario {
    /// Seconds after which a lookup is refused by the PIR servers, or its device does not wait any more.
    var patience: Double {
        min(services[.pir].queueTime?.seconds ?? .infinity, Double(nanoseconds: device.verdictTimeout))
    }
}

/// Makes the rows of a plan.
private struct RowMaker {
    let planner: ServerPlanner
    let scenario: Scenario

    /// - Parameter count: Regions with servers.
    func row(_ kind: StormForecast.Kind, at site: StormForecast.Site, of count: Int) -> StormForecast.Row? {
        let (load, seconds) = (site.load, max(site.load.serviceSeconds, 1e-9))
        let devices = Double(planner.demand.devices) * site.share
        switch kind {
        case .retries:
            return row(
                kind, site, work: load.peakCores * StormForecast.outage,
                spread: scenario.behaviour.retryCeiling.seconds,
                source: "after 20 min without servers, over the longest pause between tries",
                knob: "retryCeiling")
        case .push:
            return row(
                kind, site, work: devices * StormForecast.push.share * seconds,
                spread: StormForecast.push.seconds,
                source: "2 % of the devices open one page within a minute (assumption)", knob: nil)
        case .edition: return edition(site, devices: devices)
        case .regionReturn:
            guard count > 1, let outage = planner.outage else { return nil }
            return row(
                kind, site, work: load.peakCores * outage.detection,
                spread: scenario.services.healthCheck.interval.seconds,
                source: "lookups that failed until a health check saw it, within the next one",
                knob: "healthCheck.interval")
        case .coldStart:
            return site.coldStart.map { start in
                row(
                    kind, site, work: load.peakCores * (start.factor - 1) * start.seconds,
                    spread: start.seconds,
                    source: "all restart, and are as slow as at first for all of their cold start",
                    knob: Schema.station.coldStart.key)
            }
        }
    }

    private func row(
        _ kind: StormForecast.Kind, _ site: StormForecast.Site, work: Double, spread: Double, source: String,
        knob: String?
    ) -> StormForecast.Row {
        let law = StormLaw(
            cores: site.cores, base: site.load.peakCores, work: work, spread: max(spread, 1),
            patience: scenario.patience)
        let target = planner.rule.targetUtilization
        return StormForecast.Row(
            kind: kind, region: site.name, spread: law.spread, source: source, capacity: law.cores,
            base: law.base, demand: law.demand, longestWait: law.longestWait, length: law.length,
            refusedShare: law.refusedShare, refused: law.refused / max(site.load.serviceSeconds, 1e-9),
            leastSpread: law.leastSpread(utilization: target),
            needed: law.neededCores(utilization: target), knob: knob, minutes: law.minutes())
    }

    /// Bytes a second take the place of cores, and devices wait as long as it takes.
    private func edition(_ site: StormForecast.Site, devices: Double) -> StormForecast.Row? {
        let downloads = planner.demand.downloadBytesPerDay * site.share
        let updates = scenario.prefilter.updates
        guard let editions = updates.interval?.seconds, editions > 0, downloads > 0, devices > 0 else {
            return nil
        }
        let interval = Double(nanoseconds: scenario.device.prefilterFetchInterval)
        let bytes = downloads / devices * max(interval, editions) / 86_400
        let base = downloads / 86_400
        let width = scenario.prefilter.originBandwidth
        let law = StormLaw(
            cores: width ?? .infinity, base: 0, work: devices * bytes, spread: StormForecast.edition,
            patience: .infinity)
        return StormForecast.Row(
            kind: .edition, region: site.name, spread: law.spread,
            source: "each device is told and fetches within a minute (assumption)", capacity: width,
            base: base, demand: law.demand, longestWait: width == nil ? 0 : law.longestWait,
            length: width == nil ? law.spread : law.length, refusedShare: 0, refused: 0,
            leastSpread: width.flatMap { _ in law.leastSpread(utilization: planner.rule.targetUtilization) },
            needed: law.demand, knob: "filter.prefilterFetchInterval", minutes: [])
    }
}
