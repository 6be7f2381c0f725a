import ArgumentParser
import CommandSupport
import DeviceFleet
import Experiment
import Foundation
import Scenarios
import URLFilter
import Workload

/// How much load a replay makes, and for how long. Every number has a ceiling.
struct ReplayLoadOptions: ParsableArguments {
    @Option(help: "Devices; clients of the trace are spread over them, 1 to 20000.")
    var devices = 100

    @Option(help: "URL loads per second, 0.001 to 10000 (default: the trace's own times).")
    var rate: Double?

    @Option(help: ArgumentHelp("Several rates, one after the other.", valueName: "rate,rate"))
    var rates: String?

    @Option(help: "Times as fast as the trace, 0.001 to 100000.")
    var speed = 1.0

    @Option(help: ArgumentHelp("Measured time of each rate, up to 1h.", valueName: "duration"))
    var duration = "60s"

    @Option(help: ArgumentHelp("Time before that is measured.", valueName: "duration"))
    var warmUp = "0"

    @Option(
        help: ArgumentHelp("Time in which a rate rises from 0, before the warm-up.", valueName: "duration"))
    var ramp = "0"

    @Option(help: "Most URL loads per rate, up to 1000000.")
    var limit = 100_000

    @Option(help: "Seed of the arrival times of a rate.")
    var seed: UInt64 = 1

    @Flag(help: "Leave out loads that miss the prefilter: they never leave a device.")
    var hitsOnly = false

    @Flag(inversion: .prefixedNo, help: "Keep answers, as devices do.")
    var caches = true

    @Flag(help: "Fail closed: block what cannot be decided.")
    var failClosed = false

    @Option(help: "Tokens of each device at the start, 1 to 1000 (default: 10, a full stock).")
    var tokens: Int?

    @Option(help: ArgumentHelp("Rules of the devices: \(OSChoice.names).", valueName: "os"))
    var os = OSChoice(.iOS27)

    @Option(
        help: ArgumentHelp(
            "File with a user token per line, given out in turn; up to \(InputBounds.phrases).",
            valueName: "file"))
    var userTokens: String?

    @Option(
        help: ArgumentHelp(
            "Time between two fetches of the configuration (assumption; not published).",
            valueName: "duration"))
    var refetch = "6h"

    @Option(
        help: ArgumentHelp("Time after which an exchange is given up (assumption).", valueName: "duration"))
    var exchangeTimeout = "60s"

    func validate() throws {
        try NumberOption.require(devices, "--devices", in: 1...20_000)
        try NumberOption.require(limit, "--limit", in: 1...1_000_000)
        try NumberOption.require(tokens, "--tokens", in: 1...1_000)
        if rate != nil, rates != nil { throw ValidationError("--rate and --rates: name one") }
        try NumberOption.require(speed, "--speed", in: 0.001...100_000)
        let wanted = try wantedRates()
        if try seconds(ramp, "--ramp", 0...3_600) > 0, wanted.isEmpty {
            throw ValidationError("--ramp needs --rate or --rates: a trace has its own pace")
        }
        _ = try seconds(warmUp, "--warm-up", 0...3_600)
        _ = try seconds(duration, "--duration", 0.1...3_600)
        _ = try seconds(refetch, "--refetch", 0.1...864_000)
        _ = try seconds(exchangeTimeout, "--exchange-timeout", 0.1...3_600)
    }

    /// One for each rate, or one for the trace's own times.
    var paces: [ReplayPace] {
        let arrivals: [ReplayPace.Arrivals] = (try? wantedRates()).map { $0.map { .rate($0) } } ?? []
        return (arrivals.isEmpty ? [.trace(speed: speed)] : arrivals).map { arrivals in
            var pace = ReplayPace(arrivals, duration: checked(duration))
            pace.warmUp = checked(warmUp)
            pace.ramp = checked(ramp)
            pace.seed = seed
            return pace
        }
    }

    /// The first option that a load test's plan decides, if somebody has set it.
    var setByPlan: String? {
        [
            ("--rate", rate != nil), ("--rates", rates != nil), ("--devices", devices != 100),
            ("--speed", speed != 1), ("--duration", duration != "60s"), ("--warm-up", warmUp != "0"),
            ("--ramp", ramp != "0"), ("--no-caches", !caches), ("--hits-only", hitsOnly),
        ].first { $0.1 }?.0
    }

    var stopsWhenSaturated: Bool { rates != nil }

    var timeout: Double { checked(exchangeTimeout) }

    var device: LiveDevice.Settings {
        var settings = LiveDevice.Settings()
        settings.generation = os.generation.rules
        settings.policy = failClosed ? .failClosed : .failOpen
        settings.configurationRefetch = .seconds(checked(refetch))
        // A pause longer than the period of the refetch would hide it.
        settings.retryPause = min(settings.retryPause, settings.configurationRefetch)
        settings.keepsNoAnswers = !caches
        return settings
    }

    func readUserTokens(or one: String?) throws -> [String] {
        guard let userTokens else { return one.map { [$0] } ?? [] }
        var tokens: [String] = []
        try InputLines.forEach(path: userTokens) { line, place in
            guard let token = String(validating: line, as: UTF8.self) else {
                throw UnusableInput(place, "the token is not UTF-8")
            }
            if !token.isEmpty { tokens.append(token) }
        }
        guard !tokens.isEmpty else { throw UnusableInput(userTokens, "there is no token in it") }
        return tokens
    }

    private func wantedRates() throws -> [Double] {
        let allowed = 0.001...10_000
        try NumberOption.require(rate, "--rate", in: allowed)
        guard let rates else { return rate.map { [$0] } ?? [] }
        let numbers = try rates.split(separator: ",", omittingEmptySubsequences: false).map { text in
            guard let rate = Double(text) else { throw ValidationError("--rates: '\(text)' is no number") }
            try NumberOption.require(rate, "a rate of --rates", in: allowed)
            return rate
        }
        return numbers
    }

    private func seconds(_ text: String, _ option: String, _ range: ClosedRange<Double>) throws -> Double {
        guard let seconds = try? Quantity.seconds(text), range.contains(seconds) else {
            throw ValidationError(
                "\(option) is '\(text)'; write a duration of \(range.lowerBound)s...\(range.upperBound)s")
        }
        return seconds
    }

    /// `validate` has seen it.
    private func checked(_ text: String) -> Double { (try? Quantity.seconds(text)) ?? 0 }
}
