/// Loads of a run for which the server was asked, one by one.
package struct ReplayLookups: Sendable {
    package struct Lookup: Sendable {
        /// Intended start, seconds since the start of the run.
        package var offset: Double
        /// Seconds from the intended start to the verdict.
        package var latency: Double
        /// Seconds by which the load began too late.
        package var lateness: Double
        /// The server had no say: no answer in time, or none at all.
        package var isByPolicy: Bool
    }

    /// When offset 0 was.
    package var start: ContinuousClock.Instant
    /// In the order of their intended starts.
    package var all: [Lookup]
}

extension ReplayFleet {
    /// Of the run that ended last.
    package var lookups: ReplayLookups {
        let state = recorder.take()
        let asked = state.loads.filter { $0.source == nil }.map {
            ReplayLookups.Lookup(
                offset: $0.offset, latency: $0.latency, lateness: $0.lateness, isByPolicy: $0.isPolicy)
        }
        return ReplayLookups(start: state.start, all: asked.sorted { $0.offset < $1.offset })
    }
}
