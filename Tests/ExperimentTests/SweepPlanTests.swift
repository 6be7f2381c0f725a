import Experiment
import FleetModel
import Foundation
import Scenarios
import Testing
import URLFilter

@Suite struct SweepPlanTests {
    private func plan(_ vary: String, _ assignments: String...) throws -> SweepPlan {
        var options = VaryOptions()
        options.assignments = assignments
        return try plan(vary, options)
    }

    private func plan(_ vary: String, _ options: VaryOptions) throws -> SweepPlan {
        let file = try ScenarioFile(
            text: Data((minimal + "name: s\n" + vary).utf8), path: "s.yaml", folder: "/folder")
        return try SweepPlan(file, more: options)
    }

    private func complaint(_ vary: String, _ assignments: String...) -> String? {
        var options = VaryOptions()
        options.assignments = assignments
        do {
            _ = try plan(vary, options)
            return nil
        } catch {
            return "\(error)"
        }
    }

    @Test func aScenarioWithoutVaryHasOnePoint() throws {
        let single = try plan("")
        #expect(single.points.count == 1)
        #expect(single.settings == [])
        #expect(single.rows == [0])
    }

    @Test(
        "values are those of the text",
        arguments: [
            ("services.pir.cores=2,4,8", ["2", "4", "8"]),
            ("services.pir.cores=1..9:2", ["1", "3", "5", "7", "9"]),
            ("services.pir.cores=2..9:3", ["2", "5", "8"]),
            ("devices[homes].count=log:1e3..1e6:4", ["1000", "10000", "100000", "1000000"]),
            ("filter.falsePositiveTolerance=log:1e-4..1e-2:3", ["0.0001", "0.001", "0.01"]),
            ("filter.falsePositiveTolerance=0.1..0.3:0.1", ["0.1", "0.2", "0.3"]),
            ("drain=10s..30s:10s", ["10s", "20s", "30s"]),
            ("services.pir.cores=log:1..10:3", ["1", "3", "10"]),
            ("services.pir.cores=log:1..2:5", ["1", "2"]),
            ("blocklist.file=../a.txt,b.txt", ["../a.txt", "b.txt"]),
        ])
    func values(assignment: String, expected: [String]) throws {
        let plan = try plan("", assignment)
        #expect(plan.points.map { $0.values[0] } == expected)
    }

