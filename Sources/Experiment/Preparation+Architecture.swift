import EventSimulation
import FleetModel

/// What depends on the way of filtering.
extension Preparation {
    static func modelled(_ scenario: Scenario, _ costs: CostProfile?) -> [String] {
        if scenario.architecture == .wholeList {
            return [
                "networks are simulated, no packet is sent; devices hold the whole list, "
                    + "\(WholeListModel.bytesPerEntry) bytes an entry, and ask nobody",
                "the prefilter of this output is not sent: it only tells which URLs the list names",
            ]
        }
        var notes = [
            "relay, networks and queues are simulated; no packet is sent"
        ]
        if scenario.prefilter.updates.interval != nil, !scenario.prefilter.updates.changesEntries {
            notes.append(
                "editions of the list have the same entries: no entry is new or stale (updates.churn says the kind of list)"
            )
        }
        for part in URLFilterModel.stations {
            let station = scenario.services[part]
            if station.instances > 1, station.balancing == .pooled {
                notes.append("the instances of \(part.name) share one queue: no balancer can do that")
            }
        }
        if scenario.services.pir.memory != nil {
            notes.append(
                "an evaluation key that is not in memory is read at the CPU time of its upload; the store's own time is left"
                    + " out")
        }
        if let note = Self.unmeasuredPorts(costs) { notes.append(note) }
        switch scenario.fidelity {
        case .real:
            notes.append(
                "all cryptography is executed; its measured CPU time is the service time, so latencies differ from run to run"
            )
        case .calibrated:
            notes.append("cryptography is charged from a measured cost profile, answers come from the list")
            if scenario.devices.contains(where: { if case .profile = $0.browsing { true } else { false } }) {
                notes.append(
                    "strings with a fresh query token hit by the rate counted on the built prefilter; all other strings are tested"
                )
            }
        }
        return notes
    }

    /// Where the CPU time for HTTP and TLS is not charged, and what measures it.
    private static func unmeasuredPorts(_ costs: CostProfile?) -> String? {
        guard let costs else { return "HTTP and TLS at gateway and servers take no CPU time" }
        let ports =
            (costs.hasGatewayPort ? [] : ["gateway"])
            + (costs.hasServicePort ? [] : ["issuer", "PIR server"])
        guard !ports.isEmpty else {
            return costs.portsWithTLS == true
                ? nil : "TLS takes no CPU time at the gateway: its port was measured without"
        }
        return
            "HTTP and TLS take no CPU time at \(ports.joined(separator: ", ")): the cost profile does not have it "
            + "('measure LIST --ports')"
    }

    /// A fault of a part that the architecture does not have has no effect that anybody could mean.
    static func checkFaults(_ scenario: Scenario) throws {
        guard scenario.architecture == .wholeList else { return }
        for fault in scenario.faults {
            var isKnown = fault.kind.part.map { $0.role == .prefilterOrigin } ?? true
            if case .sizeCap = fault.kind { isKnown = false }
            guard isKnown else {
                throw PreparationError.faultOfNothing("\(fault)", architecture: scenario.architecture)
            }
        }
    }
}
