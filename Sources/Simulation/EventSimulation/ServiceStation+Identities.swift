/// Figures that a station counts job by job, beside its integrals over time.
@usableFromInline
struct ServiceAccount: Hashable, Sendable {
    /// Nanoseconds that those who left the queue had waited.
    @usableFromInline var waited: Int128 = 0
    /// Services noted, and their nanoseconds.
    @usableFromInline var noted = 0
    @usableFromInline var promised: Int128 = 0
    @usableFromInline var longest: Int64 = 0

    @inlinable
    init() {}
}

extension ServiceStation: CheckedResource {
    /// Conservation and Little's law of the queue are exact. The utilization law is checked if services were noted
    /// (``noteService(_:)``); what is still to be served is its tolerance.
    package func identityChecks(at now: SimulatedTime) -> [IdentityCheck] {
        let gone = counts.completions + counts.rejections + counts.dropped
        var waited = account.waited
        line.forEach { waited += Int128((now - $0.since).nanoseconds) }
        var checks = [
            IdentityCheck(
                .conservation, expected: Int128(counts.arrivals),
                observed: Int128(gone + line.count + busyServers + followers)),
            IdentityCheck(.littlesLaw, expected: waited, observed: waiting.area(until: now)),
        ]
        guard account.noted > 0 else { return checks }
        let started = counts.completions + busyServers + followers
        let unfinished = Int128(busyServers) * Int128(account.longest)
        checks.append(
            IdentityCheck(.conservation, expected: Int128(account.noted), observed: Int128(started)))
        checks.append(
            IdentityCheck(
                .utilization, expected: account.promised, observed: busy.area(until: now),
                tolerance: -unfinished...0))
        return checks
    }
}
