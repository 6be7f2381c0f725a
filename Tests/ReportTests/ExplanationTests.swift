import Decoding
import Experiment
import Foundation
import ListAnalysis
import Report
import Testing
import URLFilter
import Workload

@Suite struct ExplanationTests {
    private static let url = "https://www.sub1.example.com/a/b/c?id=123#fragment"

    /// The ten entries of Apple's sample; see article "Device", section "Prefilter".
    private static let entries =
        ["example.com"] + (2...9).map { "example\($0).com" } + ["example10.com/resource?query=bugs"]

    private static func filter(_ list: BlockList, seed: UInt32 = 624_656_550) throws -> BloomFilter {
        var filter = BloomFilter(
            parameters: try BloomParameters(
                entryCount: list.count, falsePositiveTolerance: 0.001, murmurSeed: seed))
        for entry in list { filter.insert(Array(entry)) }
        return filter
    }

    private static func explain(
        _ url: String, _ entries: [String], filter: BloomFilter? = nil
    ) throws -> Explanation {
        let list = BlockList(entries)
        let filter = try filter ?? Self.filter(list)
        return try Explanation(
            url: url, generations: RulesGeneration.allCases, filter: filter,
            prefilter: .init(file: nil, parameters: filter.parameters), index: BlockListIndex(list),
            list: .init(file: "list.txt", keys: .asWritten, entries: list.count))
    }

    @Test("each generation has the strings of its rules, in their order", arguments: RulesGeneration.allCases)
    func stringsAndOrder(generation: RulesGeneration) throws {
        let explanation = try Explanation(url: Self.url, generations: [generation])
        let expected = try lookupStrings(of: Self.url, rules: generation.rules)
        #expect(explanation.outcomes.map { $0.lookupStrings.map(\.string) } == [expected])
        #expect(explanation.outcomes[0].verdict == nil)
        #expect(explanation.outcomes[0].lookupStrings.allSatisfy { $0.hit == nil && $0.listed == nil })
    }

    @Test func aListedParentBlocks() throws {
        let explanation = try Self.explain(Self.url, Self.entries)
        for outcome in explanation.outcomes {
            #expect(outcome.verdict == "blockedByServer")
            #expect(outcome.because == ["example.com"])
            #expect(outcome.batch.contains("example.com"))
        }
    }

    /// The difference that decides in practice (article "Device", section "iOS 26").
    @Test func aPathOfAParentDomainBlocksOnlyUnderTheDocumentedRules() throws {
        let explanation = try Self.explain("https://sub.example.net/a/b", ["example.net/a"])
        let verdicts = explanation.outcomes.map(\.verdict)
        #expect(verdicts == ["allowedByPrefilter", "blockedByServer", "blockedByServer"])
    }

    /// Who reads "blocked" relies on it, so it stands only beside the system that blocks.
    @Test func whatOneSystemAllowsIsNotCalledBlocked() throws {
        let url = "https://pastebin.com/raw/pHPmwBp6"
        let explanation = try Self.explain(url, ["pastebin.com/raw/pHPmwBp6"])
        #expect(explanation.outcomes.map(\.blocks) == [true, false, false])
        let entry = "pastebin.com/raw/pHPmwBp6"
        #expect(explanation.outcomes.map(\.unmatchable) == [nil, entry, entry])
        let lines = ExplainText.render(explanation, showsAll: false).split(separator: "\n")
        #expect(lines.contains("iOS 26: blocked because of the entry 'pastebin.com/raw/pHPmwBp6'"))
        #expect(
            lines.contains("iOS 27: NOT blocked by the entry 'pastebin.com/raw/pHPmwBp6', which cannot match")
        )
        #expect(!lines.contains { $0.hasPrefix("blocked") })
    }

    @Test func aHitThatIsNotListedIsFalseAndTheServerAllows() throws {
        // Every bit is 1, so every string hits.
        let parameters = try BloomParameters(bitCount: 8, hashCount: 1, murmurSeed: 1)
        let full = try BloomFilter(parameters: parameters, bytes: [0xFF])
        let explanation = try Self.explain("https://unlisted.test/", Self.entries, filter: full)
        for outcome in explanation.outcomes {
            #expect(outcome.verdict == "allowedByServer")
            #expect(outcome.falseHits == outcome.batch)
            #expect(outcome.batch == outcome.lookupStrings.map(\.string))
        }
    }

    @Test func anEntryThatThePrefilterLacksIsAllowedAndMarked() throws {
        let empty = BloomFilter(parameters: try BloomParameters(bitCount: 64, hashCount: 3, murmurSeed: 1))
        let explanation = try Self.explain(Self.url, Self.entries, filter: empty)
        #expect(explanation.outcomes.allSatisfy { $0.verdict == "allowedByPrefilter" })
        #expect(explanation.outcomes[1].lookupStrings[0].isMissed)
        let text = ExplainText.render(explanation, showsAll: false)
        #expect(text.contains("example.com   listed, but not in the prefilter"))
    }

    @Test func withoutAListAHitIsUpToTheServer() throws {
        let filter = try Self.filter(BlockList(Self.entries))
        let explanation = try Explanation(
            url: Self.url, generations: [.documented], filter: filter,
            prefilter: .init(file: "f.plist", parameters: filter.parameters))
        #expect(explanation.outcomes[0].verdict == nil)
        #expect(ExplainText.render(explanation, showsAll: false).contains("up to the server"))
    }

    @Test func theTextShowsAllGenerationsSideBySide() throws {
        let text = ExplainText.render(try Self.explain(Self.url, Self.entries), showsAll: false)
        #expect(
            text == """
                https://www.sub1.example.com/a/b/c?id=123#fragment
                list       10 entries, keys as written, list.txt
                prefilter  bitCount 144, hashCount 10, murmurSeed 624656550
                           built in memory from the list, as Apple's tool does at 0.001

                  hit  listed  iOS 26  documented  iOS 27  lookup string
                  hit  listed      #3          #1      #1  example.com
                  …63 more without a hit (--all shows them)

                  rules       strings  queries  false hits  verdict
                  iOS 26           28        1           0  blocked by server
                  documented       48        1           0  blocked by server
                  iOS 27           48        1           0  blocked by server
                blocked because of the entry 'example.com'

                """)
    }

    @Test func theRowsOfAllStringsAreTheUnionOfTheGenerations() throws {
        let explanation = try Self.explain(Self.url, Self.entries)
        let union = Set(explanation.outcomes.flatMap { $0.lookupStrings.map(\.string) })
        let text = ExplainText.render(explanation, showsAll: true)
        let rows = text.split(separator: "\n").filter { $0.hasPrefix("  ") && $0.contains("#") }
        #expect(rows.count == union.count)
    }

    @Test func theDocumentSurvivesJSON() throws {
        let explanation = try Self.explain(Self.url, Self.entries)
        let text = try JSONText.render(explanation)
        #expect(text.contains("\"schema\" : \"urlfilter.explain/1\""))
        #expect(try JSONDecoder().decode(Explanation.self, from: Data(text.utf8)) == explanation)
    }

    @Test func whatIsNoURLHasNoExplanation() {
        #expect(throws: URLParsingError.noScheme) {
            try Explanation(url: "example.com", generations: [.iOS26])
        }
    }
}
