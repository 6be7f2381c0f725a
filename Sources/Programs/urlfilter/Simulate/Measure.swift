import ArgumentParser
import CommandSupport
import Decoding
import Experiment
import Measurement
import Parties
import Report
import Scenarios
import Workload

/// `urlfilter measure`: what the real code costs on this machine.
struct Measure: ParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "measure",
        abstract: "Measure what the real code costs on this machine, and write a cost profile.",
        discussion: """
            Runs every operation of device, gateway, issuer and PIR server for real, twice,
            and prints CPU time and exact bytes. If the two passes disagree, the machine is
            too noisy, and the output says so. The cost profile of the list is written to
            where 'run', 'capacity' and 'bloom tune' look for it, or to --output.

            With --against and the URL of a service it measures running servers instead, with
            --ports what HTTP and TLS add at the ports of our own gateway, issuer and PIR
            server: urlfilter measure --against URL --help

            Each measurement of a list adds its calibrations of the machine's speed to those in the
            profile: what they differ by, within a day and from day to day, is how much the
            speed of a run may differ from the profile's. Ten or more count alone; before, the drift of
            39 kept runs (article "Validation") makes up for the rest.

            Examples:
              urlfilter measure my-list.txt
              urlfilter measure my-list.txt --calibrations 11 --calibration-pause 5min
              urlfilter measure my-list.txt --shard-sizes 10000,50000,500000 --json
              urlfilter measure my-list.txt --ports
              urlfilter measure my-list.txt --shards 4 --output server-a.json
              urlfilter run Scenarios/outage.yaml --list list.txt --profile server-a.json
            """.flowing)

    @Argument(help: "Block list; '-' is standard input.")
    var list: String

    @OptionGroup var options: ListOptions

    @Option(help: "Encryption parameters.")
    var rlweParameters = PIRDatabase.defaultParameters

    @OptionGroup var insecure: InsecureOption

    @Option(help: "Shards of the list, a power of two. Default: about 50 000 entries per shard.")
    var shards: Int?

    @Option(
        help: ArgumentHelp("Entries of the shards whose operations are measured.", valueName: "n,n"),
        transform: Self.sizes)
    var shardSizes: [Int] = [10_000, 50_000]

    @Option(
        help: ArgumentHelp(
            "How long to look for slow and fast phases of the machine, up to 1h; 0 leaves that out.",
            valueName: "duration"))
    var speedTime = "30s"

    @Option(
        help: ArgumentHelp(
            "How often to look, 1...100: what calibrations differ by is how sure a forecast is.",
            valueName: "n"))
    var calibrations = 1

    @Option(help: ArgumentHelp("Between two calibrations, up to 1 day.", valueName: "duration"))
    var calibrationPause = "1min"

    @Option(help: ArgumentHelp("File of the cost profile; replaced if it exists.", valueName: "file"))
    var output: String?

    @Option(
        help: ArgumentHelp(
            "A running service instead of this program, with options of its own.", valueName: "url"))
    var against: String?

    @Flag(help: "Measure our own servers at their ports as well, with options of its own.")
    var ports = false

    @Flag(help: "Print one JSON document (schema urlfilter.measurement/1) instead of text.")
    var json = false

    @Flag(name: .shortAndLong, help: "No progress on standard error.")
    var quiet = false

    func validate() throws {
        try NumberOption.requireShardCount(shards, "--shards")
        try insecure.require([rlweParameters])
        _ = try speedWatch()
    }

    /// `nil`: the speed is not watched.
    private func speedWatch() throws -> SpeedWatch? {
        guard let seconds = try? Quantity.seconds(speedTime), (0...3_600).contains(seconds) else {
            throw ValidationError("--speed-time is '\(speedTime)'; write a duration of 0s...1h")
        }
        guard let pause = try? Quantity.seconds(calibrationPause), (0...86_400).contains(pause) else {
            throw ValidationError("--calibration-pause is '\(calibrationPause)'; write a duration of 0s...1d")
        }
        guard (1...100).contains(calibrations) else {
            throw ValidationError("--calibrations is \(calibrations); write 1...100")
        }
        guard seconds > 0 || calibrations == 1 else {
            throw ValidationError("--calibrations needs a --speed-time above 0s")
        }
        return seconds > 0 ? SpeedWatch(seconds: seconds, calibrations: calibrations, pause: pause) : nil
    }

    func run() throws {
        if against != nil || ports { LiveProgram.takeOver() }
        var files = FileRoles()
        try files.reads(list, as: "the block list")
        try files.writes(output, as: "--output")
        let (entries, _) = try options.read(list, removingDuplicates: true)
        let progress = ProgressLine(isQuiet: quiet)
        progress.show(
            "measuring the exchanges of the cost profile, and for \(speedTime) the machine's phases")
        let watch = try speedWatch()
        let (profile, path) = try ProfileCache.measuredAgain(
            for: ProfileSubject(entries, rlweParameters: rlweParameters, shardCount: shards), file: output,
            speed: watch
        ) { progress.show($0) }
        let costs = try OperationProfiler.measure(
            entries: entries, rlweParameters: rlweParameters, shardSizes: shardSizes
        ) { progress.show($0) }
        progress.finish()
        let report = MeasurementReport(
            profile: profile, path: path, speedSeconds: watch?.seconds ?? 0, costs: costs)
        try Terminal.print(json ? JSONText.render(report) : report.text)
    }

    private static func sizes(_ text: String) throws -> [Int] {
        let sizes = text.split(separator: ",").compactMap { Int($0) }.filter { (1...2_000_000).contains($0) }
        guard !sizes.isEmpty, sizes.count == text.split(separator: ",").count else {
            throw ValidationError("'\(text)' must be numbers in 1...2000000, separated by commas")
        }
        return sizes
    }
}
