package import FleetModel
import Foundation
import URLFilter

/// What the operator pays per day, as a function of a prefilter's size and of the lookups it causes.
package struct TuningCost: Codable, Equatable, Sendable {
    /// Money per gigabyte that a content network delivers, per gigabyte that the service exchanges, and per hour of
    /// one server core. One currency, whichever the user thinks in.
    package struct Prices: Codable, Equatable, Sendable {
        package var downloadGigabyte: Double
        package var serviceGigabyte: Double
        package var coreHour: Double

        package init(downloadGigabyte: Double, serviceGigabyte: Double, coreHour: Double) {
            self.downloadGigabyte = downloadGigabyte
            self.serviceGigabyte = serviceGigabyte
            self.coreHour = coreHour
        }
    }

    /// What one lookup costs the operator's machines: gateway, PIR server, and the token it is paid with.
    package struct Lookup: Codable, Equatable, Sendable {
        package var coreSeconds: Double
        /// Requests and responses, the token's included.
        package var bytes: Double
        /// The same for each keyword of a lookup after the first.
        package var extraCoreSeconds: Double
        package var extraBytes: Double
        /// CPU of the PIR server alone, for one keyword.
        package var pirCoreSeconds: Double

        package init(_ profile: CostProfile) throws {
            func cost(_ endpoint: Endpoint) throws -> EndpointCost {
                guard let cost = profile[endpoint] else {
                    throw CostProfileError.missingEndpoint(endpoint.rawValue)
                }
                return cost
            }
            let queries = try cost(.queries), issue = try cost(.issue)
            func server(_ cost: EndpointCost) -> Double {
                (cost.gatewayMean + cost.serviceMean) * 1e-9
            }
            let extra = profile.extraKeyword
            coreSeconds = server(queries) + server(issue)
            bytes = Double(
                queries.requestBytes + queries.responseBytes + issue.requestBytes + issue.responseBytes)
            extraCoreSeconds =
                Double(extra.gatewayOpens + extra.serviceAnswers + extra.gatewaySeals) * 1e-9
            extraBytes = Double(extra.requestBytes + extra.responseBytes)
            pirCoreSeconds = queries.serviceMean * 1e-9
        }
    }

    package var devices: Int
    /// Full prefilter downloads of one device in a day.
    package var downloadsPerDay: Double
    package var prices: Prices
    package var lookup: Lookup

    package init(devices: Int, downloadsPerDay: Double, prices: Prices, lookup: Lookup) {
        self.devices = devices
        self.downloadsPerDay = downloadsPerDay
        self.prices = prices
        self.lookup = lookup
    }

    package struct PerDay: Codable, Equatable, Sendable {
        package var downloadBytes: Double
        package var lookups: Double
        package var coreSeconds: Double
        package var serviceBytes: Double
        package var money: Double
    }

    /// - Parameters:
    ///   - byteCount: Of the prefilter.
    ///   - lookups: Per device and day.
    ///   - extraKeywords: Keywords after the first, per device and day.
    package func perDay(byteCount: Double, lookups: Double, extraKeywords: Double) -> PerDay {
        let fleet = Double(devices)
        let downloadBytes = fleet * downloadsPerDay * byteCount
        let coreSeconds = fleet * (lookups * lookup.coreSeconds + extraKeywords * lookup.extraCoreSeconds)
        let serviceBytes = fleet * (lookups * lookup.bytes + extraKeywords * lookup.extraBytes)
        return PerDay(
            downloadBytes: downloadBytes, lookups: fleet * lookups, coreSeconds: coreSeconds,
            serviceBytes: serviceBytes,
            money: downloadBytes * 1e-9 * prices.downloadGigabyte
                + serviceBytes * 1e-9 * prices.serviceGigabyte + coreSeconds / 3600 * prices.coreHour)
    }
}
