import EventSimulation
import RandomStreams

/// How far in the future an event is scheduled; the mean is about a second.
enum DelayPattern: String, CaseIterable {
    case exponential, uniform
    /// Nine of ten within 0.2 s, the tenth within 10 s.
    case bimodal
    /// All a second away, so that all events pending at the start share their instant for ever.
    case equal
}

/// Draws delays of one pattern.
struct Delays {
    private let pattern: DelayPattern
    private var draws: SampleBuffer

    init(_ pattern: DelayPattern) {
        self.pattern = pattern
        draws = SampleBuffer(
            pattern == .exponential ? .exponential(mean: 1) : .uniform(lower: 0, upper: 1),
            from: RandomStream(seed: 1, replication: 0, entity: 0, purpose: StreamPurpose("delays")))
    }

    @inline(__always)
    mutating func next() -> SimulatedDuration {
        let draw = draws.next()
        return switch pattern {
        case .exponential: .seconds(draw)
        case .uniform: .seconds(2 * draw)
        case .bimodal: .seconds(draw < 0.9 ? draw * 0.2 : draw * 10)
        case .equal: .seconds(1)
        }
    }
}

/// A fixed number of pending events, each of which schedules its successor.
struct HoldModel: SimulationModel {
    let pending: Int
    var delays: Delays

    init(pending: Int, pattern: DelayPattern) {
        self.pending = pending
        delays = Delays(pattern)
    }

    mutating func start(_ agenda: inout Agenda<UInt32>) {
        for event in 0..<UInt32(pending) { agenda.schedule(event, after: delays.next()) }
    }

    mutating func handle(_ event: UInt32, at now: SimulatedTime, _ agenda: inout Agenda<UInt32>) {
        agenda.schedule(event, after: delays.next())
    }
}
