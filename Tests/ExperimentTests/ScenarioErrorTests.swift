import Experiment
import Scenarios
import Testing

@Suite struct ScenarioErrorTests {
    /// A line that is added below the minimal scenario, where it is line 5, and the sentence about it.
    @Test(
        "the sentence names place, setting, what was found and what is allowed",
        arguments: [
            ("seeed: 1", "s.yaml:5:1: unknown key 'seeed'; did you mean 'seed'?"),
            ("drain: 30", "s.yaml:5:8: drain: '30' has no unit; write for example '90s', '24h' or '250ms'"),
            ("drain: 1e9h", "s.yaml:5:8: drain: 1e9h is outside the allowed range 0s...1e9s"),
            ("drain: \"\"", "s.yaml:5:8: drain: '' is not a quantity such as '90s', '24h' or '250ms'"),
            ("drain: [1]", "s.yaml:5:8: drain: '[1]' is not a single value"),
            ("start: warm", "s.yaml:5:8: start: 'warm' is not known; it must be one of cold, steady"),
            (
                "seed: -1",
                "s.yaml:5:7: seed: '-1' is outside the allowed range whole numbers 0...18446744073709551615"
            ),
            (
                "warmUp: 1h",
                "s.yaml:5:9: warmUp: 3600s is outside the allowed range less than the duration, 3600s"
            ),
            ("filter: 5", "s.yaml:5:9: filter: '5' is not a group of settings"),
            (
                "filter: { bitCount: 100 }",
                "s.yaml:5:9: filter.hashCount: is missing; write for example '20000' or '1.5M'"
            ),
            (
                "filter: { falsePositiveTolerance: 2 }",
                "s.yaml:5:35: filter.falsePositiveTolerance: 2.0 is outside the allowed range 1e-09...0.999999"
            ),
            (
                "filter: { prefilterFetchInterval: 44min }",
                "s.yaml:5:35: filter.prefilterFetchInterval: 2640s is outside the allowed range 45min...1e9s"
            ),
            (
                "services: { pir: { cores: 0 } }",
                "s.yaml:5:27: services.pir.cores: 0 is outside the allowed range 1...1024"
            ),
            (
                "services: { pir: { threads: 8, balancing: pooled } }",
                "s.yaml:5:29: services.pir.threads: needs instances with lines of their own: balancing other than pooled"
            ),
            (
                "services: { pir: { shards: 6 } }",
                "s.yaml:5:28: services.pir.shards: '6' is not a power of two; newer devices refuse other counts"
            ),
            (
                "services: { prefilterOrigin: { bandwidth: 0MB/s } }",
                "s.yaml:5:43: services.prefilterOrigin.bandwidth: 0MB/s is outside the allowed range 1B/s...1e15B/s"
            ),
            (
                "services: { relay: { oneWayDelay: { lognormal: { median: 9ms, p95: 1ms } } } }",
                "s.yaml:5:68: services.relay.oneWayDelay.lognormal.p95: 1ms is outside the allowed range 9ms...1e9s"
            ),
            (
                "services: { relay: { oneWayDelay: { normal: 3 } } }",
                "s.yaml:5:35: services.relay.oneWayDelay: '{normal: 3}' is not a duration, lognormal, exponential, weibull, gamma or uniform"
            ),
            (
                "faults: [{ kind: outage, service: pir, at: 2h, for: 1min }]",
                "s.yaml:5:44: faults[0].at: 7200s is outside the allowed range before the end of the run, 3600s"
            ),
            (
                "faults: [{ kind: restart, service: relay, at: 1min }]",
                "s.yaml:5:36: faults[0].service: 'relay' is not known; it must be one of gateway, issuer, pir"
            ),
            (
                "faults: [{ kind: captivePortal, group: homs, at: 1min, for: 1s }]",
                "s.yaml:5:40: faults[0].group: 'homs' is not known; it must be one of homes"
            ),
            ("faults: { kind: restart }", "s.yaml:5:9: faults: '{kind: restart}' is not a list"),
            (
                "objectives: [url.leaked count = 0]",
                "s.yaml:5:14: objectives[0]: '=' is not a relation; it must be one of < <= == >= >"
            ),
            (
                "objectives: [a, {b: 1}]",
                "s.yaml:5:14: objectives[0]: 'a' is not an objective; write for example 'lookup.latency p99 < 800ms'"
            ),
            (
                "replications: { min: 5, max: 4 }",
                "s.yaml:5:30: replications.max: 4 is outside the allowed range replications.min, 5, and more"
            ),
            ("duration: 2h", "s.yaml:1:1: not YAML: the key 'duration' is given twice"),
            (
                "web: &a { siteCount: 5 }",
                "s.yaml:5:6: a YAML anchor; write the value out, or put a space after the '&'"
            ),
            (
                "web: { siteCount: 5",
                "s.yaml:6:1: not YAML: while parsing a flow mapping, did not find expected ',' or '}'"
            ),
            ("web: \u{1}", "s.yaml:5:6: not YAML: control characters are not allowed"),
        ])
    func sentences(line: String, sentence: String) {
        #expect(complaint(minimal + line + "\n") == sentence)
    }

