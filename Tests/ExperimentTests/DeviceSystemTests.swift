import Experiment
import FleetModel
import Scenarios
import Testing
import URLFilter

/// Operating systems as bundles of settings.
@Suite struct DeviceSystemTests {
    private static func text(_ lines: String) -> String {
        """
        duration: 1h
        blocklist: { file: list.txt }
        devices:
          - name: homes
            count: 10
            \(lines)

        """
    }

    private func group(_ lines: String, filter: String = "") throws -> (DeviceSettings, Scenario) {
        let scenario = try resolve(Self.text(lines) + filter)
        return (try #require(scenario.devices.first), scenario)
    }

    @Test func aSystemSetsEverythingTogether() throws {
        #expect(try group("access: wifi").0.systems.map(\.os) == [.iOS27])
        for os in OSGeneration.allCases {
            let (group, scenario) = try group("os: \(os.rawValue)")
            #expect(group.systems.map(\.rules) == [os.rules])
            #expect(group.systems[0].matching == (os == .iOS26 ? .iOS26 : .iOS27(ParsingConfiguration())))
            let life = try #require(scenario.settings.first { $0.path == "devices[homes].tokens.life" })
            #expect(
                life.defaultSource == #"os \#(os.rawValue): article "Device", section "Tokens""#)
        }
    }

    @Test func whatIsSetAloneGoesFirst() throws {
        let (group, _) = try group(
            """
            os: { iOS26: 25%, iOS27.3: 75% }
                urlMatching: documented
                tokens: { life: 2d, refillBelow: 3, background: 12h, idleAfter: 1h }
                protocol: { queryKeys: 0, configurationCache: none, maximumShards: 64 }
            """)
        #expect(group.systems.map(\.os) == [.iOS26, .iOS27_3] && group.systems.map(\.share) == [0.25, 0.75])
        let hour: Nanoseconds = 3_600_000_000_000
        for system in group.systems {
            #expect(system.matching == .documented)
            #expect(system.rules.tokens.life == 48 * hour)
            #expect(system.rules.tokens.refillBelow == 3)
            #expect(system.rules.tokens.background?.interval == 12 * hour)
            #expect(system.rules.tokens.background?.idleAfter == hour)
            #expect(system.rules.configurationCacheDelay == nil)
            #expect(system.rules.maximumShards == 64)
        }
        #expect(group.systems.map(\.rules.queryKeyShare) == [nil, 0], "of the system that has it")
        #expect(group.systems.map(\.rules.tokens.onDemand) == [4, 10], "what is not set stays the system's")
        #expect(group.systems.map(\.rules.asksForTokenKey) == [true, false])
    }

    /// Keys with lookups are of one system of the mix, and their share is what nobody knows.
    @Test func aMixLeavesTheShareOfKeysOpen() throws {
        let (_, scenario) = try group("os: { iOS27: 0.5, iOS27.3: 0.5 }")
        let input = try #require(scenario.plausible.first { $0.name == "query-keys" })
        #expect(input.settings == ["devices[homes].protocol.queryKeys"])
        let (drawn, _) = try group("os: { iOS27: 0.5, iOS27.3: 0.5 }\n    protocol: { queryKeys: 20% }")
        #expect(drawn.systems.map(\.rules.queryKeyShare) == [nil, 0.2])
    }

    @Test func theFiltersRulesGoBeforeThoseOfTheSystem() throws {
        let (group, _) = try group("os: iOS26", filter: "filter: { urlMatching: documented }\n")
        #expect(
            group.systems[0].matching == .documented && group.systems[0].rules == OSGeneration.iOS26.rules)
    }

    @Test func aMixIsResolvedToItself() throws {
        let (_, scenario) = try group("os: { iOS26: 0.3, iOS27: 0.5, iOS27.3: 0.2 }")
        let yaml = ResolvedScenario.yaml(scenario.settings)
        #expect(yaml.contains(#"os: "iOS26=0.3,iOS27=0.5,iOS27.3=0.2""#))
        #expect(yaml.contains("# tokens.onDemand: iOS26 4, iOS27 10, iOS27.3 10 (os: "))
        let again = try resolve(yaml)
        #expect(again.devices[0].systems.map(\.rules) == scenario.devices[0].systems.map(\.rules))
        #expect(again.devices[0].systems.map(\.share) == [0.3, 0.5, 0.2])
    }

    @Test(arguments: [
        ("os: iOS25", "devices[homes].os: 'iOS25' is not known; it must be one of iOS26, iOS27, iOS27.3"),
        ("os: { iOS26: 50%, iOS27: 40% }", "devices[homes].os: shares of 0.9 in all is outside"),
        ("os: \"iOS26=50%,iOS26=50%\"", "names iOS26 twice"),
        ("os: { iOS26: -1 }", "devices[homes].os: -1 is outside the allowed range a share above 0"),
        (
            "tokens: { onDemand: 0 }",
            "devices[homes].tokens.onDemand: 0 is outside the allowed range 1...65535"
        ),
        ("protocol: { queryKeys: 2 }", "devices[homes].protocol.queryKeys: 2.0 is outside"),
        (
            "os: iOS26\nservices: { pir: { shards: 16384 } }",
            "services.pir.shards: 16384 is outside the allowed range 1...10000, for iOS26 in group 'homes'"
        ),
        (
            "os: iOS27.3\nservices: { pir: { shards: 48 } }",
            "a power of two; newer devices refuse other counts"
        ),
    ])
    func whatCannotBeIsRefused(lines: String, sentence: String) throws {
        let found = try #require(complaint(Self.text(lines)))
        #expect(found.contains(sentence), "\(found)")
    }

    @Test func iOS27_3TakesMoreShards() throws {
        let (_, scenario) = try group("os: iOS27.3", filter: "services: { pir: { shards: 65536 } }\n")
        #expect(scenario.pir.shards == 65_536)
    }

    /// Ten devices in the shares 25, 25 and 50 %: three, two and five, which replay what ten of one system replay.
    @Test func aMixIsSplitIntoGroupsOfOneName() throws {
        let small = try SmallScenario.calibrated()
        let mix = try small.prepare(
            "devices[pupils].count=10", "devices[pupils].os=iOS26=25%,iOS27=25%,iOS27.3=50%")
        let groups = mix.configuration.groups
        #expect(groups.map(\.name) == ["pupils", "pupils", "pupils"] && groups.map(\.count) == [3, 2, 5])
        #expect(groups.map(\.generation) == OSGeneration.allCases.map(\.rules))
        #expect(mix.catalogs.count == 3 && mix.catalogs[1] === mix.catalogs[2])
    }
}
