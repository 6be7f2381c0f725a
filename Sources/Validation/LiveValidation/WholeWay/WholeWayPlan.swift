import Decoding
package import EventSimulation
package import URLFilter

/// Plan of `urlfilter validate --whole-way`, fixed before it starts.
///
/// Relay, gateway, issuer and two PIR servers run as processes of their own. One PIR server is killed and started
/// again, later both are. What is long on a device, days and hours, is short here, so that it happens within the run:
/// the time between two fetches of the configuration, and the pauses before tokens are ordered and a failed set-up is
/// tried again.
package struct WholeWayPlan: Codable, Hashable, Sendable {
    /// Killed processes are there again, from a seed's point of view, at the end of a phase; how long they need until
    /// they answer is measured before.
    package enum Phase: String, CaseIterable, Codable, CodingKeyRepresentable, Sendable {
        /// All is well.
        case well
        /// The last PIR server is killed at the beginning and started at the end.
        case restart
        case afterRestart
        /// Both PIR servers are killed at the beginning and started at the end.
        case outage
        case afterOutage

        /// The fault before it is over, and devices find out what was lost.
        package var isRecovery: Bool { self == .afterRestart || self == .afterOutage }
    }

    /// Devices, database and simulations; with 199 simulations the fifth from either end bounds 95 % of further runs.
    package var world = LiveWorld(devices: 40, replications: 199, calibrationSeconds: 15)
    /// Ways of balancing among the PIR servers; all that is below is done once for each.
    package var balancings = [Balancing.stickyByUser, .roundRobin]
    /// Seconds of each phase, in the order of ``Phase``.
    package var phaseSeconds = [30.0, 10, 50, 8, 25]
    /// Lookups, as a share of what one core of a PIR server can answer one by one.
    package var load = 0.4
    /// Most CPU time that all processes together may be given, as a share of the machine's cores: where a lookup is
    /// cheap for the PIR server, it is its way that costs, and that shall not be what is measured.
    package var largestMachineShare = 0.4
    /// Lookups of the first look at the servers, one after the other, for the rate of the calibration.
    package var firstLookups = 16
    /// Seconds between two fetches of the configuration, in which a device learns that its key is lost.
    package var refetch = 8.0
    /// Seconds before a failed set-up is tried again; doubles up to ``refetch``.
    package var retryPause = 2.0
    /// Tokens come in within so many seconds after a device has fewer than five.
    package var refillSeconds = 4.0
    /// Share of its time alone that each further lookup of a group adds. Assumption: groups are rare at this load.
    package var followerShare = 0.5

    package init() {}

    package var balancingNames: [String] { balancings.map(\.rawValue) }

    /// PIR servers behind the gateway.
    package static let instances = 2
    /// Share of listed URLs in all loads: a verdict of the policy lets them through.
    package static let listedShare = 0.5

    /// Short phases, to see that it works.
    package static var quick: WholeWayPlan {
        var plan = WholeWayPlan()
        plan.phaseSeconds = [5, 3, 8, 3, 6]
        plan.world.calibrationSeconds = 5
        plan.refetch = 3
        plan.retryPause = 1
        plan.refillSeconds = 2
        plan.world.devices = 20
        return plan
    }

    /// Seconds of one run.
    package var seconds: Double { phaseSeconds.reduce(0, +) }

    /// Seconds since the start of a run.
    package func bounds(of phase: Phase) -> Range<Double> {
        let place = Phase.allCases.firstIndex(of: phase) ?? 0
        let begin = phaseSeconds.prefix(place).reduce(0, +)
        return begin..<begin + phaseSeconds[place]
    }

    /// - Parameter offset: Seconds since the start of a run.
    package func phase(at offset: Double) -> Phase {
        Phase.allCases.last { bounds(of: $0).lowerBound <= offset } ?? .well
    }

    /// Seconds of the shortest phase in which killed servers have to come back.
    package var shortestRecovery: Double {
        Phase.allCases.filter(\.isRecovery).map { bounds(of: $0).upperBound - bounds(of: $0).lowerBound }
            .min() ?? 0
    }

    /// Seconds of the plan as it is done, without what is prepared before.
    package var totalSeconds: Double {
        Double(balancings.count) * (seconds + world.calibrationSeconds + refetch)
    }

    /// The servers of one way of balancing.
    func servers(_ balancing: Balancing) -> OwnServers.Options {
        var options = OwnServers.Options()
        options.pir = [
            "--cores", "1", "--rlwe-parameters", world.rlweParameters, "--shards", "\(world.shards)",
            "--seed", "\(world.seed)",
        ]
        options.gateway = ["--balancing", balancing.rawValue]
        options.instances = Self.instances
        options.hasRelay = true
        options.keepsRecords = true
        return options
    }

    package var generation: GenerationRules {
        var generation = GenerationRules()
        generation.tokens.refillDelay = 0
        generation.tokens.refillSpread = .seconds(refillSeconds)
        generation.tokens.life = LiveWorld.never
        return generation
    }
}
