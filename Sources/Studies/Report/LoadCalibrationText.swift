import Decoding
import Experiment
import Foundation
package import Questions
import Timing
import Wording
import Workload

/// Findings of `urlfilter calibrate`, for a machine: schema `urlfilter.calibration/1`.
package struct LoadCalibrationDocument: Encodable {
    let schema = "urlfilter.calibration/1"
    let log: [String]
    /// Seconds since 1970.
    let fittedFrom: Double
    let fittedUntil: Double
    let server: LoggedPlace
    let ignoredLines: Int
    let values: [LogFit.Value]
    let notFitted: [String]
    let heldOut: HeldOutCheck
    /// Lookups of each interval of what was held out, foreseen.
    let forecast: LookupForecast?
    /// Absent without --learned.
    let learning: LogLearning?
    let scenario: String
    let profile: String

    package init(
        _ calibration: LoadCalibration, _ check: HeldOutCheck, log: [String], scenario: String,
        profile: String, learning: LogLearning? = nil
    ) {
        self.log = log
        fittedFrom = Double(nanoseconds: calibration.fitted.lowerBound)
        fittedUntil = Double(nanoseconds: calibration.fitted.upperBound)
        server = calibration.place
        ignoredLines = calibration.ignoredCount
        values = calibration.fit.values
        notFitted = calibration.fit.notFitted
        heldOut = check
        forecast = calibration.forecast
        self.learning = learning
        self.scenario = scenario
        self.profile = profile
    }
}

package enum LoadCalibrationText {
    package static func render(_ document: LoadCalibrationDocument) -> String {
        let check = document.heldOut
        var lines = [verdict(check), ""]
        lines += [
            "fitted to the \(document.server.rawValue) server's log from \(time(document.fittedFrom)) to "
                + "\(time(document.fittedUntil)) UTC"
                + (document.ignoredLines > 0
                    ? "; \(Format.count(document.ignoredLines)) lines are for something else" : "")
        ]
        lines += Format.table(
            [["value", "fitted", "95 %, if independent", "from", "fit"]] + document.values.map(row)
        ).map { "  " + $0 }
        if !document.notFitted.isEmpty {
            lines += ["", "not fitted"]
            for sentence in document.notFitted { lines += Format.wrapped("- " + sentence) }
        }
        lines += [
            "",
            "held out: \(Format.duration(check.seconds)) with \(Format.count(check.lookups, "lookup")), and "
                + "\(check.simulations) simulations of the written scenario",
        ]
        lines += Format.table(
            [["figure", "log", "95 %, if independent", "model", "error"]] + check.rows.map(row)
        ).map { "  " + $0 }
        lines += Format.wrapped(
            "Intervals count every request as independent of the others; requests come in bursts, so the truth is"
                + " outside more often. What was held out is the end of the same log: another hour, not another"
                + " week.",
            indent: "  ")
        lines += forecast(document.forecast)
        lines += utilization(check)
        if let learning = document.learning { lines += LogLearningText.lines(learning) }
        lines += ["", "written: \(document.scenario), with \(document.profile)"]
        return lines.joined(separator: "\n") + "\n"
    }

    private static func row(_ value: LogFit.Value) -> [String] {
        [
            value.name, number(value.value, value.unit), interval(value.low, value.high, value.unit),
            Format.count(value.samples), value.fit,
        ]
    }

    private static func row(_ row: HeldOutCheck.Row) -> [String] {
        let width = row.modelHalfWidth.map { " ± \(number($0, row.unit))" } ?? ""
        return [
            row.figure, number(row.log, row.unit), interval(row.logLow, row.logHigh, row.unit),
            number(row.model, row.unit) + width, error(row),
        ]
    }

    private static func interval(_ low: Double?, _ high: Double?, _ unit: String) -> String {
        guard let low, let high else { return "not known" }
        return Format.range(low, high) { number($0, unit) }
    }

    /// Largest relative error of the times and the throughput, in words.
    private static func verdict(_ check: HeldOutCheck) -> String {
        let worst = check.rows.filter { $0.unit != "1" }.max { abs($0.error) < abs($1.error) }
        guard let worst else { return "The held-out part shows nothing that can be compared." }
        return "On the part of the log that was not fitted, the scenario is off by at most "
            + "\(Format.share(abs(worst.error))) (\(worst.figure))."
    }

    /// - Returns: Lines on how well lookups by interval were foreseen.
    private static func forecast(_ forecast: LookupForecast?) -> [String] {
        guard let forecast else { return [] }
        func words(_ score: LookupForecast.Score) -> String {
            "\(score.contained) of \(forecast.intervals) inside 95 %, interval score \(Format.number(score.score))"
        }
        let naive = forecast.seasonalNaive.map { "; as the day before (seasonal-naive): \(words($0))" } ?? ""
        return Format.wrapped(
            "lookups by interval: \(words(forecast.model)) of the mean count\(naive). Counts vary"
                + " \(Format.number(forecast.dispersion)) times as much as by chance.", indent: "  ")
    }

    private static func utilization(_ check: HeldOutCheck) -> [String] {
        guard let mean = check.utilizationError else {
            return ["  busy shares: not known, for the log has no CPU times"]
        }
        var lines = [
            "",
            "busy share of the cores, by \(Format.duration(check.intervalSeconds)): off by "
                + "\(String(format: "%.1f", mean * 100)) points on average",
        ]
        let shown = check.utilizations.sorted { $0.log > $1.log }.prefix(6).sorted { $0.start < $1.start }
        lines += Format.table(
            [["busiest, from", "log", "model", "error"]]
                + shown.map {
                    [
                        time($0.start), Format.percent($0.log), Format.percent($0.model),
                        String(format: "%+.1f points", ($0.model - $0.log) * 100),
                    ]
                }
        ).map { "  " + $0 }
        return lines
    }

    private static func error(_ row: HeldOutCheck.Row) -> String {
        row.unit == "1"
            ? String(format: "%+.1f points", row.error * 100) : String(format: "%+.1f %%", row.error * 100)
    }

    private static func number(_ value: Double, _ unit: String) -> String {
        switch unit {
        case "s": value < 1 ? "\(Format.number(value * 1e3)) ms" : "\(Format.number(value)) s"
        case "1": Format.percent(value)
        case "1/s": "\(Format.number(value))/s"
        default: Format.number(value)
        }
    }

    private static func time(_ seconds: Double) -> String {
        let formatter = ISO8601DateFormatter()
        return String(formatter.string(from: Date(timeIntervalSince1970: seconds)).dropLast())
            .replacing("T", with: " ")
    }
}
