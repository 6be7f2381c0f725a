import Synchronization

/// Asks a run to stop: once lets running replications finish, twice gives them up.
package final class StopSignal: Sendable {
    private let level = Atomic<Int>(0)
    private let parent: StopSignal?

    /// - Parameter parent: Whose request counts too, for a part of a larger run.
    package init(under parent: StopSignal? = nil) { self.parent = parent }

    package func raise() { level.add(1, ordering: .relaxed) }

    /// Stops at once.
    package func raiseUrgently() { level.add(2, ordering: .relaxed) }

    package var isRaised: Bool { level.load(ordering: .relaxed) > 0 || parent?.isRaised ?? false }
    package var isUrgent: Bool { level.load(ordering: .relaxed) > 1 || parent?.isUrgent ?? false }
}
