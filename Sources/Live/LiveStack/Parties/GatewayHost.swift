import Decoding
import ObliviousHTTP
import Parties
import ServiceRules

/// The gateway as a running party: opens requests, carries them to their targets, seals the answers.
struct GatewayHost: PartyHost {
    static let endpoint = PartyEndpoint(
        path: ServiceNames.gatewayPath, name: "gateway", methods: ["GET", "POST"], fields: ["content-type"],
        contentLimit: BinaryHTTPLimits.standard.messageBytes)

    /// Fields of a response that mean something to a device; none of one connection, and none that tells who answered.
    private static let responseFields: Set<String> = [
        "allow", "cache-control", "content-encoding", "content-type", "date", "retry-after",
        "www-authenticate",
    ]

    /// Requests that are remembered, to notice when one comes again: assumption. Their hash tables have up to 0.5 GB,
    /// and below 48 requests a second no key has to be changed before its day is over.
    static let rememberedRequests = 1 << 24

    /// A key still opens requests for as long as it was published, because nobody knows how long devices use one that
    /// they have fetched.
    static func lives(_ published: Duration) -> GatewayKeys.Lives {
        let nanoseconds = Int64(saturating: published.milliseconds * 1e6)
        return GatewayKeys.Lives(published: nanoseconds, overlap: nanoseconds, capacity: rememberedRequests)
    }

    let gateway: GatewayParty
    let hits: LimitHits
    let meter: CPUMeter
    let clock: StackClock
    let issuer: any Upstream
    let pir: any Upstream

    var party: Party { .gateway }

    var endpoints: [PartyEndpoint] { [Self.endpoint] }

    func respond(to request: BinaryHTTPRequest, at _: PartyEndpoint) async -> BinaryHTTPResponse {
        if request.method == "GET" { return gateway.keyConfigurations(at: clock.steady()) }
        switch meter.measure(.gateway, { gateway.open(request, at: clock.steady()) }) {
        case .answered(let response):
            if response.status == 422 { hits.note(.gatewayKey) }
            return response
        case .opened(let opened):
            let response = await carry(opened.request)
            return meter.measure(.gateway) { opened.seal(response) }
        }
    }

    /// Passes on what a device says to issuer and PIR server, and nothing else: to an endpoint of theirs, with the
    /// fields that it reads. A gateway that carries more reaches places that its clients cannot, with its own address.
    private func carry(_ inner: BinaryHTTPRequest) async -> BinaryHTTPResponse {
        // Issuer and PIR server may share a host, so the path decides.
        let targets = IssuerHost.endpoints.map { ($0, issuer) } + PIRHost.endpoints.map { ($0, pir) }
        guard
            let (endpoint, upstream) = targets.first(where: {
                $0.0.path == inner.path && $0.0.methods.contains(inner.method)
            })
        else { return .nothingHere }
        guard inner.content.count <= endpoint.contentLimit else {
            hits.note(.content)
            return .tooLong(inner.content.count, limit: endpoint.contentLimit)
        }
        let request = BinaryHTTPRequest(
            method: inner.method, authority: "", path: endpoint.path,
            fields: inner.fields.filter(endpoint.reads), content: inner.method == "GET" ? [] : inner.content)
        let response = await upstream.send(request, to: endpoint)
        return BinaryHTTPResponse(
            status: response.status,
            fields: response.fields.filter { Self.responseFields.contains($0.name.lowercased()) },
            content: response.content)
    }
}

extension BinaryHTTPResponse {
    static var nothingHere: BinaryHTTPResponse { .refusal(.notOffered, "there is nothing here") }

    static func tooLong(_ byteCount: Int, limit: Int) -> BinaryHTTPResponse {
        .refusal(.tooLarge, "the content has \(byteCount) bytes; at most \(limit) are allowed")
    }
}
