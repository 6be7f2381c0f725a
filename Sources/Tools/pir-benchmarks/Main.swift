import ArgumentParser
import HomomorphicEncryption
import Timing

/// Every suite of this program, in the order in which it runs.
private var suites: [any BenchmarkSuite.Type] {
    [RingBenchmarks.self, SchemeBenchmarks.self, PIRBenchmarks.self, FloorBenchmarks.self]
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
        try await SaturationBenchmark.run(selection, into: &report)
        guard !report.lines.isEmpty else {
            throw ValidationError("no measurement begins with '\(only)'")
        }
        print(json ? try report.json() : report.text)
    }
}
