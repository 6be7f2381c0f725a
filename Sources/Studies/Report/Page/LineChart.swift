import Wording

/// Lines over a common axis, with bands for intervals and shaded windows for faults.
struct LineChart {
    struct Point {
        var x: Double
        var y: Double
        var low: Double?
        var high: Double?
        /// Bounds of what nobody knows, behind the interval of chance.
        var plausible: (low: Double, high: Double)?

        /// The value and all that is drawn of it.
        fileprivate var extent: [Double] {
            [y, low ?? y, high ?? y, plausible?.low ?? y, plausible?.high ?? y]
        }
    }

    struct Series {
        var name: String
        /// `nil` interrupts the line.
        var points: [Point?]
    }

    enum Across {
        case nines(largest: Double)
        /// Seconds of simulated time, from 0.
        case time(end: Double)
        case linear, logarithmic
        /// Names of the places 0, 1, 2 and so on.
        case names([String])
    }

    struct Window {
        var label: String
        var begin: Double
        var end: Double
        var style = "fault"
    }

    var series: [Series]
    var across: Across
    var acrossTitle: String
    var isLogarithmic = false
    var upTitle: String
    /// How a value of the vertical axis is written.
    var format: (Double) -> String
    var windows: [Window] = []
    /// Across the whole chart, such as what an objective asks for.
    var limit: Double?
    var hasMarks = false
    var height = 260.0
    /// Single values without a line, such as the points that a mean is made of.
    var loose: [Point] = []

    func drawing(width: Double) -> Drawing {
        let legend = series.count > 1 ? Legend(series.map(\.name), width: width) : nil
        let top = (legend?.height ?? 0) + (legend == nil ? 24 : 30)
        let bottom = top + height
        var drawing = Drawing(width: width, height: bottom + 40)
        let up = vertical(places: (bottom, top))
        let margin = (up.ticks.map { Drawing.width(of: $0.label) }.max() ?? 0) + 10
        let side = horizontal(places: (margin, width - 14), count: width < 500 ? 4 : 8)
        legend?.draw(on: &drawing, hasMarks: hasMarks)
        drawing.text(upTitle, x: 0, y: top - 10, .start, "title")
        draw(windows, side, top: top, bottom: bottom, on: &drawing)
        for tick in up.ticks {
            let y = up.place(tick.value)
            drawing.line((margin, y), (width - 14, y), "grid")
            drawing.text(tick.label, x: margin - 6, y: y + 4, .end)
        }
        draw(side, from: margin, to: width - 14, bottom: bottom, on: &drawing)
        if let limit {
            let y = up.place(limit)
            drawing.line((margin, y), (width - 14, y), "limit")
            drawing.text("limit", x: width - 14, y: y - 4, .end, "title")
        }
        for point in loose { drawing.mark(3, x: side.place(point.x), y: up.place(point.y)) }
        for (index, one) in series.enumerated() {
            draw(one, number: index % Drawing.seriesCount, side, up, on: &drawing)
        }
        return drawing
    }

    private func draw(
        _ one: Series, number: Int, _ side: Axis, _ up: Axis, on drawing: inout Drawing
    ) {
        drawing.band(
            one.points.map { point in
                guard let point, let ends = point.plausible else { return nil }
                return (side.place(point.x), up.place(ends.low), up.place(ends.high))
            }, "k\(number)")
        drawing.band(
            one.points.map { point in
                guard let point, let low = point.low, let high = point.high else { return nil }
                return (side.place(point.x), up.place(low), up.place(high))
            }, "b\(number)")
        drawing.path(
            one.points.map { $0.map { (side.place($0.x), up.place($0.y)) } }, "l\(number)")
        guard hasMarks else { return }
        for point in one.points.compactMap(\.self) {
            let x = side.place(point.x)
            if let low = point.low, let high = point.high {
                drawing.line((x, up.place(low)), (x, up.place(high)), "w\(number)")
            }
            drawing.mark(number, x: x, y: up.place(point.y))
        }
    }

