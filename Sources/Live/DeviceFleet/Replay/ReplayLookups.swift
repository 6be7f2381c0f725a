package import URLFilter

/// Loads of a run for which the server was asked, one by one, and what the devices sent.
package struct ReplayLookups: Sendable {
    package struct Lookup: Sendable {
        /// Intended start, seconds since the start of the run.
        package var offset: Double
        /// Seconds from the intended start to the verdict.
        package var latency: Double
        /// Seconds by which the load began too late.
        package var lateness: Double
        package var verdict: Verdict
        package var isListed: Bool
        /// Why the policy decided, if it did.
        package var failure: LoadFailure?

        /// The server had no say: no answer in time, or none at all.
        package var isByPolicy: Bool { verdict == .allowedByPolicy || verdict == .blockedByPolicy }
    }

    package struct Exchange: Sendable {
        /// Start, seconds since the start of the run.
        package var offset: Double
        package var endpoint: Endpoint
        package var seconds: Double
        /// Nil for one that ended well.
        package var failure: String?
    }

    /// End of a wait, after which a device went on by itself.
    package struct WaitEnd: Sendable {
        package var device: Int
        package var wait: ExchangeWait
        /// Nanoseconds since the start of the run.
        package var time: Nanoseconds
    }

    /// Most ends of waits that a run keeps.
    package static let waitEndLimit = 1 << 20

    /// The instant of offset 0.
    package var start: ContinuousClock.Instant
    /// Lookups in the order of their intended starts.
    package var all: [Lookup]
    /// Exchanges in the order of their starts.
    package var exchanges: [Exchange]
    /// Ends of waits in the order in which they came, up to ``waitEndLimit``, and how many came after these.
    package var waitEnds: [WaitEnd]
    package var lostWaitEnds: Int
}

extension ReplayFleet {
    /// Lookups and exchanges of the run that ended last.
    package var lookups: ReplayLookups {
        let state = recorder.take()
        let asked = state.loads.filter { $0.source == nil || $0.source == .policy }.map {
            ReplayLookups.Lookup(
                offset: $0.offset, latency: $0.latency, lateness: $0.lateness, verdict: $0.verdict,
                isListed: $0.isListed, failure: $0.failure)
        }
        let exchanges = state.exchanges.map {
            ReplayLookups.Exchange(
                offset: $0.offset, endpoint: $0.step, seconds: $0.seconds, failure: $0.failure)
        }
        return ReplayLookups(
            start: state.start, all: asked.sorted { $0.offset < $1.offset },
            exchanges: exchanges.sorted { $0.offset < $1.offset }, waitEnds: state.waitEnds,
            lostWaitEnds: state.lostWaitEnds)
    }
}
