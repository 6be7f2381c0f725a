package import Experiment

/// What a scenario resolves to, for the terminal.
package enum PlanText {
    /// - Returns: Text that ends with a newline.
    package static func render(_ plan: PlanSummary) -> String {
        var lines = [plan.scenario, headline(plan)]
        if plan.rows != plan.points.count {
            lines.append(
                "\(Format.count(plan.rows)) rows of the design, \(Format.count(plan.points.count)) different points"
            )
        }
        for setting in plan.varied where setting.isWhole && setting.values.contains("..") {
            lines.append("\(setting.path) is a count: values are rounded to whole numbers")
        }
        lines.append("")
        if !plan.varied.isEmpty {
            let paths = plan.varied.map(\.path)
            lines += columns(
                [["point"] + paths]
                    + plan.points.map { point in
                        ["\(point.number)"] + paths.map { point.settings[$0] ?? "–" }
                    })
            lines.append("")
        }
        let varied = Set(plan.varied.map(\.path))
        let set = plan.settings.filter {
            $0.defaultSource == nil && !$0.isDerived && !varied.contains($0.path)
        }
        lines += ["Set by the scenario or the command line"] + columns(set.map { ["", $0.path, $0.value] })
        let derived = plan.settings.filter(\.isDerived)
        if !derived.isEmpty {
            lines += ["", "Following from another setting, unless they are set by their own path"]
            lines += columns(derived.map { ["", $0.path, $0.value, $0.defaultSource ?? ""] })
        }
        let defaults = plan.settings.filter { $0.defaultSource != nil && !$0.isDerived }
        lines += ["", "Defaults in effect, with their source (write them down with --resolved > full.yaml)"]
        lines += columns(defaults.map { ["", $0.path, $0.value, $0.defaultSource ?? ""] })
        return lines.joined(separator: "\n") + "\n"
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
        let (low, high) = (Format.duration(estimate.least), Format.duration(estimate.most))
        return (low == high ? "about \(high)" : "about \(low) to \(high)")
            + " on \(Format.count(estimate.threads, "thread")) (from a trial of"
            + " \(Format.duration(estimate.trialSeconds)): \(estimate.trial))"
    }

    /// All columns aligned left.
    private static func columns(_ rows: [[String]]) -> [String] {
        let count = rows.map(\.count).max() ?? 0
        let widths = (0..<count).map { column in
            rows.map { column + 1 < $0.count ? $0[column].count : 0 }.max() ?? 0
        }
        return rows.map { row in
            let cells = row.enumerated().map { Format.left($1, widths[$0]) }.joined(separator: "  ")
            return String(cells.reversed().drop { $0 == " " }.reversed())
        }
    }
}
