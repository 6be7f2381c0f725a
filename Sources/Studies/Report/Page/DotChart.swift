/// Values with intervals on one axis, a row for each thing and a mark for each series.
struct DotChart {
    struct Dot {
        var value: Double
        var low: Double?
        var high: Double?
        /// The value as a person reads it.
        var label: String
    }

    struct Row {
        var label: String
        /// One per series.
        var dots: [Dot?]
    }

    var seriesNames: [String]
    var rows: [Row]
    var isLogarithmic = false
    /// Fixed range of a linear axis, for example 0...1 for shares.
    var range: ClosedRange<Double>?
    /// About how many steps the axis has; as many as there is room for unless set.
    var ticks: Int?
    /// Most that a linear axis shows in a chart of changes, which may be below 0. An arrow stands for what is
    /// beyond.
    var changes: ClosedRange<Double>?
    /// Shaded: changes that do not matter.
    var calm: ClosedRange<Double>?
    var title: String
    /// How a tick is written.
    var format: (Double) -> String

    func drawing(width: Double) -> Drawing {
        let isNarrow = width < 500
        let legend = seriesNames.count > 1 ? Legend(seriesNames, width: width) : nil
        // Of a narrow one only the sign of a zero stands before the axis.
        let labels = isNarrow ? 5 : (rows.map { Drawing.width(of: $0.label) }.max() ?? 0) + 14
        // A narrow drawing has the values above the marks, so that these have all the width.
        let numbers =
            isNarrow
            ? 12
            : (rows.flatMap { $0.dots.compactMap { $0.map { Drawing.width(of: $0.label) } } }.max() ?? 0) + 12
        let places = (labels + 6, max(width - numbers, labels + 90))
        let axis = horizontal(places: places, count: ticks ?? (isNarrow ? 3 : 6))
        let spacing = Spacing(isNarrow: isNarrow, rowCount: rows.count)
        let heights = rows.map { row in
            Double(max(row.dots.count { $0 != nil }, 1)) * spacing.pitch + spacing.between
        }
        let top = (legend?.height ?? 0) + 6
        let bottom = top + heights.reduce(0, +)
        var drawing = Drawing(width: width, height: bottom + 40)
        legend?.draw(on: &drawing, hasMarks: true)
        if let calm {
            let ends = (axis.place(calm.lowerBound), axis.place(calm.upperBound))
            drawing.rectangle(
                x: ends.0, y: top, width: max(ends.1 - ends.0, 1.5), height: bottom - top, "calm")
        }
        // Narrow rows have their words above the marks, where no line of the grid may cross them.
        let lines = isNarrow ? marks(top: top, heights, spacing) : [(top, bottom)]
        for tick in axis.ticks {
            let x = axis.place(tick.value)
            for line in lines { drawing.line((x, line.0), (x, line.1), "grid") }
            // With room for letters that are wider than expected.
            let half = Drawing.width(of: tick.label) / 2 + 4
            let anchor: Drawing.Anchor = x < half ? .start : x > width - half ? .end : .middle
            drawing.text(
                tick.label, x: anchor == .start ? 0 : anchor == .end ? width : x, y: bottom + 16, anchor)
        }
        drawing.line((places.0, bottom), (places.1, bottom), "axis")
        if changes != nil { drawing.line((axis.place(0), top), (axis.place(0), bottom), "axis") }
        drawing.text(title, x: places.1, y: bottom + 34, .end, "title")
        var y = top
        for (row, height) in zip(rows, heights) {
            drawing.text(row.label, x: 0, y: y + spacing.label, .start, isNarrow ? "title" : "")
            var line = y + spacing.mark
            for (series, dot) in row.dots.enumerated() {
                guard let dot else { continue }
                draw(dot, series: series, y: line, axis, on: &drawing)
                drawing.text(Self.fitting(dot.label, width), x: width, y: line + spacing.value, .end)
                line += spacing.pitch
            }
            y += height
        }
        return drawing
    }

    /// Without what stands in brackets where there is no room: the table below has it.
    private static func fitting(_ label: String, _ width: Double) -> String {
        Drawing.width(of: label) <= width ? label : String(label.prefix { $0 != "(" })
    }

    /// Pixels within a row and to the next one: closer together where there are many.
    private struct Spacing {
        var pitch: Double
        var between: Double
        /// Distances from the top of a row to its name, and to its first mark.
        var label: Double
        var mark: Double
        /// Distance from a mark to its value.
        var value: Double

        /// Rows from which on a page would be too long for them.
        private static let many = 8

        init(isNarrow: Bool, rowCount: Int) {
            let isDense = rowCount > Self.many
            if isNarrow {
                pitch = 32
                between = isDense ? 0 : 8
                label = isDense ? 13 : 17
                mark = isDense ? 24 : 30
                value = label - mark
            } else {
                pitch = 19
                between = isDense ? 3 : 12
                label = 17
                mark = 13
                value = 4
            }
        }
    }

    /// The marks of each row, from above to below.
    private func marks(
        top: Double, _ heights: [Double], _ spacing: Spacing
    ) -> [(Double, Double)] {
        var y = top
        return zip(rows, heights).flatMap { row, height -> [(Double, Double)] in
            defer { y += height }
            return (0..<max(row.dots.count { $0 != nil }, 1)).map { number in
                let line = y + spacing.mark + Double(number) * spacing.pitch
                return (line - 7, line + 7)
            }
        }
    }

    private func draw(_ dot: Dot, series: Int, y: Double, _ axis: Axis, on drawing: inout Drawing) {
        let isNowhere = isLogarithmic && dot.value <= 0
        if let low = dot.low, let high = dot.high, high > low {
            let ends = (axis.place(low), axis.place(high))
            drawing.line((ends.0, y), (ends.1, y), "w\(series % Drawing.seriesCount)")
            if isNowhere {
                // A bar at the end of what is possible; the value itself has no place on this axis.
                drawing.line((ends.1, y - 5), (ends.1, y + 5), "w\(series % Drawing.seriesCount)")
            }
        }
        if isNowhere {
            drawing.text("◂", x: axis.places.from - 4, y: y + 4, .middle)
        } else if changes != nil, !axis.range.contains(dot.value) {
            drawing.text("▸", x: axis.places.to, y: y + 4, .middle)
        } else {
            drawing.mark(series, x: axis.place(dot.value), y: y)
        }
    }

    private func horizontal(places: (Double, Double), count: Int) -> Axis {
        let values = rows.flatMap { $0.dots.compactMap(\.self) }.flatMap {
            [$0.value, $0.low ?? $0.value, $0.high ?? $0.value]
        }
        if isLogarithmic { return .logarithmic(values, places: places, count: count, format: format) }
        if let changes {
            let shown = values.map { min(max($0, changes.lowerBound), changes.upperBound) }
            return .linear(shown, places: places, count: count, format: format)
        }
        return .linear(
            (range.map { [$0.lowerBound, $0.upperBound] } ?? []) + values.map { max($0, 0) }, places: places,
            count: count, format: format)
    }
}
