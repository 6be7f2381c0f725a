package import ObliviousHTTP

/// One of the parties that a deployment consists of.
package enum Party: String, CaseIterable, Codable, Sendable {
    case relay, gateway, issuer, pir
}

/// What a party answers at one of its paths.
package struct PartyEndpoint: Sendable {
    /// For example `/queries`.
    package let path: String
    /// Name in metrics and logs.
    package let name: String
    /// Longest content of a request, in bytes.
    package let contentLimit: Int
}

/// A party that runs: HTTP requests in, HTTP responses out, waiting where it has to.
///
/// It is called by a server for requests from the network, and by other parties of the same process directly.
package protocol PartyHost: Sendable {
    var party: Party { get }
    var endpoints: [PartyEndpoint] { get }

    /// - Parameter request: To one of ``endpoints``.
    func respond(to request: BinaryHTTPRequest) async -> BinaryHTTPResponse
}

/// Where a party sends requests to another one.
package protocol Upstream: Sendable {
    /// - Returns: A response with status 502 or 504 when there is none.
    func send(_ request: BinaryHTTPRequest) async -> BinaryHTTPResponse
}

/// Another party in the same process.
struct LocalUpstream: Upstream {
    let host: any PartyHost

    func send(_ request: BinaryHTTPRequest) async -> BinaryHTTPResponse { await host.respond(to: request) }
}
