/// Runs one replication of a model, one event at a time, on one thread.
///
/// A kernel is deliberately neither copyable nor `Sendable`: a run cannot be
/// forked by accident, and replications run in parallel by giving each task
/// its own kernel.
@usableFromInline
package struct Kernel<Model: SimulationModel>: ~Copyable {
    /// The model. Its owner may read it between runs and change what is no event.
    @usableFromInline
    package var model: Model

    @usableFromInline var agenda: Agenda<Model.Event>
    @usableFromInline var handled = 0
    @usableFromInline var trajectory: UInt64 = 0xCBF2_9CE4_8422_2325

    /// Events handled so far.
    @inlinable
    package var eventCount: Int { handled }

    /// A hash over time and scheduling order of every event handled so far.
    ///
    /// Equal for equal trajectories, however the run was divided into calls.
    /// Times come from the C library's `log` and `exp`, so a stored value holds
    /// for one platform.
    @inlinable
    package var fingerprint: UInt64 { trajectory }

    /// Time up to which the run has got.
    @inlinable
    package var now: SimulatedTime { agenda.now }

    /// Events still to come.
    @inlinable
    package var pendingCount: Int { agenda.queue.count }

    /// Lets the model schedule its first events.
    @inlinable
    package init(model: Model) throws(Model.Failure) {
        self.model = model
        agenda = Agenda()
        try self.model.start(&agenda)
    }

    /// Handles every event due up to and including `end`.
    ///
    /// Running to 10 s and then to 20 s is the same as running to 20 s. When the
    /// model throws, the event that failed is counted and gone.
    @inlinable
    package mutating func run(until end: SimulatedTime) throws(Model.Failure) {
        guard end >= now else { return }
        let limit = UInt64(bitPattern: end.nanoseconds)
        while let next = agenda.queue.popNext(due: limit) {
            note(next)
            try model.handle(next.event, at: agenda.now, &agenda)
        }
        agenda.time = end
    }

    /// Like ``run(until:)``, and shows every event to a probe before the model handles it.
    ///
    /// A run without a probe does not pay for this: it is another loop.
    @inlinable
    package mutating func run<Probe: EventProbe<Model.Event>>(
        until end: SimulatedTime, observedBy probe: inout Probe
    ) throws(Model.Failure) {
        guard end >= now else { return }
        let limit = UInt64(bitPattern: end.nanoseconds)
        while let next = agenda.queue.popNext(due: limit) {
            note(next)
            probe.observe(next.event, at: agenda.now, pending: pendingCount)
            try model.handle(next.event, at: agenda.now, &agenda)
        }
        agenda.time = end
    }

    @inlinable
    @inline(__always)
    mutating func note(_ next: QueuedEvent<Model.Event>) {
        agenda.time = SimulatedTime(nanoseconds: Int64(bitPattern: next.time))
        handled &+= 1
        trajectory = Self.mix(trajectory, next.time &* 0x9E37_79B9_7F4A_7C15 &+ next.sequence)
    }

    @inlinable
    static func mix(_ hash: UInt64, _ word: UInt64) -> UInt64 {
        (hash << 29 | hash >> 35) ^ word &* 0xD6E8_FEB8_6659_FD93
    }
}

/// Watches a run from outside: what happens, when, and how much is still to come.
@usableFromInline
package protocol EventProbe<Event> {
    associatedtype Event: BitwiseCopyable & Sendable

    /// - Parameter pending: Events still to come, without this one.
    mutating func observe(_ event: Event, at now: SimulatedTime, pending: Int)
}
