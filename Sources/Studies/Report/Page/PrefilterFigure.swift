import Experiment
import RunMetrics
import Wording

/// Figures of what the prefilter lets through for nothing: as predicted, and as observed.
struct PrefilterFigure {
    let points: PagePoints

    private struct Row {
        var label: String
        /// One per point that is shown; rates per string belong to the filter and stand at the first.
        var rates: [Rate?]
    }

    private struct Rate {
        var value: Double
        var interval: Interval?
    }

    var figures: [Figure] {
        let filter = points.result.filter
        let rows = rows(filter)
        let chart = DotChart(
            seriesNames: points.shown.map(\.name),
            rows: rows.map { row in
                DotChart.Row(
                    label: row.label,
                    dots: row.rates.map { rate in
                        rate.map {
                            DotChart.Dot(
                                value: $0.value, low: $0.interval?.low, high: $0.interval?.high,
                                label: Format.estimate($0.value, $0.interval, .share))
                        }
                    })
            }, isLogarithmic: true, title: "hits without a listed entry, % (logarithmic)",
            format: Format.tick(.share))
        let lookups = points.shown.compactMap { named in
            named.point[.lookupsPerDeviceDay].map {
                (points.isSingle ? "" : named.name + ": ") + Format.estimate($0)
            }
        }
        let data = rows.flatMap { row in
            zip(points.shown, row.rates).compactMap { named, rate in
                rate.map {
                    [.text(named.name), .text(row.label)]
                        + DataTable.cells($0.value, $0.interval?.low, $0.interval?.high, .share)
                }
            }
        }
        return [
            Figure(
                title: "False hits of the prefilter.",
                caption: "\(Format.bytes(Double(filter.byteCount))) for"
                    + " \(Format.count(points.result.blocklist.entries, "entry")), bitCount \(filter.bitCount),"
                    + " hashCount \(filter.hashCount). One URL is tested as many strings, so the rate per URL is"
                    + " many times the rate per string. Lookups per device and day: "
                    + lookups.joined(separator: "; ") + "." + points.note,
                table: DataTable(header: ["point", "rate"] + DataTable.titles(.share), rows: data),
                drawings: [chart.drawing])
        ]
    }

    private func rows(_ filter: RunResult.FilterSummary) -> [Row] {
        let counted = filter.countedStringRate
        let forms = points.shown.map { named in
            named.point.analytic.first { $0.name == "url.falseHit rate" }
        }
        func atFirst(_ rate: Rate) -> [Rate?] { [rate] + forms.dropFirst().map { _ in nil } }
        return [
            Row(
                label: "per string, predicted",
                rates: atFirst(Rate(value: filter.predictedStringRate, interval: nil))),
            Row(
                label: "per string, counted",
                rates: atFirst(Rate(value: (counted.low + counted.high) / 2, interval: counted))),
            Row(
                label: "per URL, predicted",
                rates: forms.map { $0.map { Rate(value: $0.predicted, interval: nil) } }),
            Row(
                label: "per URL, observed",
                rates: forms.map { $0.map { Rate(value: $0.simulated, interval: $0.interval) } }),
        ].filter { $0.rates.contains { $0 != nil } }
    }
}
