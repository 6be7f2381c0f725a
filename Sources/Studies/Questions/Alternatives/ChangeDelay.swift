import Decoding
import EventSimulation
import Experiment
import FleetModel
package import Scenarios
import URLFilter

/// How long after an edition is published a device blocks what is new in it, and allows what is gone: by closed form.
///
/// Devices that hold a list fetch it every so often, at times of their own; a list at a server is there when the server
/// has loaded it. Downloads take no time; cached answers and names, faults and devices that are off are left out.
package struct ChangeDelay: Codable, Equatable, Sendable {
    /// Over the devices of a fleet, seconds.
    package struct Time: Codable, Equatable, Sendable {
        package var mean: Double
        package var p95: Double
    }

    package var toBlock: Time
    package var toAllow: Time

    /// - Returns: `nil` for waits without a closed form.
    package init?(_ scenario: Scenario) {
        let interval = Double(nanoseconds: scenario.device.prefilterFetchInterval)
        let updates = scenario.prefilter.updates
        guard let mechanism = scenario.mechanism?.configuration else {
            self.init(
                FreshnessForecast(
                    fetchInterval: interval, refetchInterval: scenario.behaviour.configurationRefetch.seconds,
                    reloadDelay: updates.reloadDelay.seconds, appRestart: updates.appRestart,
                    changesConfiguration: updates.changesConfiguration))
            return
        }
        let fetched = Time(mean: interval / 2, p95: 0.95 * interval)
        let atOnce = Time(mean: 0, p95: 0)
        switch mechanism.keeper {
        case .server(let reload):
            let loaded = Time(mean: reload.seconds, p95: reload.seconds)
            self.init(toBlock: loaded, toAllow: loaded)
        case .device:
            // A server that is asked about every hit knows at once what is gone.
            self.init(toBlock: fetched, toAllow: mechanism.question == nil ? fetched : atOnce)
        }
    }

    private init(toBlock: Time, toAllow: Time) {
        self.toBlock = toBlock
        self.toAllow = toAllow
    }

    init?(_ forecast: FreshnessForecast) {
        guard let means = forecast.means,
            let block = forecast.seconds(untilShare: 0.95, of: forecast.blocks),
            let allow = forecast.seconds(untilShare: 0.95, of: forecast.allows)
        else { return nil }
        toBlock = Time(mean: means.toBlock, p95: block)
        toAllow = Time(mean: means.toAllow, p95: allow)
    }
}
