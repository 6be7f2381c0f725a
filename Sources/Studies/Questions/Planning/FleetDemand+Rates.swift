package import Experiment
import FleetModel
import Foundation
package import Scenarios

/// The demand of a fleet from a few rates, where nothing was simulated.
extension FleetDemand {
    /// Rates of a fleet whose devices are alike.
    package struct Rates: Codable, Equatable, Sendable {
        package var devices: Int
        package var lookupsPerDeviceDay: Double
        /// Busiest five minutes over the mean of the day, at least 1.
        package var peakOverMean: Double
        /// CPU seconds of a service for a lookup, with its share of tokens, keys and configurations.
        package var pirSeconds: Double
        package var gatewaySeconds: Double
        package var issuerSeconds: Double
        /// Seconds of a lookup without any wait at a server, and the percentile that they are.
        package var way: Double
        package var percentile: Double
        /// Seconds that an answer takes longer from another region than the own.
        package var detour: Double
        /// Regions with as many devices each, whose days are the same.
        package var regions: Int
        package var bytesUpPerLookup: Double
        package var bytesDownPerLookup: Double
        package var downloadBytesPerDeviceDay: Double

        package init(
            devices: Int, lookupsPerDeviceDay: Double, peakOverMean: Double, percentile: Double, way: Double
        ) {
            self.devices = devices
            self.lookupsPerDeviceDay = lookupsPerDeviceDay
            self.peakOverMean = max(1, peakOverMean)
            self.percentile = percentile
            self.way = way
            (pirSeconds, gatewaySeconds, issuerSeconds, detour, regions) = (0, 0, 0, 0, 1)
            (bytesUpPerLookup, bytesDownPerLookup, downloadBytesPerDeviceDay) = (0, 0, 0)
        }

        /// Means of a demand that was seen in a simulation.
        ///
        /// - Returns: `nil` without a lookup.
        package init?(_ demand: FleetDemand, percentile: Double) {
            let lookups = demand.lookupsPerDeviceDay * Double(demand.devices)
            guard lookups > 0, let way = demand.latency(percentile) else { return nil }
            func cores(_ path: KeyPath<Load, Double>, _ service: Part) -> Double {
                demand.regions.compactMap { $0[service]?[keyPath: path] }.reduce(0, +)
            }
            let mean = cores(\.meanCores, .pir)
            self.init(
                devices: demand.devices, lookupsPerDeviceDay: demand.lookupsPerDeviceDay,
                peakOverMean: mean > 0 ? cores(\.peakCores, .pir) / mean : 1, percentile: percentile, way: way
            )
            func seconds(_ service: Part) -> Double { cores(\.meanCores, service) * day / lookups }
            pirSeconds = seconds(.pir)
            gatewaySeconds = seconds(.gateway)
            issuerSeconds = seconds(.issuer)
            regions = max(1, demand.regions.count)
            bytesUpPerLookup = demand.ingressBytesPerDay / lookups
            bytesDownPerLookup = demand.egressBytesPerDay / lookups
            downloadBytesPerDeviceDay = demand.downloadBytesPerDay / Double(demand.devices)
        }

        /// Means of a run of all devices with its own servers, whose waits are in the way then.
        ///
        /// - Returns: `nil` without a cost profile, or without enough lookups for the percentile.
        package init?(_ result: RunResult, of scenario: Scenario, percentile: Double) {
            guard let demand = FleetDemand(result, ofAllIn: scenario) else { return nil }
            self.init(demand, percentile: percentile)
        }

        /// Regions that are as far from each other, with as many devices each.
        package var geography: Geography {
            let each = devices / regions
            return Geography(
                delays: (0..<regions).map { home in (0..<regions).map { $0 == home ? 0 : detour / 2 } },
                devices: (0..<regions).map { $0 == 0 ? devices - each * (regions - 1) : each })
        }
    }

    private static let day = 86_400.0

    /// Demand of independent lookups: peaks beyond the mean rate of the busiest time are left to the closed form of
    /// the servers, which has Poisson arrivals.
    package init(_ rates: Rates) {
        (devices, sample, replications) = (rates.devices, 0, 0)
        let lookups = Double(rates.devices) * rates.lookupsPerDeviceDay
        let shape = DayShape(peakOverMean: rates.peakOverMean).values
        interval = Self.day / Double(shape.count)
        seriesStart = 0
        let share = 1 / Double(rates.regions)
        let seconds = [
            (Part.gateway, rates.gatewaySeconds), (.issuer, rates.issuerSeconds), (.pir, rates.pirSeconds),
        ]
        regions = (0..<rates.regions).map { place in
            Region(
                name: rates.regions == 1 ? nil : "region \(place + 1)",
                loads: seconds.map { service, seconds in
                    let mean = lookups * share * seconds / Self.day
                    let peak = mean * rates.peakOverMean
                    return Load(
                        service: service, meanCores: mean, peakCores: peak, peakLow: peak, peakHigh: peak,
                        series: shape.map { $0 * mean }, serviceSeconds: seconds)
                }, share: share)
        }
        percentiles = [Latency(percentile: rates.percentile, seconds: rates.way)]
        lookupsPerDeviceDay = rates.lookupsPerDeviceDay
        egressBytesPerDay = lookups * rates.bytesDownPerLookup
        ingressBytesPerDay = lookups * rates.bytesUpPerLookup
        downloadBytesPerDay = Double(rates.devices) * rates.downloadBytesPerDeviceDay
        (shards, databaseBytes, evaluationKeyBytes) = (1, 0, 0)
    }
}

/// A day that is busiest once: ((1 + cos) / 2)^k, with the k that makes the peak so many times the mean.
package struct DayShape: Sendable {
    /// Successive five minutes, from the busiest on; their mean is 1.
    package let values: [Double]

    private static let count = 288
    private static let sharpest = 1e4

    package init(peakOverMean: Double) {
        // Middles of the five minutes, none of which is quite without load; the mean falls with the power.
        let waves = (0..<Self.count).map { index in
            (1 + cos(2 * Double.pi * (Double(index) + 0.5) / Double(Self.count))) / 2
        }
        func shape(_ power: Double) -> [Double] {
            let loads = waves.map { pow($0 / waves[0], power) }
            let mean = loads.reduce(0, +) / Double(Self.count)
            return loads.map { $0 / mean }
        }
        var (low, high) = (0.0, Self.sharpest)
        for _ in 0..<60 {
            let middle = (low + high) / 2
            if shape(middle)[0] < peakOverMean { low = middle } else { high = middle }
        }
        values = shape(high)
    }
}
