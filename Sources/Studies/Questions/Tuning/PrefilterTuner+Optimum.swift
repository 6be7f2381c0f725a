import Decoding
import Foundation
import Scenarios
import Statistics
import URLFilter

extension PrefilterTuner {
    /// The design of least cost.
    ///
    /// Servers are whole, so the cost is a staircase: it falls where a rarer stray hit saves a server, and rises with
    /// the download in between. The cheapest place is the first size that makes do with some number of servers, or
    /// the best size if servers cost nothing; all of these are tried. Beyond ``everyCount`` servers the counts that
    /// are tried are 2 % apart.
    package func optimum() throws -> Design {
        var best: Design?
        for (bits, hashCount) in smoothOptima() + edges() {
            // Files are whole bytes, so the bits up to the next one cost nothing.
            let bits = (bits / 8).rounded(.up) * 8
            guard bits <= Double(BloomParameters.maximumBitCount) else { continue }
            let design = try design(bitCount: UInt32(saturating: max(8, bits)), hashCount: hashCount)
            if best.map({ design.cost.total < $0.cost.total }) ?? true { best = design }
        }
        guard let best else { preconditionFailure("there is at least one number of hashes") }
        return best
    }

    private var hashCounts: ClosedRange<UInt32> {
        1...UInt32(saturating: Self.bitsPerEntry.upperBound * log(2))
    }

    private var bits: ClosedRange<Double> {
        let entries = Double(list.count)
        let limit = min(Self.bitsPerEntry.upperBound, Double(BloomParameters.maximumBitCount) / entries)
        return entries * Self.bitsPerEntry.lowerBound...entries
            * max(limit, Self.bitsPerEntry.lowerBound * 1.01)
    }

    /// Finds the least for each number of hashes, of what grows and falls smoothly, so without servers: Brent's
    /// method (GSL) on the logarithm of the bits.
    private func smoothOptima() -> [(bits: Double, hashCount: UInt32)] {
        let entries = Double(list.count)
        var cost = cost
        cost.prices.spareInstances = 0
        let bounds = log(bits.lowerBound)...log(bits.upperBound)
        return hashCounts.flatMap { hashCount in
            func money(_ logBits: Double) -> Double {
                let fill = -expm1(-Double(hashCount) * entries / exp(logBits))
                let demand = demand(pow(fill, Double(hashCount)))
                let perDay = cost.perDay(
                    byteCount: exp(logBits) / 8, listedVisits: listedVisits, demand)
                let month = cost.month(perDay, demand)
                guard cost.basis == .provisioned else { return month.total }
                return month.total - month.total(.cores) - month.total(.memory)
            }
            // Without a minimum inside, the cost falls towards an end.
            let places =
                LineMinimum.find(in: bounds, of: money).map { [$0] } ?? [
                    bounds.lowerBound, bounds.upperBound,
                ]
            return places.map { (exp($0), hashCount) }
        }
    }

    private static let everyCount = 64

    /// The smallest prefilters, for each service and each number of servers that it may need, with which they do.
    private func edges() -> [(bits: Double, hashCount: UInt32)] {
        guard cost.basis == .provisioned else { return [] }
        var rates: Set<Double> = []
        for (_, work) in cost.services {
            // What one server carries, in lookups of a device in a second.
            let capacity =
                cost.prices.targetUtilization * Double(cost.servers.coresPerInstance)
                / (Double(cost.devices) * work(cost.lookup.first))
            guard capacity.isFinite else { continue }
            var count = 1.0
            while let rate = rate(busiestLookups: capacity * count) {
                if rate > 0 { rates.insert(rate) }
                count += max(1, count > Double(Self.everyCount) ? (count * 0.02).rounded() : 1)
            }
        }
        return rates.flatMap { rate in
            hashCounts.compactMap { hashCount in
                // The fill at which so many hashes err at the rate.
                let fill = pow(rate, 1 / Double(hashCount))
                let needed = -Double(hashCount) * Double(list.count) / log1p(-fill)
                return bits.contains(needed) ? (needed, hashCount) : nil
            }.min { $0.bits < $1.bits }.map { [$0] } ?? []
        }
    }

    /// The largest rate of stray hits with which devices ask no more than this, by bisection of its logarithm.
    ///
    /// - Returns: 0 if sure lookups alone are more, `nil` if even filters that always hit ask less.
    private func rate(busiestLookups limit: Double) -> Double? {
        var (low, high) = (log(1e-15), log(1.0))
        if demand(exp(high)).busiestLookups <= limit { return nil }
        if demand(exp(low)).busiestLookups > limit { return 0 }
        for _ in 0..<50 {
            let middle = (low + high) / 2
            if demand(exp(middle)).busiestLookups <= limit { low = middle } else { high = middle }
        }
        return exp(low)
    }
}
