/// Which cancellable events are still armed.
///
/// An event in the queue knows its timer and its own sequence number; it is
/// alive as long as the timer still names that number. A handle knows the
/// timer and a generation, which changes whenever the timer is given back.
@usableFromInline
struct TimerTable: ~Copyable {
    @usableFromInline
    struct Timer: BitwiseCopyable {
        /// Sequence number of the armed event, or `idle`.
        @usableFromInline var sequence: UInt32
        @usableFromInline var generation: UInt32

        @inlinable
        init(sequence: UInt32, generation: UInt32) {
            self.sequence = sequence
            self.generation = generation
        }
    }

    /// The timer of events that cannot be cancelled.
    @inlinable static var none: UInt32 { .max }
    /// No event gets this sequence number.
    @inlinable static var idle: UInt32 { .max }

    @usableFromInline var timers: UnsafeMutablePointer<Timer>
    /// Timers to use again, last in first out so that they stay in the cache.
    @usableFromInline var free: UnsafeMutablePointer<UInt32>
    @usableFromInline var freeCount = 0
    @usableFromInline var used: UInt32 = 0
    @usableFromInline var capacity = 64

    @inlinable
    init() {
        timers = .allocate(capacity: capacity)
        free = .allocate(capacity: capacity)
    }

    @inlinable
    deinit {
        timers.deallocate()
        free.deallocate()
    }

    @inlinable
    mutating func claim() -> UInt32 {
        if freeCount > 0 {
            freeCount &-= 1
            return free[freeCount]
        }
        if Int(used) == capacity { grow() }
        timers[Int(used)] = Timer(sequence: Self.idle, generation: 0)
        used += 1
        return used - 1
    }

    /// Ties a claimed timer to an event, or follows the event to a new number.
    @inlinable
    mutating func rearm(_ timer: UInt32, sequence: UInt32) {
        timers[Int(timer)].sequence = sequence
    }

    @inlinable
    func handle(of timer: UInt32) -> EventHandle {
        EventHandle(timer: timer, generation: timers[Int(timer)].generation)
    }

    /// Whether an event was not cancelled.
    @inlinable
    func isAlive(_ timer: UInt32, sequence: UInt64) -> Bool {
        timer == Self.none || UInt64(timers[Int(timer)].sequence) == sequence
    }

    /// Gives the timer back because its event happens.
    ///
    /// - Returns: `false` if the event was cancelled.
    @inlinable
    mutating func fire(_ timer: UInt32, sequence: UInt64) -> Bool {
        guard isAlive(timer, sequence: sequence) else { return false }
        putBack(timer)
        return true
    }

    /// Gives the timer back because its event is cancelled.
    ///
    /// - Returns: `false` if the handle is out of date.
    @inlinable
    mutating func release(_ handle: EventHandle) -> Bool {
        guard handle.timer < used, timers[Int(handle.timer)].generation == handle.generation else {
            return false
        }
        putBack(handle.timer)
        return true
    }

    @inlinable
    mutating func putBack(_ timer: UInt32) {
        timers[Int(timer)].sequence = Self.idle
        timers[Int(timer)].generation &+= 1
        free[freeCount] = timer
        freeCount &+= 1
    }

    @inlinable
    @inline(never)
    mutating func grow() {
        let moreTimers = UnsafeMutablePointer<Timer>.allocate(capacity: capacity * 2)
        let moreFree = UnsafeMutablePointer<UInt32>.allocate(capacity: capacity * 2)
        moreTimers.update(from: timers, count: capacity)
        moreFree.update(from: free, count: freeCount)
        timers.deallocate()
        free.deallocate()
        timers = moreTimers
        free = moreFree
        capacity *= 2
    }
}
