import Synchronization

/// A world that violates an invariant, and the least script with which it still does.
package struct FailingWorld: Sendable {
    package let seed: UInt64
    package let violation: Violation
    /// The events that are left.
    package let script: WorldScript
    /// Worlds that shrinking took.
    package let shrinkCount: Int

    package init(seed: UInt64, violation: Violation, script: WorldScript, shrinkCount: Int = 0) {
        (self.seed, self.violation, self.script, self.shrinkCount) = (seed, violation, script, shrinkCount)
    }
}

/// Worlds that were looked at.
package struct WorldSearchResult: Sendable {
    package var worldCount = 0
    package var arrivalCount = 0
    package var startCount = 0
    /// A hash of all worlds, whatever the number of threads.
    package var fingerprint: UInt64 = 0
    /// The failing world with the least seed; not the only one, perhaps.
    package var failure: FailingWorld?

    fileprivate mutating func add(_ seed: UInt64, _ outcome: WorldOutcome) {
        worldCount += 1
        arrivalCount += outcome.arrivalCount
        startCount += outcome.startCount
        fingerprint &+= outcome.fingerprint &* (2 &* seed &+ 1)
    }
}

/// Looks for worlds that violate an invariant.
package struct WorldSearch: Sendable {
    let stock: WorldStock
    let mutant: Mutant?

    package init(stock: WorldStock, mutant: Mutant? = nil) {
        self.stock = stock
        self.mutant = mutant
    }

    package func run(_ script: WorldScript) -> WorldOutcome {
        World(script, stock: stock, mutant: mutant).run()
    }

    /// Looks at worlds until one fails, on so many threads. What is found does not depend on their number.
    ///
    /// - Parameters:
    ///   - seeds: Of the worlds.
    ///   - isOver: Asked between worlds; true ends the search.
    package func run(
        seeds: Range<UInt64>, threads: Int, isOver: @escaping @Sendable () -> Bool = { false },
        progress: @escaping @Sendable (Int) -> Void = { _ in }
    ) async -> WorldSearchResult {
        let board = SearchBoard(seeds)
        await withTaskGroup(of: Void.self) { group in
            for _ in 0..<max(1, threads) {
                group.addTask { [self] in
                    while !isOver(), let batch = board.take() {
                        for seed in batch {
                            let outcome = run(WorldScript(seed: seed))
                            progress(board.note(seed, outcome))
                            if outcome.violation != nil { break }
                        }
                    }
                }
            }
        }
        var result = WorldSearchResult()
        for (seed, outcome) in board.outcomes {
            result.add(seed, outcome)
            if let violation = outcome.violation {
                result.failure = FailingWorld(
                    seed: seed, violation: violation, script: WorldScript(seed: seed))
            }
        }
        return result
    }

    /// Leaves events out as long as the same invariant is violated: halves, then smaller parts, then single ones
    /// (Zeller and Hildebrandt, Simplifying and Isolating Failure-Inducing Input, 2002).
    package func shrink(_ failure: FailingWorld, limit: Int = 500) -> FailingWorld {
        var script = failure.script
        var violation = failure.violation
        var (count, part) = (0, max(1, script.events.count / 2))
        while true {
            var (start, isSmaller) = (0, false)
            while start < script.events.count, count < limit {
                var smaller = script
                smaller.events.removeSubrange(start..<min(script.events.count, start + part))
                count += 1
                if let found = run(smaller).violation, found.invariant == failure.violation.invariant {
                    (script, violation, isSmaller) = (smaller, found, true)
                } else {
                    start += part
                }
            }
            guard count < limit, part > 1 || isSmaller else { break }
            part = max(1, part / 2)
        }
        return FailingWorld(seed: failure.seed, violation: violation, script: script, shrinkCount: count)
    }
}

/// Worlds of a search that are still to be looked at, and what was found.
private final class SearchBoard: Sendable {
    /// Worlds that a thread takes at once.
    private static let batch: UInt64 = 8

    private struct State {
        var seeds: Range<UInt64>
        var found: [UInt64: WorldOutcome] = [:]
        /// The least seed that failed.
        var failing = UInt64.max
    }

    private let state: Mutex<State>

    init(_ seeds: Range<UInt64>) { state = Mutex(State(seeds: seeds)) }

    /// - Returns: `nil` if none is left below one that failed.
    func take() -> Range<UInt64>? {
        state.withLock { state in
            let first = state.seeds.lowerBound
            guard first < min(state.seeds.upperBound, state.failing) else { return nil }
            let end = min(state.seeds.upperBound, first + Self.batch)
            state.seeds = end..<state.seeds.upperBound
            return first..<end
        }
    }

    /// - Returns: How many worlds were looked at.
    func note(_ seed: UInt64, _ outcome: WorldOutcome) -> Int {
        state.withLock { state in
            state.found[seed] = outcome
            if outcome.violation != nil { state.failing = min(state.failing, seed) }
            return state.found.count
        }
    }

    /// Worlds up to the first that failed, in the order of their seeds.
    var outcomes: [(seed: UInt64, outcome: WorldOutcome)] {
        state.withLock { state in
            state.found.filter { $0.key <= state.failing }.sorted { $0.key < $1.key }
                .map { (seed: $0.key, outcome: $0.value) }
        }
    }
}