    @Test func aKeyThatIsNearNoneComesWithThoseThatThereAre() {
        let sentence = complaint(minimal + "xyzzy: 1\n") ?? ""
        #expect(sentence.hasPrefix("s.yaml:5:1: unknown key 'xyzzy'; there are "))
        for key in ["blocklist", "devices", "web", "vary"] { #expect(sentence.contains("\(key)"), "\(key)") }
        #expect(
            complaint(minimal + "start: stedy\n")
                == "s.yaml:5:8: start: 'stedy' is not known; it must be one of cold, steady; did you mean 'steady'?"
        )
    }

    /// No device accepts them, and they would make lookups look cheap.
    @Test func parametersMadeForTestsAreNoChoice() {
        let line = "services: { pir: { rlweParameters: insecure_n_8_logq_5x18_logt_5 } }"
        let sentence = complaint(minimal + line + "\n") ?? ""
        #expect(sentence.contains("'insecure_n_8_logq_5x18_logt_5' is not known; it must be one of n_4096_"))
        #expect(!sentence.contains(", insecure_"))
    }

    @Test func whatIsMissingIsNamedWithAnExample() {
        #expect(
            complaint("duration: 1h\ndevices: [{ name: a, count: 1 }]\n")
                == "s.yaml: blocklist.file: is missing; write for example blocklist: { file: list.txt }")
        #expect(
            complaint("duration: 1h\nblocklist: { file: l }\n")
                == "s.yaml:1:1: devices: is missing; write for example devices: [{ name: homes, count: 1000 }]"
        )
        #expect(
            complaint("blocklist: { file: l }\ndevices:\n  - { name: a }\n")
                == "s.yaml:3:5: devices[a].count: is missing; write for example '20000' or '1.5M'")
    }

    @Test func namesMustBeUsableAndDifferent() {
        #expect(
            complaint(minimal, "devices=[{name: a.b, count: 1}]")
                == "--set: devices[a.b].name: 'a.b' is not a name that --set can use: no '.', '[', ']' or '='"
        )
        #expect(
            complaint(minimal + "  - { name: homes, count: 1 }\n")
                == "s.yaml:5:13: devices[homes].name: another group is called 'homes' already")
    }

    @Test func deviceGroupsTogetherStayBelowTheLimit() {
        #expect(
            complaint(minimal, "devices=[{name: a, count: 9M}, {name: b, count: 2M}]")
                == "--set: devices[b].count: 2000000 is outside the allowed range 1...1000000")
    }

    @Test func aLongOrUnprintableValueIsShownShort() throws {
        let sentence = try #require(
            complaint(minimal, "start=\"\\e[2J" + String(repeating: "x", count: 500) + "\""))
        #expect(sentence.count < 200)
        #expect(!sentence.contains("\u{1B}"))
    }

    @Test("files that are no scenario", arguments: ["", "# only a comment\n", "- a\n- b\n", "text", "\u{0}"])
    func noScenario(text: String) {
        #expect(complaint(text) != nil)
    }

    @Test func aFileThatCannotBeReadIsNamed() {
        #expect(throws: ScenarioError.self) { try ScenarioFile(path: "/nowhere/s.yaml") }
        #expect(throws: ScenarioError.self) { try ScenarioFile(path: "/") }
    }

    @Test func deepNestingAndAnchorsAreErrors() {
        for open in ["[", "{a: ", "- ", "? "] {
            #expect(complaint(String(repeating: open, count: 100_000)) != nil)
        }
        var bomb = "a0: &a0 [x, x]\n"
        for level in 1...30 { bomb += "a\(level): &a\(level) [*a\(level - 1), *a\(level - 1)]\n" }
        #expect(complaint(minimal + bomb)?.contains("YAML anchor") == true)
    }
}
