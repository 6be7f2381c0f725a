package import EventSimulation

/// Times in which an instance does nothing at all, such as those of a garbage collector: they come at equal distances.
/// What is in service then goes on afterwards.
package struct ServerPauses: Codable, Hashable, Sendable, CustomStringConvertible {
    package static let everyRange = 0.001...1e6

    /// Seconds from the beginning of a pause to that of the next.
    package var every: Double
    /// Seconds of a pause; less than ``every``.
    package var seconds: Double

    package init(every: Double, seconds: Double) {
        precondition(Self.everyRange.contains(every), "pauses come every \(every) s")
        precondition(seconds > 0 && seconds < every, "a pause of \(seconds) s every \(every) s")
        self.every = every
        self.seconds = seconds
    }

    /// Share of the time in which an instance works.
    package var availability: Double { 1 - seconds / every }

    /// Text of it in a scenario.
    package var description: String { "{every: \(every)s, length: \(seconds)s}" }

    /// Time from now until work is done that would take `work` without pauses.
    ///
    /// - Parameter first: When one of the pauses begins.
    package func elapsed(
        of work: SimulatedDuration, from now: SimulatedTime, first: SimulatedDuration
    ) -> SimulatedDuration {
        let cycle = SimulatedDuration.seconds(every).nanoseconds
        let pause = min(SimulatedDuration.seconds(seconds).nanoseconds, cycle - 1)
        let since = (now.nanoseconds - first.nanoseconds).modulo(cycle)
        // Of the time between two pauses, so much is over.
        let before = max(0, since - pause)
        let crossed = work > .zero ? (before + work.nanoseconds - 1) / (cycle - pause) : 0
        return work + .nanoseconds(max(0, pause - since) + crossed * pause)
    }
}

extension Int64 {
    /// The remainder that is not negative.
    fileprivate func modulo(_ divisor: Int64) -> Int64 {
        let remainder = self % divisor
        return remainder < 0 ? remainder + divisor : remainder
    }
}
