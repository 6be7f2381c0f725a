import Experiment
import Foundation
import Scenarios
import TestSupport
import Testing

/// A scenario whose lookups were observed at servers, asked for what servers cannot have seen.
struct ObservedLookupsTests {
    private func file() throws -> (SmallScenario, ScenarioFile) {
        let small = try SmallScenario(
            """
            duration: 1h
            filter: { falsePositiveTolerance: 0.001 }
            devices:
              - { name: seen, count: 3, os: iOS26, browsing: { lookups: { perDay: 50 } } }
            """)
        return (small, try ScenarioFile(path: small.folder.path + "/scenario.yaml"))
    }

    @Test(arguments: [
        "filter.falsePositiveTolerance=0.05", "filter.hashCount=3", "filter={ bitCount: 1000, hashCount: 3 }",
        "blocklist.file=other.txt", "blocklist={ file: other.txt }", "devices[seen].os=iOS27",
        "devices[*].os=iOS27", "devices[0].os=iOS27",
    ])
    func anotherFilterListOrSystemIsRefused(setting: String) throws {
        let (_, file) = try file()
        let error = #expect(throws: ScenarioError.self) { try file.setting(setting) }
        #expect("\(try #require(error))".contains("observed at servers"))
    }

    /// What it has already, and what servers have nothing to do with.
    @Test(arguments: [
        "filter.falsePositiveTolerance=0.001", "filter.shouldFailClosed=true", "blocklist.file=list.txt",
        "devices[seen].os=iOS26", "services.pir.instances=3", "devices[seen].count=30",
    ])
    func theRestMayBeAsked(setting: String) throws {
        let (_, file) = try file()
        _ = try ScenarioResolver.resolve(file.setting(setting))
    }

    @Test func aListOfTheCommandLineIsRefusedUnlessItIsTheSame() throws {
        let (small, file) = try file()
        #expect(throws: ScenarioError.self) { try file.setting("blocklist.file", toText: "/tmp/other.txt") }
        _ = try file.setting("blocklist.file", toText: small.folder.path + "/list.txt")
    }
}
