import ArgumentParser
import Timing

@main
struct SimulationBenchmarks: ParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "simulation-benchmarks",
        abstract: "Measure the simulator in CPU time.",
        subcommands: [Measure.self, Fingerprint.self], defaultSubcommand: Measure.self)
}

struct Measure: ParsableCommand {
    static let configuration = CommandConfiguration(
        abstract: "Measure in CPU time, next to baselines in the same process.")

    @Option(help: "Run only what begins with this, for example 'engine.hold'.")
    var only = ""

    @Flag(help: "Print JSON.")
    var json = false

    @Flag(help: "Small sizes: shows that it runs, not how fast.")
    var quick = false

    func run() throws {
        var report = BenchmarkReport(notes: ["CPU time of one thread, median of five"])
        let selection = Selection(only: only, quick: quick)
        for suite in suites { try suite.run(selection, into: &report) }
        guard !report.lines.isEmpty else {
            throw ValidationError("no measurement begins with '\(only)'")
        }
        print(json ? try report.json() : report.text)
    }
}

/// Every suite of this program, in the order in which it runs.
var suites: [any BenchmarkSuite.Type] {
    [
        EngineBenchmarks.self, FilterBenchmarks.self, FleetBenchmarks.self, MeasuredRateBenchmarks.self,
        ReplicationBenchmarks.self,
    ]
}

/// CPU time of one event, over five runs of `body` after one that is not counted.
///
/// - Parameter body: Runs part of a simulation, at least one event, and returns how many.
func measureEvents(_ name: String, _ body: () throws -> Int) rethrows -> Measurement {
    _ = try body()
    let samples = try (0..<5).map { _ in
        let (events, nanoseconds) = try CPUClock.measure(body)
        return Double(nanoseconds) / Double(events)
    }
    return Measurement(name: name, nanoseconds: samples)
}
