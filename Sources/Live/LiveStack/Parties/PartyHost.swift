package import ObliviousHTTP
import Parties
import ServiceRules

/// One of the parties that a deployment consists of.
package enum Party: String, CaseIterable, Codable, Sendable {
    case relay, gateway, issuer, pir
}

/// Requests that a party answers at one of its paths.
///
/// The party's own server and a gateway in front of it go by the same value, so neither takes what the other refuses.
package struct PartyEndpoint: Sendable {
    /// Path such as `/queries`.
    package let path: String
    /// Name in metrics and logs.
    package let name: String
    package let methods: Set<String>
    /// Authentication scheme of the `Authorization` field that it reads, in lower case; nil if it reads none.
    package let credentials: String?
    /// Names of the other fields that it reads, in lower case.
    package let fields: Set<String>
    /// Longest content of a request, in bytes.
    package let contentLimit: Int

    package init(
        path: String, name: String, methods: Set<String> = ["POST"], credentials: String? = nil,
        fields: Set<String> = [], contentLimit: Int
    ) {
        self.path = path
        self.name = name
        self.methods = methods
        self.credentials = credentials
        self.fields = fields
        self.contentLimit = contentLimit
    }

    /// Whether a field of a request means something here. Credentials of another scheme are meant for somebody else.
    func reads(_ field: BinaryHTTPField) -> Bool {
        let name = field.name.lowercased()
        guard name == "authorization" else { return fields.contains(name) }
        return field.text?.prefix { $0 != " " }.lowercased() == credentials
    }

    /// Why a request cannot be for this endpoint.
    package func refusal(method: String) -> BinaryHTTPResponse? {
        guard !methods.contains(method) else { return nil }
        let allowed = methods.sorted().joined(separator: ", ")
        return .refusal(
            .methodNotAllowed, "the method must be \(allowed)", fields: [BinaryHTTPField("allow", allowed)])
    }
}

/// A party that runs: HTTP requests in, HTTP responses out, waiting where it has to.
///
/// It is called by a server for requests from the network, and by other parties of the same process directly.
package protocol PartyHost: Sendable {
    var party: Party { get }
    var endpoints: [PartyEndpoint] { get }

    /// - Parameters:
    ///   - request: Its path is that of the endpoint.
    ///   - endpoint: One of ``endpoints``, with a method and no more content than it takes.
    func respond(to request: BinaryHTTPRequest, at endpoint: PartyEndpoint) async -> BinaryHTTPResponse
}

/// Way on which a party sends requests to another one.
package protocol Upstream: Sendable {
    /// - Parameter endpoint: Of the other party. It alone says where the request goes, whatever path a peer wrote.
    /// - Returns: A response with status 502 or 504 when there is none.
    func send(_ request: BinaryHTTPRequest, to endpoint: PartyEndpoint) async -> BinaryHTTPResponse
}

/// A party in another process, to which there may be no way.
package protocol DistantParty: Upstream {
    /// - Returns: `nil` if no connection could be made, so that nobody has seen the request.
    func sendIfReachable(
        _ request: BinaryHTTPRequest, to endpoint: PartyEndpoint
    ) async -> BinaryHTTPResponse?
}

extension DistantParty {
    package func send(
        _ request: BinaryHTTPRequest, to endpoint: PartyEndpoint
    ) async -> BinaryHTTPResponse {
        await sendIfReachable(request, to: endpoint) ?? .unreachable
    }
}

/// Another party in the same process.
struct LocalUpstream: Upstream {
    let host: any PartyHost

    func send(_ request: BinaryHTTPRequest, to endpoint: PartyEndpoint) async -> BinaryHTTPResponse {
        var request = request
        request.path = endpoint.path
        return await host.respond(to: request, at: endpoint)
    }
}
