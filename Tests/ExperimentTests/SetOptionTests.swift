import EventSimulation
import Experiment
import FleetModel
import Foundation
import RandomStreams
import Scenarios
import Testing
import URLFilter
import Workload

/// What `--set path=value` does.
@Suite struct SetOptionTests {
    private let yaml = """
        duration: 1h
        blocklist: { file: list.txt }
        devices:
          - { name: homes, count: 10, access: lte }
          - { name: two words, count: 5 }
        faults:
          - { kind: outage, service: pir, at: 10min, for: 1min }\n
        """

    @Test func aValueOfAGroupIsChanged() throws {
        #expect(try resolve(yaml, "services.pir.cores=7").services.pir.cores == 7)
        #expect(try resolve(yaml, "filter.shouldFailClosed=true").filter.policy == .failClosed)
    }

    /// Lookups that were observed come as often whatever the filter is.
    @Test func observedLookupsSayNothingOfAnotherFilter() throws {
        let observed = """
            duration: 1h
            blocklist: { file: list.txt }
            filter: { falsePositiveTolerance: 0.01 }
            devices: [{ name: homes, count: 10, browsing: { lookups: { perDay: 50 } } }]\n
            """
        for setting in ["falsePositiveTolerance=0.05", "hashCount=3", "bitCount=9000", "murmurSeed=4"] {
            let sentence = try #require(complaint(observed, "filter." + setting))
            #expect(sentence.contains("observed") && sentence.contains("browsing"), "\(sentence)")
        }
        #expect(complaint(observed, "filter.shouldFailClosed=true") == nil)
        #expect(complaint(yaml, "filter.falsePositiveTolerance=0.05") == nil)
    }

    @Test func aListElementIsNamedByNameOrPlace() throws {
        let scenario = try resolve(
            yaml, "devices[homes].count=400", "devices[two words].count=2", "faults[0].at=20min")
        #expect(scenario.devices.map(\.count) == [400, 2])
        #expect(scenario.faults[0].begin.seconds == 1200)
        #expect(try resolve(yaml, "devices[1].count=9").devices[1].count == 9)
    }

