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

    init(_ readings: Readings) {
        typealias Place = URLFilterModel.Place
        for endpoint in Endpoint.allCases {
            let service = endpoint.isAnsweredByIssuer ? Place.issuer : Place.pir
            relay[endpoint] = Self.count(endpoint, at: Place.relay, readings)
            gateway[endpoint] = Self.count(endpoint, at: Place.gateway, readings)
            self.service[endpoint] = Self.count(endpoint, at: service, readings)
        }
        gatewayKeywords = readings.items(at: Place.gateway)
        serviceKeywords = readings.items(at: Place.pir)
    }

    private static func count(_ endpoint: Endpoint, at part: Int, _ readings: Readings) -> Int? {
        let count = readings.messages(ofKind: endpoint.place, at: part)
        return count > 0 ? count : nil
    }
}
