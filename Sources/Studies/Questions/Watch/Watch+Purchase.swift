import FleetModel
import Foundation
import Scenarios
import Statistics

extension Watch {
    /// Consequences of the levels that were seen for the servers.
    func purchase(_ streams: [WatchResult.Stream]) -> WatchResult.Purchase? {
        func level(_ name: WatchResult.Stream.Name) -> PlannedStream.Level? {
            streams.first { $0.name == name }?.level
        }
        guard let lookups = level(.lookups) else { return nil }
        let time = level(.time)
        func load(_ service: Part, _ value: (PlannedStream.Level) -> Double) -> Double {
            value(lookups) * fleet * (service == .pir ? time.map(value) ?? 1 : 1)
        }
        guard
            let fill = plan.fill.max(by: {
                $0.share * load($0.service, \.value) < $1.share * load($1.service, \.value)
            })
        else { return nil }
        let now = fill.share * load(fill.service, \.value)
        var purchase = WatchResult.Purchase(
            region: fill.region, service: fill.service, planned: fill.share, now: now,
            most: fill.share * load(fill.service, \.high))
        if let growth = plan.growth, growth > 0, now > 0 {
            purchase.months = max(0, -log(now) / log(1 + growth))
        }
        guard let (planner, bought) = plan.bought else { return purchase }
        var other = planner
        other.demand = planner.demand.scaled(
            traffic: lookups.value * fleet, devices: fleet, answers: time?.value ?? 1)
        let needed = other.plan()
        (purchase.cores, purchase.total) = (bought.cores, other.describe(bought).total)
        (purchase.neededCores, purchase.neededTotal) = (needed?.cores, needed?.total)
        purchase.currency = planner.prices.currency
        return purchase
    }

    /// The plan's scenario with the levels that were seen: visits or lookups of a device, CPU time of the PIR servers,
    /// and devices where somebody counted them.
    ///
    /// What a trace browses is not changed, as it is what it is.
    package func scenario(_ result: WatchResult) throws -> String {
        var changed = plan.file
        if let devices = options.devices { changed = try changed.scalingDevices(to: devices) }
        var notes = [
            "# updated by urlfilter watch from \(result.observed), until"
                + " \(Date(timeIntervalSince1970: result.to).ISO8601Format()); over what was planned:"
        ]
        for stream in result.streams where stream.name != .refused {
            guard let level = stream.level else { continue }
            notes.append(
                "# \(stream.name.rawValue): \(LogFit.text(level.value)) (\(LogFit.text(level.low)) to"
                    + " \(LogFit.text(level.high)))")
        }
        if let lookups = result[.lookups]?.level?.value, lookups > 0 {
            changed = try changed.setting(lookups: lookups, in: plan.scenario)
        }
        if let time = result[.time]?.level?.value {
            let regions = plan.scenario.services.regions
            let stations: [(region: String?, factor: Double)] =
                regions.isEmpty
                ? [(nil, plan.scenario.services[.pir].cpuFactor)]
                : regions.map { ($0.name, $0[.pir].cpuFactor) }
            for station in stations {
                let place = SettingPlace.service(.pir, region: station.region)
                changed = try changed.setting(
                    Schema.station.set(\.cpuFactor, LogFit.text(station.factor * time), in: place))
            }
        }
        return notes.joined(separator: "\n") + "\n" + (try changed.textOfOnePoint())
    }
}

extension ScenarioFile {
    /// So many times the lookups of a device: by its visits where it browses.
    fileprivate func setting(lookups factor: Double, in scenario: Scenario) throws -> ScenarioFile {
        var changed = self
        for (index, group) in scenario.devices.enumerated() {
            switch group.browsing {
            case .lookups(let traffic):
                changed = try changed.setting(
                    Schema.lookups.set(
                        \.perDay, LogFit.text(traffic.perDay * factor), in: Schema.lookups.place(of: index)))
            case .profile:
                let path = Schema.browsing.path(\.visitScale, in: Schema.browsing.place(of: group.name))
                let known = scenario.settings.first { $0.path == path }.flatMap { Double($0.value) } ?? 1
                changed = try changed.setting(
                    Schema.browsing.set(
                        \.visitScale, LogFit.text(known * factor), in: Schema.browsing.place(of: index)))
            case .trace: continue
            }
        }
        return changed
    }
}
