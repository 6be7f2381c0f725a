import EventSimulation
import RandomStreams

func testStream(_ seed: UInt64, _ purpose: StreamPurpose = StreamPurpose("test")) -> RandomStream {
    RandomStream(seed: seed, replication: 0, entity: 0, purpose: purpose)
}

/// How far in the future the events of a random script lie.
enum DelayPattern: CaseIterable {
    case immediate, equal, fewInstants, exponential, uniform, bimodal, wide

    func delay(using stream: inout RandomStream) -> SimulatedDuration {
        switch self {
        case .immediate: .zero
        case .equal: .nanoseconds(1_000)
        case .fewInstants: .nanoseconds(Int64(stream.index(below: 4)) * 1_000)
        case .exponential: .seconds(stream.exponential(mean: 1))
        case .uniform: .seconds(2 * stream.uniform())
        case .bimodal: .seconds(stream.uniform() < 0.9 ? stream.uniform() * 1e-3 : 3)
        case .wide:
            // From single nanoseconds to centuries, far beyond the digits in use.
            .nanoseconds(Int64(stream.next() >> (8 + UInt64(stream.index(below: 55)))))
        }
    }
}

/// A model that schedules at random and records what happens.
struct RandomScript: SimulationModel {
    struct Record: Equatable {
        let time: Int64
        let number: Int32
    }

    let pattern: DelayPattern
    let initial: Int
    var remaining: Int
    var stream: RandomStream
    /// Everything ever scheduled, in that order.
    var scheduled: [Record] = []
    var happened: [Record] = []

    init(pattern: DelayPattern, initial: Int, steps: Int, seed: UInt64 = 1) {
        self.pattern = pattern
        self.initial = initial
        remaining = steps
        stream = testStream(seed)
    }

    mutating func start(_ agenda: inout Agenda<Int32>) {
        for _ in 0..<initial { add(to: &agenda) }
    }

    mutating func handle(_ event: Int32, at now: SimulatedTime, _ agenda: inout Agenda<Int32>) {
        happened.append(Record(time: now.nanoseconds, number: event))
        guard remaining > 0 else { return }
        remaining -= 1
        add(to: &agenda)
        // Sometimes one more, sometimes one less, so that the number pending wanders.
        if stream.uniform() < 0.2 { add(to: &agenda) }
    }

    private mutating func add(to agenda: inout Agenda<Int32>) {
        let number = Int32(scheduled.count)
        let delay = pattern.delay(using: &stream)
        scheduled.append(Record(time: agenda.now.advanced(by: delay).nanoseconds, number: number))
        agenda.schedule(number, after: delay)
    }

    /// What has to happen: everything, by time and then by scheduling order.
    var expected: [Record] {
        scheduled.sorted { ($0.time, $0.number) < ($1.time, $1.number) }
    }
}
