import EventSimulation
package import FleetModel
package import Scenarios

/// Steps of the preparation that depend on the way of filtering.
extension Preparation {
    /// Notes on what the numbers leave out or model without executing it.
    package var modelled: [String] {
        if let mechanism = scenario.mechanism { return Self.modelled(scenario, mechanism) }
        var notes = [
            "relay, networks and queues are simulated; no packet is sent"
        ]
        if scenario.prefilter.updates.interval != nil, !scenario.prefilter.updates.changesEntries {
            notes.append(
                "editions of the list have the same entries: no entry is new or stale (updates.churn says the kind of"
                    + " list)"
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
                "an evaluation key that is not in memory is read at the CPU time of its upload; the store's own time"
                    + " is left out")
        }
        if let note = Self.unmeasuredPorts(costProfile) { notes.append(note) }
        if let scheme = scenario.pir.server.scheme {
            notes.append(
                "PIR by \(scheme.name) is modelled from papers (\(scheme.source), \(scheme.machine)), not executed;"
                    + " devices, gateway and tokens cost what ours do")
        }
        switch scenario.fidelity {
        case .real:
            notes.append(
                "all cryptography is executed; its measured CPU time is the service time, so latencies differ from"
                    + " run to run"
            )
        case .calibrated:
            notes.append("cryptography is charged from a measured cost profile, answers come from the list")
            if Self.hasProfiles(scenario) {
                notes.append(
                    "strings with a fresh query token hit by the rate counted on the built prefilter; all other"
                        + " strings are tested"
                )
            }
        }
        return notes
    }

    /// The ports whose CPU time for HTTP and TLS is not charged, and what measures it.
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

    private static func modelled(_ scenario: Scenario, _ mechanism: MechanismSettings) -> [String] {
        let facts = scenario.architecture.facts
        var notes = [
            "\(facts.name): every URL is decided by itself; no packet is sent, and the prefilter of this output only"
                + " finds the URLs that the list names"
        ]
        if mechanism.configuration.server != nil {
            notes.append(
                "what its way and the queue of its servers add to pages is drawn for pages of all sizes"
                    + " (mechanisms.page is the mean one), and what it costs servers is added up")
        }
        if mechanism.configuration.urlShare < 1, hasProfiles(scenario) {
            notes.append(
                "synthetic browsing visits a listed host only for what is listed: what a blocked host costs otherwise"
                    + " needs a trace")
        }
        return notes
    }

    private static func hasProfiles(_ scenario: Scenario) -> Bool {
        scenario.devices.contains { if case .profile = $0.browsing { true } else { false } }
    }

    /// A fault of a part that the architecture does not have has no effect that anybody could mean; the decider is a
    /// part of every architecture, but a device is not told to fail.
    package static func faults(of scenario: Scenario) throws -> [Fault] {
        try scenario.faults.compactMap { fault in
            var fault = fault
            if case .outage(.decider, let silent) = fault.kind {
                guard let decider = scenario.decider else { return nil }
                guard scenario.services.regions.isEmpty || scenario.mechanism?.configuration.server != nil
                else {
                    throw PreparationError.faultOfNothing(
                        "\(fault)", architecture: scenario.architecture)
                }
                fault.kind = .outage(decider, silent: silent)
            }
            guard scenario.hasPart(of: fault.kind) else {
                throw PreparationError.faultOfNothing("\(fault)", architecture: scenario.architecture)
            }
            return fault
        }
    }
}

extension Scenario {
    /// The server that decides about URLs; `nil` where devices do.
    fileprivate var decider: Part? {
        guard let mechanism else { return .pir }
        return mechanism.configuration.question == nil ? mechanism.configuration.server : .gateway
    }

    fileprivate func hasPart(of fault: Fault.Kind) -> Bool {
        guard let configuration = mechanism?.configuration else { return true }
        switch fault {
        case .captivePortal: return true
        case .sizeCap, .relayWithoutGateway: return configuration.question != nil
        case .outage(let part, silent: _):
            if [configuration.server, configuration.provider, .prefilterOrigin].contains(part.role) {
                return true
            }
            return configuration.question != nil && [.relay, .gateway].contains(part.role)
        case .regionLoss: return configuration.question != nil
        case .restart(let part), .slowDown(let part, factor: _), .instanceLoss(let part, instances: _),
            .deployment(let part, _):
            let hasQueue = configuration.question != nil && [.relay, .gateway].contains(part.role)
            if case .slowDown = fault { return hasQueue || part.role == .prefilterOrigin }
            return hasQueue
        }
    }
}
