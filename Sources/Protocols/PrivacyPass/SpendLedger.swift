import ServiceRules
import Synchronization

/// The book in which spent tokens are noted.
///
/// Checking and noting is one operation. With two, tokens presented at the same moment could
/// both pass between them (article "Transport", section "Apple's example service").
///
/// A nonce that was noted is then kept, before anything is done for its token, or given back if nothing will be.
package protocol SpendLedger: Sendable {
    /// Notes the nonce, in one step.
    ///
    /// - Returns: `false` if it was noted before.
    func spend(_ nonce: TokenNonce, ofKey keyID: [UInt8]) -> Bool

    /// Makes a nonce that was noted last, where there is something that outlives the process.
    func keep(_ nonce: TokenNonce, ofKey keyID: [UInt8])

    /// Forgets a nonce, so that its token can be spent after all. Only for whoever noted it and did not keep it.
    func giveBack(_ nonce: TokenNonce, ofKey keyID: [UInt8])
}

/// A ledger in the memory of one process; ``SpentTokens`` is what is in it.
///
/// When the process restarts, every token of a key that survived can be spent once more; ``forget()`` models that.
package final class InMemorySpendLedger: SpendLedger {
    private let spent = Mutex(SpentTokens<[UInt8], TokenNonce>())

    package init() {}

    package func spend(_ nonce: TokenNonce, ofKey keyID: [UInt8]) -> Bool {
        spent.withLock { $0.spend(nonce, ofKey: keyID) }
    }

    package func keep(_: TokenNonce, ofKey _: [UInt8]) {}

    package func giveBack(_ nonce: TokenNonce, ofKey keyID: [UInt8]) {
        spent.withLock { $0.giveBack(nonce, ofKey: keyID) }
    }

    /// Nonces noted.
    package var count: Int { spent.withLock { $0.count } }

    /// Bytes of the nonce tables, their unused places included.
    package var byteCount: Int { spent.withLock { $0.capacity * MemoryLayout<TokenNonce>.stride } }

    /// Drops the nonces of a key whose tokens are no longer accepted.
    package func retire(keyID: [UInt8]) { spent.withLock { $0.retire(keyID) } }

    /// Loses everything, as a restart does.
    package func forget() { spent.withLock { $0 = SpentTokens() } }
}
