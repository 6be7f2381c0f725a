/// The number that the caller gives one URL load.
@usableFromInline
package typealias RequestNumber = UInt32

/// The number that a machine gives one call to the PIR server. Unique within the machine.
@usableFromInline
package struct BatchNumber: Hashable, Sendable {
    @usableFromInline package let rawValue: UInt32

    @inlinable
    package init(rawValue: UInt32) {
        self.rawValue = rawValue
    }

    /// No batch has this number.
    package static let none = BatchNumber(rawValue: 0)
}

/// Result of a check: a verdict at once, or a lookup to make or to wait for.
@usableFromInline
package enum CheckOutcome<Key: Sendable>: Sendable {
    case decided(Verdict, DecisionSource)
    /// Ask the PIR server about `asked`, in this order, and tell the machine with `answer` or `fail`. Those
    /// are the keys of the batch that no cache of the PIR client knows.
    case lookUp(BatchNumber, asked: [Key], deadline: Nanoseconds)
    /// The same set of keys is being looked up; the request waits for that.
    case joined(BatchNumber, deadline: Nanoseconds)
}

extension CheckOutcome: Equatable where Key: Equatable {}

/// Decisions of one device about URLs that hit its prefilter: caches, calls in flight, time limit, policy.
///
/// Follows article "Device", sections "Way of one URL" (steps 4 to 7), "Fail mode" and "Caches and keys"; most of it is
/// reverse-engineered. The machine has no clock and sends nothing: the caller passes the time, does the
/// lookup, and reports back. Times must not go backwards.
///
///     var machine = VerdictMachine<String>(constants: DeviceConstants(), policy: .failOpen)
///     machine.check(["example.com"], request: 1, at: 0, filterIsReady: true)
///         // .lookUp(batch, asked: ["example.com"], deadline: 3_000_000_000)
///     machine.answer(batch, present: [true], at: 40_000_000)   // [(1, .blockedByServer)]
///
/// A machine that was never used owns no memory outside itself, so a million of them fit one process.
@usableFromInline
package struct VerdictMachine<Key: Hashable & Sendable>: Sendable {
    @usableFromInline let policy: FailurePolicy
    @usableFromInline let agentCacheLimit: Int32
    @usableFromInline let pirCacheEntries: Int32
    @usableFromInline var lastBatch: UInt32 = 0
    @usableFromInline let verdictTimeout: Nanoseconds
    @usableFromInline let pirCacheTimeToLive: Nanoseconds
    @usableFromInline var agentCache = AgentCache<Key>()
    @usableFromInline var pirCache = PIRCache<Key>()
    @usableFromInline var inFlight: [Flight] = []

    /// One call to the PIR server.
    @usableFromInline
    struct Flight: Sendable {
        @usableFromInline let number: BatchNumber
        @usableFromInline let asked: [Key]
        /// The keys of the batch that the PIR client's cache knew, with what it knew.
        @usableFromInline let known: [(key: Key, isListed: Bool)]
        @usableFromInline var waiting: [(request: RequestNumber, deadline: Nanoseconds)]

        @inlinable
        init(
            number: BatchNumber, asked: [Key], known: [(key: Key, isListed: Bool)],
            waiting: [(request: RequestNumber, deadline: Nanoseconds)]
        ) {
            self.number = number
            self.asked = asked
            self.known = known
            self.waiting = waiting
        }

        /// Whether the batch has the same keys, in whatever order.
        @inlinable
        func hasKeys(of batch: [Key]) -> Bool {
            asked.allSatisfy { batch.contains($0) } && known.allSatisfy { batch.contains($0.key) }
                && batch.allSatisfy { key in asked.contains(key) || known.contains { $0.key == key } }
        }
    }

    @inlinable
    package init(constants: DeviceConstants, policy: FailurePolicy) {
        self.policy = policy
        verdictTimeout = constants.verdictTimeout
        agentCacheLimit = Int32(clamping: constants.agentCacheLimit)
        pirCacheEntries = Int32(clamping: constants.pirCacheEntries)
        pirCacheTimeToLive = constants.pirCacheTimeToLive
    }

    /// Calls to the PIR server that have neither been answered nor failed.
    package var batchesInFlight: Int { inFlight.count }

    /// A URL load whose lookup strings hit the prefilter.
    ///
    /// - Parameters:
    ///   - batch: The hits, without duplicates. None at all is a prefilter miss and is allowed.
    ///   - request: Must not be waiting already.
    ///   - filterIsReady: `false` before the first prefilter and before the PIR client is active: the policy
    ///     decides, whatever a cache may hold (assumption about the order; the caches are emptied then anyway).
    /// - Returns: With a lookup or a joined lookup, call ``timeOut(_:batch:at:)`` at the deadline.
    @inlinable
    package mutating func check(
        _ batch: [Key], request: RequestNumber, at now: Nanoseconds, filterIsReady: Bool
    ) -> CheckOutcome<Key> {
        if batch.isEmpty { return .decided(.allowedByPrefilter, .prefilter) }
        guard filterIsReady else { return .decided(Verdict(noAnswerUnder: policy), .policy) }
        if let verdict = verdictOfAgentCache(batch) { return .decided(verdict, .agentCache) }

        let deadline = now + verdictTimeout
        if let index = inFlight.firstIndex(where: { $0.hasKeys(of: batch) }) {
            inFlight[index].waiting.append((request, deadline))
            return .joined(inFlight[index].number, deadline: deadline)
        }

        var asked: [Key] = []
        var known: [(key: Key, isListed: Bool)] = []
        for key in batch {
            if let isListed = pirCache.isListed(key, at: now, timeToLive: pirCacheTimeToLive) {
                known.append((key, isListed))
            } else {
                asked.append(key)
            }
        }
        if asked.isEmpty {
            for (key, isListed) in known { storeInAgentCache(key, isListed) }
            return .decided(Verdict(anyListed: known.contains { $0.isListed }), .pirCache)
        }
        lastBatch = lastBatch == .max ? 1 : lastBatch + 1
        let number = BatchNumber(rawValue: lastBatch)
        inFlight.append(Flight(number: number, asked: asked, known: known, waiting: [(request, deadline)]))
        return .lookUp(number, asked: asked, deadline: deadline)
    }

    /// The PIR server's answer to a lookup.
    ///
    /// It fills both caches, even if it is late. A wrong number of results counts as a failure.
    ///
    /// - Parameter present: One per asked key, in the same order: whether the server has it.
    /// - Returns: The verdicts of the requests that still wait. One whose deadline has passed gets the
    ///   policy's, although its ``timeOut(_:batch:at:)`` has not come yet.
    @inlinable
    package mutating func answer(
        _ batch: BatchNumber, present: [Bool], at now: Nanoseconds
    ) -> [(request: RequestNumber, verdict: Verdict)] {
        guard let flight = removeFlight(batch) else { return [] }
        let failed = Verdict(noAnswerUnder: policy)
        guard present.count == flight.asked.count else { return flight.waiting.map { ($0.request, failed) } }
        for (key, isListed) in flight.known { storeInAgentCache(key, isListed) }
        for (key, isListed) in zip(flight.asked, present) {
            storeInAgentCache(key, isListed)
            pirCache.store(
                key, isListed: isListed, at: now, timeToLive: pirCacheTimeToLive, limit: Int(pirCacheEntries))
        }
        let anyListed = present.contains(true) || flight.known.contains { $0.isListed }
        let verdict = Verdict(anyListed: anyListed)
        return flight.waiting.map { ($0.request, now <= $0.deadline ? verdict : failed) }
    }

    /// The lookup ended with an error: the policy decides for all requests that wait for it.
    @inlinable
    package mutating func fail(
        _ batch: BatchNumber, at now: Nanoseconds
    ) -> [(request: RequestNumber, verdict: Verdict)] {
        guard let flight = removeFlight(batch) else { return [] }
        return flight.waiting.map { ($0.request, Verdict(noAnswerUnder: policy)) }
    }

    /// The time of a request is over. The lookup goes on: its answer will fill the caches.
    ///
    /// - Returns: The policy's verdict; `nil` if the request was answered before or its deadline is still to
    ///   come.
    @inlinable
    package mutating func timeOut(
        _ request: RequestNumber, batch: BatchNumber, at now: Nanoseconds
    ) -> Verdict? {
        guard let flight = inFlight.firstIndex(where: { $0.number == batch }),
            let index = inFlight[flight].waiting.firstIndex(where: { $0.request == request }),
            inFlight[flight].waiting[index].deadline <= now
        else { return nil }
        inFlight[flight].waiting.remove(at: index)
        return Verdict(noAnswerUnder: policy)
    }

    /// Looks up in the caches whether a key is listed; `nil` when the PIR server would be asked.
    @inlinable
    package func cachedAnswer(for key: Key, at now: Nanoseconds) -> Bool? {
        agentCache.isListed(key) ?? pirCache.isListed(key, at: now, timeToLive: pirCacheTimeToLive)
    }

    /// A new prefilter was loaded, or the app called `resetPIRCache()`. Lookups in flight go on, and their
    /// answers will be cached (assumption).
    @inlinable
    package mutating func clearCaches() {
        agentCache.removeAll()
        pirCache.removeAll()
    }

    /// The verdict if every key is cached, else `nil`.
    @inlinable
    func verdictOfAgentCache(_ batch: [Key]) -> Verdict? {
        var anyListed = false
        for key in batch {
            guard let isListed = agentCache.isListed(key) else { return nil }
            anyListed = anyListed || isListed
        }
        return Verdict(anyListed: anyListed)
    }

    @inlinable
    mutating func storeInAgentCache(_ key: Key, _ isListed: Bool) {
        agentCache.store(key, isListed: isListed, limit: Int(agentCacheLimit))
    }

    @inlinable
    mutating func removeFlight(_ batch: BatchNumber) -> Flight? {
        inFlight.firstIndex { $0.number == batch }.map { inFlight.remove(at: $0) }
    }
}
