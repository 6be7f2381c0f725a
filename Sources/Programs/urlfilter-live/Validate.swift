import ArgumentParser
import CommandSupport
import Decoding
import Experiment
import LiveReport
import Questions
import QueueValidation
import Report

/// `urlfilter validate`: the simulator against what is known to be true.
struct Validate: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "validate",
        abstract: LiveVerb.validate.abstract,
        discussion: """
            --theory simulates queueing systems whose answers are known in closed form
            (M/M/1, M/M/c, M/M/c/K, M/G/1, tandems, priorities, balancers): 20 independent
            replications each, intervals of 99.9 %, so that one row in a thousand misses
            the truth by chance. Every run is also checked for Little's law and the
            utilization identity.

            --coverage draws each kind of interval that a result shows many times from a model
            whose truth is known, and counts how often it contains it (article "Statistics").

            --watch lets lookups come from worlds whose truth is known and counts in how many
            windows 'urlfilter watch' gives a false alarm and notices a change (article
            "Validation"). It takes as many runs as --runs says, a minute for 2000.

            --live runs all parties as servers in this process, with one core for the PIR
            server alone, and a fleet of devices against them; the same page loads at the same
            instants go through the simulator. What will be done is printed before it starts.
            Speed test: before each run the stack is calibrated for some seconds; phases and
            level of the machine's speed come from the calibrations, and the forecast is saved
            before the run. Queue test: every lookup takes a time that is known beforehand.
            Latency counts from the intended start. All observations and predictions go to
            --output, as SQLite and CSV; Ctrl-C ends it, the same command goes on. Leave the
            machine alone while it runs, four hours in all: a run that is disturbed by other
            programs or by the host does not count.

            --whole-way runs relay, gateway, issuer and two PIR servers as processes and kills
            some: one PIR server, later both, each started again after some seconds. It prints
            its plan, measures how long a killed server needs until it serves, calibrates, saves
            what the model predicts for the same page loads, runs, and compares lookups that the
            failure policy decided, listed URLs let through, latencies, uploads of lost keys and
            the time until the last failure; once with users that stick to a PIR server and once
            in turn. Five minutes, --quick one and a half; all of it goes to --output, as CSV.

            --operators draws operators from what a scenario leaves open, simulates days of each
            as the truth, and asks the program about them: knowing nothing, on which side of the
            default the list lies, a day of the PIR server's log, a week. It counts how often an
            interval of 95 % contains the truth, how wide it is, and how often the prefilter's
            tolerance and the servers that are chosen cost at most 2 % more than the best. All of
            it goes to --output; Ctrl-C ends it, the same command goes on. 50 operators take some
            10 minutes of CPU, --quick one.

            Exit codes: 0 all rows pass, 2 a row misses or a verdict was wrong, 1 a run
            breaks an identity (our bug) or runs are left, 130 after Ctrl-C, with the runs
            so far.

            Examples:
              urlfilter validate --theory
              urlfilter validate --theory --customers 100000 --only M/M/1 --json
              urlfilter validate --coverage --runs 100000
              urlfilter validate --watch --runs 2000
              urlfilter validate --live
              urlfilter validate --live --quick
              urlfilter validate --live --speed 0.5x4,0.9x2 --queue 0.9x1 --list list.txt
              urlfilter validate --live --from urlfilter-validation
              urlfilter validate --live --from a/runs.csv --from b/runs.csv --tables
              urlfilter validate --operators 50
              urlfilter validate --whole-way
              urlfilter validate --whole-way --quick --balancing roundRobin
            """.flowing)

    @Flag(help: "Compare simulated queues with closed forms.")
    var theory = false

    @Flag(help: "Count how often each kind of interval contains a known truth.")
    var coverage = false

    @Flag(help: "Count false alarms of 'urlfilter watch', and how soon it notices a change.")
    var watch = false

    @Option(help: "Intervals of each kind to draw for --coverage, and runs of each row of --watch.")
    var runs = 10_000

    @Flag(help: "Compare the simulated fleet with the live stack.")
    var live = false

    @Flag(help: "Compare the simulated fleet with all parties as processes, of which some are killed.")
    var wholeWay = false

    @OptionGroup(title: "Operators") var hidden: OperatorOptions
    @OptionGroup(title: "Theory") var queues: TheoryOptions
    @OptionGroup(title: "Live") var stack: LiveValidationOptions
    @OptionGroup(title: "Whole way") var way: WholeWayOptions

    @OptionGroup var threads: ThreadsOption

    @Flag(help: "Print one JSON document (schema urlfilter.validation/1) instead of text.")
    var json = false

    @Flag(name: .shortAndLong, help: "No progress on standard error.")
    var quiet = false

    func validate() throws {
        guard theory || coverage || watch || live || wholeWay || hidden.operators != nil else {
            throw ValidationError(
                "say what to hold the simulator against: --theory, --coverage, --watch, --operators, --live,"
                    + " --whole-way"
            )
        }
        if hidden.operators != nil, live || wholeWay {
            throw ValidationError(
                "--operators keeps the cores busy that --live and --whole-way measure; name one")
        }
        if live, wholeWay {
            throw ValidationError("--live and --whole-way both need the machine for themselves; name one")
        }
        try NumberOption.require(runs, "--runs", in: 100...100_000_000)
    }

    func run() async throws {
        let progress = ProgressLine(isQuiet: quiet)
        let rows = theory ? try await queues.run(threads: threads.count, progress: progress) : []
        let intervals =
            coverage ? await IntervalCoverage.rows(runs: runs, threads: threads.count) : []
        let alarms = watch ? await AlarmValidation.rows(runs: runs, threads: threads.count) : []
        let stop = StopFlag()
        var result: LiveReport?
        var whole: WholeWayReport?
        if live || wholeWay {
            let interrupts = InterruptHandler { _ in stop.set() }
            defer { interrupts.cancel() }
            if live { result = try await stack.run(stop: stop, progress: progress) }
            if wholeWay { whole = try await way.run(stack, stop: stop, progress: progress) }
        }
        let operators = try await operators(stop, progress)
        if stack.tables, let result {
            return try Terminal.print(
                LiveValidationTables.render(result.score).joined(separator: "\n") + "\n")
        }
        let report = ValidationReport(
            theory: rows, coverage: intervals, alarms: alarms, live: result, wholeWay: whole,
            operators: operators,
            isComplete: !stop.isSet)
        try Terminal.print(json ? JSONText.render(report) : ValidationText.render(report))
        if stop.isSet { throw ExitStatus.interrupted.code }
        if report.misses { throw ExitStatus.objectiveMissed.code }
        if !report.passed { throw ExitStatus.failure.code }
    }

    private func operators(_ stop: StopFlag, _ progress: ProgressLine) async throws -> OperatorResult? {
        guard let count = hidden.operators else { return nil }
        let signal = StopSignal()
        let interrupts = InterruptHandler { _ in
            stop.set()
            signal.raise()
        }
        defer { interrupts.cancel() }
        return try await hidden.run(
            count, stack, threads: threads.count, stop: signal, progress: progress)
    }
}

/// Options of `--theory`.
struct TheoryOptions: ParsableArguments {
    @Option(help: "Customers of each system, over all replications.")
    var customers = 2_000_000

    @Option(help: ArgumentHelp("Only systems whose name begins with this.", valueName: "system"))
    var only = ""

    func validate() throws {
        try NumberOption.require(customers, "--customers", in: 10_000...1_000_000_000)
    }

    func run(threads: Int, progress: ProgressLine) async throws -> [Validation.SystemRows] {
        let all = try Validation.all()
        let systems = all.filter { $0.name.hasPrefix(only) }
        guard !systems.isEmpty else {
            let names = all.map { "'\($0.name)'" }.joined(separator: ", ")
            throw ValidationError("no system begins with '\(only)'; there are \(names)")
        }
        progress.show("0/\(systems.count) systems")
        let rows = try await Validation.run(systems, customers: customers, threads: threads) {
            progress.show("\($0)/\(systems.count) systems")
        }
        progress.finish()
        return rows
    }
}
