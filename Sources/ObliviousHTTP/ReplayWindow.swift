/// Remembers the encapsulated keys of recent requests, to notice when one comes again.
///
/// RFC 9458, section 6.5.1: a gateway that does more than answer should refuse replays
/// within a window. The window has no clock; its owner says what time it is. Times that
/// run backwards count as the latest time seen.
package struct ReplayWindow: Sendable {
    /// Nanoseconds for which a key is remembered.
    package let lifetime: Int64
    /// Keys remembered at once.
    package let capacity: Int

    /// Keys forgotten before their time because the window was full. Above 0, a replay
    /// may have passed and the window is too small for its load.
    package private(set) var forgottenEarly = 0

    private var known: Set<[UInt8]> = []
    /// A ring of at most `capacity` entries, oldest at `head`.
    private var entries: [(key: [UInt8], time: Int64)] = []
    private var head = 0
    private var latest = Int64.min

    /// Keys remembered now.
    package var count: Int { known.count }

    package init(lifetime: Int64, capacity: Int) {
        precondition(lifetime > 0, "a replay window must last at least 1 ns, got \(lifetime)")
        precondition(capacity > 0, "a replay window must hold at least one key, got \(capacity)")
        self.lifetime = lifetime
        self.capacity = capacity
    }

    /// Notes a request that opened, in amortised constant time.
    ///
    /// Ask after opening it: before, anyone could fill the window with invented keys.
    ///
    /// - Returns: `false` if the key is in the window, so the request is a replay.
    package mutating func admit(_ encapsulatedKey: [UInt8], at now: Int64) -> Bool {
        latest = max(latest, now)
        while !known.isEmpty, isExpired(entries[head].time) { forgetOldest() }
        guard !known.contains(encapsulatedKey) else { return false }
        if known.count == capacity {
            forgetOldest()
            forgottenEarly += 1
        }
        let tail = (head + known.count) % capacity
        if tail < entries.count {
            entries[tail] = (encapsulatedKey, latest)
        } else {
            entries.append((encapsulatedKey, latest))
        }
        known.insert(encapsulatedKey)
        return true
    }

    private func isExpired(_ time: Int64) -> Bool {
        let (age, overflow) = latest.subtractingReportingOverflow(time)
        return overflow || age >= lifetime
    }

    private mutating func forgetOldest() {
        known.remove(entries[head].key)
        head = (head + 1) % capacity
    }
}
