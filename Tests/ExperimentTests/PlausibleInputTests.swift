import EventSimulation
import FleetModel
import Foundation
import RandomStreams
import Scenarios
import TestSupport
import Testing
import Workload

/// What nobody told of a scenario: declared once, and legal wherever it is drawn.
@Suite struct PlausibleInputTests {
    private static let paths: [String] = {
        let folder = URL(fileURLWithPath: Shipped.path("x")).deletingLastPathComponent().path
        let names = FileManager.default.enumerator(atPath: folder)?.compactMap { $0 as? String } ?? []
        return names.filter { $0.hasSuffix(".yaml") }.sorted().map { "\(folder)/\($0)" }
    }()

    private static func input(_ name: String, _ yaml: String, _ settings: String...) throws -> PlausibleInput?
    {
        var file = try ScenarioFile(text: Data(yaml.utf8), path: "s.yaml", folder: "/folder")
        for setting in settings { file = try file.setting(setting) }
        return try ScenarioResolver.resolve(file).plausible.first { $0.name == name }
    }

    @Test func declaredRangesLieWithinWhatTheirSettingsMayBe() throws {
        var ranges = 0
        for entry in Schema.entries {
            guard case .between(let low, let high, _) = entry.setting.plausible?.law else { continue }
            ranges += 1
            guard let bounds = entry.setting.kind.bounds else { continue }
            let ends = try [low, high].map { try Quantity.share($0) }
            #expect(ends[0] < ends[1], "\(entry.path)")
            #expect(ends.allSatisfy(bounds.contains), "\(entry.path)")
        }
        #expect(ranges > 12)
    }

    @Test("every shipped scenario is one wherever an input lies", arguments: paths)
    func shippedScenariosAreLegalWhereverAnInputLies(path: String) throws {
        let file = try ScenarioFile(path: path).setting("vary=null")
        let inputs = try ScenarioResolver.resolve(file).plausible
        #expect(!inputs.isEmpty && inputs.count <= 20)
        #expect(Set(inputs.map(\.name)).count == inputs.count)
        #expect(Set(inputs.flatMap(\.settings)).count == inputs.flatMap(\.settings).count)
        for input in inputs {
            #expect(!input.source.isEmpty && !input.settledBy.isEmpty && !input.words.isEmpty)
            for place in [0, 0.5, 1] {
                let scenario = try ScenarioResolver.resolve(file.setting(input.changes(at: place)))
                // What was drawn is told, and nothing else is.
                let left = Set(scenario.plausible.flatMap(\.settings))
                #expect(left.isDisjoint(with: input.settings), "\(input.name)")
            }
        }
    }

    @Test func allInputsTogetherAreLegal() throws {
        for name in ["quickstart", "school-district", "million-devices"] {
            let file = try ScenarioFile(path: Shipped.path(name))
            for place in [0.0, 1.0] {
                let changes = try ScenarioResolver.resolve(file).plausible.flatMap { $0.changes(at: place) }
                let scenario = try ScenarioResolver.resolve(file.setting(changes))
                #expect(scenario.web.queryShare >= scenario.web.leastQueryShare)
            }
        }
    }

