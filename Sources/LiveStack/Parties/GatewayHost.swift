import Dispatch
import ObliviousHTTP
import Parties

/// The gateway as a running party: opens requests, carries them to their targets, seals the answers.
struct GatewayHost: PartyHost {
    /// What is not passed on in either direction: fields of one connection, and any that would tell who is behind.
    private static let droppedFields: Set<String> = [
        "connection", "content-length", "forwarded", "host", "keep-alive", "proxy-authenticate",
        "proxy-authorization", "proxy-connection", "te", "trailer", "transfer-encoding", "upgrade", "via",
        "x-forwarded-for", "x-request-id",
    ]

    let gateway: GatewayParty
    let meter: CPUMeter
    let issuer: any Upstream
    let pir: any Upstream

    var party: Party { .gateway }

    var endpoints: [PartyEndpoint] {
        [
            PartyEndpoint(
                path: ServiceNames.gatewayPath, name: "gateway",
                contentLimit: BinaryHTTPLimits.standard.messageBytes)
        ]
    }

    func respond(to request: BinaryHTTPRequest) async -> BinaryHTTPResponse {
        if request.method == "GET" { return gateway.keyConfigurations() }
        let now = Int64(clamping: DispatchTime.now().uptimeNanoseconds)
        switch meter.measure(.gateway, { gateway.open(request, at: now) }) {
        case .answered(let response): return response
        case .opened(let opened):
            var inner = opened.request
            inner.fields.removeAll { Self.droppedFields.contains($0.name.lowercased()) }
            var response = await target(of: inner).send(inner)
            response.fields.removeAll { Self.droppedFields.contains($0.name.lowercased()) }
            return meter.measure(.gateway) { opened.seal(response) }
        }
    }

    /// Issuer and PIR server may share a host, so the path decides.
    private func target(of request: BinaryHTTPRequest) -> any Upstream {
        IssuerHost.paths.contains(String(request.plainPath)) ? issuer : pir
    }
}
