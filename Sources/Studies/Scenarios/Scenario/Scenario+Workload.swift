extension Scenario {
    /// Whether some devices replay a trace, which is the same in every replication.
    package var repeatsWorkload: Bool { replaysTrace && !replicated.contains(.clients) }

    /// Whether what hits the prefilter is the same in every replication, whatever chance brings.
    package var decidesHits: Bool {
        repeatsWorkload && !replicated.contains(.hashSeed) && mechanism == nil
            && devices.allSatisfy { if case .trace = $0.browsing { true } else { false } }
    }

    package var replaysTrace: Bool {
        devices.contains { if case .trace = $0.browsing { true } else { false } }
    }

    /// Whether some devices browse by a profile, which has hours of its own.
    package var followsTheDay: Bool {
        devices.contains { if case .profile = $0.browsing { true } else { false } }
    }

    /// Whether some devices only look up, at a known rate.
    package var knowsOnlyLookups: Bool {
        devices.contains { if case .lookups = $0.browsing { true } else { false } }
    }
}
