import ObliviousHTTP
import Parties
import PrivacyPass

/// The issuer as a running party.
struct IssuerHost: PartyHost {
    /// A token request has 259 bytes.
    private static let contentLimit = 4 << 10
    static let paths: Set<String> = [IssuerDirectory.path, ServiceNames.tokenKeyPath, ServiceNames.issuePath]

    let issuer: IssuerParty
    let pool: ComputePool
    let meter: CPUMeter
    let clock: @Sendable () -> Int64

    var party: Party { .issuer }

    var endpoints: [PartyEndpoint] {
        [
            PartyEndpoint(path: IssuerDirectory.path, name: "directory", contentLimit: Self.contentLimit),
            PartyEndpoint(
                path: ServiceNames.tokenKeyPath, name: "token-key", contentLimit: Self.contentLimit),
            PartyEndpoint(path: ServiceNames.issuePath, name: "issue", contentLimit: Self.contentLimit),
        ]
    }

    func respond(to request: BinaryHTTPRequest) async -> BinaryHTTPResponse {
        // Only signing is work; half a millisecond.
        guard request.method == "POST" else {
            return meter.measure(.issuer) { issuer.respond(to: request, second: clock()) }
        }
        let changes = RequestChanges()
        let second = clock()
        let response = await pool.run {
            changes.collect { meter.measure(.issuer) { issuer.respond(to: request, second: second) } }
        }
        guard let response else { return .overloaded }
        guard await changes.areStored() else {
            issuer.takeBack(request, second: second)
            return .notStored
        }
        return response
    }
}

extension BinaryHTTPResponse {
    /// A queue is full. Waiting a second is an assumption: a queue of a thousand empties in about that time.
    static var overloaded: BinaryHTTPResponse {
        .refusal(503, "the server is busy", fields: [BinaryHTTPField("retry-after", "1")])
    }

    /// Nothing is acknowledged that is not on the disk.
    static var notStored: BinaryHTTPResponse {
        .refusal(503, "the server cannot store its state", fields: [BinaryHTTPField("retry-after", "10")])
    }
}
