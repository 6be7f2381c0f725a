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

/// A model that schedules and cancels at random and records what happens.
struct RandomScript: SimulationModel {
    struct Record: Equatable {
        let time: Int64
        let number: Int32
    }

    let pattern: DelayPattern
    let initial: Int
    /// Share of events that can be cancelled, and share of the steps that cancel one.
    let cancelShare: Double
    var remaining: Int
    var stream: RandomStream
    /// Everything ever scheduled, in that order.
    var scheduled: [Record] = []
    var cancelled: Set<Int32> = []
    var happened: [Record] = []
    private var handles: [(number: Int32, handle: EventHandle)] = []

    init(pattern: DelayPattern, initial: Int, steps: Int, cancelShare: Double = 0, seed: UInt64 = 1) {
        self.pattern = pattern
        self.initial = initial
        self.cancelShare = cancelShare
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
        if !handles.isEmpty, stream.uniform() < cancelShare { cancelOne(&agenda) }
    }

    private mutating func add(to agenda: inout Agenda<Int32>) {
        let number = Int32(scheduled.count)
        let delay = pattern.delay(using: &stream)
        scheduled.append(Record(time: agenda.now.advanced(by: delay).nanoseconds, number: number))
        if stream.uniform() < cancelShare {
            handles.append((number, agenda.scheduleCancellable(number, after: delay)))
        } else {
            agenda.schedule(number, after: delay)
        }
    }

    private mutating func cancelOne(_ agenda: inout Agenda<Int32>) {
        let index = stream.index(below: handles.count)
        handles.swapAt(index, handles.count - 1)
        let (number, handle) = handles.removeLast()
        if agenda.cancel(handle) { cancelled.insert(number) }
        // A second time there is nothing to cancel.
        precondition(!agenda.cancel(handle))
    }

    /// What has to happen: everything not cancelled, by time and then by scheduling order.
    var expected: [Record] {
        scheduled.filter { !cancelled.contains($0.number) }
            .sorted { ($0.time, $0.number) < ($1.time, $1.number) }
    }
}
