import ArgumentParser
import CommandSupport
import Decoding
import Experiment
import Foundation
import Questions
import Report
import Scenarios
import Wording
import Workload

extension Trace {
    /// `urlfilter trace generate`: the simulator's browsing as a trace.
    struct Generate: ParsableCommand {
        static let configuration = CommandConfiguration(
            commandName: "generate",
            abstract: "Write the browsing of synthetic devices as a trace.",
            discussion: """
                The generator is that of 'urlfilter run': device n of a scenario opens the
                same pages at the same times in both. A profile browses the default web; a
                scenario brings its devices, its web and the traffic on its block list.

                Examples:
                  urlfilter trace generate adult --devices 100 --duration 24h \\
                    --output adults.csv.gz
                  urlfilter trace generate school.yaml --seed 7 --output school.jsonl
                """.flowing)

        @Argument(
            help: ArgumentHelp(
                "Profile (\(BrowsingProfile.presets.map(\.name).joined(separator: ", "))) or scenario file.",
                valueName: "profile"))
        var profile: String

        @Option(help: "Devices (default: the scenario's; 10 of a profile).")
        var devices: Int?

        @Option(
            help: ArgumentHelp(
                "Length, such as 24h (default: the scenario's, or 24h).", valueName: "duration"))
        var duration: String?

        @Option(help: "Seed of all random streams (default: the scenario's, or 1).")
        var seed: UInt64?

        @Option(help: ArgumentHelp("First day, universal time (default: a Monday).", valueName: "yyyy-mm-dd"))
        var start = "2026-01-05"

        @Option(
            name: .customLong("set"),
            help: ArgumentHelp("Change one setting of the scenario; repeatable.", valueName: "path=value"))
        var settings: [String] = []

        @Option(
            name: .shortAndLong,
            help: ArgumentHelp("File to write: .csv or .jsonl, .gz or .zst.", valueName: "file"))
        var output: String

        @Flag(name: .shortAndLong, help: "No progress on standard error.")
        var quiet = false

        func validate() throws {
            try Trace.requireForm(of: output)
            try NumberOption.require(devices, "--devices", in: 1...10_000_000)
            if let duration, nanoseconds(duration) == nil {
                throw ValidationError("--duration is '\(duration)'; write for example 24h, 1s to 3650d")
            }
            guard origin != nil else {
                throw ValidationError("--start is '\(start)'; write for example 2026-01-05")
            }
            if isPreset, !settings.isEmpty {
                throw ValidationError("--set changes a scenario, not a profile")
            }
        }

        private var isPreset: Bool { BrowsingProfile.preset(named: profile) != nil }

        private var origin: Int64? {
            let parts = start.split(separator: "-").map { Int($0) }
            guard parts.count == 3, let year = parts[0], let month = parts[1], let day = parts[2],
                (1970...2200).contains(year)
            else { return nil }
            let calendar = DateComponents(
                calendar: Calendar(identifier: .gregorian), timeZone: TimeZone(secondsFromGMT: 0), year: year,
                month: month, day: day)
            guard calendar.isValidDate, let date = calendar.date else { return nil }
            return .seconds(Int64(date.timeIntervalSince1970))
        }

        private func nanoseconds(_ text: String) -> Int64? {
            guard let seconds = try? Quantity.seconds(text), (1...3_650 * 86_400).contains(seconds) else {
                return nil
            }
            return .seconds(seconds)
        }

        func run() throws {
            let progress = ProgressLine(isQuiet: quiet)
            let length = duration.flatMap(nanoseconds)
            let population: TracePopulation
            var files = FileRoles()
            try files.writes(output, as: "--output")
            if let preset = BrowsingProfile.preset(named: profile) {
                population = try TracePopulation(preset: preset, devices: devices ?? 10)
            } else {
                let scenario = try ScenarioResolver.resolve(
                    ScenarioFile(path: profile).setting(settings))
                try files.reads(profile, as: "the scenario")
                for input in scenario.inputFiles(Preparation.Options()) {
                    try files.reads(input, as: "an input")
                }
                population = try TracePopulation(scenario, devices: devices)
            }
            var trace = try population.trace(
                seed: seed, origin: origin ?? 0, duration: length ?? population.duration ?? .days(1)
            )
            var writer = try TraceWriter(path: output)
            var count = 0
            while let record = trace.next() {
                try writer.write(record)
                count += 1
                if count.isMultiple(of: 1 << 16) { progress.show("\(Format.count(count, "record"))") }
            }
            try writer.finish()
            progress.finish()
            try Terminal.print(
                "\(output): \(Format.count(count, "record")) of \(Format.count(population.deviceCount, "device"))\n"
            )
        }
    }
}
