import Decoding
package import Experiment
import Foundation
package import URLFilter
package import Workload

/// Finds the shape of a prefilter that costs the operator least, for one list, one traffic and given prices.
package struct PrefilterTuner: Sendable {
    package let list: BlockList
    /// The fleet by operating system; the shares sum to 1.
    let parts: [Part]
    package internal(set) var cost: TuningCost
    package let constants: DeviceConstants

    /// Devices that expand URLs alike.
    struct Part {
        let share: Double
        let traffic: TuningTraffic
        let forecast: TuningForecast
    }

    /// - Parameters:
    ///   - traffic: The same trace as each operating system expands it, and the share of the fleet that has it.
    ///     Shares count in proportion to their sum.
    package init(
        list: BlockList, traffic: [(share: Double, traffic: TuningTraffic)], cost: TuningCost,
        constants: DeviceConstants = DeviceConstants()
    ) {
        let sum = traffic.reduce(0) { $0 + $1.share }
        precondition(sum > 0, "a fleet has at least one operating system")
        self.list = list
        parts = traffic.map { share, traffic in
            Part(
                share: share / sum, traffic: traffic,
                forecast: TuningForecast(traffic, timeToLive: constants.pirCacheTimeToLive))
        }
        self.cost = cost
        self.constants = constants
    }

    /// The mean over the fleet.
    func mean(_ value: (Part) -> Double) -> Double { parts.reduce(0) { $0 + $1.share * value($1) } }

    /// One shape, and what theory says of it.
    package struct Design: Codable, Equatable, Sendable {
        package var bitCount: UInt32
        package var hashCount: UInt32
        package var byteCount: Int
        /// Chance that a string outside the list hits.
        package var stringRate: Double
        /// Share of the requests that hit.
        package var hitShare: Double
        package var lookupsPerDeviceDay: Double
        package var perDay: TuningCost.PerDay
        /// Money of a month, row by row, and in all.
        package var cost: MonthlyCost
        package var moneyPerMonth: Double
        /// No other design of the plane has both fewer bytes and fewer lookups.
        package var isPareto = false
    }

    /// - Parameter entries: Entries of the list, if it has grown since the shape was chosen.
    package func design(bitCount: UInt32, hashCount: UInt32, entries: Int? = nil) throws -> Design {
        let parameters = try BloomParameters(bitCount: bitCount, hashCount: hashCount, murmurSeed: 1)
        let rate = parameters.falsePositiveRate(entryCount: entries ?? list.count)
        let demand = demand(rate)
        let perDay = cost.perDay(
            byteCount: Double(parameters.byteCount), listedVisits: listedVisits, demand)
        let month = cost.month(perDay, demand)
        return Design(
            bitCount: bitCount, hashCount: hashCount, byteCount: parameters.byteCount, stringRate: rate,
            hitShare: mean { $0.forecast.hitShare(stringRate: rate) }, lookupsPerDeviceDay: demand.lookups,
            perDay: perDay, cost: month, moneyPerMonth: month.total)
    }

    /// Demand of a device if strings outside the list hit at this rate.
    func demand(_ stringRate: Double) -> TuningCost.Demand {
        let hours = parts.map { $0.forecast.lookupsByHour(stringRate: stringRate) }
        func perDay(_ lookups: ((sure: [Double], stray: [Double])) -> Double) -> Double {
            zip(parts, hours).reduce(0) { $0 + $1.0.share * lookups($1.1) / $1.0.traffic.deviceDays }
        }
        let stray = perDay { $0.stray.reduce(0, +) }
        return TuningCost.Demand(
            lookups: stray + perDay { $0.sure.reduce(0, +) }, strayLookups: stray, extraKeywords: 0,
            busiestLookups: busiest(hours.map { zip($0.sure, $0.stray).map(+) }))
    }

    /// Lookups of a device a second in the hour that is busiest for the whole fleet.
    ///
    /// - Parameter hours: Of each part, the lookups of all its clients by hour.
    func busiest(_ hours: [[Double]]) -> Double {
        let count = hours.map(\.count).min() ?? 0
        return (0..<count).lazy.map { hour in
            zip(parts, hours).reduce(0) {
                $0 + $1.0.share * $1.1[hour]
                    / (Double($1.0.traffic.clientCount) * $1.0.traffic.hourSeconds)
            }
        }.max() ?? 0
    }

    /// Visits to listed URLs, per device and day.
    var listedVisits: Double { mean { Double($0.forecast.listedRequests) / $0.traffic.deviceDays } }

    /// Returns the shape that Apple's tool would choose.
    package func appleDefault() throws -> Design {
        let parameters = try BloomParameters(
            entryCount: list.count, falsePositiveTolerance: BloomParameters.defaultFalsePositiveTolerance,
            murmurSeed: 1)
        return try design(bitCount: parameters.bitCount, hashCount: parameters.hashCount)
    }

    /// Bits per entry that are looked at: from a filter that hardly filters to one that never errs.
    package static let bitsPerEntry = 1.0...64.0

    /// The plane bitCount × hashCount: for each of the sizes the best number of hashes and its neighbours.
    package func plane() throws -> [Design] {
        let entries = Double(list.count)
        var designs: [Design] = []
        for bitsPerEntry in [4.0, 6, 8, 10, 12, 14.377588, 17, 20, 24, 28, 32, 40, 48]
        where bitsPerEntry * entries <= Double(BloomParameters.maximumBitCount) {
            let ideal = max(1, (bitsPerEntry * log(2)).rounded())
            let hashCounts = Set(
                [ideal / 2, ideal - 2, ideal - 1, ideal, ideal + 1, ideal + 2].map { max(1, $0.rounded()) })
            for hashCount in hashCounts.sorted() {
                designs.append(
                    try design(
                        bitCount: UInt32(saturating: max(1, (bitsPerEntry * entries).rounded(.up))),
                        hashCount: UInt32(hashCount)))
            }
        }
        for index in designs.indices {
            let design = designs[index]
            designs[index].isPareto = !designs.contains { other in
                other.byteCount <= design.byteCount && other.lookupsPerDeviceDay <= design.lookupsPerDeviceDay
                    && (other.byteCount < design.byteCount
                        || other.lookupsPerDeviceDay < design.lookupsPerDeviceDay)
            }
        }
        return designs
    }
}