    @Test func aWholeGroupListOrElementIsFlowYAML() throws {
        #expect(
            try resolve(yaml, "services={pir: {cores: 3}, gateway: {instances: 2}}").services.pir.cores == 3)
        #expect(try resolve(yaml, "faults=[]").faults.isEmpty)
        #expect(try resolve(yaml, "devices[homes]={name: flats, count: 3}").devices[0].name == "flats")
        #expect(try resolve(yaml, "objectives=[url.leaked count == 0]").objectives.count == 1)
    }

    @Test("every path that is printed can be set to the value printed beside it", arguments: Shipped.names)
    func printedPaths(name: String) throws {
        let file = try ScenarioFile(path: Shipped.path(name))
        for setting in try ScenarioResolver.resolve(file).settings where !setting.isDerived {
            let again = try? ScenarioResolver.resolve(file.setting("\(setting.path)=\(setting.value)"))
            let value = again?.settings.first { $0.path == setting.path }?.value
            #expect(value == setting.value, "\(setting.path)")
        }
    }

    @Test("every path that follows from another setting can be set", arguments: Shipped.names)
    func derivedPaths(name: String) throws {
        let file = try ScenarioFile(path: Shipped.path(name))
        for setting in try ScenarioResolver.resolve(file).settings where setting.isDerived {
            // Several systems have a value each, and some values are measured: any other has to do.
            let words = [
                setting.value, setting.value.split(separator: " ").last.map(String.init) ?? "", "0.5",
            ]
            let accepted = words.contains { word in
                let again = try? ScenarioResolver.resolve(file.setting("\(setting.path)=\(word)"))
                return again?.settings.contains { $0.path.hasPrefix(setting.path) && !$0.isDerived } == true
            }
            #expect(accepted, "\(setting.path)=\(setting.value)")
        }
    }

    @Test func oneValueOfAPresetIsChanged() throws {
        let homes = try resolve(yaml, "devices[homes].access.uplink=1MB/s").devices[0].access
        #expect(homes.uplink == 1e6)
        #expect(homes.downlink == 5e6 && homes.oneWayDelay == .lognormal(median: 0.0225, p95: 0.055))
        let file = try ScenarioFile(text: Data(yaml.utf8), path: "s.yaml", folder: ".")
        let changed = try ScenarioResolver.resolve(file.setting("devices[homes].access.uplink=1MB/s"))
        #expect(changed.settings.first { $0.path == "devices[homes].access.preset" }?.value == "lte")
        let web = try resolve(yaml, "web={ listed: malware }", "web.listed.visitShare=0.5").web
        #expect(web.listed.visitShare == 0.5 && web.listed.objectShare != 0.5)
    }

    @Test func theLastOfTwoWins() throws {
        #expect(try resolve(yaml, "seed=1", "seed=2").seed == 2)
    }

    @Test func aValueMayContainEqualsSigns() throws {
        #expect(try resolve(yaml, "name=a=b").name == "a=b")
    }

    @Test(
        "what cannot be set says why",
        arguments: [
            (
                "devices[nobody].count=1",
                "--set: devices[nobody].count: 'nobody' is not known; it must be one of homes, two words"
            ),
            (
                "devices[7].count=1",
                "--set: devices[7].count: '7' is not known; it must be one of homes, two words"
            ),
            ("faults[x].at=1s", "--set: faults[x].at: 'x' is not known; it must be one of 0"),
            (
                "devices.count=1",
                "--set: devices.count: the part before 'count' is a list; name an element of it, for example devices[students]"
            ),
            ("seed.low=1", "--set: seed: '{low: 1}' is not a single value"),
            ("services[pir].cores=1", "--set: services[pir].cores: 'services' is not set, not a list"),
            ("blocklist[file]=1", "--set: blocklist[file]: 'blocklist' is a group, not a list"),
            ("a..b=1", "--set: a..b: has an empty part in its path"),
            (".seed=1", "--set: .seed: has an empty part in its path"),
            ("devices[].count=1", "--set: devices[].count: has an empty part in its path"),
            (
                "devices[homes.count=1",
                "--set: devices[homes.count: has a bracket out of place; write for example devices[students].count"
            ),
            (
                "devices]homes[.count=1",
                "--set: devices]homes[.count: has a bracket out of place; write for example devices[students].count"
            ),
            ("seed", "--set: seed: is missing; write for example --set filter.shouldFailClosed=true"),
            ("=1", "--set: =1: is missing; write for example --set filter.shouldFailClosed=true"),
            (
                "filter.shuoldFailClosed=true",
                "--set: filter: unknown key 'shuoldFailClosed'; did you mean 'shouldFailClosed'?"
            ),
            (
                "devices[homes].count.low=1",
                "--set: devices[homes].count.low: the part before 'low' is the single value '10'; "
                    + "set it as a whole, for example --set 'group={ key: value }'"
            ),
            ("seed=x", "--set: seed: 'x' is outside the allowed range whole numbers 0...\(UInt64.max)"),
            (
                "filter=[1",
                "--set filter:2:1: not YAML: while parsing a flow sequence, did not find expected ',' or ']'"
            ),
            (
                "seed={a: &b 1}",
                "--set seed:1:5: a YAML anchor; write the value out, or put a space after the '&'"
            ),
        ])
    func refusals(assignment: String, sentence: String) {
        #expect(complaint(yaml, assignment) == sentence)
    }

    @Test func aScalarOfTheFileIsNotOverwrittenByAGroup() {
        #expect(
            complaint("seed: 5\n" + yaml, "seed.low=1")
                == "--set: seed.low: the part before 'low' is the single value '5'; "
                + "set it as a whole, for example --set 'group={ key: value }'")
    }
}
