/// Future events, to which a model may add.
///
/// Events at the same instant happen in the order in which they were scheduled.
@usableFromInline
package struct Agenda<Event: BitwiseCopyable & Sendable>: ~Copyable {
    @usableFromInline var time: SimulatedTime
    @usableFromInline var queue: EventQueue<Event>

    /// The instant of the event that is being handled.
    @inlinable
    package var now: SimulatedTime { time }

    @inlinable
    init() {
        time = .start
        queue = EventQueue()
    }

    /// Adds an event `delay` from now. A delay is never negative.
    @inlinable
    package mutating func schedule(_ event: Event, after delay: SimulatedDuration) {
        schedule(event, at: now.advanced(by: delay))
    }

    /// Adds an event at `time`, which is not before now.
    @inlinable
    package mutating func schedule(_ event: Event, at time: SimulatedTime) {
        precondition(time >= now, "an event cannot be scheduled before the current time")
        queue.push(event, at: UInt64(bitPattern: time.nanoseconds))
    }
}
