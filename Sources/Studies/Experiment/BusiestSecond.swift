import EventSimulation
import FleetModel
import Scenarios
package import URLFilter

/// The second with the most requests through the relay in any replication, and what it is made of.
package struct BusiestSecond: Codable, Equatable, Sendable {
    /// Why so many came at once.
    package enum Cause: String, Codable, Sendable {
        /// Something failed, or had failed less than a minute before.
        case fault
        /// Devices without anything began, or had begun less than a minute before.
        case launch
        /// A new edition of the list was published less than a minute before.
        case edition
        /// One device sent at least half of them in a row.
        case batch
        /// Nothing but the number of devices.
        case many
    }

    package var replication: UInt32
    /// Seconds since the simulation began.
    package var time: Int64
    package var requests: Int
    package var endpoints: [Endpoint: Int]
    /// Most that one device sent in a row.
    package var largestBatch: Int
    package var cause: Cause
    /// The fault of ``Cause/fault``.
    package var fault: String?
    /// Path of what changes it first; absent where nothing does but fewer devices.
    package var setting: String?
}

extension ResultBuilder {
    /// How long the whole fleet reacts to a fault or an edition, seconds; an assumption.
    private static let reaction = 60.0

    /// - Returns: `nil` where nothing crossed the relay.
    func busiestSecond() -> BusiestSecond? {
        let fullest = records.max { $0.relay.busiestSecond.requests < $1.relay.busiestSecond.requests }
        guard let fullest, fullest.relay.busiestSecond.requests > 0 else { return nil }
        let second = fullest.relay.busiestSecond
        let endpoints = Endpoint.allCases.compactMap { endpoint -> (Endpoint, Int)? in
            let place = endpoint.place
            guard second.kinds.indices.contains(place), second.kinds[place] > 0 else { return nil }
            return (endpoint, second.kinds[place])
        }
        let fault = preparation.configuration.faults.first {
            ($0.begin.seconds.rounded(.down)...$0.end.seconds + Self.reaction).contains(Double(second.time))
        }
        let isBatch = 2 * second.largestBatch >= second.requests
        let cause: BusiestSecond.Cause =
            fault != nil
            ? .fault
            : isLaunch(second.time)
                ? .launch : followsEdition(second.time) ? .edition : isBatch ? .batch : .many
        return BusiestSecond(
            replication: fullest.replication, time: second.time, requests: second.requests,
            endpoints: Dictionary(uniqueKeysWithValues: endpoints), largestBatch: second.largestBatch,
            cause: cause, fault: fault.map { "\($0)" },
            setting: setting(of: cause, most: endpoints.max { $0.1 < $1.1 }?.0))
    }

    /// A roll-out of days has editions of its own.
    private func isLaunch(_ time: Int64) -> Bool {
        let configuration = preparation.configuration
        let begins = configuration.groups.filter(configuration.startsCold).map(\.usage.rollOut.seconds)
        guard let last = begins.max(), Double(time) <= last + Self.reaction else { return false }
        return Double(time) <= Self.reaction || !followsEdition(time)
    }

    private func followsEdition(_ time: Int64) -> Bool {
        let prefilter = preparation.configuration.urlFilter.prefilter
        guard let interval = prefilter.republishInterval?.seconds, interval > Self.reaction else {
            return false
        }
        let since = Double(time) - (prefilter.firstPublication?.seconds ?? interval)
        return since >= -1 && since.truncatingRemainder(dividingBy: interval) <= Self.reaction
    }

    private func setting(of cause: BusiestSecond.Cause, most endpoint: Endpoint?) -> String? {
        switch cause {
        case .batch where endpoint == .issue: Schema.tokens.path(\.backgroundLimit)
        case .launch: Schema.devices.path(\.rollOut, in: SettingPlace.everyDevice)
        case .edition: Schema.updates.path(\.every)
        default: nil
        }
    }
}
