package import ObliviousHTTP
package import PrivacyPass
package import PrivateInformationRetrieval

/// The disk of a ``DurableStore``: a SQLite file, or one of a simulated world.
///
/// A change is on the disk when the call returns, with all others of the same call, or it throws and none of them is.
package protocol StateDatabase: Sendable {
    func issuers() throws -> [UserTier: Issuer]

    func insert(_ issuer: Issuer, tier: UserTier) throws

    func spentTokens() throws -> [(keyID: [UInt8], nonce: TokenNonce)]

    /// Takes the gateway's keys out; see ``StackStore/takeGatewayKeys(second:)``.
    func takeGatewayKeys(second: Int64) throws -> [GatewayKeys.Stored]

    func put(_ keys: [GatewayKeys.Stored], second: Int64) throws

    /// - Parameter keyCapacity: Bytes that all evaluation keys may take.
    /// - Returns: Names of evaluation keys that were dropped for lack of room, the ones uploaded first.
    func write(_ changes: [StateChange], keyCapacity: Int) throws -> [EvaluationKeyName]

    func timestamp(of name: EvaluationKeyName) throws -> UInt64?

    func evaluationKey(_ name: EvaluationKeyName) throws -> (timestamp: UInt64, message: [UInt8])?

    func evaluationKeyCount() throws -> Int

    func removeEvaluationKeys() throws

    func issuedCount(userHash: [UInt8], day: Int64) throws -> Int

    /// To be called when nothing is served any more.
    func close()
}

/// A change of the state that requests make.
package enum StateChange: Sendable {
    case spent(nonce: TokenNonce, keyID: [UInt8])
    case evaluationKey(EvaluationKeyName, StoredEvaluationKey)
    case issued(userHash: [UInt8], day: Int64)

    /// Memory that it takes, about.
    var byteCount: Int {
        switch self {
        case .spent, .issued: 100
        case .evaluationKey(let name, let key):
            name.user.utf8.count + key.byteCount
        }
    }
}

/// Copies of the databases that are and were served, which outlive the process.
package protocol VersionCopies: Sendable {
    /// Those of which there are copies.
    var usecases: Set<String> { get }

    /// See ``StackStore/remember(_:versionCount:)``.
    func remember(_ usecase: PIRUsecase, versionCount: Int)

    /// See ``StackStore/versions(before:versionCount:)``.
    func versions(before usecase: PIRUsecase, versionCount: Int) -> [PIRUsecase]

    func forget(usecase name: String)

    /// Lets another server use them.
    func close()
}
