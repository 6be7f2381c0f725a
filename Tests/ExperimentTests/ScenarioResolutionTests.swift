import EventSimulation
import Experiment
import FleetModel
import Foundation
import RandomStreams
import Scenarios
import Testing
import URLFilter

@Suite struct ScenarioResolutionTests {
    @Test("the shipped scenarios resolve", arguments: Shipped.names)
    func shipped(name: String) throws {
        let scenario = try ScenarioResolver.resolve(try ScenarioFile(path: Shipped.path(name)))
        #expect(!scenario.devices.isEmpty)
        #expect(FileManager.default.fileExists(atPath: scenario.blocklist.file))
    }

    @Test("every default has a source, and every setting is listed once", arguments: Shipped.names)
    func sources(name: String) throws {
        let settings = try ScenarioResolver.resolve(try ScenarioFile(path: Shipped.path(name))).settings
        #expect(settings.count > 40)
        for setting in settings {
            #expect(setting.defaultSource != "", "\(setting.path) has a default without a source")
            #expect(!setting.value.isEmpty, "\(setting.path)")
        }
        #expect(Set(settings.map(\.path)).count == settings.count)
    }

    @Test func whatTheFileLeavesOutIsFilledIn() throws {
        let scenario = try resolve(minimal)
        #expect(scenario.name == "s")
        #expect(scenario.seed == 1)
        #expect(scenario.fidelity == .calibrated)
        #expect(scenario.drain == .seconds(30))
        #expect(scenario.replications.precision == nil)
        #expect(scenario.replications.minimum == 10 && scenario.replications.maximum == 10)
        #expect(scenario.filter.policy == .failOpen)
        #expect(scenario.services.pir.serverCount == 2)
        #expect(scenario.blocklist.file == "/folder/list.txt")
        let byPath = Dictionary(uniqueKeysWithValues: scenario.settings.map { ($0.path, $0) })
        #expect(byPath["drain"]?.defaultSource == "assumption: ten verdict timeouts")
        #expect(byPath["duration"]?.defaultSource == nil)
        #expect(byPath["devices[homes].count"]?.value == "10")
        #expect(byPath["devices[homes].access.uplink"]?.isDerived == true)
    }

    /// A device that is made without a scenario is the one of a scenario that says nothing of it.
    @Test func theModelHasTheSameDefaults() throws {
        #expect(try resolve(minimal).device == DeviceConstants())
    }

    @Test func halfADelayIsFilledUpWithItsDefaultOrRefusedWhereBothContradict() throws {
        func text(_ median: String) -> String {
            minimal + "services: { relay: { oneWayDelay: { lognormal: { median: \(median) } } } }\n"
        }
        #expect(
            try resolve(text("9ms")).services.relay.oneWayDelay == .lognormal(median: 0.009, p95: 0.025))
        #expect(complaint(text("26ms"))?.contains("oneWayDelay.lognormal.p95: 25ms is outside") == true)
    }

    @Test func allOfASeedIsKept() throws {
        #expect(try resolve(minimal, "seed=18446744073709551615").seed == .max)
        #expect(try resolve(minimal, "seed=9007199254740993").seed == 9_007_199_254_740_993)
    }

    @Test func nullAndEmptyMeanTheDefault() throws {
        let scenario = try resolve(
            minimal + "drain:\nfilter: ~\nservices: { pir: { cores: null } }\n", "seed=")
        #expect(scenario.drain == .seconds(30))
        #expect(scenario.services.pir.cores == 2)
        #expect(scenario.seed == 1)
    }

    /// Rounded as the scenario's are.
    private func milliseconds(_ count: Double) -> Double { SimulatedDuration.milliseconds(count).seconds }

    @Test func delaysComeInFourShapes() throws {
        func relay(_ text: String) throws -> Scenario {
            try resolve(minimal + "services: { relay: { oneWayDelay: \(text) } }\n")
        }
        #expect(try relay("9ms").services.relay.oneWayDelay == .constant(milliseconds(9)))
        #expect(
            try relay("{ exponential: { mean: 9ms } }").services.relay.oneWayDelay
                == .exponential(mean: milliseconds(9)))
        #expect(
            try relay("{ uniform: { from: 1ms, to: 9ms } }").services.relay.oneWayDelay
                == .uniform(lower: milliseconds(1), upper: milliseconds(9)))
        #expect(
            try relay("{ lognormal: { median: 9ms, p99: 25ms } }").services.relay.oneWayDelay
                == .lognormal(median: milliseconds(9), p99: milliseconds(25)))
    }

    @Test("the resolved scenario says the same when it is run again", arguments: Shipped.names)
    func resolvedFile(name: String) throws {
        let text = try String(contentsOfFile: Shipped.path(name), encoding: .utf8)
        let first = try ScenarioResolver.resolve(
            try ScenarioFile(
                text: Data((text + extra(name)).utf8), path: "a.yaml",
                folder: URL(fileURLWithPath: Shipped.path(name)).deletingLastPathComponent().path))
        let again = ResolvedScenario.yaml(first.settings)
        let second = try ScenarioResolver.resolve(
            try ScenarioFile(text: Data(again.utf8), path: "b.yaml", folder: "/elsewhere"))
        #expect(first.settings.map { [$0.path, $0.value] } == second.settings.map { [$0.path, $0.value] })
        #expect(second.name == first.name)
        #expect(second.settings.allSatisfy { $0.isDerived || $0.defaultSource == nil })
    }

    /// Settings that need quoting or nesting.
    private func extra(_ name: String) -> String {
        switch name {
        case "quickstart":
            "objectives: ['url.leaked count == 0', 'lookup.latency p99 < 800ms']\n"
                + "faults: [{ kind: restart, service: pir, at: 1min }, { kind: captivePortal, at: 2min, for: 5s }]\n"
        default: "behaviour: { retryPause: 2s }\n"
        }
    }
}

