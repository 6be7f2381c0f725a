import HomomorphicEncryption
import LiveStack
import ObliviousHTTP
import PrivacyPass
import PrivateInformationRetrieval
import Synchronization

/// The real store behind a ledger and a key store that have a fault which is looked for.
struct FaultyStore: StackStore {
    let store: any StackStore
    let ledger: any SpendLedger
    let evaluationKeys: any EvaluationKeyStore

    init(_ store: any StackStore, mutant: Mutant, time: VirtualTime) {
        self.store = store
        ledger = FaultyLedger(ledger: store.ledger, mutant: mutant, time: time)
        evaluationKeys =
            mutant == .keyAcknowledgedEarly
            ? EarlyKeyStore(store: store.evaluationKeys, time: time) : store.evaluationKeys
    }

    var spentTokenCount: Int { store.spentTokenCount }
    var rememberedUsecases: Set<String> { store.rememberedUsecases }

    func issuers(for tiers: Set<UserTier>) throws -> TieredIssuers { try store.issuers(for: tiers) }

    func takeGatewayKeys(second: Int64) throws -> [GatewayKeys.Stored] {
        try store.takeGatewayKeys(second: second)
    }

    func put(_ keys: [GatewayKeys.Stored], second: Int64) { store.put(keys, second: second) }
    func noteIssued(user: String, day: Int64) { store.noteIssued(user: user, day: day) }

    func issuedCount(user: String, day: Int64) throws -> Int {
        try store.issuedCount(user: user, day: day)
    }

    func remember(_ usecase: PIRUsecase, versionCount: Int) {
        store.remember(usecase, versionCount: versionCount)
    }

    func versions(before usecase: PIRUsecase, versionCount: Int) -> [PIRUsecase] {
        store.versions(before: usecase, versionCount: versionCount)
    }

    func forget(usecase name: String) { store.forget(usecase: name) }
    func close() { store.close() }
}

private struct FaultyLedger: SpendLedger {
    let ledger: any SpendLedger
    let mutant: Mutant
    let time: VirtualTime

    func spend(_ nonce: TokenNonce, ofKey keyID: [UInt8]) -> Bool {
        let isNew = ledger.spend(nonce, ofKey: keyID)
        if isNew, mutant == .checkThenNote { ledger.giveBack(nonce, ofKey: keyID) }
        return isNew
    }

    func keep(_ nonce: TokenNonce, ofKey keyID: [UInt8]) {
        switch mutant {
        case .checkThenNote:
            _ = ledger.spend(nonce, ofKey: keyID)
            ledger.keep(nonce, ofKey: keyID)
        // Not in the request's task, so that its answer does not wait for it.
        case .rememberedAfterAnswer: time.after(0.05) { ledger.keep(nonce, ofKey: keyID) }
        default: ledger.keep(nonce, ofKey: keyID)
        }
    }

    func giveBack(_ nonce: TokenNonce, ofKey keyID: [UInt8]) {
        if mutant != .notGivenBack { ledger.giveBack(nonce, ofKey: keyID) }
    }
}

private struct EarlyKeyStore: EvaluationKeyStore {
    let store: any EvaluationKeyStore
    let time: VirtualTime

    var forms: Set<EvaluationKeyForm> { store.forms }
    var usage: (count: Int?, byteCount: Int) { store.usage }
    var droppedCount: Int { store.droppedCount }

    func timestamp(of name: EvaluationKeyName) throws -> UInt64? { try store.timestamp(of: name) }

    func key(
        _ name: EvaluationKeyName, reading read: ([UInt8]) throws -> EvaluationKey
    ) throws -> EvaluationKey? { try store.key(name, reading: read) }

    /// Longer than a transaction takes while the disk is well. What is stored at once joins the transaction of the
    /// upload's token, which the answer waits for, and is not early.
    private static let lateness = 0.25

    func store(_ key: StoredEvaluationKey, as name: EvaluationKeyName) {
        // Not in the request's task, so that its answer does not wait for it.
        time.after(Self.lateness) { store.store(key, as: name) }
    }

    func removeAll() { store.removeAll() }
}
