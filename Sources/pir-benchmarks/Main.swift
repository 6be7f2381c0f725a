import ArgumentParser
import HomomorphicEncryption
import Timing

/// Every suite of this program, in the order in which it runs.
private var suites: [any BenchmarkSuite.Type] {
    [RingBenchmarks.self, SchemeBenchmarks.self, PIRBenchmarks.self]
}

/// Measurements of one part of the PIR engine.
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
struct PIRBenchmarkProgram: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "pir-benchmarks",
        abstract: "Measure the PIR engine in CPU time, next to its portable twin and to a plain memory scan.")

    @Option(help: "Run only what begins with this, for example 'ring.forward'.")
    var only = ""

    @Flag(help: "Print JSON.")
    var json = false

    @Flag(help: "Small sizes: shows that it runs, not how fast.")
    var quick = false

    func run() async throws {
        var report = BenchmarkReport(notes: [
            "instructions: \(InstructionSet.best)", "CPU time of one thread, median of five",
        ])
        let selection = Selection(only: only, quick: quick)
        for suite in suites { try suite.run(selection, into: &report) }
        try await EndpointBenchmark.run(selection, into: &report)
        guard !report.lines.isEmpty else {
            throw ValidationError("no measurement begins with '\(only)'")
        }
        print(json ? try report.json() : report.text)
    }
}
