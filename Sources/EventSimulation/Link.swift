/// A line that sends one message after the other at a fixed rate.
///
/// Only the time on the line is counted; propagation is the model's to add.
package struct Link: Sendable {
    /// Bytes per second; `nil` for a line that takes no time.
    package let bandwidth: Double?

    /// Bytes given to the line since the start of the run.
    package private(set) var bytesSent: Int64 = 0
    package private(set) var messagesSent = 0
    /// Time that the line was or will be busy with what was given to it.
    package private(set) var busyTime = SimulatedDuration.zero
    /// When the line has sent everything given to it so far.
    package private(set) var idleFrom = SimulatedTime.start

    /// - Parameter bandwidth: Bytes per second, positive; `nil` for a line that takes no time.
    package init(bandwidth: Double?) {
        precondition(bandwidth.map { $0 > 0 && $0.isFinite } ?? true, "a line needs a positive bandwidth")
        self.bandwidth = bandwidth
    }

    /// Gives a message to the line, behind those that it still has to send.
    ///
    /// - Returns: When its last byte is on the line.
    package mutating func transmit(bytes: Int, at now: SimulatedTime) -> SimulatedTime {
        precondition(bytes >= 0, "a message cannot have \(bytes) bytes")
        bytesSent += Int64(bytes)
        messagesSent += 1
        guard let bandwidth else { return now }
        let time = SimulatedDuration.seconds(Double(bytes) / bandwidth)
        busyTime += time
        idleFrom = max(idleFrom, now).advanced(by: time)
        return idleFrom
    }

    /// How long a message given to the line at `now` waits before its first byte is sent.
    package func delay(at now: SimulatedTime) -> SimulatedDuration {
        max(.zero, idleFrom - now)
    }

    /// Mean share of the time from the start to `end` that the line was busy; 0 without a bandwidth.
    package func utilization(until end: SimulatedTime) -> Double {
        guard end > .start else { return 0 }
        return (busyTime - delay(at: end)) / (end - .start)
    }
}
