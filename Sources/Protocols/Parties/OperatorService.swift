package import ObliviousHTTP
import PrivacyPass
package import PrivateInformationRetrieval
import ServiceRules

/// The operator's issuer and PIR server behind the gateway, told apart by the host that a request names.
///
/// Keeps everything in memory and knows no users: every user token is good. Used from one thread.
package final class OperatorService {
    package static let issuerAuthority = ServiceNames.issuerAuthority
    package static let pirAuthority = ServiceNames.pirAuthority
    private static let tier = UserTier("tier1")

    private let issuer: IssuerParty
    package let pir: PIRParty
    private let ledger = InMemorySpendLedger()
    /// Last bytes of the ids of all token keys so far.
    private var usedKeyIDs: Set<UInt8> = []
    /// Whether tokens are counted at all.
    package var hasBudget = true {
        didSet { issuer.setCounting(hasBudget) }
    }

    /// - Parameter secondsTokenKeysKept: How long the PIR server takes tokens after a restart of the issuer that made
    ///   them.
    package init(
        usecase: PIRUsecase, tokensPerUserPerDay: Int?, secondsTokenKeysKept: Int64 = 0,
        keys: EvaluationKeyForm = .ready
    ) throws {
        issuer = IssuerParty(
            issuers: try TieredIssuers(generatingFor: [Self.tier]), users: .anyone(Self.tier),
            tokensPerUserPerDay: tokensPerUserPerDay)
        pir = PIRParty(
            service: PIRService(usecases: [usecase], keys: InMemoryEvaluationKeyStore(form: keys)),
            tokenKeys: issuer.publicKeys, ledger: ledger, secondsTokenKeysKept: secondsTokenKeysKept)
    }

    /// - Parameter second: The service's clock, for the daily token budget and the lives of token keys.
    package func respond(to request: BinaryHTTPRequest, second: Int64) -> BinaryHTTPResponse {
        switch request.authority {
        case Self.issuerAuthority: issuer.respond(to: request, second: second)
        case Self.pirAuthority: pir.respond(to: request, second: second)
        default: BinaryHTTPResponse(status: ServiceRefusal.notOffered.status)
        }
    }

    /// Memory of one evaluation key, bytes; 0 while there is none.
    package var evaluationKeyBytes: Int {
        let usage = pir.service.evaluationKeyUsage
        guard let count = usage.count, count > 0 else { return 0 }
        return usage.byteCount / count
    }

    /// A restart of the issuer: keys are not persisted, so tokens made with the old one are refused, at once or when it
    /// is kept no longer.
    ///
    /// A token request names its key by one byte only. Keys are drawn until that byte is new, as Apple's example
    /// server does for its tiers; else one restart in 256 would sign with a key that no device accepts.
    /// - Parameter second: The service's clock.
    package func restartIssuer(second: Int64) throws {
        usedKeyIDs.formUnion(issuer.publicKeys.map(\.truncatedKeyID))
        if usedKeyIDs.count > 200 { usedKeyIDs = Set(issuer.publicKeys.map(\.truncatedKeyID)) }
        var issuers = try TieredIssuers(generatingFor: [Self.tier])
        while issuers.publicKeys.contains(where: { usedKeyIDs.contains($0.truncatedKeyID) }) {
            issuers = try TieredIssuers(generatingFor: [Self.tier])
        }
        issuer.replace(issuers: issuers, users: .anyone(Self.tier))
        pir.replace(tokenKeys: issuer.publicKeys, second: second)
    }

    /// A restart of the PIR server: evaluation keys and spent tokens are not persisted.
    package func restartPIR() {
        pir.service.forgetEvaluationKeys()
        ledger.forget()
    }
}
