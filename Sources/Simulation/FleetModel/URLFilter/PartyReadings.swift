package import URLFilter

/// How many requests each party could read, by endpoint. What it learnt from them follows from the protocol.
///
/// Counted when a party has the request before it, whatever becomes of it; by the request's start, like all counts.
package struct PartyReadings: Codable, Hashable, Sendable {
    /// Sealed requests at the relay.
    package private(set) var relay: [Endpoint: Int] = [:]
    /// Requests that the gateway opened.
    package private(set) var gateway: [Endpoint: Int] = [:]
    /// Requests that issuer or PIR server worked on.
    package private(set) var service: [Endpoint: Int] = [:]
    /// Keywords in the `/queries` requests of `gateway` and of `service`.
    package private(set) var gatewayKeywords = 0
    package private(set) var serviceKeywords = 0

    package init() {}

    init(_ readings: Readings, regionCount: Int) {
        typealias Place = URLFilterModel.Place
        let regions = 0..<regionCount
        func count(_ endpoint: Endpoint, at parts: [Int]) -> Int? {
            let count = parts.reduce(0) { $0 + readings.messages(ofKind: endpoint.place, at: $1) }
            return count > 0 ? count : nil
        }
        for endpoint in Endpoint.allCases {
            relay[endpoint] = count(endpoint, at: [Place.relay])
            gateway[endpoint] = count(endpoint, at: regions.map(Place.gateway))
            let services = endpoint.isAnsweredByIssuer ? regions.map(Place.issuer) : regions.map(Place.pir)
            service[endpoint] = count(endpoint, at: services)
        }
        gatewayKeywords = regions.reduce(0) { $0 + readings.items(at: Place.gateway($1)) }
        serviceKeywords = regions.reduce(0) { $0 + readings.items(at: Place.pir($1)) }
    }
}
