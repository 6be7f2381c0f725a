import Experiment
import Foundation
import Scenarios
import Testing

/// Whatever stands in the file: a scenario, or an error with a sentence. Never a trap.
@Suite struct ScenarioMutationTests {
    @Test("damaged bytes", arguments: Shipped.names)
    func bytes(name: String) throws {
        let text = try Data(contentsOf: URL(fileURLWithPath: Shipped.path(name)))
        let odd = Array("{}[]:,-&*#\"'|>%@`?! \n\t\0\u{7F}é0159eEnsh/".utf8)
        var numbers = Numbers(seed: 1)
        for _ in 0..<1500 {
            var damaged = text
            for _ in 0...numbers.below(3) {
                let place = numbers.below(damaged.count)
                switch numbers.below(4) {
                case 0: damaged[place] = odd[numbers.below(odd.count)]
                case 1: damaged.insert(odd[numbers.below(odd.count)], at: place)
                case 2: damaged.remove(at: place)
                default: damaged.removeSubrange(place..<min(place + numbers.below(40), damaged.count))
                }
            }
            try survives(damaged)
        }
    }

    @Test("truncated at every byte", arguments: Shipped.names)
    func truncated(name: String) throws {
        let text = try Data(contentsOf: URL(fileURLWithPath: Shipped.path(name)))
        for count in stride(from: 0, to: text.count, by: 3) { try survives(text.prefix(count)) }
    }

    /// Every setting of a complete scenario, with values of every wrong kind.
    @Test("wrong values", arguments: Shipped.names)
    func wrongValues(name: String) throws {
        let file = try ScenarioFile(path: Shipped.path(name))
        let full = try ScenarioFile(
            text: Data(ResolvedScenario.yaml(try ScenarioResolver.resolve(file).settings).utf8),
            path: "s.yaml",
            folder: "/")
        let values = [
            "", "~", "0", "-1", "1e400", "1e18", "9223372036854775807", "18446744073709551616", "nan", ".inf",
            "-.inf", "true", "[]", "{}", "[[1]]", "{a: {b: c}}", "x", "\"\"", "1e9h", "292y", "0s", "1ns",
            "1e9s",
            "0B", "1e15B", "0B/s", "100%", "1/0", "auto", "5 s", "\"\\0\"", "!!binary aGk=", "!foo bar",
            "| \n x",
            "[1, 2", "*a",
        ]
        var parents: Set<String> = []
        for setting in try ScenarioResolver.resolve(full).settings where !setting.isDerived {
            let parent = setting.path.split(separator: ".").dropLast().joined(separator: ".")
            let isNew = !parent.isEmpty && parents.insert(parent).inserted
            for value in values {
                try survives { try full.setting("\(setting.path)=\(value)") }
                if isNew { try survives { try full.setting("\(parent)=\(value)") } }
            }
            try survives { try full.setting("\(setting.path).deeper=1") }
            try survives { try full.setting("\(setting.path)[0]=1") }
        }
    }

    private func survives(_ text: Data) throws {
        try survives { try ScenarioFile(text: text, path: "s.yaml", folder: "/") }
    }

    private func survives(_ make: () throws -> ScenarioFile) throws {
        do {
            _ = try ScenarioResolver.resolve(make())
        } catch let error as ScenarioError {
            #expect(!error.description.isEmpty)
        }
    }
}

/// A linear congruential generator: the same numbers in every run.
private struct Numbers {
    private var state: UInt64

    init(seed: UInt64) { state = seed }

    mutating func below(_ limit: Int) -> Int {
        state = state &* 6_364_136_223_846_793_005 &+ 1_442_695_040_888_963_407
        return Int((state >> 33) % UInt64(max(limit, 1)))
    }
}
