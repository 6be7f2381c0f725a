package import EventSimulation

/// One law of one part of the world, checked over a whole replication.
package struct ResourceCheck: Codable, Hashable, Sendable {
    /// A station, `prefilterOrigin`, `requests` (all that devices sent, until the device knows how each ended) or
    /// `waiting URLs`.
    package var resource: String
    package var check: IdentityCheck

    package init(resource: String, check: IdentityCheck) {
        self.resource = resource
        self.check = check
    }

    static func checks(of resource: String, _ found: [IdentityCheck]) -> [ResourceCheck] {
        found.map { ResourceCheck(resource: resource, check: $0) }
    }
}

extension ResourceCheck: CustomStringConvertible {
    package var description: String { "\(resource): \(check)" }
}

extension World {
    /// Conservation, Little's law and the utilization law of every station, and of all requests together.
    func resourceChecks(at end: SimulatedTime) -> [ResourceCheck] {
        var open: [SimulatedTime] = []
        post.messages.forEach { if !$0.isGivenUp { open.append($0.started) } }
        return stations.flatMap { station in
            station.lines.flatMap { ResourceCheck.checks(of: station.part.name, $0.identityChecks(at: end)) }
        }
            + ResourceCheck.checks(of: "requests", post.requests.identityChecks(at: end, stillInside: open))
    }
}
