package import Experiment
import Foundation
package import URLFilter

/// Forecast by theory of a prefilter on given traffic, for any rate of stray hits.
///
/// A string outside the list hits with the same chance `p`, independently of the others; so a request whose URL has
/// `s` such strings hits with 1 - (1 - p)^s, and needs a lookup with 1 - (1 - p)^f, where `f` counts the strings that
/// the device's PIR cache has not met within its time to live. Cache sizes are not part of the forecast.
package struct TuningForecast: Sendable {
    /// Requests by the number of their unlisted strings, without those that hold a listed one.
    private var unlisted: [Int]
    /// Requests by hour of the trace and by the number of unlisted strings that no cache knows, without those that are
    /// sure to ask.
    private var fresh: [[Int]]
    /// Requests by hour with a listed string that no cache knows.
    private var sure: [Int]
    /// Requests with a listed string.
    package private(set) var listedRequests = 0
    private let requestCount: Int

    package init(_ traffic: TuningTraffic, timeToLive: Nanoseconds) {
        requestCount = traffic.requestCount
        unlisted = []
        fresh = Array(repeating: [], count: traffic.hourCount)
        sure = Array(repeating: 0, count: traffic.hourCount)
        /// Time of the client's last request for a string, by string.
        var met: [UInt32: Int64] = [:]
        var client: UInt32?
        for request in traffic.requests {
            if client != request.client {
                met.removeAll(keepingCapacity: true)
                client = request.client
            }
            var counts = (unlisted: 0, fresh: 0, listed: 0, freshListed: 0)
            for string in traffic.strings(of: request.url) {
                // The cache keeps an answer from the moment it was fetched.
                let isFresh = met[string].map { request.time - $0 >= timeToLive } ?? true
                if isFresh { met[string] = request.time }
                if traffic.isListed[Int(string)] {
                    counts.listed += 1
                    if isFresh { counts.freshListed += 1 }
                } else {
                    counts.unlisted += 1
                    if isFresh { counts.fresh += 1 }
                }
            }
            if counts.listed > 0 { listedRequests += 1 } else { Self.count(counts.unlisted, in: &unlisted) }
            let hour = traffic.hour(of: request)
            if counts.freshListed > 0 {
                sure[hour] += 1
            } else {
                Self.count(counts.fresh, in: &fresh[hour])
            }
        }
    }

    private static func count(_ value: Int, in histogram: inout [Int]) {
        if value >= histogram.count {
            histogram += Array(repeating: 0, count: value + 1 - histogram.count)
        }
        histogram[value] += 1
    }

    /// Share of the requests that hit the prefilter.
    package func hitShare(stringRate: Double) -> Double {
        let hits = Self.hits(stringRate, upTo: unlisted.count)
        return (Double(listedRequests) + Self.expected(unlisted, hits)) / Double(requestCount)
    }

    /// Lookups of all clients, by hour of the trace.
    package func lookupsByHour(stringRate: Double) -> (sure: [Double], stray: [Double]) {
        let hits = Self.hits(stringRate, upTo: fresh.lazy.map(\.count).max() ?? 0)
        return (sure.map(Double.init), fresh.map { Self.expected($0, hits) })
    }

    /// Lookups of all clients over the whole trace.
    package func lookups(stringRate: Double) -> Double {
        let (sure, stray) = lookupsByHour(stringRate: stringRate)
        return sure.reduce(0, +) + stray.reduce(0, +)
    }

    /// Chance that at least one of so many strings hits.
    private static func hits(_ rate: Double, upTo count: Int) -> [Double] {
        let logarithm = log1p(-min(rate, 1 - 1e-15))
        return (0..<count).map { -expm1(Double($0) * logarithm) }
    }

    private static func expected(_ histogram: [Int], _ hits: [Double]) -> Double {
        zip(histogram, hits).reduce(0) { $0 + Double($1.0) * $1.1 }
    }
}
