import ArgumentParser
import CommandSupport
import Foundation
import Questions
import Report
import Workload

/// `urlfilter watch`: what happens beside what was planned.
struct WatchCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: LiveVerb.watch.rawValue, abstract: LiveVerb.watch.abstract,
        discussion: """
            PLAN is the folder that 'urlfilter capacity --output' or 'urlfilter run --output'
            wrote. It is held against counters of our servers (--prometheus) or their access
            logs (--logs), window by window: lookups for this hour of this weekday, CPU time
            of a lookup, orders of tokens for each lookup, lookups without an answer. Says
            when one of them has left the plan's interval for good, what that means for the
            next purchase, and with --output writes the scenario of what was seen.

            --prometheus takes the address of a Prometheus that scrapes our servers, or our
            own page: the URL that 'urlfilter serve' prints and that ends in /metrics.
            --logs takes what 'urlfilter calibrate' takes.

            Goes on until Ctrl-C and says what changed; --once looks once. A page alone has no
            past: --once waits for one window.

            Exit codes: 0 within the plan, 3 the plan was left, 4 nothing could be compared.

            Examples:
              urlfilter watch plan --prometheus http://127.0.0.1:9090 --once
              urlfilter watch plan --prometheus http://127.0.0.1:9464/metrics --window 1m
              urlfilter watch results/school --logs pir.jsonl --once --json
              urlfilter watch plan --logs pir.log --devices 41000 --output now.yaml --once
            """.flowing)

    @Argument(help: "Folder of a plan or of a result.")
    var plan: String

    @OptionGroup var source: WatchSourceOptions

    @Option(
        help: ArgumentHelp("Width of a window (default: 5m).", valueName: "time"),
        transform: DurationOption.parse)
    var window = 300.0

    @Option(
        help: ArgumentHelp(
            "Days between false alarms, at least.", valueName: "count"))
    var falseAlarmDays = 365.0

    @Option(
        help: ArgumentHelp(
            "Share about the plan that is within it, whatever its own interval says.", valueName: "share"),
        transform: ShareOption.parse)
    var margin = WatchedPlan.usualMargin

    @Option(
        help: ArgumentHelp("Devices that there are now (default: as planned).", valueName: "count"),
        transform: CountOption.parse)
    var devices: Int?

    @Flag(help: "Look once, instead of until Ctrl-C.")
    var once = false

    @Option(help: ArgumentHelp("Write the plan's scenario with what was seen.", valueName: "file"))
    var output: String?

    @OptionGroup var answer: AnswerOptions

    @Flag(help: "Print one JSON document (schema urlfilter.watch/1) instead of text.")
    var json = false

    @Flag(name: .shortAndLong, help: "No progress on standard error.")
    var quiet = false

    func validate() throws {
        try answer.require(json: json)
        try NumberOption.require(falseAlarmDays, "--false-alarm-days", in: 0.01...36_500)
        try NumberOption.require(margin, "--margin", in: 0...0.9)
        try NumberOption.require(devices, "--devices", in: 1...1_000_000_000)
        try NumberOption.require(window, "--window", in: 1...86_400)
    }

    func run() async throws {
        let planned = try WatchedPlan(path: plan, margin: margin)
        var options = Watch.Options()
        options.window = window
        options.falseAlarmDays = falseAlarmDays
        options.devices = devices
        let stop = StopFlag()
        let interrupts = InterruptHandler { _ in stop.set() }
        defer { interrupts.cancel() }
        var reader = try source.reader(window: window, of: planned.scenario)
        do {
            try await follow(planned, options, &reader, stop)
        } catch {
            await reader.close()
            throw error
        }
        await reader.close()
    }

    private func follow(
        _ planned: WatchedPlan, _ options: Watch.Options, _ reader: inout WatchReader, _ stop: StopFlag
    ) async throws {
        let progress = ProgressLine(isQuiet: quiet)
        var said: [String] = []
        while true {
            let watched = try await reader.read(stop: stop, progress: progress)
            var watch = Watch(planned, options)
            for window in watched.windows { watch.add(window) }
            let result = try watch.result(watched.times, observed: source.words)
            let isLast = once || stop.isSet
            // Once for each change, and at the end.
            if isLast || result.findings != said {
                progress.finish()
                try show(result, watch)
            }
            said = result.findings
            if isLast { return try Self.leave(result) }
            try await Pause.seconds(window, until: stop)
        }
    }

    private func show(_ result: WatchResult, _ watch: Watch) throws {
        if let output {
            let text = try watch.scenario(result)
            try AtomicFile.write(to: output, isPrivate: true) { try $0.write(text) }
        }
        try answer.show(Document(result), result, json: json)
    }

    private static func leave(_ result: WatchResult) throws {
        switch result.verdict {
        case .within: return
        case .left: throw ExitStatus.regression.code
        case .cannotTell: throw ExitStatus.objectiveUndecided.code
        }
    }
}
