import Synchronization
import Timing
import URLFilter

/// Loads and exchanges that the devices of a replay saw, in the order in which they ended.
final class ReplayRecorder: Sendable {
    struct LoadSample {
        /// Intended start, seconds since the start of the run.
        var offset: Double
        /// Seconds from the intended start to the verdict.
        var latency: Double
        /// Seconds by which the load began too late.
        var lateness: Double
        var verdict: Verdict
        /// Nil when the server was asked.
        var source: DecisionSource?
        var isListed: Bool
        /// Why the policy decided, if it did.
        var failure: LoadFailure?
    }

    struct ExchangeSample {
        /// Seconds since the start of the run.
        var offset: Double
        var step: Endpoint
        var seconds: Double
        var sentBytes: Int
        var receivedBytes: Int
        var failure: String?
    }

    struct State {
        var loads: [LoadSample] = []
        var exchanges: [ExchangeSample] = []
        var waitEnds: [ReplayLookups.WaitEnd] = []
        var lostWaitEnds = 0
        var causes: [String: Int] = [:]
        var wrongExamples: [String] = []
        /// A full sentence for each kind of failure.
        var sentences: [String: String] = [:]
        var start = ContinuousClock.now
    }

    private let state = Mutex(State())

    /// Forgets what was recorded and counts time from `start`.
    func begin(at start: ContinuousClock.Instant) {
        state.withLock {
            $0 = State()
            $0.start = start
        }
    }

    func note(_ exchange: ExchangeRecord) {
        state.withLock { state in
            state.exchanges.append(
                ExchangeSample(
                    offset: (exchange.started - state.start).seconds, step: exchange.step,
                    seconds: exchange.duration.seconds, sentBytes: exchange.sentBytes,
                    receivedBytes: exchange.receivedBytes, failure: exchange.failure?.kind))
            if let failure = exchange.failure, state.sentences[failure.kind] == nil {
                state.sentences[failure.kind] = "\(failure)"
            }
        }
    }

    func noteEnd(of wait: ExchangeWait, device: Int) {
        let now = ContinuousClock.now
        state.withLock { state in
            guard state.waitEnds.count < ReplayLookups.waitEndLimit else { return state.lostWaitEnds += 1 }
            state.waitEnds.append(
                .init(device: device, wait: wait, time: (now - state.start).nanoseconds))
        }
    }

    func note(_ load: LoadSample, url: [UInt8], measured: Bool) {
        state.withLock { state in
            state.loads.append(load)
            guard measured else { return }
            if let failure = load.failure { state.causes[failure.words, default: 0] += 1 }
            if load.isWrong, state.wrongExamples.count < 10 {
                let example = String(decoding: url.prefix(300), as: UTF8.self)
                // Caches answer the same URL again and again, before another one has its first answer.
                if !state.wrongExamples.contains(example) { state.wrongExamples.append(example) }
            }
        }
    }

    var loadCount: Int { state.withLock { $0.loads.count } }

    func take() -> State { state.withLock { $0 } }
}

extension ReplayRecorder.LoadSample {
    var isPolicy: Bool { verdict == .allowedByPolicy || verdict == .blockedByPolicy }

    /// Prefilter, caches or server said what the list does not.
    var isWrong: Bool {
        switch verdict {
        case .allowedByPrefilter, .allowedByServer: isListed
        case .blockedByServer: !isListed
        case .allowedByPolicy, .blockedByPolicy: false
        }
    }
}
