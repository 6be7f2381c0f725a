import Decoding
import EventSimulation
package import Experiment
package import FleetModel
import Foundation
import RandomStreams
package import Scenarios
import Statistics
import URLFilter
package import Workload

/// Fits a scenario to what servers logged, and holds it against a part of the log that it has not seen.
package struct LoadCalibration {
    package struct Options: Sendable {
        /// Share of the log's time at its end that nothing is fitted to.
        package var heldOut = 0.3
        package var log = ServerLogOptions()
        package var preparation = Preparation.Options()
        package var simulations = 5

        package init() {}
    }

    package let fit: LogFit
    package let profile: CostProfile
    package let held: HeldOutFigures
    /// Absent for pages of Prometheus, and for parts of too few intervals.
    package let forecast: LookupForecast?
    /// The fitted part of an access log.
    private let part: LogPart?
    /// Nanoseconds since 1970.
    package let fitted: Range<Int64>
    package let place: LoggedPlace
    /// Lines that are for something else.
    package let ignoredCount: Int
    private let file: ScenarioFile
    private let scenario: Scenario
    private let interval: Int64
    private let options: Options

    /// - Parameter paths: Access logs, or pages of Prometheus; read twice.
    package init(
        _ file: ScenarioFile, observed paths: [String], options: Options, progress: @Sendable (String) -> Void
    ) throws {
        self.file = file
        self.options = options
        let scenario = try ScenarioResolver.resolve(try file.without(["vary"]))
        self.scenario = scenario
        guard scenario.architecture == .urlFilter else { throw ObservationProblem.notThisArchitecture }
        if let scheme = scenario.pir.server.scheme {
            throw ObservationProblem.onlyModelled(scheme.identifier)
        }
        guard let arePages = try PrometheusPages.match(paths: paths) else { throw ObservationProblem.mixed }
        let (list, _) = try BlockListReader.read(
            path: scenario.blocklist.file, isReadAgain: true, options: scenario.blocklist.options)
        let (measured, path) = try ProfileCache.profile(
            scenario, list: list, options: options.preparation, progress: progress)
        // What the log does not tell is that of the scenario's server.
        let base = try scenario.pir.server.costs(measured, path: path)
        let servers = scenario.services.byRegion(.pir)
        let devices = scenario.devices.reduce(0) { $0 + $1.count }
        let name = paths.map { URL(fileURLWithPath: $0).lastPathComponent }.joined(separator: ", ")
        if arePages {
            progress("reading \(paths.count) files of pages")
            let pages = try PrometheusPages.read(paths: paths)
            let parts = try Self.parts(pages, servers: servers, profile: base, heldOut: options.heldOut)
            fit = try LogFit(parts.fitted, devices: devices)
            profile = base.scaled(parts.fitted, source: name)
            held = HeldOutFigures(parts.held)
            fitted = parts.fitted.start..<parts.held.start
            interval = .seconds(held.intervalSeconds)
            (place, ignoredCount) = (.pir, 0)
            (forecast, part) = (nil, nil)
            return
        }
        progress("reading the log for the first time")
        let survey = try LogSurvey(paths: paths, options: options.log)
        let place = try survey.place()
        let (fitted, rest, interval) = try survey.split(heldOut: options.heldOut)
        var parts = [fitted, rest].map {
            LogPart(
                $0, interval: interval, place: place, servers: servers, resolution: survey.resolution)
        }
        let size = Double(base[.queries]?.responseBytes ?? 0) / 2
        progress("reading the log for the second time")
        try Self.fill(&parts, from: try ServerLogs(paths: paths, options: options.log), size: size)
        try Self.check(parts[0], base: base)
        fit = try LogFit(parts[0], devices: devices, hasDuration: survey.hasDuration)
        profile = base.with(fit.services, at: place, source: name)
        held = HeldOutFigures(parts[1])
        forecast = LookupForecast(
            fitted: parts[0], held: parts[1], hourWeights: fit.traffic.hourWeights, level: fit.rateError)
        part = parts[0]
        (self.fitted, self.place, self.interval) = (fitted, place, interval)
        ignoredCount = survey.ignoredCount
    }

    /// Figures of the log that say something of what nobody knows.
    package func logged() throws(LearningProblem) -> LoggedFigures {
        guard let part else { throw .onlyPages }
        return try LoggedFigures(part, fit)
    }

    /// - Parameter size: Bytes from which a gateway's answer is one to a lookup.
    private static func fill(_ parts: inout [LogPart], from logs: ServerLogs, size: Double) throws {
        while let record = try logs.next() {
            guard let part = parts.firstIndex(where: { $0.range.contains(record.start) }) else { continue }
            let place = parts[part].place
            let isLookup =
                record.endpoint == .queries
                || record.endpoint.place == place && place != .pir && Double(record.bytes ?? 0) >= size
            parts[part].add(record, isLookup: isLookup)
        }
        for part in parts.indices { parts[part].finish() }
    }

    /// Columns that hold something else than their names say.
    private static func check(_ part: LogPart, base: CostProfile) throws(ObservationProblem) {
        let sizes = part.sizes.values.sorted()
        if sizes.count >= 20, part.place == .pir, let median = Percentile.nearestRank(0.5, sorted: sizes),
            median < 1_000
        {
            throw .bytesAreNoSizes(median)
        }
        let times = part.served[.queries]?.values ?? []
        let all = times.count >= 20 ? times : part.durations.values
        guard let cost = base[.queries]?.serviceAnswers, all.count >= 20,
            let median = Percentile.nearestRank(0.5, sorted: all.sorted())
        else { return }
        let expected = Double(nanoseconds: cost.median)
        // Apple's example service takes up to seven times what ours takes; a unit is wrong by a thousand.
        guard median > expected * 100 || median < expected / 100 else { return }
        let steps = (log10(median / expected) / 3).rounded()
        throw .unlikelyUnit(median: median, expected: expected, thousands: Int(saturating: steps))
    }

    private static func parts(
        _ pages: [PrometheusPage], servers: [StationConfiguration], profile: CostProfile, heldOut: Double
    ) throws -> (fitted: PrometheusPart, held: PrometheusPart) {
        guard pages.count >= 4 else {
            throw ObservationProblem.tooFew("pages of Prometheus", found: pages.count, needed: 4)
        }
        let cut = min(
            max(Int(saturating: (Double(pages.count) * (1 - heldOut)).rounded()), 2), pages.count - 2)
        let cores = servers.reduce(0) { $0 + $1.serverCount }
        return (
            try PrometheusPart(pages[...cut], cores: cores, profile: profile),
            try PrometheusPart(pages[cut...], cores: cores, profile: profile)
        )
    }

    /// Writes the scenario, and beside it the cost profile with the observed service times.
    ///
    /// - Returns: The path of the profile.
    package func write(to path: String) throws -> String {
        let url = URL(fileURLWithPath: path)
        let profilePath =
            url.deletingPathExtension().path + "-profile.json"
        try ProfileCache.write(profile, to: profilePath)
        let text = try text(
            in: url.deletingLastPathComponent().standardizedFileURL.path, profile: profilePath)
        try AtomicFile.write(to: path) { try $0.write(Data(text.utf8)) }
        return profilePath
    }

    private func text(in folder: String, profile path: String) throws -> String {
        var changed = try file.without(["vary", "faults", "crowds", "web", "trace"])
        changed = try changed.scalingDevices(to: fit.deviceCount)
        for group in scenario.devices.indices {
            let place = Schema.devices.place(of: group)
            changed = try changed.setting("\(place).browsing={ lookups: \(Self.yaml(fit)) }")
            changed = try changed.setting("\(place).tokens=\(Self.ampleTokens(for: fit.traffic))")
            changed = try changed.withoutBackground(group: group)
        }
        let hasDay = Set(fit.traffic.hourWeights).count > 1
        let seconds =
            hasDay ? 86_400 : Int(saturating: Double(nanoseconds: fitted.upperBound - fitted.lowerBound))
        let run = Schema.run
        changed = try changed.setting([
            run.set(\.duration, "\(seconds)s"), run.set(\.seriesInterval, "\(interval / 1_000_000)ms"),
            run.set(\.warmUp, "0s"), run.set(\.fidelity, Fidelity.calibrated.rawValue),
        ])
        changed = try changed.setting(
            Schema.pir.path(\.profile), toText: URL(fileURLWithPath: path).lastPathComponent)
        changed = try changed.withoutServerChoice(of: scenario)
        if let way = fit.ways[.gateway] {
            let work = Double(nanoseconds: profile[.queries]?.gatewayMean ?? 0)
            changed = try changed.setting(
                Schema.services.set(\.backendDelay, Self.microseconds((way - work) / 2)))
        }
        // The times of an outer server have the ways to those behind it in them.
        if place != .pir { changed = try changed.setting(Schema.services.set(\.backendDelay, "0s")) }
        if place == .relay { changed = try changed.setting(Schema.relay.set(\.oneWayDelay, "0s")) }
        if let way = fit.ways[.relay] {
            changed = try changed.setting(Schema.relay.set(\.oneWayDelay, Self.microseconds(way / 2)))
        }
        if URL(fileURLWithPath: file.folder).standardizedFileURL.path != folder {
            changed = try changed.changing(Schema.blockList.path(\.file), toText: scenario.blocklist.file)
        }
        let comment =
            [
                "# fitted by urlfilter calibrate; intervals of 95 %, if requests were independent",
                "# Servers saw the lookups after any wait for tokens; so here devices have a token for each.",
            ]
            + fit.values.map { value in
                let bounds = value.low.flatMap { low in
                    value.high.map { " (\(LogFit.text(low)) to \(LogFit.text($0)))" }
                }
                return
                    "# \(value.name): \(LogFit.text(value.value))\(value.unit.isEmpty ? "" : " " + value.unit)"
                    + (bounds ?? "")
            }
        return comment.joined(separator: "\n") + "\n" + (try changed.textOfOnePoint())
    }

    /// Rules under which no lookup waits for a token: the waits are in the observed times already. One is ordered for
    /// each that is spent, so that the issuer has as much to do.
    private static func ampleTokens(for traffic: LookupTraffic) -> String {
        // Ten bursts of the mean size at once.
        let stock = min(max(Int(saturating: traffic.burstSize * 10), 50), 10_000)
        return
            "{ fixedBatches: false, refill: \(stock), refillBelow: \(stock), refillDelay: 0s, refillSpread: 0s, "
            + "background: never }"
    }

    private static func microseconds(_ seconds: Double) -> String {
        "\(max(0, Int(saturating: seconds * 1e6)))us"
    }

    private static func yaml(_ fit: LogFit) -> String {
        let traffic = fit.traffic
        var parts = ["perDay: \(fit.rate)"]
        if let shape = traffic.skewShape { parts.append("skewShape: \(shape)") }
        if Set(traffic.hourWeights).count > 1 {
            parts.append("hourWeights: [\(traffic.hourWeights.map { "\($0)" }.joined(separator: ", "))]")
        }
        if traffic.burstSize > 1 {
            parts.append("burstSize: \(traffic.burstSize)")
            parts.append("burstGap: \(ScenarioBlock.law(traffic.burstGap))")
        }
        return "{ \(parts.joined(separator: ", ")) }"
    }

    /// Runs the written scenario for the time that was held out.
    package func check(
        written path: String, progress: @escaping @Sendable (String) -> Void
    ) async throws -> HeldOutCheck {
        var file = try ScenarioFile(path: path)
        let hour = Double(held.start / 1_000_000 % 86_400_000) / 3_600_000
        for group in scenario.devices.indices {
            file = try file.setting(
                Schema.lookups.set(\.startHour, min(hour, 23.9999), in: Schema.lookups.place(of: group)))
        }
        file = try file.setting(
            [
                Schema.run.set(\.duration, "\(Int(saturating: (held.seconds * 1e3).rounded()))ms"),
                Schema.run.set(\.drain, "10s"),
                Schema.run.set(
                    \.seriesInterval, "\(Int(saturating: (held.intervalSeconds * 1e3).rounded()))ms"),
            ] + Schema.exactly(options.simulations))
        var preparation = options.preparation
        preparation.profile = nil
        let prepared = try Preparation.prepare(
            try ScenarioResolver.resolve(file), options: preparation, progress: progress)
        let outcome = try await Runner.run(prepared, threads: options.preparation.threads) {
            progress("simulating what was held out, \($0.replications) of \($0.replicationLimit)")
        }
        let extra = place == .pir ? 0 : 2 * prepared.configuration.services.backendDelay.mean
        return HeldOutCheck(held, records: outcome.records, extra: extra)
    }
}