    @Test func severalSettingsMakeAGridInTheirOrder() throws {
        let plan = try plan(
            "vary: { services.pir.cores: 1..2:1, filter.shouldFailClosed: [false, true] }")
        #expect(
            plan.points.map(\.values) == [["1", "false"], ["1", "true"], ["2", "false"], ["2", "true"]])
        #expect(plan.points[3].scenario.services.pir.cores == 2)
        #expect(plan.points[3].scenario.filter.policy == .failClosed)
        #expect(plan.points.allSatisfy { $0.scenario.seed == 1 })
        #expect(plan.settings.map(\.isWhole) == [true, false])
    }

    @Test func theCommandLineReplacesThePathOfTheFile() throws {
        let plan = try plan("vary: { services.pir.cores: [1, 2, 3] }", "services.pir.cores=7,9")
        #expect(plan.points.map(\.scenario.services.pir.cores) == [7, 9])
    }

    @Test func aSequenceFillsRangesEvenly() throws {
        let plan = try plan(
            """
            vary:
              sobol:
                points: 63
                services.pir.cores: 1..4
                filter.falsePositiveTolerance: log:1e-4..1e-2
                filter.shouldFailClosed: [false, true]
            """)
        #expect(plan.rows.count == 63)
        for cores in 1...4 {
            let count = plan.rows.count { plan.points[$0].scenario.services.pir.cores == cores }
            #expect((15...16).contains(count), "\(count) times \(cores)")
        }
        let small = plan.rows.count { (plan.coordinates?[$0][1] ?? 0) < 0.5 }
        #expect((31...32).contains(small))
        // The first point of the sequence is the middle.
        #expect(plan.points[0].values == ["3", "0.001", "true"])
        let coordinates = try #require(plan.coordinates)
        #expect(coordinates.allSatisfy { $0.allSatisfy { (0...1).contains($0) } })
    }

    @Test func equalPointsOfADesignRunOnce() throws {
        var options = VaryOptions()
        options.assignments = ["services.pir.cores=1..2", "services.gateway.cores=1..2"]
        options.sensitivity = 16
        let plan = try plan("", options)
        #expect(plan.rows.count == 64)
        #expect(plan.points.count == 4)
        #expect(plan.rows.max() == 3)
    }

    /// The resolved scenario with its group `vary` asks the same.
    @Test func theGroupReadsBackAsWritten() throws {
        let first = try plan(
            """
            vary:
              sensitivity:
                base: 16
                services.pir.cores: 1..64
                drain: 10s..60s
                filter.shouldFailClosed: [false, true]
            """)
        let second = try plan(first.yaml)
        #expect(second.settings == first.settings)
        #expect(second.design == first.design)
        #expect(second.points.map(\.values) == first.points.map(\.values))
    }

    @Test func aComplaintNamesThePlace() {
        #expect(
            complaint("vary: { services.pri.cores: [2, 4] }")
                == "s.yaml:6:29: services: unknown key 'pri'; did you mean 'pir'?")
        #expect(complaint("vary: { services.pir.cores: [2, 4] }") == nil)
        #expect(
            complaint("vary: { drain: [10s, 20] }")?.hasPrefix("s.yaml:6:16: drain: '20' has no unit") == true
        )
        #expect(complaint("", "drain=10,20")?.hasPrefix("--vary: drain: '10' has no unit") == true)
        #expect(complaint("", "services.pir.coers=1,2")?.contains("did you mean 'cores'?") == true)
        #expect(
            complaint("", "services.pir.cores")?.hasPrefix("--vary: services.pir.cores: is missing") == true)
    }

    @Test(
        "what makes no sweep is refused",
        arguments: [
            "services.pir.cores=1..9", "services.pir.cores=9..1:2", "services.pir.cores=1..9:0",
            "services.pir.cores=1..9:-1", "services.pir.cores=log:0..9:3", "services.pir.cores=log:1..9:1",
            "services.pir.cores=log:1,2", "drain=10s..20m:1s", "services.pir.cores=", "seed=1..100000:1",
            "services.pir.cores=log:1..9", "nothing[a=1,2", "devices[nobody].count=1,2",
            "services.pir.cores=0.5..2:0.5",
        ])
    func refused(assignment: String) {
        #expect(complaint("", assignment) != nil)
    }

    @Test(arguments: [
        "vary: 5", "vary: { sobol: 5 }", "vary: { sobol: { points: 8 } }",
        "vary: { sobol: { drain: 1s..9s } }",
        "vary: { sobol: { points: 8, drain: 1s..9s:2s } }", "vary: { sobol: { points: x, drain: 1s..9s } }",
        "vary: { sobol: { points: 8, drain: 1s..9s }, seed: [1, 2] }", "vary: { drain: [] }",
        "vary: { sensitivity: { base: 15, drain: 1s..9s } }", "vary: { sobal: { points: 8 } }",
        "vary: { drain: { a: 1 } }",
    ])
    func aGroupThatMakesNoSweepIsRefused(yaml: String) {
        #expect(complaint(yaml) != nil)
    }

    /// Checked before the points are made, which for these would take more memory or time than there is.
    @Test(arguments: [
        (SweepDesign.sobol(points: 0), 1...100_000), (.sobol(points: 100_001), 1...100_000),
        (.sobol(points: 1 << 40), 1...100_000), (.sobol(points: .max), 1...100_000),
        (.sensitivity(base: 15), 16...25_000), (.sensitivity(base: 25_001), 16...25_000),
        (.sensitivity(base: .max), 16...25_000),
    ])
    func aSizeThatADesignCannotHaveIsRefused(_ design: SweepDesign, _ allowed: ClosedRange<Int>) throws {
        var options = VaryOptions()
        options.assignments = ["services.pir.cores=1..9", "drain=1s..9s"]
        switch design {
        case .sobol(let points): options.sobol = points
        case .sensitivity(let base): options.sensitivity = base
        case .grid: break
        }
        let file = try ScenarioFile(text: Data(minimal.utf8), path: "s.yaml", folder: "/folder")
        #expect(throws: SweepError.sizeOutOfRange(design, settings: 2, allowed: allowed)) {
            try SweepPlan(file, more: options)
        }
    }

    @Test func aCommandForOnePointSaysSo() throws {
        let file = try ScenarioFile(
            text: Data((minimal + "vary: { drain: [1s, 2s] }").utf8), path: "s.yaml", folder: "/folder")
        #expect(throws: ScenarioError.self) { try ScenarioResolver.resolve(file) }
    }
}