    private func draw(
        _ side: Axis, from left: Double, to right: Double, bottom: Double, on drawing: inout Drawing
    ) {
        drawing.line((left, bottom), (right, bottom), "axis")
        var free = 0.0
        for tick in side.ticks {
            let x = side.place(tick.value)
            drawing.line((x, bottom), (x, bottom + 4), "axis")
            // A label that would touch the one before is left out, or the last one is pushed inwards.
            let half = Drawing.width(of: tick.label) / 2
            let middle = min(max(x, half), side.places.to + 14 - half)
            guard middle - half > free else { continue }
            free = middle + half + 4
            drawing.text(tick.label, x: middle, y: bottom + 17, .middle)
        }
        drawing.text(acrossTitle, x: right, y: bottom + 35, .end, "title")
    }

    /// Labels stand above the plot; the title of the axis is there, too, so a label near it stands to its right.
    private func draw(
        _ windows: [Window], _ side: Axis, top: Double, bottom: Double, on drawing: inout Drawing
    ) {
        for window in windows {
            let (from, to) = (side.place(window.begin), side.place(window.end))
            drawing.rectangle(x: from, y: top, width: max(to - from, 1.5), height: bottom - top, window.style)
            let free = Drawing.width(of: upTitle) + 12 + Drawing.width(of: window.label) / 2
            drawing.text(window.label, x: max((from + to) / 2, free), y: top - 10, .middle, "title")
        }
    }

    private func vertical(places: (Double, Double)) -> Axis {
        let values =
            series.flatMap { $0.points.compactMap(\.self) }.flatMap(\.extent)
            + loose.map(\.y) + [limit].compactMap(\.self)
        return isLogarithmic
            ? .logarithmic(values, places: places, format: format)
            : .linear(values.map { max($0, 0) }, places: places, count: height < 200 ? 3 : 5, format: format)
    }

    private func horizontal(places: (Double, Double), count: Int) -> Axis {
        let values = series.flatMap { $0.points.compactMap(\.self) }.map(\.x) + loose.map(\.x)
        switch across {
        case .nines(let largest): return .nines(to: largest, places: places)
        case .time(let end): return .time(end, places: places, count: count)
        case .logarithmic:
            return .logarithmic(values, places: places, count: count, format: Format.plain)
        case .linear:
            return .linear(values, places: places, count: count, fromZero: false, format: Format.plain)
        case .names(let names):
            let ticks = names.enumerated().map { Axis.Tick(value: Double($0), label: $1) }
            return Axis(
                kind: .linear, range: -0.5...(Double(max(names.count, 1)) - 0.5), places: places, ticks: ticks
            )
        }
    }
}

/// Names of series with their mark and line, in as many rows as they need.
struct Legend {
    private var places: [(name: String, x: Double, row: Int)] = []
    let height: Double

    init(_ names: [String], width: Double) {
        var (x, row) = (0.0, 0)
        for full in names {
            let name = Self.fitting(full, width: width - 34)
            let size = 34 + Drawing.width(of: name) + 14
            if x > 0, x + size > width { (x, row) = (0, row + 1) }
            places.append((name, x, row))
            x += size
        }
        height = Double(row + 1) * 20
    }

    /// The name, or as much of it as there is room for; the table of the figure has all of it.
    private static func fitting(_ name: String, width: Double) -> String {
        guard Drawing.width(of: name) > width else { return name }
        return name.prefix(max(1, Int(width / Drawing.width(of: "x")) - 1)) + "…"
    }

    func draw(on drawing: inout Drawing, hasMarks: Bool) {
        for (index, place) in places.enumerated() {
            let number = index % Drawing.seriesCount
            let y = Double(place.row) * 20 + 12
            drawing.path([(place.x, y), (place.x + 26, y)], "l\(number)")
            if hasMarks { drawing.mark(number, x: place.x + 13, y: y) }
            drawing.text(place.name, x: place.x + 32, y: y + 4)
        }
    }
}
