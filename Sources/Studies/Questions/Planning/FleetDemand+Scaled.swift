import Decoding
package import FleetModel
import Foundation

extension FleetDemand {
    /// The demand if something were so many times as much.
    ///
    /// - Parameters:
    ///   - traffic: Requests.
    ///   - devices: What grows with devices alone: keys and prefilters.
    ///   - answers: CPU of a PIR answer.
    ///   - way: Time of a lookup without waits.
    ///   - peak: Busiest interval over the ordinary one; bytes and the mean day stay.
    package func scaled(
        traffic: Double = 1, devices: Double = 1, answers: Double = 1, way: Double = 1, peak: Double = 1
    ) -> FleetDemand {
        var demand = self
        demand.devices = Int(saturating: (Double(self.devices) * devices).rounded())
        demand.egressBytesPerDay *= traffic
        demand.ingressBytesPerDay *= traffic
        demand.downloadBytesPerDay *= devices
        func regions(_ regions: [Region]) -> [Region] {
            regions.map { region in
                var region = region
                region.loads = region.loads.map { load in
                    let seconds = load.service == .pir ? answers : 1
                    return load.scaled(traffic * peak * seconds, seconds: seconds)
                }
                return region
            }
        }
        func latencies(_ latencies: [Latency]) -> [Latency] {
            latencies.map { $0.with($0.seconds * way, high: $0.high.map { $0 * way }) }
        }
        demand.regions = regions(self.regions)
        demand.percentiles = latencies(percentiles)
        demand.days = days.map {
            Day(
                kind: $0.kind, regions: regions($0.regions), percentiles: latencies($0.percentiles),
                failedShare: $0.failedShare, leakedShare: $0.leakedShare, recovery: $0.recovery)
        }
        return demand
    }
}

extension FleetDemand.Load {
    /// - Parameters:
    ///   - factor: Of busy cores.
    ///   - seconds: Of a request's CPU time.
    func scaled(_ factor: Double, seconds: Double) -> Self {
        var load = Self(
            service: service, meanCores: meanCores * factor, peakCores: peakCores * factor,
            peakLow: peakLow * factor, peakHigh: peakHigh * factor, series: series.map { $0 * factor },
            serviceSeconds: serviceSeconds * seconds,
            minutes: minutes.map { Minutes(first: $0.first, cores: $0.cores.map { $0 * factor }) })
        load.variability = variability
        return load
    }

    /// Sums parts of several loads; what their peaks have beyond the mean rate is of independent devices, and their
    /// intervals are of independent numbers.
    package static func sum(_ parts: [(load: Self?, share: Double)], service: Part) -> Self {
        let parts = parts.compactMap { part in part.load.map { ($0, part.share) } }.filter { $0.1 > 0 }
        var series = Array(repeating: 0.0, count: parts.map(\.0.series.count).max() ?? 0)
        for (load, share) in parts {
            for (index, cores) in load.series.enumerated() { series[index] += share * cores }
        }
        // The busiest minute of all is near that of one of them.
        let minutes = parts.compactMap(\.0.minutes).map { around in
            Minutes(
                first: around.first,
                cores: around.cores.indices.map { place in
                    parts.reduce(0) { $0 + $1.1 * $1.0.cores(inMinute: around.first + place) }
                })
        }.max { ($0.cores.max() ?? 0) < ($1.cores.max() ?? 0) }
        func root(_ term: (Self) -> Double) -> Double {
            parts.reduce(0) { $0 + pow($1.1 * term($1.0), 2) }.squareRoot()
        }
        let mean = parts.reduce(0) { $0 + $1.1 * $1.0.meanCores }
        let work = parts.reduce(0) { $0 + $1.1 * $1.0.meanCores / max($1.0.serviceSeconds, 1e-300) }
        let peak = (series.max() ?? 0) + root { max(0, $0.peakCores - ($0.series.max() ?? 0)) }
        var sum = Self(
            service: service, meanCores: mean, peakCores: peak,
            peakLow: max(0, peak - root { $0.peakCores - $0.peakLow }),
            peakHigh: peak + root { $0.peakHigh - $0.peakCores }, series: series,
            serviceSeconds: work > 0 ? mean / work : 0,
            minutes: minutes)
        if parts.contains(where: { $0.0.variability != nil }), mean > 0 {
            // Of a mixture: the mean square over the squared mean, less 1.
            let squares = parts.reduce(0) {
                $0 + $1.1 * $1.0.meanCores * StationForm($1.0).meanSquareOverMean
            }
            sum.variability = squares * work / (mean * mean) - 1
        }
        return sum
    }
}
