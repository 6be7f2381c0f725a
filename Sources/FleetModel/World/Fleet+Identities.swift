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
}

extension ResourceCheck: CustomStringConvertible {
    package var description: String { "\(resource): \(check)" }
}

/// How a request ended for its device.
enum RequestEnd {
    case succeeded, failed
}

/// How the wait of a URL ended.
enum WaitEnd {
    case decided
}

extension Fleet {
    /// Conservation, Little's law and the utilization law of everything that has a queue or a population.
    func resourceChecks(at end: SimulatedTime) -> [ResourceCheck] {
        var checks: [ResourceCheck] = []
        func add(_ resource: String, _ found: [IdentityCheck]) {
            checks += found.map { ResourceCheck(resource: resource, check: $0) }
        }
        for name in StationName.allCases { add(name.rawValue, services[name].identityChecks(at: end)) }
        add(Fault.Part.prefilterOrigin.rawValue, services.origin.identityChecks(at: end))
        var open: [SimulatedTime] = []
        exchanges.forEach { if !$0.isGivenUp { open.append($0.started) } }
        add("requests", requests.identityChecks(at: end, stillInside: open))
        open.removeAll()
        waiters.forEach { open.append($0.started) }
        add("waiting URLs", waits.identityChecks(at: end, stillInside: open))
        return checks
    }
}
