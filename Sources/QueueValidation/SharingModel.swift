package import EventSimulation
package import RandomStreams

/// Poisson arrivals at servers that everyone present shares (M/G/c-PS).
package struct SharingModel: SimulationModel {
    package enum Event: BitwiseCopyable, Sendable { case arrival, completion }

    private struct Job: Sendable {
        let start: SimulatedTime
        let work: SimulatedDuration
    }

    package private(set) var tally: Tally
    private var station: SharedStation<Job>
    private var gaps: SampleBuffer
    private var works: SampleBuffer
    private var timer: EventHandle?

    package init(
        arrivalRate: Double, servers: Int, work: Distribution, thresholds: [Double] = [], seed: UInt64,
        replication: UInt32
    ) {
        func stream(_ purpose: StreamPurpose) -> RandomStream {
            RandomStream(seed: seed, replication: replication, entity: 0, purpose: purpose)
        }
        station = SharedStation(servers: servers)
        gaps = SampleBuffer(
            .exponential(mean: 1 / arrivalRate), from: stream(StreamPurpose("validation gaps")))
        works = SampleBuffer(work, from: stream(StreamPurpose("validation work")))
        tally = Tally(thresholds: thresholds.map { .seconds($0) })
    }

    package mutating func start(_ agenda: inout Agenda<Event>) {
        agenda.schedule(.arrival, after: .seconds(gaps.next()))
    }

    package mutating func handle(_ event: Event, at now: SimulatedTime, _ agenda: inout Agenda<Event>) {
        switch event {
        case .arrival:
            agenda.schedule(.arrival, after: .seconds(gaps.next()))
            tally.arrivals += 1
            let job = Job(start: now, work: .seconds(works.next()))
            _ = station.arrive(job, work: job.work, at: now)
        case .completion:
            timer = nil
            while let job = station.finish(at: now) {
                tally.record(timeInSystem: now - job.start, work: job.work)
            }
        }
        if let timer { agenda.cancel(timer) }
        timer = station.nextCompletion.map { agenda.scheduleCancellable(.completion, at: $0) }
    }

    /// Forgets what was counted so far, after the warm-up.
    package mutating func restartTallies() { tally.reset() }

    package func identityViolations(at now: SimulatedTime) -> [IdentityCheck] {
        station.identityViolations(at: now)
    }
}
