/// Bars made of numbered parts, for example where the time of a lookup goes.
struct StackedBars {
    struct Part {
        var name: String
        /// Which of the fills; parts of one thing share it.
        var fill: Int
        /// Hatched, as waiting is.
        var isHatched: Bool
    }

    struct Bar {
        var label: String
        /// One per part; absent where nothing is known.
        var values: [Double?]
    }

    var parts: [Part]
    var bars: [Bar]
    var title: String
    var format: (Double) -> String

    func drawing(width: Double) -> Drawing {
        let legend = places(width: width)
        let top = 8.0
        let barHeight = 46.0
        let bottom = top + Double(bars.count) * barHeight
        let keyTop = bottom + 52
        var drawing = Drawing(width: width, height: keyTop + (legend.last.map { $0.y + 12 } ?? 0))
        let totals = bars.map { $0.values.compactMap(\.self).reduce(0, +) }
        let axis = Axis.linear(
            totals, places: (2, width - 20), count: width < 500 ? 4 : 8, format: format)
        for tick in axis.ticks {
            let x = axis.place(tick.value)
            drawing.line((x, top), (x, bottom), "grid")
            drawing.text(tick.label, x: max(x, 8), y: bottom + 16, .middle)
        }
        for (row, bar) in bars.enumerated() {
            let y = top + Double(row) * barHeight
            drawing.text(bar.label, x: 2, y: y + 12)
            draw(bar, y: y + 17, axis, on: &drawing)
        }
        drawing.line((2, bottom), (width - 20, bottom), "axis")
        drawing.text(title, x: width - 20, y: bottom + 33, .end, "title")
        for (index, place) in legend.enumerated() {
            let y = keyTop + place.y
            draw(parts[index], x: place.x, y: y - 11, width: 22, height: 15, on: &drawing)
            drawing.text("\(index + 1)", x: place.x + 11, y: y + 1, .middle, "inside")
            drawing.text(parts[index].name, x: place.x + 28, y: y + 1)
        }
        return drawing
    }

    private func draw(_ bar: Bar, y: Double, _ axis: Axis, on drawing: inout Drawing) {
        var sum = 0.0
        for (index, value) in bar.values.enumerated() {
            guard let value, value > 0 else { continue }
            let (from, to) = (axis.place(sum), axis.place(sum + value))
            sum += value
            draw(parts[index], x: from, y: y, width: to - from, height: 22, on: &drawing)
            if to - from > 12 {
                drawing.text("\(index + 1)", x: (from + to) / 2, y: y + 15, .middle, "inside")
            }
        }
    }

    private func draw(
        _ part: Part, x: Double, y: Double, width: Double, height: Double, on drawing: inout Drawing
    ) {
        drawing.rectangle(x: x, y: y, width: width, height: height, "f\(part.fill)")
        if part.isHatched { drawing.rectangle(x: x, y: y, width: width, height: height, "hatched") }
    }

    /// Places of the legend's entries below the bars.
    private func places(width: Double) -> [(x: Double, y: Double)] {
        var (x, y) = (2.0, 0.0)
        return parts.map { part in
            let size = 28 + Drawing.width(of: part.name) + 18
            if x > 2, x + size > width { (x, y) = (2, y + 22) }
            defer { x += size }
            return (x, y)
        }
    }
}
