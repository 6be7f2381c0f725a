package import EventSimulation

/// Time that an instance needs until it is as fast as ever, after it has begun to take requests: its memory is cold,
/// and connections are made anew.
///
/// What begins at once takes `factor` times as long as later, and the factor falls evenly to 1. That devices upload
/// their evaluation keys once more is no part of it: those requests come by themselves (``KeyStoreKind``).
package struct ColdStart: Codable, Hashable, Sendable, CustomStringConvertible {
    package static let factorRange = 1.0...100
    package static let secondsRange = 0.001...1e6

    /// Time of a service that begins at once, over what it takes later.
    package var factor: Double
    /// Time until the factor is 1.
    package var seconds: Double

    package init(factor: Double, seconds: Double) {
        precondition(Self.factorRange.contains(factor), "a cold server is not faster, got \(factor)")
        precondition(Self.secondsRange.contains(seconds), "a cold start takes some time, got \(seconds) s")
        self.factor = factor
        self.seconds = seconds
    }

    /// Text of it in a scenario.
    package var description: String { "{factor: \(factor), time: \(seconds)s}" }

    /// Factor of a service that begins at some age of its instance.
    package func factor(at age: SimulatedDuration) -> Double {
        let left = 1 - age.seconds / seconds
        return left > 0 ? 1 + (factor - 1) * left : 1
    }
}
