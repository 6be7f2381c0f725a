import EventSimulation
import FleetModel
import Scenarios
import URLFilter

/// Harms by cause.
extension ResultBuilder {
    /// - Returns: `nil` where none was seen.
    func harms(_ results: [MetricResult]) -> [HarmResult]? {
        let harms = Harm.allCases.compactMap { harm in
            results.first { $0.isOf(harm.metric) }.map {
                HarmResult(harm: harm, causes: causes(of: harm, $0))
            }
        }
        let seen = harms.filter { !$0.causes.isEmpty }
        return seen.isEmpty ? nil : seen
    }

    private func causes(of harm: Harm, _ total: MetricResult) -> [HarmResult.Cause] {
        let counts = records.reduce(into: [:]) { $0.merge($1.origins(of: harm), uniquingKeysWith: +) }
            .filter { $0.value > 0 }
        let all = counts.values.reduce(0, +)
        let order = counts.sorted { ($1.value, $0.key.order) < ($0.value, $1.key.order) }
        return order.map { origin, count in
            // Parts of the mean as it is shown, which a control may have corrected.
            let share = Double(count) / Double(all)
            let rate = total.perThousandDeviceDays.map { $0.value * share }
            return HarmResult.Cause(
                cause: origin.cause, failure: origin.failure, count: total.value * share, share: share,
                perThousandDeviceDays: rate, setting: setting(of: origin.cause),
                remedy: rate.flatMap { remedy(for: harm, origin, rate: $0) })
        }
    }

    private func setting(of cause: HarmCause) -> String? {
        let mechanism = preparation.scenario.mechanism.flatMap { _ in preparation.scenario.architecture }
        return switch cause {
        case .stale where mechanism == nil:
            waitsForApps ? Schema.updates.path(\.appRestart) : Schema.filter.path(\.prefilterFetchInterval)
        case .stale: Schema.updates.path(\.every)
        case .unmatchable, .grain, .wildcard: nil
        case .notCovered: Schema.devices.path(\.coverage)
        case .unknown: Schema.devices.path(\.unknownShare)
        case .undecided: Schema.filter.path(\.shouldFailClosed)
        case .late: Schema.filter.path(\.verdictTimeout)
        case .unserved: mechanism.map(Schema.instances)
        }
    }

    /// Devices fetch as often as they do at most, and their apps go on with what they had.
    private var waitsForApps: Bool {
        let configuration = preparation.configuration.urlFilter
        return configuration.prefilter.appRestart != nil
            && configuration.device.prefilterFetchInterval <= DeviceConstants.minimumPrefilterFetchInterval
    }

    private func remedy(for harm: Harm, _ origin: HarmOrigin, rate: Double) -> HarmRemedy? {
        guard preparation.scenario.mechanism == nil else { return nil }
        switch origin.cause {
        case .stale: return fetchOften(harm, rate: rate)
        case .undecided: return otherMode(origin.failure)
        default: return nil
        }
    }

    /// Fetching as often as devices do at most.
    private func fetchOften(_ harm: Harm, rate: Double) -> HarmRemedy? {
        guard let now = FreshnessForecast(preparation.scenario) else { return nil }
        var often = now
        let least = SimulatedDuration(nanoseconds: DeviceConstants.minimumPrefilterFetchInterval)
        often.fetchInterval = least.seconds
        guard often.fetchInterval < now.fetchInterval, let before = predictedShares(now),
            let after = predictedShares(often)
        else { return nil }
        let ratio = harm == .leaked ? after.new / before.new : after.removed / before.removed
        guard ratio.isFinite else { return nil }
        return HarmRemedy(
            value: "\(Int(least.seconds / 60))min", leaves: rate * ratio,
            cost: .downloads, amount: now.fetchInterval / often.fetchInterval)
    }

    /// The other fail mode decides the same URLs, each the other way.
    private func otherMode(_ failure: FailureCause?) -> HarmRemedy? {
        let closed = preparation.scenario.filter.policy == .failClosed
        let others = records.reduce(0) { sum, record in
            let harmed = closed ? record.urls.policyBlocks : record.urls.policyLeaks
            return sum
                + FailureCause.allCases.filter { failure == nil || $0 == failure }.reduce(0) {
                    $0 + record.urls.policyCauses[$1, default: 0] - harmed[$1, default: 0]
                }
        }
        let observed = (preparation.configuration.duration - warmUp.length).seconds
        let rate = DeviceDayRate(
            Double(others) / Double(records.count), nil, of: preparation.configuration.deviceCount,
            in: observed)
        return rate.map {
            HarmRemedy(
                value: closed ? "false" : "true", leaves: 0, cost: closed ? .leaks : .wrongBlocks,
                amount: $0.value)
        }
    }
}
