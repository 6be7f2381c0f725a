package import ObliviousHTTP
package import ServiceRules

/// Paths, fields and host names that the parties agree on.
///
/// Endpoints as in article "PIR protocol", section "Endpoints".
package enum ServiceNames {
    /// Host of the issuer in exchanges that never leave the process.
    package static let issuerAuthority = "issuer.example"
    /// Host of the PIR server in exchanges that never leave the process.
    package static let pirAuthority = "pir.example"
    package static let userIdentifierField = "user-identifier"
    package static let tokenKeyPath = "/token-key-for-user-token"
    package static let issuePath = "/issue"
    package static let reportPath = "/report"
    /// The path at which a gateway publishes its keys (GET) and takes sealed requests (POST): RFC 9540, section 4.
    package static let gatewayPath = "/.well-known/ohttp-gateway"
    /// The path at which our relay takes sealed requests. No document names one; assumption.
    package static let relayPath = "/relay"
}

extension BinaryHTTPRequest {
    package var authorization: String? { fields.first(named: "authorization")?.text }

    /// The path without a query.
    package var plainPath: Substring { path.prefix { $0 != "?" } }
}

extension ServiceRefusal {
    /// Fields that say when to come again.
    var retryFields: [BinaryHTTPField] {
        retrySeconds.map { [BinaryHTTPField("retry-after", "\($0)")] } ?? []
    }
}

extension BinaryHTTPResponse {
    /// A party's refusal with a sentence, and when to come again.
    package static func refusal(
        _ why: ServiceRefusal, _ sentence: some CustomStringConvertible, fields: [BinaryHTTPField] = []
    ) -> BinaryHTTPResponse {
        BinaryHTTPResponse(
            status: why.status,
            fields: [BinaryHTTPField("content-type", "text/plain")] + fields + why.retryFields,
            content: Array(sentence.description.utf8))
    }
}