    /// A fresh token is in a query: nobody draws a web with more of those than queries.
    @Test func queriesFollowFreshTokens() throws {
        let file = try ScenarioFile(text: Data(minimal.utf8), path: "s.yaml", folder: "/folder")
        let fresh = try file.setting("web.adHeavyFreshShare=90%").setting("web.plainFreshShare=90%")
        #expect(abs(try ScenarioResolver.resolve(fresh).web.queryShare - 0.9) < 1e-9)
        #expect(try ScenarioResolver.resolve(file).web.queryShare == WebParameters().queryShare)
        let error = #expect(throws: ScenarioError.self) {
            try ScenarioResolver.resolve(fresh.setting("web.queryShare=50%"))
        }
        #expect(error?.description.contains("at least 0.9, the share of URLs with a fresh token") == true)
    }

    @Test func theHabitOfAllPhonesIsOneAndThatOfDesksAnother() throws {
        let yaml =
            minimal + """
                  - { name: more, count: 5 }
                  - { name: desks, count: 5, browsing: { profile: office } }

                """
        let visits = try #require(try Self.input("visits", yaml))
        #expect(
            visits.settings == ["devices[homes].browsing.visitScale", "devices[more].browsing.visitScale"])
        #expect(visits.changes(at: 0.5).map { $0.split(separator: "=")[1] } == ["0.7348", "0.7348"])
        #expect(visits.now == "1" && visits.source.contains("50 to 300"))
        let desks = try #require(try Self.input("computer-visits", yaml))
        #expect(desks.settings == ["devices[desks].browsing.visitScale"])
        let known = "devices[more].browsing.visitsPerDay={ median: 10, p95: 20 }"
        #expect(try Self.input("visits", yaml, known)?.settings == ["devices[homes].browsing.visitScale"])
    }

    @Test func aScaleChangesVisitsAndRequestsAndOneChangesNothing() throws {
        func visits(_ scenario: Scenario) throws -> Double {
            guard case .profile(let profile) = scenario.devices[0].browsing else { return 0 }
            return profile.visitsPerActiveDay.mean
        }
        let plain = try resolve(minimal)
        let one = try resolve(minimal, "devices[homes].browsing.visitScale=1", "web.requestScale=1")
        #expect(one.web == plain.web)
        #expect(try visits(one) == visits(plain))
        let half = try resolve(minimal, "devices[homes].browsing.visitScale=0.5", "web.requestScale=0.5")
        #expect(abs(try visits(half) / visits(plain) - 0.5) < 1e-12)
        #expect(
            half.web.requestsPerPage.knots.map(\.value)
                == plain.web.requestsPerPage.knots.map { $0.value / 2 })
        let list = "devices[homes].browsing.visitsPerDay=[10, 20]"
        let listed = try resolve(minimal, list, "devices[homes].browsing.visitScale=2")
        #expect(try visits(listed) == 30)
    }

    @Test func whatDoesNotActIsNoInput() throws {
        func names(_ settings: String...) throws -> Set<String> {
            var file = try ScenarioFile(text: Data(minimal.utf8), path: "s.yaml", folder: "/folder")
            for setting in settings { file = try file.setting(setting) }
            return Set(try ScenarioResolver.resolve(file).plausible.map(\.name))
        }
        let usual: Set = [
            "visits", "requests", "fresh", "revisits", "sites", "listed", "coverage", "os", "relay", "access",
            "alike", "names", "machine", "refetch",
        ]
        #expect(try names() == usual)
        #expect(
            try names("devices[homes].browsing={ lookups: { perDay: 10 } }")
                == ["relay", "access", "alike", "names", "machine", "refetch"])
        #expect(try names("devices[homes].os=iOS27.3").subtracting(usual) == ["query-keys"])
        #expect(try !names("devices[homes].os=iOS27.3").contains("os"))
        #expect(try !names("web.listed=none").contains("listed"))
        #expect(try names("devices[homes].access=lte").subtracting(usual) == ["radio"])
        #expect(try names("updates.churn=threat").isSuperset(of: ["restart", "short-lived", "short-life"]))
        #expect(
            try names("architecture=contentFilter").isDisjoint(with: ["os", "machine", "coverage"]))
        #expect(
            try !names(
                "services.pir.cpuFactor=2", "services.issuer.cpuFactor=2", "services.gateway.cpuFactor=2"
            ).contains("machine"))
        #expect(try !names("web.queryShare=50%").contains("fresh"))
    }

    @Test func aDelayIsStretchedAndASystemChosen() throws {
        let relay = try #require(try Self.input("relay", minimal))
        #expect(
            relay.changes(at: 0.75) == [
                "services.relay.oneWayDelay={lognormal: {median: 20ms, p95: 50ms}}"
            ])
        #expect(abs((relay.nowPlace ?? 0) - 0.5) < 1e-12)
        let system = try #require(try Self.input("os", minimal))
        #expect(system.nowPlace == nil)
        #expect(
            [0.1, 0.3, 0.7, 0.9].map(system.value) == ["iOS26", "iOS27", "iOS27", "iOS27.3"])
        let listed = try #require(try Self.input("listed", minimal, "web.listed=school-categories"))
        #expect(
            listed.changes(at: 0) == ["web.listed.visitShare=0.29%", "web.listed.objectShare=0.31%"])
    }

    // MARK: - What the user knows

    @Test func theUserGivesRanges() throws {
        let coverage = try #require(try Self.input("coverage", minimal, "devices[homes].coverage=60%..95%"))
        #expect(coverage.source == "the scenario" && coverage.now == "77.5%")
        #expect(coverage.changes(at: 1) == ["devices[homes].coverage=95%"])
        let scenario = try resolve(minimal, "devices[homes].coverage={ value: 80%, between: 60%..95% }")
        #expect(scenario.devices[0].usage.coverage == 0.8)
        #expect(scenario.plausible.first { $0.name == "coverage" }?.now == "80%")
        // One without a range of its own, whose ends are far apart.
        let tolerance = try resolve(minimal, "filter.falsePositiveTolerance=1e-6..1e-2")
        #expect(tolerance.filter.shape == .falsePositiveTolerance(1e-4))
        #expect(tolerance.plausible.contains { $0.settings == ["filter.falsePositiveTolerance"] })
        let cores = try resolve(minimal, "services.pir.cores=2..6", "behaviour.configurationRefetch=2h..8h")
        #expect(cores.services.pir.cores == 4)
        #expect(cores.behaviour.configurationRefetch == .hours(4))
        let delay = try resolve(minimal, "services.relay.oneWayDelay=5ms..15ms")
        #expect(delay.services.relay.oneWayDelay == .constant(0.01))
    }

    @Test func theSameRangeOfAllGroupsIsOneInput() throws {
        let yaml = minimal + "  - { name: more, count: 5 }\n"
        let all = try resolve(yaml, "devices[*].coverage=60%..95%")
        #expect(all.plausible.first { $0.name == "coverage" }?.settings.count == 2)
        let own = try resolve(yaml, "devices[more].coverage=60%..95%").plausible.filter {
            $0.settings.allSatisfy { $0.hasSuffix("coverage") }
        }
        #expect(own.map(\.name) == ["devices[homes].coverage", "devices[more].coverage"])
    }

    @Test(
        "ranges that cannot be are refused with their place",
        arguments: [
            ("devices[homes].coverage=60%..120%", "0.0...1.0"),
            ("devices[homes].coverage=95%..60%", "write 60%..95%"),
            ("devices[homes].coverage={ value: 20%, between: 60%..95% }", "which you gave"),
            ("devices[homes].coverage={ between: 60% }", "a range such as 60%..95%"),
            ("filter.shouldFailClosed=0..1", "only a number"),
            ("services.pir.queueTime=none..3s", "has a word"),
            ("behaviour.retryPause=1..5", "has no unit"),
            ("seed=1..5", "only a number"),
        ])
    func wrongRanges(setting: String, message: String) throws {
        let text = try #require(complaint(minimal, setting))
        #expect(text.contains(message), "\(text)")
        #expect(text.contains(setting.prefix { $0 != "=" }), "\(text)")
    }

    @Test func aRangeInAFileIsRefusedWithItsLine() {
        let text = complaint(minimal + "filter: { falsePositiveTolerance: 0.1..2 }\n")
        #expect(text?.hasPrefix("s.yaml:5:") == true, "\(text ?? "")")
    }

    @Test func whatIsKnownIsNotDrawn() throws {
        let inputs = try resolve(minimal + "  - { name: more, count: 5 }\n").plausible
        #expect(try !inputs.without(["visits"]).contains { $0.name == "visits" })
        let left = try inputs.without(["devices[more].coverage"]).first { $0.name == "coverage" }
        #expect(left?.settings == ["devices[homes].coverage"])
        let error = #expect(throws: ScenarioError.self) { try inputs.without(["visit"]) }
        #expect(error?.description.contains("did you mean 'visits'?") == true)
    }

    /// What is written out is known no better for it.
    @Test(arguments: ["quickstart", "school-district", "freshness", "million-devices"])
    func theResolvedScenarioKnowsAsLittle(name: String) throws {
        for change in ["vary=null", "devices[*].coverage=60%..95%", "web.listed=null", "updates.churn=null"] {
            let first = try ScenarioResolver.resolve(ScenarioFile(path: Shipped.path(name)).setting(change))
            let yaml = ResolvedScenario.yaml(first.settings)
            let second = try ScenarioResolver.resolve(
                ScenarioFile(text: Data(yaml.utf8), path: "b.yaml", folder: "/elsewhere"))
            #expect(second.plausible.map(\.name) == first.plausible.map(\.name), "\(change)")
            #expect(second.plausible == first.plausible, "\(change)")
            #expect(ResolvedScenario.yaml(second.settings).contains("assumptions:"))
        }
    }

    @Test func assumptionsNameSettings() {
        #expect(
            complaint(minimal + "assumptions: [devices[homes].coverag]\n")?.contains("is no setting") == true
                || complaint(minimal + "assumptions: ['devices[homes].coverag']\n")?.contains(
                    "is no setting") == true
        )
    }
}