@Suite struct ScenarioFileTests {
    @Test func aTraceReplacesTheBrowsingOfEveryGroup() throws {
        let file = try ScenarioFile(
            text: Data((minimal + "  - { name: more, count: 5, browsing: { profile: office } }\n").utf8),
            path: "s.yaml", folder: "/folder")
        let scenario = try ScenarioResolver.resolve(
            file.replacingBrowsing(withTraces: ["/odd \"name\": x.csv"]))
        #expect(scenario.devices.count == 2)
        for group in scenario.devices {
            guard case .trace(let trace) = group.browsing else {
                Issue.record("\(group.name) replays no trace")
                continue
            }
            #expect(trace.file == "/odd \"name\": x.csv")
        }
    }

    @Test func severalTracesShareTheDevices() throws {
        let file = try ScenarioFile(
            text: Data(
                "duration: 1min\nblocklist: { file: l }\ndevices: [{ name: a, count: 1k }, { name: b, count: 5 }]\n"
                    .utf8),
            path: "s.yaml", folder: "/folder")
        let devices = try ScenarioResolver.resolve(file.replacingBrowsing(withTraces: ["/x", "/y"])).devices
        #expect(devices.map(\.name) == ["a 1", "a 2", "b 1", "b 2"])
        #expect(devices.map(\.count) == [500, 500, 3, 2])
        let files = devices.map { group in
            if case .trace(let trace) = group.browsing { trace.file } else { "" }
        }
        #expect(files == ["/x", "/y", "/x", "/y"])
        #expect(throws: ScenarioError.self) {
            try file.replacingBrowsing(withTraces: ["1", "2", "3", "4", "5", "6"])
        }
    }

    @Test func allGroupsAreScaledTogether() throws {
        let file = try ScenarioFile(
            text: Data(
                "duration: 1min\nblocklist: { file: l }\ndevices: [{ name: a, count: 19200 }, { name: b, count: 800 }]\n"
                    .utf8), path: "s.yaml", folder: "/folder")
        func counts(_ total: Int) throws -> [Int] {
            try ScenarioResolver.resolve(file.scalingDevices(to: total)).devices.map(\.count)
        }
        #expect(try counts(2_000_000) == [1_920_000, 80_000])
        #expect(try counts(10) == [10, 1])
    }

    @Test func aTextIsNotTakenForYAML() throws {
        let file = try ScenarioFile(text: Data(minimal.utf8), path: "s.yaml", folder: "/folder")
        let path = "/lists/a: b # [c].txt"
        #expect(
            try ScenarioResolver.resolve(file.setting("blocklist.file", toText: path)).blocklist.file == path)
    }
}
