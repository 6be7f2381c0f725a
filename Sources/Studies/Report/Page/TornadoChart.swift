/// How far a result moves over the range of each assumption, from what it is now: one bar for each, longest first.
struct TornadoChart {
    struct Bar {
        var label: String
        /// Results at the ends of the range; absent where there is none.
        var low: Double?
        var high: Double?
        /// The ends of the range in words.
        var lowLabel: String
        var highLabel: String
    }

    var bars: [Bar]
    var now: Double
    var title: String
    /// How a tick is written.
    var format: (Double) -> String

    func drawing(width: Double) -> Drawing {
        let isNarrow = width < 500
        let labels = isNarrow ? 0 : (bars.map { Drawing.width(of: $0.label) }.max() ?? 0) + 14
        let places = (labels + 56, width - 62)
        let values = bars.flatMap { [$0.low, $0.high].compactMap(\.self) } + [now]
        let axis = Axis.linear(
            values, places: places, count: isNarrow ? 3 : 6, fromZero: false, format: format)
        let height = isNarrow ? 44.0 : 28
        let bottom = Double(bars.count) * height + 8
        var drawing = Drawing(width: width, height: bottom + 40)
        // Names of narrow bars stand above them, where no line of the grid may cross them.
        let lines: [(Double, Double)] =
            isNarrow
            ? bars.indices.map { (Double($0) * height + 22, Double($0 + 1) * height) } : [(4, bottom)]
        for tick in axis.ticks {
            let x = axis.place(tick.value)
            for line in lines { drawing.line((x, line.0), (x, line.1), "grid") }
            drawing.text(tick.label, x: x, y: bottom + 16, .middle)
        }
        for (index, bar) in bars.enumerated() {
            let top = Double(index) * height + 6
            drawing.text(bar.label, x: 0, y: top + 13, .start, isNarrow ? "title" : "")
            draw(bar, y: top + (isNarrow ? 18 : 0), axis, on: &drawing)
        }
        drawing.line((axis.place(now), 4), (axis.place(now), bottom), "axis")
        drawing.line((places.0, bottom), (places.1, bottom), "axis")
        drawing.text(title, x: places.1, y: bottom + 34, .end, "title")
        return drawing
    }

    private func draw(_ bar: Bar, y: Double, _ axis: Axis, on drawing: inout Drawing) {
        let ends = [(bar.low, bar.lowLabel, "f0"), (bar.high, bar.highLabel, "f1")]
        for (value, _, style) in ends {
            guard let value else { continue }
            let (from, to) = (axis.place(min(value, now)), axis.place(max(value, now)))
            drawing.rectangle(x: from, y: y, width: max(to - from, 1), height: 16, style)
        }
        // The end that makes less stands left, whichever end of the range it is.
        let left = ends.min { ($0.0 ?? .infinity) < ($1.0 ?? .infinity) }
        let right = ends.max { ($0.0 ?? .infinity) < ($1.0 ?? .infinity) }
        if let left, let value = left.0 {
            drawing.text(left.1, x: axis.place(min(value, now)) - 5, y: y + 13, .end)
        }
        if let right, left.map({ $0.1 != right.1 }) ?? true {
            let place = axis.place(max(right.0 ?? axis.range.upperBound, now))
            drawing.text(right.0 == nil ? right.1 + " ▸" : right.1, x: place + 5, y: y + 13)
        }
    }
}
