import Decoding
import EventSimulation
package import FleetModel
import Foundation
package import Statistics

/// Mean rates over the day of what devices send and servers work, and how both scatter.
package struct ArrivalResult: Codable, Equatable, Sendable {
    /// Requests from one part of the world.
    package struct Requests: Codable, Equatable, Sendable {
        /// `nil` for everything.
        package var continent: Continent?
        package var intensity: ArrivalIntensity
    }

    /// Busy seconds of one service in one region.
    package struct Work: Codable, Equatable, Sendable {
        /// Place among the scenario's regions.
        package var region: Int
        package var service: Part
        package var intensity: ArrivalIntensity
    }

    package var requests: [Requests]
    package var work: [Work]
    /// Seconds of the clock that were observed.
    package var period: Range<Int>

    /// - Returns: `nil` for records without logs.
    init?(_ records: [ReplicationRecord], _ configuration: FleetConfiguration, warmUp: SimulatedDuration) {
        let logs = records.compactMap(\.arrivals)
        guard !logs.isEmpty, logs.count == records.count else { return nil }
        let start = Int(saturating: warmUp.seconds.rounded(.up))
        let period = start..<max(start, Int(saturating: configuration.duration.seconds))
        self.period = period
        func intensity(_ isWanted: (ArrivalLog.Flow) -> Bool) -> ArrivalIntensity? {
            ArrivalIntensity(
                replications: logs.map { log in
                    let wanted = log.flows.map(isWanted)
                    return log.numbers.indices.compactMap { index in
                        wanted[Int(log.numbers[index])]
                            ? .init(
                                second: Int(log.seconds[index]), unit: Int(log.units[index]),
                                amount: Double(log.amounts[index])) : nil
                    }
                }, unitCount: ArrivalLog.unitCount, period: period)
        }
        var flows: [ArrivalLog.Flow] = []
        for flow in logs.flatMap(\.flows) where !flows.contains(flow) { flows.append(flow) }
        requests = []
        work = []
        for flow in flows {
            guard let found = intensity({ $0 == flow }) else { continue }
            switch flow {
            case .requests(let continent?): requests.append(Requests(continent: continent, intensity: found))
            case .requests(nil): continue
            case .work(let region, let part):
                work.append(Work(region: region, service: part, intensity: found))
            }
        }
        let all = intensity {
            if case .requests = $0 { true } else { false }
        }
        if let all { requests.append(Requests(continent: nil, intensity: all)) }
    }

    /// - Parameter continent: `nil` for everything.
    package func requests(_ continent: Continent?) -> ArrivalIntensity? {
        requests.first { $0.continent == continent }?.intensity
    }

    package func work(_ service: Part, region: Int) -> ArrivalIntensity? {
        work.first { $0.service == service && $0.region == region }?.intensity
    }
}
