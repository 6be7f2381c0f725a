import Experiment
import RunMetrics
import Wording

/// How the devices followed an update of the list.
extension RunText {
    mutating func addFreshness() {
        guard let freshness = point.freshness else { return }
        lines.append(
            "FRESHNESS of the update published after \(Format.duration(freshness.published)),"
                + " share of \(Format.count(freshness.devices, "device"))")
        addCurves("a new entry is blocked", freshness.added)
        addCurves("a removed entry is allowed", freshness.removed)
        if let repairs = freshness.repairs {
            lines.append("  a bad edition, from the moment in which its repair is published, by closed form")
            lines += RepairText.table(repairs).map { "  " + $0 }
        }
        addExposure("visits a day to new entries before they are blocked", freshness.exposed)
        addExposure("visits a day that removed entries still block", freshness.overblocked)
        addDelays(freshness)
        lines.append("")
    }

    private mutating func addDelays(_ freshness: FreshnessResult) {
        guard let rows = DelayTable(freshness)?.rows else { return }
        lines.append("  " + DelayTable.title + ":")
        lines += Format.table(rows.map { ["  " + $0[0]] + $0.dropFirst() })
        lines += Format.wrapped(DelayTable.note, width: 98).map { "  " + $0 }
    }

    private mutating func addExposure(_ title: String, _ exposure: FreshnessExposure?) {
        guard let exposure else { return }
        let predicted = exposure.predicted.map { form in
            let isFar = Format.isFar(form, from: exposure.perDay, exposure.interval)
            // Schools visit by day, and devices fetch and ask all the time.
            let why = isFar ? ", as it spreads visits evenly over the day and the entries" : ""
            return " (closed form \(Format.number(form))\(why))"
        }
        lines += Format.wrapped(
            "  \(title): \(Format.estimate(exposure.perDay, exposure.interval, .number))\(predicted ?? "")",
            indent: "    ")
    }

    private mutating func addCurves(_ title: String, _ curves: [FreshnessCurve]) {
        guard let answer = curves.last, answer.points.count > 1 else { return }
        var rows = [["  " + title] + curves.map(\.stage) + ["closed form"]]
        for index in Self.shown(answer.points) {
            let here = answer.points[index]
            // Caches have no closed form; the stage before them is the nearest that may have one.
            let predicted = curves.last { $0.points[index].predicted != nil }?.points[index].predicted
            rows.append(
                ["  after " + Format.duration(here.seconds)]
                    + curves.map { Self.share($0.points[index], withInterval: $0.stage == answer.stage) }
                    + [predicted.map(Format.share) ?? "–"])
        }
        lines += Format.table(rows)
        lines += Format.wrapped(
            curves.map { "\($0.stage): \($0.meaning)" }.joined(separator: "; "), width: 98
        ).map { "  " + $0 }
    }

    /// Points that lie closer together at the beginning, where most happens; the last one among them.
    private static func shown(_ points: [FreshnessPoint]) -> [Int] {
        let last = points.count - 1
        return Set([1, 2, 4, 8, 16, 24, 36, 48].map { max(1, $0 * last / 48) }).sorted()
    }

    private static func share(_ point: FreshnessPoint, withInterval: Bool) -> String {
        Format.estimate(point.share, withInterval ? point.interval : nil, .share)
    }
}
