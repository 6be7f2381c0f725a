package import ObliviousHTTP
import PrivacyPass
package import PrivateInformationRetrieval

/// The operator's issuer and PIR server behind the gateway: HTTP requests in, HTTP responses out.
///
/// Endpoints, headers and status codes as in the apple-url-filter fact sheet, section 5, and the pir-protocol
/// fact sheet, sections 13 and 14. Does no input or output itself; used from one thread.
package final class OperatorService {
    package static let issuerAuthority = "issuer.example"
    package static let pirAuthority = "pir.example"
    package static let userIdentifierField = "user-identifier"
    package static let tokenKeyPath = "/token-key-for-user-token"
    package static let issuePath = "/issue"

    private var issuer: Issuer
    private var verifier: TokenVerifier
    private let ledger = InMemorySpendLedger()
    private let pir: PIRService
    private var budget: IssuanceBudget?
    /// Last bytes of the ids of all token keys so far.
    private var usedKeyIDs: Set<UInt8> = []
    /// Whether tokens are counted at all.
    package var hasBudget = true

    package init(usecase: PIRUsecase, tokensPerUserPerDay: Int?) throws {
        issuer = try Issuer()
        verifier = TokenVerifier(keys: [issuer.publicKey])
        pir = PIRService(usecases: [usecase])
        budget = tokensPerUserPerDay.map(IssuanceBudget.init(tokensPerUserPerDay:))
    }

    /// - Parameter second: The service's clock, for the daily token budget.
    package func respond(to request: BinaryHTTPRequest, second: Int64) -> BinaryHTTPResponse {
        switch (request.authority, request.method, request.path) {
        case (Self.issuerAuthority, "GET", IssuerDirectory.path): directory()
        case (Self.issuerAuthority, "GET", Self.tokenKeyPath): tokenKey(for: request)
        case (Self.issuerAuthority, "POST", Self.issuePath): issue(request, second: second)
        case (Self.pirAuthority, "POST", let path):
            if let endpoint = PIRService.Endpoint.allCases.first(where: { $0.path == path }) {
                redeem(request, for: endpoint)
            } else {
                BinaryHTTPResponse(status: 404)
            }
        default: BinaryHTTPResponse(status: 404)
        }
    }

    /// Memory of one evaluation key, bytes; 0 while there is none.
    package var evaluationKeyBytes: Int {
        let usage = pir.evaluationKeyUsage
        return usage.count > 0 ? usage.byteCount / usage.count : 0
    }

    /// A restart of the issuer: keys are not persisted, so tokens made with the old one are refused.
    ///
    /// A token request names its key by one byte only. Keys are drawn until that byte is new, as Apple's example
    /// server does for its tiers; else one restart in 256 would sign with a key that no device accepts.
    package func restartIssuer() throws {
        usedKeyIDs.insert(issuer.publicKey.truncatedKeyID)
        if usedKeyIDs.count > 200 { usedKeyIDs = [issuer.publicKey.truncatedKeyID] }
        repeat { issuer = try Issuer() } while usedKeyIDs.contains(issuer.publicKey.truncatedKeyID)
        verifier = TokenVerifier(keys: [issuer.publicKey])
    }

    /// A restart of the PIR server: evaluation keys and spent tokens are not persisted.
    package func restartPIR() {
        pir.forgetEvaluationKeys()
        ledger.forget()
    }

    private func directory() -> BinaryHTTPResponse {
        do {
            let directory = try IssuerDirectory(
                issuerRequestURI: Self.issuePath, keys: [IssuerDirectory.Key(issuer.publicKey)])
            return BinaryHTTPResponse(
                status: 200, fields: [BinaryHTTPField("content-type", IssuerDirectory.mediaType)],
                content: directory.encoded)
        } catch {
            return refusal(500, "\(error)")
        }
    }

    private func tokenKey(for request: BinaryHTTPRequest) -> BinaryHTTPResponse {
        do {
            _ = try UserTokenTable.userToken(authorization: request.authorization)
            return BinaryHTTPResponse(status: 200, content: issuer.publicKey.subjectPublicKeyInfo)
        } catch {
            return refusal(error.httpStatus, "\(error)")
        }
    }

    private func issue(_ request: BinaryHTTPRequest, second: Int64) -> BinaryHTTPResponse {
        do {
            let user = try UserTokenTable.userToken(authorization: request.authorization)
            let tokenRequest = try TokenRequest(decoding: request.content)
            // A request for a key that is gone is refused before it counts for the user's day.
            let current = issuer.publicKey.truncatedKeyID
            guard tokenRequest.truncatedKeyID == current else {
                throw IssuanceError.unknownKey(truncatedID: tokenRequest.truncatedKeyID, expected: current)
            }
            if hasBudget { try budget?.take(user: user, at: second * 1_000_000_000) }
            let response = try issuer.issue(tokenRequest)
            return BinaryHTTPResponse(
                status: 200, fields: [BinaryHTTPField("content-type", TokenResponse.mediaType)],
                content: response.encoded)
        } catch let error as UserTokenError {
            return refusal(error.httpStatus, "\(error)")
        } catch let error as IssuanceBudgetExhausted {
            return refusal(error.httpStatus, "\(error)")
        } catch let error as IssuanceError {
            return refusal(error.httpStatus, "\(error)")
        } catch let error as TokenFormatError {
            return refusal(IssuanceError.malformed(error).httpStatus, "\(error)")
        } catch {
            return refusal(500, "\(error)")
        }
    }

    /// The token is spent first, whatever comes of the request.
    private func redeem(_ request: BinaryHTTPRequest, for endpoint: PIRService.Endpoint) -> BinaryHTTPResponse
    {
        do {
            _ = try verifier.redeem(authorization: request.authorization ?? "", in: ledger)
        } catch {
            return refusal(error.httpStatus, "\(error)")
        }
        guard let user = request.fields.first(named: Self.userIdentifierField)?.text else {
            return refusal(400, "User-Identifier is missing")
        }
        guard request.fields.first(named: "user-agent") != nil else {
            return refusal(400, "User-Agent is missing")
        }
        let reply = pir.handle(endpoint, userIdentifier: user, body: request.content)
        return BinaryHTTPResponse(status: reply.status, content: reply.body)
    }

    private func refusal(_ status: Int, _ sentence: String) -> BinaryHTTPResponse {
        BinaryHTTPResponse(
            status: status, fields: [BinaryHTTPField("content-type", "text/plain")],
            content: Array(sentence.utf8))
    }
}

extension BinaryHTTPRequest {
    fileprivate var authorization: String? { fields.first(named: "authorization")?.text }
}
