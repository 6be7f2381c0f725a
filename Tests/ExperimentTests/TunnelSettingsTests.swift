import EventSimulation
import Experiment
import FleetModel
import Foundation
import RunMetrics
import Scenarios
import TestSupport
import Testing

/// What a scenario says of a tunnel, and what that is in the model.
@Suite struct TunnelSettingsTests {
    private func mechanism(
        _ settings: String, _ choice: ArchitectureChoice = .fullTunnel
    ) throws -> MechanismSettings {
        let scenario = try resolve(
            minimal, "architecture=\(choice.rawValue)", "mechanisms={\(choice.rawValue): {\(settings)}}")
        return try #require(scenario.mechanism)
    }

    /// Round trips of a set-up, and of a hand-over.
    @Test(arguments: [
        ("", 2, 1), ("protocol: wireGuard", 1, 1), ("redirect: true", 3, 1), ("mobike: false", 2, 2),
        ("mobike: false, redirect: true", 3, 3),
    ])
    func roundTripsOfASetUp(_ settings: String, _ connect: Double, _ move: Double) throws {
        let configuration = try mechanism(settings).configuration
        let tunnel = try #require(configuration.tunnel)
        #expect(tunnel.connect == RoundTrips(server: connect))
        #expect(configuration.path.setUp == RoundTrips(server: move))
        #expect(configuration.path.newHost == RoundTrips(server: 3, site: 3))
        let isNoticed = !settings.contains("mobike: false")
        #expect(configuration.path.noticing == (isNoticed ? .zero : .minutes(10)))
        #expect(tunnel.handOversMakeKeys == !isNoticed)
    }

    @Test func eachProtocolHasItsOwnDefaults() throws {
        let ikev2 = try mechanism("").configuration
        #expect(ikev2.costs.overheadPerPacket == 65)
        #expect(ikev2.tunnel?.rekeyInterval == .hours(24) && ikev2.tunnel?.idle == nil)
        let wireGuard = try mechanism("protocol: wireGuard").configuration
        #expect(wireGuard.costs.overheadPerPacket == 60)
        #expect(wireGuard.tunnel?.rekeyInterval == .seconds(120) && wireGuard.tunnel?.idle == .seconds(180))
        #expect(wireGuard.tunnel?.bytesPerHandshake == 296.0)  // 148 and 92, and 28 of IP and UDP for each.
        let onDemand = try mechanism("connectOnDemand: true").configuration.tunnel
        #expect(onDemand?.idle == .minutes(2))
        let own = try mechanism(
            """
            connectOnDemand: true, disconnectOnIdle: 10min, rekeyInterval: 8h, cpuPerHandshake: 3ms,
            bytesPerHandshake: 4kB, bytesPerPacket: 80B
            """.replacing("\n", with: " "), .perAppVPN
        ).configuration
        #expect(own.tunnel?.idle == .minutes(10) && own.tunnel?.rekeyInterval == .hours(8))
        #expect(own.tunnel?.cpuPerHandshake == 0.003 && own.tunnel?.bytesPerHandshake == 4_000)
        #expect(own.costs.overheadPerPacket == 80)
    }

    @Test func whatIsExcludedPassesOutside() throws {
        #expect(try mechanism("").coverage == 1)
        // Apple's payload leaves local networks in, and push and cellular services out.
        let shares = "localShare: 10%, apnsShare: 2%, cellularServicesShare: 3%, exceptionShare: 5%"
        for (settings, coverage) in [
            ("", 0.9), (", excludeLocalNetworks: true", 0.8),
            (", excludeAPNs: false, excludeCellularServices: false", 0.95), (", coverage: 50%", 0.45),
        ] {
            let found = try mechanism(shares + settings, .splitTunnel).coverage
            let usual = settings.contains("coverage") ? 1 : 0.3
            #expect(abs(found - coverage * usual) < 1e-12, "\(settings)")
        }
    }

    @Test(
        "what makes no tunnel is refused with the place",
        arguments: [
            ("disconnectOnIdle: 1min", "connectOnDemand"),
            ("exceptionShare: 60%, apnsShare: 60%", "outside of the tunnel"),
            ("protocol: wireGuard, mobike: false", "mobike"),
            ("protocol: wireGuard, redirect: true", "redirect"), ("rekeyInterval: 0s", "rekeyInterval"),
        ])
    func wrongSettings(_ settings: String, _ word: String) throws {
        let error = try #require(throws: ScenarioError.self) { try mechanism(settings) }
        #expect("\(error)".contains(word), "\(error)")
    }
}

/// Loads outside of a tunnel, in a whole run.
@Suite struct TunnelExclusionTests {
    /// Every fifth of the URLs is listed: those that pass outside of the tunnel leak, and nothing else does.
    @Test func whatIsExcludedLeaks() async throws {
        let small = try SmallScenario.calibrated("replications: { min: 2, max: 2 }")
        func point(_ settings: String) async throws -> PointResult {
            var file = try ScenarioFile(path: small.folder.path + "/scenario.yaml")
            for setting in ["architecture=fullTunnel", "mechanisms={fullTunnel: {\(settings)}}"] {
                file = try file.setting(setting)
            }
            var options = Preparation.Options()
            options.profile = small.folder.path + "/profile.json"
            let sweep = try Sweep(SweepPlan(onePointOf: file), options: options, version: "1")
            let run = try await sweep.run(stop: StopSignal(), note: { _ in }, progress: { _ in })
            return try #require(run?.points.first)
        }
        func value(_ point: PointResult, _ name: String, _ statistic: String) throws -> Double {
            let metric = try #require(Metric(name, statistic))
            return try #require(point[metric]).value
        }
        let all = try await point("")
        let none = try value(all, "url.leaked", "count")
        #expect(none == 0)
        let some = try await point("exceptionShare: 20%, localShare: 50%, apnsShare: 10%")
        let same = try await point("coverage: 70%")
        // Six devices load 50 URLs each, of which ten are listed.
        let leaked = try value(some, "url.leaked", "count")
        let unseen = try [some, same].map { try value($0, "url.leaked.notAsked", "count") }
        #expect(unseen == [leaked, leaked])
        #expect(abs(leaked - 0.3 * 60) < 5 * (60 * 0.3 * 0.7 / 2).squareRoot())
        let share = try value(some, "url.notAsked", "rate")
        #expect(abs(share - 0.3) < 5 * (0.3 * 0.7 / 600).squareRoot())
        // What is blocked is the rest of the listed ones.
        #expect(some.counts.verdicts["blockedByServer"] == some.counts.urlsListed - some.counts.leaked)
    }
}
