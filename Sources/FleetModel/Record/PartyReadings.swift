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

    mutating func relayed(_ endpoint: Endpoint) { relay[endpoint, default: 0] += 1 }

    mutating func opened(_ endpoint: Endpoint, keywords: Int) {
        gateway[endpoint, default: 0] += 1
        gatewayKeywords += keywords
    }

    mutating func served(_ endpoint: Endpoint, keywords: Int) {
        service[endpoint, default: 0] += 1
        serviceKeywords += keywords
    }
}
