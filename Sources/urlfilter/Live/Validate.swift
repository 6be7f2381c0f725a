import ArgumentParser
import QueueValidation
import Report

/// `urlfilter validate`: the simulator against what is known to be true.
struct Validate: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        abstract: "Hold the simulator against queueing theory.",
        discussion: """
            --theory simulates queueing systems whose answers are known in closed form
            (M/M/1, M/M/c, M/M/c/K, M/G/1, tandems, priorities, processor sharing): 20
            independent replications each, intervals of 99.9 %, so that one row in a
            thousand misses the truth by chance. Every run is also checked for Little's law
            and the utilization identity.

            Exit codes: 0 all rows pass, 2 a row fails, 1 a run breaks an identity (our bug).

            Examples:
              urlfilter validate --theory
              urlfilter validate --theory --customers 100000 --only M/M/1 --json
            """)

    @Flag(help: "Compare simulated queues with closed forms.")
    var theory = false

    @Option(help: "Customers of each system, over all replications.")
    var customers = 2_000_000

    @Option(help: ArgumentHelp("Only systems whose name begins with this.", valueName: "system"))
    var only = ""

    @OptionGroup var threads: ThreadsOption

    @Flag(help: "Print one JSON document (schema urlfilter.validation/1) instead of text.")
    var json = false

    @Flag(name: .shortAndLong, help: "No progress on standard error.")
    var quiet = false

    func validate() throws {
        guard theory else { throw ValidationError("say what to hold the simulator against: --theory") }
        guard (10_000...1_000_000_000).contains(customers) else {
            throw ValidationError("--customers is \(customers); it must be in 10000...1000000000")
        }
    }

    func run() async throws {
        let all = try Validation.all()
        let systems = all.filter { $0.name.hasPrefix(only) }
        guard !systems.isEmpty else {
            let names = all.map { "'\($0.name)'" }.joined(separator: ", ")
            throw ValidationError("no system begins with '\(only)'; there are \(names)")
        }
        let progress = ProgressLine(isQuiet: quiet)
        progress.show("0/\(systems.count) systems")
        let rows = try await Validation.run(systems, customers: customers, threads: threads.count) {
            progress.show("\($0)/\(systems.count) systems")
        }
        progress.finish()
        let report = ValidationReport(theory: rows)
        Terminal.print(json ? try JSONText.render(report) : ValidationText.render(report))
        if !report.passed { throw ExitStatus.objectiveMissed.code }
    }
}
