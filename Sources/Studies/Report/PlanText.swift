package import Experiment
import Scenarios
import Wording

/// Terminal form of what a scenario resolves to.
package enum PlanText {
    /// Points of a design that are shown on one screen.
    private static let pointCount = 8

    /// - Parameters:
    ///   - all: Every setting with its source, and every point, instead of one screen.
    ///   - width: Columns of a line; paths and words that are longer stay whole.
    /// - Returns: Text that ends with a newline.
    package static func render(_ plan: PlanSummary, all: Bool, width: Int) -> String {
        var lines = [plan.scenario] + Format.wrapped(headline(plan), width: width)
        if plan.rows != plan.points.count {
            lines.append(
                "\(Format.count(plan.rows)) rows of the design, \(Format.count(plan.points.count)) different points"
            )
        }
        for setting in plan.varied where setting.isWhole && setting.values.contains("..") {
            lines.append("\(setting.path) is a count: values are rounded to whole numbers")
        }
        lines += forecast(plan, all: all).flatMap { Format.wrapped($0, width: width) }
        lines.append("")
        lines += points(plan, all: all)
        let varied = Set(plan.varied.map(\.path))
        let set = plan.settings.filter {
            $0.defaultSource == nil && !$0.isDerived && !varied.contains($0.path)
        }
        let derived = plan.settings.filter(\.isDerived)
        let defaults = plan.settings.filter { $0.defaultSource != nil && !$0.isDerived }
        lines.append("Set by the scenario or the command line")
        guard all else {
            lines += groups(set).flatMap { Format.wrapped("  " + $0, indent: "    ", width: width) }
            return (lines + [""] + rest(derived, defaults, plan.plausible ?? [], width: width))
                .joined(separator: "\n") + "\n"
        }
        lines += table(set, width: width)
        if !derived.isEmpty {
            lines += ["", "Following from another setting, unless they are set by their own path"]
            lines += table(derived, width: width)
        }
        lines += ["", "Defaults in effect, with their source (write them down with --resolved > full.yaml)"]
        lines += table(defaults, width: width)
        if let inputs = plan.plausible { lines += [""] + PlausibleText.lines(inputs, width: width) }
        return lines.joined(separator: "\n") + "\n"
    }

    /// Closed forms, with what nobody knows of them.
    private static func forecast(_ plan: PlanSummary, all: Bool) -> [String] {
        guard let forecast = plan.forecast else { return [] }
        let known = forecast.ignorance
        func range(_ figure: IgnoranceFigure) -> String {
            known?[figure].map { Format.doubts($0) } ?? ""
        }
        let visits = forecast.visitsPerDeviceDay.map {
            "page visits a device-day \(Format.number($0))" + range(.visits)
        }
        let delay = forecast.delay.map {
            "a new entry blocks after \(Format.duration($0.mean))" + range(.blockingMean)
                + ", on 95 % of the devices after \(Format.duration($0.p95))" + range(.blockingLate)
        }
        let parts = [visits, delay].compactMap(\.self)
        guard !parts.isEmpty else { return [] }
        let causes = (known?.metrics ?? []).filter { $0.model != nil && !$0.isOf(.blockingLate) }
        let answer = known.map(IgnoranceAnswer.init)
        return ["by closed form, without chance: " + parts.joined(separator: "; ")]
            + (all
                ? causes.flatMap { [answer?.largest($0), answer?.settling($0)].compactMap(\.self) } : [])
    }

    private static func points(_ plan: PlanSummary, all: Bool) -> [String] {
        guard !plan.varied.isEmpty else { return [] }
        let paths = plan.varied.map(\.path)
        let shown = all ? plan.points[...] : plan.points.prefix(pointCount)
        let rest = plan.points.count - shown.count
        let table = Table(
            columns: (["point"] + paths).map { Table.Column($0, isWords: true) },
            rows: shown.map { point in
                [.words("\(point.number)")] + paths.map { .words(point.settings[$0] ?? "–") }
            })
        return table.lines(.full, width: Format.columns)
            + (rest > 0 ? ["and \(Format.count(rest, "more point"))"] : []) + [""]
    }

    /// Settings of one place together: `devices[macs]: count 7, os iOS27`.
    private static func groups(_ settings: [ResolvedSetting]) -> [String] {
        var groups: [(place: String, values: [String])] = []
        for setting in settings {
            let parts = setting.path.split(separator: ".", maxSplits: 1).map(String.init)
            let place = parts.count > 1 ? parts[0] : ""
            let value = "\(parts.last ?? "") \(setting.value)"
            if let index = groups.firstIndex(where: { $0.place == place }) {
                groups[index].values.append(value)
            } else {
                groups.append((place, [value]))
            }
        }
        return groups.map { ($0.place.isEmpty ? "" : $0.place + ": ") + $0.values.joined(separator: ", ") }
    }

    /// How many settings nobody chose, and how many of them are assumed.
    private static func rest(
        _ derived: [ResolvedSetting], _ defaults: [ResolvedSetting], _ inputs: [PlausibleInput], width: Int
    ) -> [String] {
        let assumed = (derived + defaults).count(where: \.isAssumed)
        return Format.wrapped(
            "\(Format.count(derived.count)) more follow from these, and of \(Format.count(defaults.count)) the default"
                + " stands; of both \(Format.count(assumed)) are assumptions", width: width)
            + (PlausibleText.line(inputs).map { Format.wrapped($0, width: width) } ?? [])
            + Format.wrapped(
                "more: --all, with the source of each; --resolved > full.yaml, to change them", width: width)
    }

    /// A setting in each row: path, value, source.
    private static func table(_ settings: [ResolvedSetting], width: Int) -> [String] {
        let paths = settings.map(\.path.count).max() ?? 0
        // One long value would push the sources of all others out of sight.
        let values = settings.map(\.value.count).filter { $0 <= width / 4 }.max() ?? 0
        return settings.flatMap { setting in
            let row = [
                "", Format.left(setting.path, paths), Format.left(setting.value, values),
                setting.defaultSource ?? "",
            ].joined(separator: "  ")
            return Format.wrapped(Format.withoutBlanksAtEnd(row), indent: "      ", width: width)
        }
    }

    private static func headline(_ plan: PlanSummary) -> String {
        let runs =
            plan.leastReplications == plan.mostReplications
            ? "\(Format.count(plan.mostReplications, "replication"))"
            : "\(Format.count(plan.leastReplications)) to \(Format.count(plan.mostReplications, "replication"))"
        var text = "\(Format.count(plan.points.count, "point")), \(plan.design), \(runs) in all"
        if plan.varied.isEmpty { text = "1 point, \(runs)" }
        return text + (plan.estimate.map { ", " + time($0) } ?? "")
    }

    /// How long it takes: `about 2.10 min to 3.20 min on 2 threads (from a trial of 1.10 s: …)`.
    package static func time(_ estimate: PlanSummary.Estimate) -> String {
        "about \(Format.range(estimate.least, estimate.most, Format.duration)) on"
            + " \(Format.count(estimate.threads, "thread")) (from a trial of"
            + " \(Format.duration(estimate.trialSeconds)): \(estimate.trial))"
    }
}
