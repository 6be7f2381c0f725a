/// A simulated world: its state, and how each event changes it.
///
/// A model decides everything by itself from its state and its random streams;
/// the kernel only brings the events in order.
@usableFromInline
package protocol SimulationModel {
    /// Events that can happen: a small enum whose payloads are numbers, so that it can be moved as plain
    /// bytes. Name entities by index.
    associatedtype Event: BitwiseCopyable & Sendable

    /// How the model itself can fail; `Never` if it cannot. Failures of the
    /// simulated world are events, not errors.
    associatedtype Failure: Error = Never

    /// Schedules the first events. Called once, at ``SimulatedTime/start``.
    mutating func start(_ agenda: inout Agenda<Event>) throws(Failure)

    /// Changes the state and schedules what follows.
    mutating func handle(
        _ event: Event, at now: SimulatedTime, _ agenda: inout Agenda<Event>
    ) throws(Failure)
}
