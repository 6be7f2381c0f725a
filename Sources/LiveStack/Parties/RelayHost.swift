import ObliviousHTTP
import Parties

/// The relay as a running party: passes sealed requests to its one gateway and learns nothing of them.
///
/// Nothing of the client's request is passed on but content and content type (RFC 9458, section 5.2); nothing is sent
/// twice.
struct RelayHost: PartyHost {
    let gateway: any Upstream

    var party: Party { .relay }

    var endpoints: [PartyEndpoint] {
        [
            PartyEndpoint(
                path: ServiceNames.relayPath, name: "relay",
                contentLimit: BinaryHTTPLimits.standard.messageBytes)
        ]
    }

    func respond(to request: BinaryHTTPRequest) async -> BinaryHTTPResponse {
        let outer: BinaryHTTPRequest
        switch request.method {
        case "GET":
            // The gateway's keys, fetched for the client so that the gateway cannot give each one its own.
            outer = BinaryHTTPRequest(method: "GET", authority: "", path: ServiceNames.gatewayPath)
        case "POST":
            guard request.mediaType == OHTTPMediaType.request else {
                return .refusal(415, "the content type must be \(OHTTPMediaType.request)")
            }
            outer = BinaryHTTPRequest(
                method: "POST", authority: "", path: ServiceNames.gatewayPath,
                fields: [BinaryHTTPField("content-type", OHTTPMediaType.request)], content: request.content)
        default:
            return .refusal(
                405, "the method must be POST", fields: [BinaryHTTPField("allow", "GET, POST")])
        }
        let response = await gateway.send(outer)
        return BinaryHTTPResponse(
            status: response.status,
            fields: response.fields.filter { $0.name.lowercased() == "content-type" },
            content: response.content)
    }
}
