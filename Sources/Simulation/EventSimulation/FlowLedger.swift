/// Everything that entered a part of the model or left it, for example the requests of a whole run.
///
/// The number present is integrated over time; what left brings along when it
/// entered. At the end of a run, and with what is still inside, both must agree.
///
///     ledger.enter(at: now)
///     ledger.leave(.failed, enteredAt: request.start, at: now)
///     ledger.identityChecks(at: now, stillInside: requests.map(\.start))
@usableFromInline
package struct FlowLedger<Outcome: Hashable & Sendable>: Sendable {
    @usableFromInline
    package internal(set) var entered = 0
    /// How many left in which way.
    @usableFromInline
    package internal(set) var left: [Outcome: Int] = [:]
    /// How many are inside.
    @usableFromInline
    package internal(set) var inside = 0
    /// Number inside times nanoseconds, up to the last change.
    @usableFromInline var area: Int128 = 0
    /// Sum of the times that those who left had spent inside.
    @usableFromInline var spent: Int128 = 0
    @usableFromInline var lastChange = SimulatedTime.start

    @inlinable
    package init() {}

    @inlinable
    package mutating func enter(at now: SimulatedTime) {
        advance(to: now)
        entered += 1
        inside += 1
    }

    @inlinable
    package mutating func leave(_ outcome: Outcome, enteredAt: SimulatedTime, at now: SimulatedTime) {
        advance(to: now)
        inside -= 1
        left[outcome, default: 0] += 1
        spent += Int128((now - enteredAt).nanoseconds)
    }

    /// - Parameter stillInside: When each of those inside entered.
    package func identityChecks(
        at now: SimulatedTime, stillInside: some Sequence<SimulatedTime>
    ) -> [IdentityCheck] {
        var ledger = self
        ledger.advance(to: now)
        var (count, time) = (0, spent)
        for start in stillInside {
            count += 1
            time += Int128((now - start).nanoseconds)
        }
        return [
            IdentityCheck(
                .conservation, expected: Int128(entered), observed: Int128(left.values.reduce(count, +))),
            IdentityCheck(.littlesLaw, expected: time, observed: ledger.area),
        ]
    }

    @inlinable
    mutating func advance(to now: SimulatedTime) {
        precondition(now >= lastChange, "a ledger cannot go back in time")
        area += Int128(inside) * Int128((now - lastChange).nanoseconds)
        lastChange = now
    }
}
