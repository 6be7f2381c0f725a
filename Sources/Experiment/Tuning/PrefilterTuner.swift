import Foundation
import Statistics
package import URLFilter
package import Workload

/// Finds the shape of a prefilter that costs the operator least, for one list, one traffic and given prices.
package struct PrefilterTuner: Sendable {
    package let list: BlockList
    /// The fleet by operating system; the shares sum to 1.
    let parts: [Part]
    package let cost: TuningCost
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
        /// No other design of the plane has both fewer bytes and fewer lookups.
        package var isPareto = false
    }

    /// - Parameter entries: Entries of the list, if it has grown since the shape was chosen.
    package func design(bitCount: UInt32, hashCount: UInt32, entries: Int? = nil) throws -> Design {
        let parameters = try BloomParameters(bitCount: bitCount, hashCount: hashCount, murmurSeed: 1)
        let rate = parameters.falsePositiveRate(entryCount: entries ?? list.count)
        let lookups = lookupsPerDeviceDay(rate)
        return Design(
            bitCount: bitCount, hashCount: hashCount, byteCount: parameters.byteCount, stringRate: rate,
            hitShare: mean { $0.forecast.hitShare(stringRate: rate) }, lookupsPerDeviceDay: lookups,
            perDay: cost.perDay(
                byteCount: Double(parameters.byteCount), lookups: lookups, extraKeywords: 0))
    }

    private func lookupsPerDeviceDay(_ stringRate: Double) -> Double {
        mean { $0.forecast.lookups(stringRate: stringRate) / $0.traffic.deviceDays }
    }

    /// What Apple's tool would choose.
    package func appleDefault() throws -> Design {
        let parameters = try BloomParameters(
            entryCount: list.count, falsePositiveTolerance: BloomParameters.defaultFalsePositiveTolerance,
            murmurSeed: 1)
        return try design(bitCount: parameters.bitCount, hashCount: parameters.hashCount)
    }

    /// Bits per entry that are looked at: from a filter that hardly filters to one that never errs.
    package static let bitsPerEntry = 1.0...64.0

    /// The design of least cost.
    ///
    /// Brent's method (GSL) on the logarithm of the bits per entry, once for each number of hashes that could be
    /// best there; the best of those.
    package func optimum() throws -> Design {
        let entries = Double(list.count)
        let limit = min(Self.bitsPerEntry.upperBound, Double(BloomParameters.maximumBitCount) / entries)
        let bounds = log(Self.bitsPerEntry.lowerBound)...log(max(limit, Self.bitsPerEntry.lowerBound * 1.01))
        var best: Design?
        for hashCount in 1...UInt32(Self.bitsPerEntry.upperBound * log(2)) {
            func money(_ logBits: Double) -> Double {
                let bits = exp(logBits) * entries
                let fill = -expm1(-Double(hashCount) * entries / bits)
                let lookups = lookupsPerDeviceDay(pow(fill, Double(hashCount)))
                return cost.perDay(byteCount: bits / 8, lookups: lookups, extraKeywords: 0).money
            }
            // Without a minimum inside, the cost falls towards an end.
            let places =
                LineMinimum.find(in: bounds, of: money).map { [$0] } ?? [
                    bounds.lowerBound, bounds.upperBound,
                ]
            for place in places {
                // Files are whole bytes, so the bits up to the next one cost nothing.
                let bits = (exp(place) * entries / 8).rounded(.up) * 8
                let design = try design(
                    bitCount: UInt32(min(bits, Double(UInt32.max))), hashCount: hashCount)
                if best.map({ design.perDay.money < $0.perDay.money }) ?? true { best = design }
            }
        }
        guard let best else { preconditionFailure("there is at least one number of hashes") }
        return best
    }

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
                        bitCount: UInt32(max(1, (bitsPerEntry * entries).rounded(.up))),
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
