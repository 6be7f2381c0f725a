/// What a model may do to the future: add events, and call off those it asked to be able to.
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
    init(firstSequence: UInt32) {
        time = .start
        queue = EventQueue(firstSequence: firstSequence)
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

    /// Adds an event that ``cancel(_:)`` can take back. Costs about twice as much as ``schedule(_:after:)``.
    @inlinable
    package mutating func scheduleCancellable(
        _ event: Event, after delay: SimulatedDuration
    ) -> EventHandle {
        scheduleCancellable(event, at: now.advanced(by: delay))
    }

    /// Adds an event at `time`, which is not before now, that ``cancel(_:)`` can take back.
    @inlinable
    package mutating func scheduleCancellable(_ event: Event, at time: SimulatedTime) -> EventHandle {
        precondition(time >= now, "an event cannot be scheduled before the current time")
        return queue.pushCancellable(event, at: UInt64(bitPattern: time.nanoseconds))
    }

    /// Takes an event back.
    ///
    /// - Returns: `false` if it has happened or was cancelled before; then nothing changes.
    @inlinable
    @discardableResult
    package mutating func cancel(_ handle: EventHandle) -> Bool {
        queue.cancel(handle)
    }
}

/// Names one cancellable event of one run.
///
/// The handle may be kept after the event is gone: its place is reused under
/// another generation, so an old handle cancels nothing.
@usableFromInline
package struct EventHandle: Hashable, Sendable, BitwiseCopyable {
    @usableFromInline let timer: UInt32
    @usableFromInline let generation: UInt32

    @inlinable
    init(timer: UInt32, generation: UInt32) {
        self.timer = timer
        self.generation = generation
    }
}
