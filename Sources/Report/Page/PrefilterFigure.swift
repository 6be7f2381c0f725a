import Experiment

/// What the prefilter lets through for nothing: as predicted, and as observed.
struct PrefilterFigure {
    let points: PagePoints

    private struct Row {
        var label: String
        var value: Double
        var interval: Interval?
    }

    var figures: [Figure] {
        let filter = points.result.filter
        let counted = filter.countedStringRate
        var rows = [
            Row(label: "per string, predicted", value: filter.predictedStringRate),
            Row(
                label: "per string, counted", value: (counted.low + counted.high) / 2, interval: counted),
        ]
        for named in points.shown {
            guard let form = named.point.analytic.first(where: { $0.name == "url.falseHit rate" }) else {
                continue
            }
            let suffix = points.isSingle ? "" : " (\(named.name))"
            rows.append(Row(label: "per URL, predicted\(suffix)", value: form.predicted))
            rows.append(
                Row(label: "per URL, observed\(suffix)", value: form.simulated, interval: form.interval))
        }
        let chart = DotChart(
            seriesNames: ["rate"],
            rows: rows.map {
                DotChart.Row(
                    label: $0.label,
                    dots: [
                        DotChart.Dot(
                            value: $0.value, low: $0.interval?.low, high: $0.interval?.high,
                            label: Format.estimate($0.value, $0.interval, .share))
                    ])
            }, isLogarithmic: true, title: "hits without a listed entry, % (logarithmic)",
            format: Format.tick(.share))
        let lookups = points.shown.compactMap { named in
            named.point.metric("lookup.perDeviceDay", "rate").map {
                (points.isSingle ? "" : named.name + ": ") + Format.estimate($0)
            }
        }
        return [
            Figure(
                title: "False hits of the prefilter.",
                caption: "\(Format.bytes(Double(filter.byteCount))) for"
                    + " \(Format.count(points.result.blocklist.entries)) entries, bitCount \(filter.bitCount),"
                    + " hashCount \(filter.hashCount). One URL is tested as many strings, so the rate per URL is"
                    + " many times the rate per string. Lookups per device and day: "
                    + lookups.joined(separator: "; ") + "." + points.note,
                table: DataTable(
                    header: ["rate"] + DataTable.titles(.share),
                    rows: rows.map {
                        [.text($0.label)]
                            + DataTable.cells($0.value, $0.interval?.low, $0.interval?.high, .share)
                    }),
                drawings: [chart.drawing])
        ]
    }
}
