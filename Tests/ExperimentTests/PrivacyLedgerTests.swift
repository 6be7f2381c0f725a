import Experiment
import FleetModel
import Foundation
import Scenarios
import Testing
import URLFilter

/// Who reads what in a scenario: each feature changes the ledger, and what a run counts is in it.
@Suite struct PrivacyLedgerTests {
    private static let base = """
        duration: 1h
        blocklist: { file: list.txt }
        devices:
          - { name: school, count: 10, access: school-wifi }
          - { name: home, count: 10, access: wifi }\n
        """

    private static func ledger(_ settings: [String], shards: Int = 2) throws -> PrivacyLedger {
        var file = try ScenarioFile(text: Data(base.utf8), path: "s.yaml", folder: "/folder")
        for setting in settings { file = try file.setting(setting) }
        return PrivacyLedger(try ScenarioResolver.resolve(file), shards: shards)
    }

    private static func settings(_ ledger: PrivacyLedger) -> Set<String> {
        Set(ledger.lines.flatMap(\.settings) + ledger.abilities.flatMap(\.settings))
    }

    /// Every setting that the ledger names, with a value that must change it.
    private static let features: [String: String] = [
        "devices[school].network": "devices[school].network=provider",
        "devices[home].network": "devices[home].network=operator",
        "devices[school].reports": "devices[school].reports=never",
        "parties.gateway": "parties.gateway=Vendor", "parties.issuer": "parties.issuer=Vendor",
        "parties.pir": "parties.pir=Vendor", "parties.prefilterOrigin": "parties.prefilterOrigin=CDN",
        "parties.management": "parties.management=none", "parties.resolver": "parties.resolver=Resolver",
        "parties.userToken": "parties.userToken=shared",
        "devices[*].protocol.configurationCache": "devices[*].protocol.configurationCache=1h",
        "devices[*].protocol.queryKeys": "devices[*].protocol.queryKeys=never",
    ]

    /// They say how often or how much, and the line is there whatever they are: the run counts it.
    private static let amounts: Set<String> = [
        "filter.prefilterFetchInterval", "filter.falsePositiveTolerance", "behaviour.configurationRefetch",
    ]

    /// Shards are given to the ledger, because the length of the list decides them.
    private static let shards = "services.pir.shards"

    @Test func everyFeatureThatTheLedgerNamesChangesIt() throws {
        // All features on, so that each can go.
        let all = ["devices[school].reports={interval: 24h}", "devices[*].protocol.queryKeys=10%"]
        let before = try Self.ledger(all)
        let named = Self.settings(before)
        #expect(named == Set(Self.features.keys).union(Self.amounts).union([Self.shards]))
        for (path, change) in Self.features {
            #expect(try Self.ledger(all + [change]) != before, "\(path)")
        }
        #expect(try Self.ledger(all, shards: 1).abilities != before.abilities)
    }

    @Test func partiesOfOneNameAreOne() throws {
        let before = try Self.ledger([])
        let ends = before.abilities(.seesBothEnds)
        // The school's own Wi-Fi, and not the homes'.
        #expect(ends.map(\.organisation) == ["operator"] && ends.map(\.groups) == [["school"]])
        #expect(before.organisations.contains("provider"))
        #expect(Set(before.parties(of: "operator")).isSuperset(of: [.network, .gateway, .management]))
        let apart = try Self.ledger(["devices[school].network=provider"])
        #expect(apart.abilities(.seesBothEnds).isEmpty)
        let everywhere = try Self.ledger(["devices[home].network=operator"])
        #expect(everywhere.abilities(.seesBothEnds).map(\.groups) == [[]])
        // Any two that are called the same, also Apple's relay and the gateway.
        let apple = try Self.ledger(["parties.gateway=Apple", "devices[school].network=provider"])
        #expect(apple.abilities(.seesBothEnds).map(\.organisation) == ["Apple"])
    }

    @Test func reportsAreReadByWhoeverOpensRequests() throws {
        #expect(try Self.ledger([]).readers.isEmpty)
        let on = try Self.ledger(["devices[school].reports={interval: 24h}", "parties.pir=Vendor"])
        #expect(Set(on.readers) == ["operator", "Vendor"])
        #expect(on.abilities(.readsBlocked).map(\.groups) == [["school"], ["school"]])
        // The vendor sees no network.
        #expect(on.abilities(.tellsWhoseReport).map(\.organisation) == ["operator"])
        let atHome = try Self.ledger(["devices[home].reports={interval: 24h}"])
        #expect(atHome.abilities(.tellsWhoseReport).isEmpty)
    }

    /// Lines that a mechanism of the newest system takes away.
    @Test func theNewestSystemAsksAppleForItsConfiguration() throws {
        func readers(_ settings: [String]) throws -> Set<Part> {
            Set(
                try Self.ledger(settings).lines.filter { $0.occasions.contains(.configuration) }
                    .flatMap(\.parties))
        }
        #expect(try readers([]).isSuperset(of: [.gateway, .pir, .relay]))
        #expect(try readers(["devices[*].os=iOS27.3"]) == [.relay])
    }

    /// Nothing of a run is missing in the ledger, and nothing of the servers in it never happens.
    @Test func theLedgerHasWhatARunCounts() async throws {
        let small = try SmallScenario.calibrated("replications: { min: 2, max: 2 }")
        let preparation = try small.prepare(
            "devices[pupils].reports={ interval: 1h }", "devices[pupils].count=400",
            "start=cold")
        let result = try await Runner.run(preparation, threads: 1).result
        let point = try #require(result.points.first)
        let ledger = try #require(point.privacy)
        let counted = point.disclosures
        for party in URLFilterModel.parts {
            let lines = ledger.lines.filter { $0.parties.contains(party) }
            for row in counted {
                let isCounted = row.counts[party, default: 0] > 0
                // The list of this scenario is one shard, whose number says nothing.
                guard row.datum != .shardIndex else { continue }
                #expect(
                    lines.contains { $0.data.contains(row.datum) } == isCounted, "\(party) \(row.datum)")
            }
        }
        for line in ledger.lines where line.occasions.count == 1 {
            guard let metric = line.occasions[0].metric else { continue }
            #expect((point[metric]?.value ?? 0) > 0, "\(line.occasions)")
        }
    }

    @Test func namesAndTokensAreChecked() {
        #expect(complaint(minimal, "parties.gateway=''")?.contains("1 to 60 letters") == true)
        #expect(
            complaint(minimal, "devices[homes].network=" + String(repeating: "x", count: 61))?.contains(
                "the name of an organisation") == true)
        #expect(
            complaint(minimal, "parties.userToken=shared", "services.issuer.tokensPerUserPerDay=10")?
                .contains("tokensPerUserPerDay") == true)
        #expect(complaint(minimal, "parties.userToken=shared") == nil)
    }

    @Test func otherArchitecturesHaveNone() async throws {
        let small = try SmallScenario.calibrated("replications: { min: 2, max: 2 }")
        let preparation = try small.prepare("architecture=dnsFilter")
        let point = try #require(try await Runner.run(preparation, threads: 1).result.points.first)
        #expect(point.privacy == nil && !point.disclosures.isEmpty)
    }
}
