/// The book of tokens that were taken, by their keys: each is taken once.
///
/// It only grows: with an empty redemption context a token stays good as long as its key, so that nonces may be dropped
/// only with their key.
package struct SpentTokens<KeyName: Hashable & Sendable, Nonce: Hashable & Sendable>: Sendable {
    private var spent: [KeyName: Set<Nonce>] = [:]

    package init() {}

    /// Nonces noted.
    package var count: Int { spent.values.reduce(0) { $0 + $1.count } }

    /// Places of the tables, the unused ones included.
    package var capacity: Int { spent.values.reduce(0) { $0 + $1.capacity } }

    /// Notes a nonce.
    ///
    /// - Returns: `false` if it was noted before.
    package mutating func spend(_ nonce: Nonce, ofKey name: KeyName) -> Bool {
        spent[name, default: []].insert(nonce).inserted
    }

    /// Forgets a nonce, so that its token can be spent after all.
    package mutating func giveBack(_ nonce: Nonce, ofKey name: KeyName) { spent[name]?.remove(nonce) }

    /// Drops the nonces of a key whose tokens are no longer taken.
    package mutating func retire(_ name: KeyName) { spent[name] = nil }
}
