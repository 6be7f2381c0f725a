package import ObliviousHTTP
package import PrivacyPass
package import PrivateInformationRetrieval
import ServiceRules
import Synchronization

/// The PIR server: takes a token for every request, then answers it.
///
/// HTTP requests in, HTTP responses out; no input or output of its own. Any number of threads may call.
package final class PIRParty: Sendable {
    /// A request whose token has been taken: to be kept before it is answered, or given back.
    package struct Admitted: Sendable {
        package let token: Token
        package let endpoint: PIRService.Endpoint
        package let userIdentifier: String
        package let body: [UInt8]
    }

    /// Longest pseudonym, in bytes; a device's is a UUID. It is a key of the store; assumption.
    package static let userIdentifierLimit = 256

    /// Waiting lookups that our server answers together at most. More would make the first of them wait long for the
    /// last.
    package static let groupLimit = 4

    /// Questions answered together, unless one lookup has more: assumption, four lookups of a device.
    package static let groupQuestionLimit = 32

    /// How long a request may wait at our server. A device gives up 3 s after it asked. In that time it may have to
    /// wait for a token first, and the rest is for everything but waiting. Assumption.
    package static let queueTime = Duration.seconds(1)

    private struct TokenKeys {
        var epochs: TokenKeyEpochs<[UInt8]>
        /// Has all keys that the epochs know.
        var verifier: TokenVerifier
    }

    package let service: PIRService
    private let tokenKeys: Mutex<TokenKeys>
    private let ledger: any SpendLedger

    /// - Parameter secondsTokenKeysKept: How long tokens are taken after their key was replaced.
    package init(
        service: PIRService, tokenKeys: [TokenPublicKey], ledger: any SpendLedger,
        secondsTokenKeysKept: Int64 = 0
    ) {
        self.service = service
        self.ledger = ledger
        self.tokenKeys = Mutex(
            TokenKeys(
                epochs: TokenKeyEpochs(tokenKeys.map(\.keyID), secondsKept: secondsTokenKeysKept),
                verifier: TokenVerifier(keys: tokenKeys)))
    }

    /// Takes tokens of these keys from now on, and of those before them as long as they are kept.
    ///
    /// - Parameter second: The service's clock.
    package func replace(tokenKeys new: [TokenPublicKey], second: Int64) {
        tokenKeys.withLock { keys in
            let before = keys.epochs.current
            keys.epochs.change(to: new.map(\.keyID), at: second)
            for keyID in before where !keys.epochs.knows(keyID) { keys.verifier.remove(keyID: keyID) }
            for key in new { keys.verifier.add(key) }
        }
    }

    /// - Parameters:
    ///   - request: To any path.
    ///   - second: The service's clock, for the lives of token keys.
    package func respond(to request: BinaryHTTPRequest, second: Int64) -> BinaryHTTPResponse {
        if asksForPublicConfiguration(request) { return publicConfiguration() }
        if request.plainPath == ServiceNames.reportPath[...] { return takeReport(request, second: second) }
        switch admit(request, second: second) {
        case .success(let admitted):
            keep(admitted.token)
            return answer(admitted)
        case .failure(let refusal):
            return refusal.response
        }
    }

    /// Takes the token of a report; what it says is nobody's business here.
    private func takeReport(_ request: BinaryHTTPRequest, second: Int64) -> BinaryHTTPResponse {
        switch redeem(request, second: second) {
        case .success(let token):
            keep(token)
            return BinaryHTTPResponse(status: 200)
        case .failure(let refusal): return refusal.response
        }
    }

    /// Whether this is a request of iOS 27.3 for what everybody gets, which needs no token.
    package func asksForPublicConfiguration(_ request: BinaryHTTPRequest) -> Bool {
        request.method == "GET" && request.plainPath == PIRService.Endpoint.config.path[...]
    }

    /// The configurations of all usecases, for `GET /config`; no key is known.
    package func publicConfiguration() -> BinaryHTTPResponse {
        Self.response(service.publicConfiguration())
    }

    /// Why a request does not get as far as the service.
    package struct Refusal: Error {
        package let response: BinaryHTTPResponse
        /// The token's key is not known here; the issuer may have new ones.
        package var isUnknownKey = false
        /// The pseudonym is longer than ``PIRParty/userIdentifierLimit``.
        package var isPseudonymTooLong = false
    }

    /// Checks all that can be checked cheaply. The token is spent first, whatever the request is worth: that of a
    /// request that is refused for its fields is kept here, or it could be spent once more after a restart.
    ///
    /// - Parameter second: As for ``respond(to:second:)``.
    package func admit(_ request: BinaryHTTPRequest, second: Int64) -> Result<Admitted, Refusal> {
        guard let endpoint = PIRService.Endpoint.allCases.first(where: { $0.path[...] == request.plainPath })
        else {
            return .failure(Refusal(response: BinaryHTTPResponse(status: ServiceRefusal.notOffered.status)))
        }
        guard request.method == "POST" else {
            return refused(
                .methodNotAllowed, "the method must be POST", fields: [BinaryHTTPField("allow", "POST")])
        }
        let token: Token
        switch redeem(request, second: second) {
        case .success(let good): token = good
        case .failure(let refusal): return .failure(refusal)
        }
        let result = admit(request, at: endpoint, with: token)
        if case .failure = result { keep(token) }
        return result
    }

    private func admit(
        _ request: BinaryHTTPRequest, at endpoint: PIRService.Endpoint, with token: Token
    ) -> Result<Admitted, Refusal> {
        guard let user = request.fields.first(named: ServiceNames.userIdentifierField)?.text else {
            return refused(.requestUnusable, "User-Identifier is missing")
        }
        guard user.utf8.count <= Self.userIdentifierLimit else {
            let sentence =
                "User-Identifier has \(user.utf8.count) bytes; at most \(Self.userIdentifierLimit) are allowed"
            return .failure(Refusal(response: .refusal(.requestUnusable, sentence), isPseudonymTooLong: true))
        }
        guard request.fields.first(named: "user-agent") != nil else {
            return refused(.requestUnusable, "User-Agent is missing")
        }
        return .success(
            Admitted(token: token, endpoint: endpoint, userIdentifier: user, body: request.content))
    }

    /// Takes the token of a request.
    ///
    /// - Parameter second: As for ``respond(to:second:)``.
    package func redeem(_ request: BinaryHTTPRequest, second: Int64) -> Result<Token, Refusal> {
        let keys = tokenKeys.withLock { $0 }
        do throws(RedemptionError) {
            let token = try keys.verifier.token(authorization: request.authorization ?? "")
            guard keys.epochs.takes(token.input.keyID, at: second) else {
                throw RedemptionError.unknownKey(keyID: token.input.keyID)
            }
            try keys.verifier.redeem(token, in: ledger)
            return .success(token)
        } catch {
            var refusal = Refusal(response: .refusal(.tokenNotTaken, error))
            if case .unknownKey = error { refusal.isUnknownKey = true }
            return .failure(refusal)
        }
    }

    /// Notes for good that a token was taken.
    package func keep(_ token: Token) { ledger.keep(token.input.nonce, ofKey: token.input.keyID) }

    /// Lets a token that was taken be taken again: nothing was done for its request.
    package func giveBack(_ token: Token) {
        ledger.giveBack(token.input.nonce, ofKey: token.input.keyID)
    }

    package func answer(_ request: Admitted) -> BinaryHTTPResponse {
        Self.response(
            service.handle(request.endpoint, userIdentifier: request.userIdentifier, body: request.body))
    }

    /// Answers several `/queries` at once; see ``PIRService/answerQueries(_:)``.
    package func answerQueries(_ requests: [Admitted]) -> [BinaryHTTPResponse] {
        service.answerQueries(requests.map { ($0.userIdentifier, $0.body) }).map(Self.response)
    }

    private static func response(_ reply: PIRService.Reply) -> BinaryHTTPResponse {
        let later = ServiceRefusal.stateUnavailable
        return BinaryHTTPResponse(
            status: reply.status, fields: reply.status == later.status ? later.retryFields : [],
            content: reply.body)
    }

    private func refused(
        _ why: ServiceRefusal, _ sentence: String, fields: [BinaryHTTPField] = []
    ) -> Result<Admitted, Refusal> {
        .failure(Refusal(response: .refusal(why, sentence, fields: fields)))
    }
}
