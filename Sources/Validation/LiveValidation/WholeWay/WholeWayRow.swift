import DeviceFleet
import EventSimulation
package import FleetModel
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
            isListed: lookup.isListed, cause: lookup.cause.map(Self.cause))
    }

    /// - Returns: `nil` for a URL that a cache decided.
    init?(_ url: LoggedURL) {
        guard url.lookup != nil || url.cause != nil else { return nil }
        self.init(
            offset: Double(url.started.nanoseconds) * 1e-9, latency: url.wait?.seconds ?? 0,
            verdict: url.verdict, isListed: url.isListed, cause: url.cause)
    }

    /// Translates what a device of the live fleet says into the words of the model.
    static func cause(_ text: String) -> FailureCause {
        if text == "verdict timeout" || text == "late answer" || text.contains("no answer in time") {
            return .timeout
        }
        if text == "filter not ready" || text == "device not ready" { return .notReady }
        guard text.hasPrefix(Endpoint.queries.rawValue) else { return .noToken }
        guard let status = text.split(separator: " ").last.flatMap({ Int($0) }) else { return .network }
        return FailureCause(status: status)
    }
}
