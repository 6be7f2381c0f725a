/// The machine that parties run on, as far as they notice it; a simulated world has another.
package struct StackSurroundings: Sendable {
    let clock: StackClock
    let store: any StackStore
    let pool: ComputePool
    /// The way to a party in another process.
    let connect: @Sendable (PartyURL) -> any DistantParty

    package init(
        clock: StackClock, store: any StackStore, pool: ComputePool,
        connect: @escaping @Sendable (PartyURL) -> any DistantParty
    ) {
        (self.clock, self.store, self.pool, self.connect) = (clock, store, pool, connect)
    }
}
