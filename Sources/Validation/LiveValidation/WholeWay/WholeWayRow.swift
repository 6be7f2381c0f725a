import Decoding
import DeviceFleet
import EventSimulation
import FleetModel
package import URLFilter

/// How one lookup ended, of the live fleet or of a simulation.
package struct WholeWayRow: Hashable, Sendable {
    /// Intended start, seconds since the start of the run.
    package var offset: Double
    /// Seconds from there to the verdict.
    package var latency: Double
    /// `nil`: none when the run was over.
    package var verdict: Verdict?
    package var isListed: Bool
    /// Why the policy decided, if it did.
    package var cause: FailureCause?

    package init(
        offset: Double, latency: Double, verdict: Verdict?, isListed: Bool, cause: FailureCause? = nil
    ) {
        self.offset = offset
        self.latency = latency
        self.verdict = verdict
        self.isListed = isListed
        self.cause = cause
    }

    package var isFailure: Bool { verdict == .allowedByPolicy || verdict == .blockedByPolicy }
    package var isLeak: Bool { verdict == .allowedByPolicy && isListed }

    /// The server said what the list does not.
    package var isWrong: Bool {
        verdict == .allowedByServer && isListed || verdict == .blockedByServer && !isListed
    }
}

extension WholeWayRow {
    init(_ lookup: ReplayLookups.Lookup) {
        self.init(
            offset: lookup.offset, latency: lookup.latency, verdict: lookup.verdict,
            isListed: lookup.isListed, cause: lookup.failure?.cause)
    }

    /// - Returns: `nil` for a URL that a cache decided.
    init?(_ url: LoggedURL) {
        guard url.lookup != nil || url.cause != nil else { return nil }
        self.init(
            offset: Double(nanoseconds: url.started.nanoseconds), latency: url.wait?.seconds ?? 0,
            verdict: url.verdict, isListed: url.isListed, cause: url.cause)
    }
}
