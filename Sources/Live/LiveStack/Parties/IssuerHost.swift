import ObliviousHTTP
import Parties
import PrivacyPass
import ServiceRules

/// The issuer as a running party.
struct IssuerHost: PartyHost {
    /// A token request has 259 bytes.
    private static let contentLimit = 4 << 10
    static let directory = PartyEndpoint(
        path: IssuerDirectory.path, name: "directory", methods: ["GET"], contentLimit: contentLimit)
    static let endpoints = [
        directory,
        PartyEndpoint(
            path: ServiceNames.tokenKeyPath, name: "token-key", methods: ["GET"], credentials: "bearer",
            contentLimit: contentLimit),
        PartyEndpoint(
            path: ServiceNames.issuePath, name: "issue", credentials: "bearer", fields: ["content-type"],
            contentLimit: contentLimit),
    ]

    let issuer: IssuerParty
    let pool: ComputePool
    let estimates: ServerEstimates
    let hits: LimitHits
    let meter: CPUMeter
    let clock: StackClock
    private let underWay = IssuesUnderWay()

    var party: Party { .issuer }

    var endpoints: [PartyEndpoint] { Self.endpoints }

    func respond(to request: BinaryHTTPRequest, at _: PartyEndpoint) async -> BinaryHTTPResponse {
        // Only signing is work; half a millisecond.
        guard request.method == "POST" else {
            return meter.measure(.issuer) { issuer.respond(to: request, second: clock.second()) }
        }
        let changes = RequestChanges()
        let repetitions = underWay.begin(request, changes)
        let second = clock.second()
        let response = await pool.run(
            owner: request.authorization ?? "", cost: estimates.seconds(.token)
        ) {
            let (response, nanoseconds) = clock.measure {
                changes.collect { meter.measure(.issuer) { issuer.respond(to: request, second: second) } }
            }
            if response.status == 200 { estimates.note(.token, nanoseconds: nanoseconds) }
            return response
        }
        guard let response else {
            underWay.end(request, repetitions, areStored: true)
            return .overloaded
        }
        if response.status == ServiceRefusal.budgetExhausted.status { hits.note(.tokensPerDay) }
        // Only who has counted takes back.
        if await !changes.areStored() { issuer.takeBack(request, second: second) }
        let areStored = await repetitions.areStored()
        underWay.end(request, repetitions, areStored: areStored)
        guard areStored else { return .notStored }
        return response
    }
}

extension BinaryHTTPResponse {
    /// There is no room to wait.
    static var overloaded: BinaryHTTPResponse { .refusal(.busy, "the server is busy") }

    /// Nothing is acknowledged that is not on the disk.
    static var notStored: BinaryHTTPResponse {
        .refusal(.stateUnavailable, "the server cannot store its state")
    }
}
