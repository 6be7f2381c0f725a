import EventSimulation
import FleetModel
package import Scenarios
import URLFilter

/// Lookups that get no verdict after servers are lost, by closed form from the settings.
///
/// Servers are gone for a time L. Until a health check has seen it, for d in the mean, their devices get no answer.
/// Then they ask the next servers, which have no key of theirs until each has fetched its configuration: R after the
/// last time, spread evenly, so that 1 - t / R still wait after t. When the servers are back, those that had a new key
/// made elsewhere, the lesser of 1 and L / R, ask with a key that these do not know, and 1 - t / R of all still wait
/// for their next configuration. What comes of waits, of full servers and of lookups that are repeated is left out.
package struct OutageLaw: Equatable, Sendable {
    /// How long the servers are gone, seconds. Assumption.
    package static let usualLength = 3_600.0

    package var length = Self.usualLength
    /// Mean seconds until a health check takes a region out, or brings it back.
    package var detection: Double
    /// Seconds from one fetch of the configuration to the next.
    package var refetch: Double
    /// Share of the devices that learn there only that their key is missing; others send one with the next lookup.
    package var waitingShare: Double
    /// Share of verdicts by policy up to which the fleet counts as healthy.
    package var healthyFailures: Double
    /// The policy lets a URL through that nobody decides about.
    package var failsOpen: Bool

    package init(
        detection: Double, refetch: Double, waitingShare: Double = 1, healthyFailures: Double,
        failsOpen: Bool
    ) {
        self.detection = detection
        self.refetch = refetch
        self.waitingShare = waitingShare
        self.healthyFailures = healthyFailures
        self.failsOpen = failsOpen
    }

    package init(_ scenario: Scenario) {
        let devices = scenario.devices.reduce(0.0) { $0 + Double($1.count) }
        let waiting = scenario.devices.reduce(0.0) { sum, group in
            sum + Double(group.count)
                * group.systems.reduce(0) { $0 + ($1.rules.queryKeyShare == nil ? $1.share : 0) }
        }
        self.init(
            detection: Self.detection(scenario.services.healthCheck),
            refetch: scenario.behaviour.configurationRefetch.seconds,
            waitingShare: devices > 0 ? waiting / devices : 1,
            healthyFailures: scenario.health.failureShare, failsOpen: scenario.filter.policy == .failOpen)
    }

    /// The law of a scenario that names none of its settings.
    package static var usual: OutageLaw {
        get throws {
            let settings = try SettingsReader.defaults()
            let check = Schema.healthCheck
            return OutageLaw(
                detection: detection(
                    HealthCheck(
                        interval: try settings(check.interval), threshold: try settings(check.threshold))),
                refetch: try settings(Schema.behaviour.configurationRefetch).seconds,
                healthyFailures: try settings(Schema.health.failureShare),
                failsOpen: try !settings(Schema.filter.shouldFailClosed))
        }
    }

    private static func detection(_ check: HealthCheck) -> Double {
        (Double(check.threshold) - 0.5) * check.interval.seconds
    }

    /// Servers that are lost.
    package enum Loss: Sendable {
        /// All of a region, which keeps what it has.
        case region
        /// One of so many with the keys of its own users only, which it forgets; others take over at once.
        case instance(of: Int)
    }

    /// Consequences of a loss.
    package struct Outcome: Codable, Equatable, Sendable {
        /// Share of a day's visits to what hits a prefilter that get no verdict.
        package var failedShare: Double
        /// Seconds from the servers' return until so few lookups fail that the fleet counts as healthy.
        package var recovery: Double
    }

    /// Chance that a lookup of the lost servers' devices gets no verdict, so many seconds after the loss.
    package func failing(_ time: Double, after loss: Loss) -> Double {
        guard time >= 0 else { return 0 }
        let (delay, keepsKeys) =
            switch loss {
            case .region: (detection, true)
            case .instance: (0.0, false)
            }
        // Back before anybody has noticed.
        guard delay < length else { return time < length ? 1 : 0 }
        guard time >= delay else { return 1 }
        let (away, back) = (time - delay, time - delay - length)
        guard back >= 0 else { return waitingShare * max(0, 1 - away / refetch) }
        let renewed = keepsKeys ? min(1, length / refetch) : 1
        return waitingShare * max(0, min(renewed, 1 - back / refetch))
    }

    /// The outcome of a loss at the busiest time of those servers.
    ///
    /// - Parameters:
    ///   - lost: Work of the lost region in successive intervals of a day, which begins again where it ends.
    ///   - all: The same of all regions, in as many intervals.
    ///   - width: Of an interval, seconds.
    ///   - stranded: Share of the lost servers' devices that no others may serve: they wait until these are back, which
    ///     have their keys.
    /// - Returns: `nil` without any work.
    package func outcome(
        of loss: Loss, lost: [Double], all: [Double], width: Double, stranded: Double = 0
    ) -> Outcome? {
        let mean = all.reduce(0, +) / Double(max(all.count, 1))
        guard mean > 0, lost.count == all.count, let begin = lost.indices.max(by: { lost[$0] < lost[$1] })
        else { return nil }
        let share =
            switch loss {
            case .region: 1.0
            case .instance(let count): 1 / Double(max(count, 1))
            }
        let end = length + detection + refetch
        let step = end / Double(Self.steps)
        var (failed, unhealthy) = (0.0, length)
        for index in 0..<Self.steps {
            let time = (Double(index) + 0.5) * step
            let place = (begin + Int(time / width)) % all.count
            let waiting = stranded * (time < length ? 1 : 0)
            let failures = lost[place] * share * (waiting + (1 - stranded) * failing(time, after: loss))
            if time < 86_400 { failed += failures * step }
            if time > length, failures > healthyFailures * all[place] { unhealthy = time }
        }
        return Outcome(failedShare: min(1, failed / (mean * 86_400)), recovery: unhealthy - length)
    }

    private static let steps = 10_000
}
