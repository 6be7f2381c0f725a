import Experiment
import FleetModel
import Foundation
import Scenarios
import Testing

/// What every scenario that the repository ships must have.
@Suite struct ShippedScenarioTests {
    private static let paths: [String] = {
        let folder = URL(fileURLWithPath: Shipped.path("x")).deletingLastPathComponent().path
        let names = FileManager.default.enumerator(atPath: folder)?.compactMap { $0 as? String } ?? []
        return names.filter { $0.hasSuffix(".yaml") }.sorted().map { "\(folder)/\($0)" }
    }()

    /// Visits, listed share and profile are nobody's invention: a preset that is named, or the user's trace.
    @Test func browsingComesFromANamedPresetOrATrace() throws {
        #expect(Self.paths.count > 20)
        for path in Self.paths {
            let settings = try ScenarioResolver.resolve(
                ScenarioFile(path: path).setting("vary=null")
            ).settings
            func isSet(_ name: String) -> Bool {
                settings.contains { $0.path == name && $0.defaultSource == nil && !$0.isDerived }
            }
            let groups = settings.map(\.path).filter { $0.hasPrefix("devices[") && $0.hasSuffix("].name") }
                .map { $0.dropLast(5) }
            #expect(!groups.isEmpty)
            for group in groups where !isSet("\(group).browsing.trace") {
                #expect(isSet("\(group).browsing.profile"), "\(path): \(group)")
                #expect(isSet("web.listed"), "\(path)")
                let visits = settings.first { $0.path == "\(group).browsing.visitsPerDay" }
                #expect(visits?.defaultSource?.isEmpty == false, "\(path): \(group)")
            }
        }
    }

    @Test func theLongestStageNamesTheAssumptionsThatItRestsOn() throws {
        func longest(_ stage: Stage, _ changes: String...) throws -> LongestStage? {
            let file = try ScenarioFile(path: Shipped.path("quickstart")).setting(changes)
            let times: [Stage: Double] = [stage: 0.03, .token: 0.01]
            return LongestStage(times, settings: try ScenarioResolver.resolve(file).settings)
        }
        let bytes = try #require(try longest(.transmission))
        #expect(bytes.stage == .transmission && bytes.share == 0.75)
        #expect(bytes.assumptions == ["devices[].access.uplink", "devices[].access.downlink"])
        let own = "devices[pupils].access={ uplink: 5Mbit/s, downlink: 20Mbit/s }"
        #expect(try longest(.transmission, own)?.assumptions == [])
        #expect(try longest(.propagation)?.assumptions == ["services.relay.oneWayDelay"])
        #expect(LongestStage([:], settings: []) == nil)
    }
}
