import Experiment
import FleetModel
import Questions
import RunMetrics
import Scenarios
import Testing

/// What helps to decide between architectures: harms without faults, and what one can have.
@Suite struct AlternativesChoiceTests {
    /// Two thirds of the time are without the fault, in which a proxy that knows its list lets nothing through.
    @Test func harmsAreToldWithFaultsAndWithout() async throws {
        let small = try SmallScenario.calibrated(
            """
            replications: { min: 2, max: 2 }
            faults: [{ kind: outage, service: decider, at: 20s, for: 20s }]
            """)
        let table = try AlternativesResult(
            [(.httpProxy, try await small.result(.httpProxy))], of: try small.scenario(),
            prices: Prices.Preset.largeCloud.prices, confidence: 0.95)
        let row = table.rows[0]
        let (all, outside) = (row[.leaked]?.value, row[.leakedOutsideFaults]?.value)
        #expect((all ?? 0) > 0 && all == row.count(.leaked, .undecided))
        // Without the causes that the fault has, nothing is left.
        #expect(outside == 0)
        let closed = try await small.result(
            .httpProxy, "filter.shouldFailClosed=true", "mechanisms={httpProxy: {coverage: 0.5}}")
        let point = try #require(closed.points.first)
        #expect((point[.brokenPages]?.value ?? 0) > 0 && point[.brokenOutsideFaults]?.value == 0)
        #expect((point[.falselyBlocked]?.value ?? 0) > (point[.falselyBlockedOutsideFaults]?.value ?? 0))
        // What no mechanism sees is let through at any time.
        #expect((point[.leakedOutsideFaults]?.value ?? 0) > 0.2)
        let sound = try await small.result(.httpProxy, "faults=[]")
        #expect(sound.points.first?[.leakedOutsideFaults] == nil)
    }

    @Test func onlyWhatOneCanHaveIsRecommended() async throws {
        let small = try SmallScenario.calibrated(
            "replications: { min: 3, max: 3 }\nobjectives: [url.checked count > 1]")
        let choices: [ArchitectureChoice] = [
            .urlFilter, .wholeList, .contentFilter, .packetFilter, .dnsFilter,
        ]
        var results: [(architecture: ArchitectureChoice, result: RunResult)] = []
        for choice in choices { results.append((choice, try await small.result(choice))) }
        func choice(_ have: Set<ArchitectureFacts.Need>?) throws -> AlternativesChoice {
            try AlternativesResult(
                results, of: try small.scenario(), prices: Prices.Preset.largeCloud.prices, have: have,
                confidence: 0.95
            ).choice
        }
        // All meet it, and devices that decide need no servers; the whole list is not to be had.
        let open = try choice(nil)
        #expect(open.leftOut.isEmpty && open.have == nil)
        #expect([.contentFilter, .packetFilter].contains(open.recommended))
        let managed = try choice([.supervised, .app])
        #expect(managed.recommended == .contentFilter)
        #expect(managed.leftOut.map(\.architecture) == [.urlFilter, .packetFilter])
        #expect(managed.leftOut.map(\.missing) == [[.approval], [.macs]])
        // Macs need no supervision; device management alone binds managed apps only.
        #expect(try choice([.macs, .app]).leftOut.map(\.architecture) == [.urlFilter])
        #expect(try choice([.mdm, .app]).recommended == .dnsFilter)
        let bare = try choice([])
        #expect(bare.recommended == .dnsFilter && bare.have == [])
        #expect(bare.leftOut.map(\.missing.count) == [2, 2, 2])
    }

    @Test(arguments: ArchitectureChoice.allCases)
    func factsAreWhole(_ choice: ArchitectureChoice) {
        let facts = choice.facts
        #expect(!facts.runsOn.value.isEmpty && !facts.name.isEmpty)
        #expect(facts.isYardstick == facts.needs.value.isEmpty)
        // A need for Macs is that of what does not run elsewhere, and only a site's own box is bound to a place.
        #expect(
            (facts.runsOn.value == [.macs])
                == (!facts.isYardstick && facts.needs.value.allSatisfy { $0.contains(.macs) }))
        #expect(facts.isEverywhere.value == (choice != .onSiteFilter))
        #expect((facts.blockPage.value == .notPublished) == (facts.blockPage.source == .notPublished))
    }
}
