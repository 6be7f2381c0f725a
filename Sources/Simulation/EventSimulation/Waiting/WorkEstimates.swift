/// Probable work of what arrives at servers, from what earlier arrivals of its kind took. The simulated servers and the
/// live ones hold the same.
///
/// Work is charged before it is known: by its kind, and by the units in it, such as questions or bytes. Only what was
/// answered is to be noted, so that nobody can make work look cheap by sending what is refused.
@usableFromInline
package struct WorkEstimates: Sendable {
    /// Measurements over which an estimate forgets; assumption.
    @usableFromInline
    package static let memory = 16.0

    /// Nanoseconds of work per unit, by kind; 0 where nothing is known.
    @usableFromInline var perUnit: [Double]

    /// - Parameter first: Nanoseconds per unit of each kind until there are measurements; 0 or absent where nothing is
    ///   known: the first measurement holds.
    package init(first: [Double] = []) { perUnit = first }

    /// - Returns: Zero where nothing is known.
    @inlinable
    package func work(_ kind: Int, units: Int = 1) -> SimulatedDuration {
        guard kind < perUnit.count else { return .zero }
        return SimulatedDuration(rounding: perUnit[kind] * Double(max(1, units)))
    }

    /// Learns what work of a kind took.
    ///
    /// - Parameter units: Of all that was served in one go.
    @inlinable
    package mutating func note(_ time: SimulatedDuration, kind: Int, units: Int = 1) {
        if kind >= perUnit.count { addKinds(upTo: kind) }
        let measured = Double(time.nanoseconds) / Double(max(1, units))
        let before = perUnit[kind]
        perUnit[kind] = before == 0 ? measured : before + (measured - before) / Self.memory
    }

    @inlinable
    @inline(never)
    mutating func addKinds(upTo kind: Int) {
        perUnit += Array(repeating: 0, count: kind + 1 - perUnit.count)
    }
}
