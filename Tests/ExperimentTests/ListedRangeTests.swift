import Foundation
import Questions
import Scenarios
import Testing
import Workload

/// What a list can plausibly meet, by the hosts that it names.
struct ListedRangeTests {
    private static func range(_ hosts: [String], listed: String) throws -> ListedRange? {
        let small = try SmallScenario(
            """
            duration: 1h
            devices: [{ name: all, count: 3, browsing: { profile: adult } }]
            web: { listed: \(listed) }
            """)
        return ListedRange(try small.scenario(), BlockListIndex(BlockList(hosts)))
    }

    @Test func aListOfAdvertisingIsMetByEveryPage() throws {
        let hosts = ["doubleclick.net", "criteo.com", "taboola.com", "malware1.example"]
        let few = try #require(try Self.range(hosts, listed: "malware"))
        #expect(few.kind == .advertising && few.named == 3 && !few.isPlausible)
        // 0.0027 of visits, and 0.402 of the other objects of the median page.
        let objects = (few.most - 0.0027) / 0.402
        #expect(objects > 20 && objects < 200 && few.now == 0.00044)
        #expect(try #require(few.factors).upperBound == few.most / 0.00044)
        let right = try #require(try Self.range(hosts, listed: "advertising"))
        #expect(right.isPlausible && right.factors?.upperBound == 1)
        let threats = try #require(try Self.range(["malware1.example", "criteo.com"], listed: "malware"))
        #expect(threats.kind == .threats && threats.isPlausible && threats.factors?.lowerBound == 1)
        #expect(try Self.range(["a.example"], listed: "none")?.factors == nil)
    }
}
