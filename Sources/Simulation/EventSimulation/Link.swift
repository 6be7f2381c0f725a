/// A line that sends one message after the other at a fixed rate, delays it on its way and may lose it.
///
/// ``transmit(bytes:at:)`` counts the time on the line only; ``send(bytes:at:draw:)`` also what
/// comes after it.
package struct Link: Sendable {
    /// Fate of a message.
    package enum Delivery: Hashable, Sendable {
        /// Its last byte is at the other end then.
        case arrives(SimulatedTime)
        /// It takes its time on the line and does not arrive.
        case lost
        /// The buffer in front of the line is full.
        case refused
    }

    /// Bytes per second; `nil` for a line that takes no time.
    package let bandwidth: Double?
    /// Delay from one end to the other.
    package let propagation: SimulatedDuration
    /// Chance that a message gets lost, in `0...1`.
    package let lossProbability: Double
    /// Bytes that may wait for the line or be on it; `nil` for no limit.
    package let bufferBytes: Int?

    /// Bytes given to the line since the start of the run.
    package private(set) var bytesSent: Int64 = 0
    package private(set) var messagesSent = 0
    package private(set) var messagesLost = 0
    package private(set) var messagesRefused = 0
    /// Time that the line was or will be busy with what was given to it.
    package private(set) var busyTime = SimulatedDuration.zero
    /// Time when the line has sent everything given to it so far.
    package private(set) var idleFrom = SimulatedTime.start
    /// Time in which the line had nothing to send, before ``idleFrom``.
    private var idleTime = SimulatedDuration.zero

    /// - Parameters:
    ///   - bandwidth: Bytes per second, positive; `nil` for a line that takes no time.
    ///   - propagation: From one end to the other.
    ///   - lossProbability: Chance that a message gets lost, in `0...1`.
    ///   - bufferBytes: Bytes that may wait for the line or be on it; `nil` for no limit.
    package init(
        bandwidth: Double?, propagation: SimulatedDuration = .zero, lossProbability: Double = 0,
        bufferBytes: Int? = nil
    ) {
        precondition(bandwidth.map { $0 > 0 && $0.isFinite } ?? true, "a line needs a positive bandwidth")
        precondition(propagation >= .zero, "a line cannot be negatively long")
        precondition((0...1).contains(lossProbability), "a probability lies in 0...1")
        precondition((bufferBytes ?? 0) >= 0, "a buffer cannot hold a negative number of bytes")
        self.bandwidth = bandwidth
        self.propagation = propagation
        self.lossProbability = lossProbability
        self.bufferBytes = bufferBytes
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
        if now > idleFrom {
            idleTime += now - idleFrom
            idleFrom = now
        }
        busyTime += time
        idleFrom = idleFrom.advanced(by: time)
        return idleFrom
    }

    /// Gives a message to the line if the buffer has room, and tells what becomes of it.
    ///
    /// - Parameter draw: A number in `0..<1` that decides whether it gets lost; not used on a line that
    ///   loses nothing.
    package mutating func send(bytes: Int, at now: SimulatedTime, draw: Double = 0) -> Delivery {
        if let bufferBytes, let bandwidth,
            (delay(at: now).seconds * bandwidth).rounded() + Double(bytes)
                > Double(bufferBytes)
        {
            messagesRefused += 1
            return .refused
        }
        let sent = transmit(bytes: bytes, at: now)
        if draw < lossProbability {
            messagesLost += 1
            return .lost
        }
        return .arrives(sent.advanced(by: propagation))
    }

    /// How long a message given to the line at `now` waits before its first byte is sent.
    package func delay(at now: SimulatedTime) -> SimulatedDuration {
        max(.zero, idleFrom - now)
    }
}

extension Link: CheckedResource {
    package func identityChecks(at now: SimulatedTime) -> [IdentityCheck] {
        guard let bandwidth else { return [] }
        // The time of every message was rounded to a nanosecond.
        let rounding = Int128(messagesSent / 2 + 2)
        let transmission = Int128(Double(bytesSent) / bandwidth * 1e9)
        return [
            IdentityCheck(
                .utilization, expected: Int128(idleFrom.nanoseconds),
                observed: Int128((busyTime + idleTime).nanoseconds)),
            IdentityCheck(
                .utilization, expected: transmission, observed: Int128(busyTime.nanoseconds),
                tolerance: -rounding...rounding),
        ]
    }
}
