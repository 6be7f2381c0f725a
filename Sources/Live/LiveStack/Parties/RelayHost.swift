import ObliviousHTTP
import Parties
import ServiceRules

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
                path: ServiceNames.relayPath, name: "relay", methods: ["GET", "POST"],
                fields: ["content-type"], contentLimit: BinaryHTTPLimits.standard.messageBytes)
        ]
    }

    func respond(to request: BinaryHTTPRequest, at _: PartyEndpoint) async -> BinaryHTTPResponse {
        // GET: the gateway's keys, fetched for the client so that the gateway cannot give each one its own.
        var outer = BinaryHTTPRequest(method: request.method, authority: "", path: ServiceNames.gatewayPath)
        if request.method == "POST" {
            guard request.mediaType == OHTTPMediaType.request else {
                return .refusal(.contentTypeUnknown, "the content type must be \(OHTTPMediaType.request)")
            }
            outer.fields = [BinaryHTTPField("content-type", OHTTPMediaType.request)]
            outer.content = request.content
        }
        let response = await gateway.send(outer, to: GatewayHost.endpoint)
        return BinaryHTTPResponse(
            status: response.status,
            fields: response.fields.filter { $0.name.lowercased() == "content-type" },
            content: response.content)
    }
}
