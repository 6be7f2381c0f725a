import ArgumentParser
import Timing

/// Measurements of one part of the simulator.
protocol BenchmarkSuite {
    /// Adds the selected measurements. Throws if a measured program gives a wrong result.
    static func run(_ selection: Selection, into report: inout BenchmarkReport) throws
}

/// Which measurements were asked for.
struct Selection {
    /// Beginning of the names to run; everything if empty.
    var only: String
    /// Whether to look for crashes rather than for figures.
    var quick: Bool

    /// Whether a measurement of this name was asked for.
    func includes(_ name: String) -> Bool { name.hasPrefix(only) }
}

/// A measured program did not do what it is measured for.
struct WrongResult: Error, CustomStringConvertible {
    let description: String
}

@main
struct SimulationBenchmarks: ParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "simulation-benchmarks",
        abstract: "Measure the simulator in CPU time, and check it against queueing theory.",
        subcommands: [Measure.self, Validate.self, Fingerprint.self], defaultSubcommand: Measure.self)
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
